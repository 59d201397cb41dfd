// SPDX-License-Identifier: MIT
/* Reading a whole file, whoever else may be changing it meanwhile, and writing one. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/signals.h"
#include "runtime/base/util.h"

/* As much as there is, at most so many bytes; the number of them, or -1 and errno. */
static ssize_t read_all(int fd, uint8_t *data, size_t bytes)
{
	size_t done = 0;

	while (done < bytes) {
		ssize_t got = pread(fd, data + done, bytes - done, (off_t)done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (!got)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

int pd_read_file(int fd, size_t most, uint8_t **data, size_t *bytes)
{
	struct stat st;
	ssize_t got;

	if (fstat(fd, &st))
		return errno;
	if (!S_ISREG(st.st_mode) || st.st_size <= 0 ||
	    (uint64_t)st.st_size > most)
		return ENOEXEC;
	*bytes = (size_t)st.st_size;
	*data = malloc(*bytes);
	if (!*data)
		return ENOMEM;
	got = read_all(fd, *data, *bytes);
	if (got < 0) {
		int err = errno;

		free(*data);
		*data = NULL;
		return err;
	}
	*bytes = (size_t)got;
	return 0;
}

int pd_write_all(int fd, const char *text, size_t bytes)
{
	size_t done = 0;

	while (done < bytes) {
		struct pd_xfsz xfsz;
		ssize_t n;

		pd_xfsz_block(&xfsz);
		n = write(fd, text + done, bytes - done);
		pd_xfsz_unblock(&xfsz, n < 0 && errno == EFBIG);
		if (n < 0 && errno != EINTR)
			return errno;
		if (!n)
			return ENOSPC;
		if (n > 0)
			done += (size_t)n;
	}
	return 0;
}

char *pd_absolute_path(const char *path)
{
	char *folder = *path == '/' ? NULL : getcwd(NULL, 0), *whole;

	if (!folder)
		return strdup(path);
	if (asprintf(&whole, "%s/%s", folder, path) < 0)
		whole = NULL;
	free(folder);
	return whole;
}
