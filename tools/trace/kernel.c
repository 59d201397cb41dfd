// SPDX-License-Identifier: MIT
/* Reads the module's tracepoints from an instance of tracefs of its own. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#include "tools/tool.h"
#include "tools/trace/kernel.h"

/* threads whose transfers may be under way at a time */
#define OPEN_XFERS	1024
/* "COMM-PID": the name ends here, whatever is in it */
#define COMM_WIDTH	16

struct open_xfer {
	uint32_t tid;		/* 0: none */
	uint64_t ns;
	struct json_object *args;
};

struct trace_kernel {
	char folder[128];
	int fd;
	size_t used;
	char text[65536];
	struct open_xfer xfers[OPEN_XFERS];
};

struct event {
	uint32_t tid, rank;
	uint64_t ns;
	char comm[COMM_WIDTH + 1];
	char name[32];		/* without pimdimm_ */
	struct json_object *args;
};

static bool write_setting(const struct trace_kernel *kernel, const char *file,
		const char *text)
{
	char path[256];
	bool done;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", kernel->folder, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	done = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	close(fd);
	return done;
}

static bool begin_in(struct trace_kernel *kernel, const char *tracefs)
{
	char path[192];

	snprintf(path, sizeof(path), "%s/events/pimdimm", tracefs);
	if (access(path, X_OK))
		return false;
	snprintf(kernel->folder, sizeof(kernel->folder),
		 "%s/instances/pimdimm-%d", tracefs, getpid());
	if (mkdir(kernel->folder, 0700))
		return false;
	snprintf(path, sizeof(path), "%s/trace_pipe", kernel->folder);
	kernel->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (kernel->fd >= 0 && write_setting(kernel, "trace_clock", "mono") &&
	    write_setting(kernel, "events/pimdimm/enable", "1"))
		return true;
	if (kernel->fd >= 0)
		close(kernel->fd);
	rmdir(kernel->folder);
	return false;
}

struct trace_kernel *trace_kernel_begin(void)
{
	static const char *const mounts[] = {
		"/sys/kernel/tracing", "/sys/kernel/debug/tracing",
	};
	struct trace_kernel *kernel = calloc(1, sizeof(*kernel));

	for (size_t i = 0; kernel && i < TOOL_COUNT(mounts); i++)
		if (begin_in(kernel, mounts[i]))
			return kernel;
	tool_error("without events of the kernel: tracefs: %s",
		   kernel ? strerror(errno) : "no memory");
	free(kernel);
	return NULL;
}

int trace_kernel_fd(const struct trace_kernel *kernel)
{
	return kernel->fd;
}

/* "rank=0 direction=to_mram bytes=8": numbers where they are numbers */
static void parse_fields(struct event *event, char *fields)
{
	char *field, *next = fields;

	event->args = json_object_new_object();
	while ((field = strsep(&next, " "))) {
		char *value = strchr(field, '='), *end;
		long long number;

		if (!value)
			continue;
		*value++ = '\0';
		number = strtoll(value, &end, 10);
		if (!strcmp(field, "rank"))
			event->rank = (uint32_t)number;
		tool_json_add(event->args, field,
			      *value && !*end ? json_object_new_int64(number) :
						tool_json_string(value));
	}
}

/* "   COMM-PID     [CPU] FLAGS SECONDS.MICROSECONDS: pimdimm_NAME: FIELDS" */
static bool parse_line(struct event *event, char *line)
{
	static const char prefix[] = ": pimdimm_";
	uint64_t seconds, microseconds;
	char *name, *time, *fields, *comm = line;

	if (strlen(line) <= COMM_WIDTH || line[COMM_WIDTH] != '-')
		return false;
	line[COMM_WIDTH] = '\0';
	comm += strspn(comm, " ");
	snprintf(event->comm, sizeof(event->comm), "%s", comm);
	event->tid = (uint32_t)strtoul(line + COMM_WIDTH + 1, &line, 10);
	name = strstr(line, prefix);
	if (!name)
		return false;
	*name = '\0';
	name += strlen(prefix);
	time = strrchr(line, ' ');
	fields = strstr(name, ": ");
	if (!time || !fields ||
	    sscanf(time, " %" SCNu64 ".%" SCNu64, &seconds, &microseconds) != 2)
		return false;
	*fields = '\0';
	snprintf(event->name, sizeof(event->name), "%s", name);
	event->ns = seconds * 1000000000 + microseconds * 1000;
	parse_fields(event, fields + 2);
	return true;
}

static struct open_xfer *find_xfer(struct trace_kernel *kernel, uint32_t tid)
{
	for (size_t i = 0; i < OPEN_XFERS; i++)
		if (kernel->xfers[i].tid == tid)
			return &kernel->xfers[i];
	return NULL;
}

static void begin_xfer(struct trace_kernel *kernel, struct trace_file *file,
		       const struct event *event)
{
	struct open_xfer *xfer = find_xfer(kernel, event->tid);

	if (!xfer)
		xfer = find_xfer(kernel, 0);
	if (!xfer || xfer->tid) {
		/* no room, or its end was lost */
		file->lost++;
		json_object_put(xfer ? xfer->args : event->args);
	}
	if (xfer)
		*xfer = (struct open_xfer){ event->tid, event->ns, event->args };
}

static void end_xfer(struct trace_kernel *kernel, struct trace_file *file,
		     const struct event *event)
{
	struct open_xfer *xfer = find_xfer(kernel, event->tid);
	struct json_object *out, *value;

	if (!xfer) {
		/* it began before we did */
		file->lost++;
		json_object_put(event->args);
		return;
	}
	out = trace_event("X", "transfer", trace_node(event->rank), event->tid,
			  xfer->ns);
	tool_json_add(out, "dur",
		      json_object_new_double((double)(event->ns - xfer->ns) /
					     1000));
	if (json_object_object_get_ex(event->args, "bytes", &value))
		tool_json_add(xfer->args, "total_bytes",
			      json_object_get(value));
	if (json_object_object_get_ex(event->args, "ret", &value))
		tool_json_add(xfer->args, "ret", json_object_get(value));
	tool_json_add(out, "args", xfer->args);
	trace_name(file, "thread_name", trace_node(event->rank), event->tid,
		   event->comm);
	trace_file_add(file, out);
	json_object_put(event->args);
	*xfer = (struct open_xfer){ 0 };
}

static void add_instant(struct trace_file *file, const struct event *event)
{
	struct json_object *out = trace_event("i", event->name,
					      trace_node(event->rank),
					      event->tid, event->ns);

	tool_json_add(out, "s", tool_json_string("t"));
	tool_json_add(out, "args", event->args);
	trace_name(file, "thread_name", trace_node(event->rank), event->tid,
		   event->comm);
	trace_file_add(file, out);
}

static void take_line(struct trace_kernel *kernel, struct trace_file *file,
		      char *line)
{
	struct event event = { 0 };

	/* such as "CPU:0 [LOST 12 EVENTS]" */
	if (!parse_line(&event, line)) {
		file->lost++;
		return;
	}
	if (!strcmp(event.name, "xfer_begin"))
		begin_xfer(kernel, file, &event);
	else if (!strcmp(event.name, "xfer_end"))
		end_xfer(kernel, file, &event);
	else
		add_instant(file, &event);
}

static void take_lines(struct trace_kernel *kernel, struct trace_file *file)
{
	char *line = kernel->text, *end;

	kernel->text[kernel->used] = '\0';
	while ((end = strchr(line, '\n'))) {
		*end = '\0';
		take_line(kernel, file, line);
		line = end + 1;
	}
	kernel->used = strlen(line);
	/* a line without an end would never make room */
	if (kernel->used == sizeof(kernel->text) - 1)
		kernel->used = 0;
	memmove(kernel->text, line, kernel->used);
}

void trace_kernel_read(struct trace_kernel *kernel, struct trace_file *file)
{
	ssize_t n;

	while ((n = read(kernel->fd, kernel->text + kernel->used,
			 sizeof(kernel->text) - 1 - kernel->used)) > 0) {
		kernel->used += (size_t)n;
		take_lines(kernel, file);
	}
}

void trace_kernel_end(struct trace_kernel *kernel, struct trace_file *file)
{
	write_setting(kernel, "events/pimdimm/enable", "0");
	trace_kernel_read(kernel, file);
	for (size_t i = 0; i < OPEN_XFERS; i++)
		json_object_put(kernel->xfers[i].args);
	close(kernel->fd);
	if (rmdir(kernel->folder))
		tool_error("%s: %s", kernel->folder, strerror(errno));
	free(kernel);
}
