// SPDX-License-Identifier: MIT
/* Messages, JSON, numbers as text, the clock and the place of this program. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <json-c/json.h>

#include "tools/inside.h"
#include "tools/tool.h"

/* NULL: standard error */
static FILE *messages_file;

void tool_messages_to(FILE *file)
{
	messages_file = file;
}

FILE *tool_messages(void)
{
	return messages_file ? messages_file : stderr;
}

int tool_error(const char *format, ...)
{
	va_list args;

	/* what was said so far comes first, also where both go to one file */
	fflush(stdout);
	fputs("pimdimm: ", tool_messages());
	va_start(args, format);
	vfprintf(tool_messages(), format, args);
	va_end(args);
	fputc('\n', tool_messages());
	return TOOL_FAILED;
}

static void *or_die(void *pointer)
{
	if (!pointer)
		exit(tool_error("no memory for the JSON output"));
	return pointer;
}

void tool_json_add(struct json_object *object, const char *key,
		   struct json_object *value)
{
	if (json_object_object_add(or_die(object), key, or_die(value)))
		or_die(NULL);
}

struct json_object *tool_json_string(const char *text)
{
	return or_die(json_object_new_string(text));
}

void tool_print_json(struct json_object *object)
{
	int flags = JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
		    JSON_C_TO_STRING_NOSLASHESCAPE;

	puts(or_die((void *)json_object_to_json_string_ext(or_die(object),
							   flags)));
	json_object_put(object);
}

#define TEXT_BYTES 32

static char *next_text(void)
{
	static char ring[8][TEXT_BYTES];
	static unsigned int next;

	return ring[next++ % TOOL_COUNT(ring)];
}

const char *tool_count(uint64_t n)
{
	char *text = next_text(), *p = text + TEXT_BYTES;
	unsigned int digits = 0;

	*--p = '\0';
	do {
		if (digits && digits % 3 == 0)
			*--p = ',';
		*--p = (char)('0' + n % 10);
		digits++;
		n /= 10;
	} while (n);
	return p;
}

const char *tool_size(uint64_t bytes)
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB" };
	char *text = next_text();
	unsigned int unit = 0;

	while (unit + 1 < TOOL_COUNT(units) && bytes && bytes % 1024 == 0) {
		bytes /= 1024;
		unit++;
	}
	snprintf(text, TEXT_BYTES, "%" PRIu64 " %s", bytes, units[unit]);
	return text;
}

const char *tool_rate(double bytes_a_second)
{
	static const char *const units[] = { "B/s", "kB/s", "MB/s", "GB/s" };
	char *text = next_text();
	unsigned int unit = 0;

	while (unit + 1 < TOOL_COUNT(units) && bytes_a_second >= 1000) {
		bytes_a_second /= 1000;
		unit++;
	}
	snprintf(text, TEXT_BYTES, unit ? "%.2f %s" : "%.0f %s",
		 bytes_a_second, units[unit]);
	return text;
}

bool tool_parse_seconds(const char *text, double min, uint64_t *ns)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end == text || *end || !(seconds >= min) || seconds > 1e6)
		return false;
	*ns = (uint64_t)(seconds * 1e9);
	return true;
}

const char *tool_seconds(uint64_t ns)
{
	char *text = next_text();

	if (ns < 1000000)
		snprintf(text, TEXT_BYTES, "%.1f us", (double)ns / 1e3);
	else if (ns < 1000000000)
		snprintf(text, TEXT_BYTES, "%.1f ms", (double)ns / 1e6);
	else
		snprintf(text, TEXT_BYTES, "%.2f s", (double)ns / 1e9);
	return text;
}

uint64_t tool_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t tool_number_in(const char *path, const char *key, uint64_t unit)
{
	FILE *file = fopen(path, "re");
	unsigned long long value = 0;
	uint64_t found = UINT64_MAX;
	char line[128];

	if (!file)
		return found;
	while (found == UINT64_MAX && fgets(line, sizeof(line), file)) {
		if (!strncmp(line, key, strlen(key)) &&
		    sscanf(line + strlen(key), "%llu", &value) == 1)
			found = value * unit;
	}
	fclose(file);
	return found;
}

uint64_t tool_memory_available(void)
{
	uint64_t machine = tool_number_in("/proc/meminfo", "MemAvailable:", 1024);
	uint64_t groups = pd_quota_memory("");

	return groups < machine ? groups : machine;
}

const char *tool_folder(void)
{
	static char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *slash;

	if (length < 0)
		return ".";
	path[length] = '\0';
	slash = strrchr(path, '/');
	if (!slash)
		return ".";
	*slash = '\0';
	return path;
}

bool tool_part(const char *folder, const char *name, char *path, size_t bytes)
{
	static const char *const places[] = { "../libexec/pimdimm/", "" };

	for (size_t i = 0; i < TOOL_COUNT(places); i++) {
		int length = snprintf(path, bytes, "%s/%s%s/%s", tool_folder(), places[i], folder,
				      name);

		if (length > 0 && (size_t)length < bytes && !access(path, F_OK))
			return true;
	}
	return false;
}

const char *tool_temporary_folder(void)
{
	const char *folder = getenv("TMPDIR");

	return folder && *folder ? folder : "/tmp";
}

void tool_temporary(const char *name, char path[TOOL_TEMPORARY])
{
	snprintf(path, TOOL_TEMPORARY, "%s/pimdimm-%s-XXXXXX", tool_temporary_folder(), name);
}
