// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <unistd.h>

#include "harness.h"
#include "machine.h"

long number_after(const char *path, const char *key)
{
	FILE *file = fopen(path, "re");
	char line[256];
	long value = -1;

	if (!file)
		return -1;
	while (value < 0 && fgets(line, sizeof(line), file))
		if (!strncmp(line, key, strlen(key)))
			value = strtol(line + strlen(key), NULL, 10);
	fclose(file);
	return value;
}

long meminfo(const char *key)
{
	return number_after("/proc/meminfo", key);
}

bool write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool written = fd >= 0 &&
		       write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return written;
}
