// SPDX-License-Identifier: MIT
/* Writes the timeline, and takes the library's events into it. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#include "tools/tool.h"
#include "tools/trace/file.h"

/* more than any event of the library has */
#define LINE_BYTES	4096

/* The first failure is the one to tell: stdio forgets why it failed. */
static void put_text(struct trace_file *file, const char *text)
{
	if (!file->err && fputs(text, file->file) < 0)
		file->err = errno;
}

int trace_file_open(struct trace_file *file, const char *path)
{
	*file = (struct trace_file){ .file = fopen(path, "we") };
	if (!file->file) {
		int err = errno;

		tool_error("%s: %s", path, strerror(err));
		return -err;
	}
	put_text(file, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
	return 0;
}

/* Part of a timeline is none, and takes room where there may be too little. */
static void remove_regular(const char *path)
{
	struct stat st;

	if (!lstat(path, &st) && S_ISREG(st.st_mode))
		unlink(path);
}

int trace_file_close(struct trace_file *file, const char *path)
{
	put_text(file, "\n]}\n");
	if (fclose(file->file) && !file->err)
		file->err = errno;
	if (!file->err)
		return 0;
	tool_error("%s: cannot be written: %s", path, strerror(file->err));
	remove_regular(path);
	return -file->err;
}

static void add_text(struct trace_file *file, const char *text)
{
	put_text(file, file->events ? ",\n" : "\n");
	put_text(file, text);
	file->events++;
}

void trace_file_add(struct trace_file *file, struct json_object *event)
{
	add_text(file, json_object_to_json_string_ext(event,
						      JSON_C_TO_STRING_PLAIN |
						      JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(event);
}

/* The traced program may have written anything there: only objects pass. */
static void add_line(struct trace_file *file, char *line)
{
	size_t length = strcspn(line, "\n");
	struct json_object *event;

	if (length && line[length - 1] == ',')
		length--;
	line[length] = '\0';
	if (!strcmp(line, "["))
		return;
	event = json_tokener_parse(line);
	if (event && json_object_is_type(event, json_type_object)) {
		trace_file_add(file, event);
		return;
	}
	json_object_put(event);
	file->lost++;
}

int trace_file_library(struct trace_file *file, const char *path)
{
	FILE *library = fopen(path, "re");
	char line[LINE_BYTES];

	if (!library) {
		int err = errno;

		tool_error("%s: %s", path, strerror(err));
		return -err;
	}
	while (fgets(line, sizeof(line), library))
		add_line(file, line);
	fclose(library);
	return 0;
}

struct json_object *trace_event(const char *phase, const char *name,
				uint32_t pid, uint32_t tid, uint64_t ns)
{
	struct json_object *event = json_object_new_object();
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64 ".%03" PRIu64, ns / 1000,
		 ns % 1000);
	tool_json_add(event, "ph", tool_json_string(phase));
	tool_json_add(event, "name", tool_json_string(name));
	tool_json_add(event, "pid", json_object_new_uint64(pid));
	tool_json_add(event, "tid", json_object_new_uint64(tid));
	/* with this text: doubles would be rounded in sight */
	tool_json_add(event, "ts",
		      json_object_new_double_s((double)ns / 1000, text));
	return event;
}

void trace_name(struct trace_file *file, const char *kind, uint32_t pid,
		uint32_t tid, const char *name)
{
	struct json_object *event = trace_event("M", kind, pid, tid, 0);
	struct json_object *args = json_object_new_object();

	tool_json_add(args, "name", tool_json_string(name));
	tool_json_add(event, "args", args);
	trace_file_add(file, event);
}
