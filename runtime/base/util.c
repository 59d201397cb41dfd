// SPDX-License-Identifier: MIT
/* Reading a whole file, whoever else may be changing it meanwhile. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

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
