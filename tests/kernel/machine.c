// SPDX-License-Identifier: MIT
/* Reads files in which the machine says what it has and what it is set to. */
#include <fcntl.h>
#include <unistd.h>

#include "tests/kernel/harness.h"
#include "tests/kernel/machine.h"

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

long kept_by_processors(void)
{
	FILE *file = fopen("/proc/zoneinfo", "re");
	long pages = 0, count;
	bool told = false;
	char line[256];

	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, " count: %ld", &count) != 1)
			continue;
		pages += count;
		told = true;
	}
	fclose(file);
	return told ? pages * (sysconf(_SC_PAGESIZE) / 1024) : -1;
}

bool refresh_counters(void)
{
	const char *refresh = "/proc/sys/vm/stat_refresh";

	return write_text(refresh, "1") || access(refresh, F_OK);
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
