// SPDX-License-Identifier: MIT
/* `pimdimm trace`: a timeline of a command, or of a span of time. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/cmd/commands.h"
#include "tools/module/sysfs.h"
#include "tools/tool.h"
#include "tools/trace/file.h"
#include "tools/trace/kernel.h"
#include "tools/trace/rates.h"

#define SAMPLE_NS	100000000
/* The exit status that shells give for a command that cannot be run. */
#define CANNOT_RUN	127

struct tracing {
	const char *out, *sysfs, *tasklets;
	uint64_t span_ns;	/* without a command */
	bool no_kernel;
	char library[4096];	/* the file that PIMDIMM_TRACE names */
	pid_t child;
	int child_fd;		/* ready when it has ended */
	struct trace_file file;
	struct trace_kernel *kernel;
	struct trace_rates rates;
};

static volatile sig_atomic_t stopped;

static void trace_on_signal(int signal)
{
	stopped = signal;
}

/* Beside the output, where there is room for it. */
static int make_library_file(struct tracing *t)
{
	char *whole;
	int fd;

	if (snprintf(t->library, sizeof(t->library), "%s.XXXXXX", t->out) >=
	    (int)sizeof(t->library))
		return tool_error("%s: too long a name", t->out);
	fd = mkstemp(t->library);
	if (fd < 0)
		return tool_error("%s: %s", t->library, strerror(errno));
	close(fd);
	/* the command may open it from another folder */
	whole = realpath(t->library, NULL);
	if (whole && strlen(whole) < sizeof(t->library))
		strcpy(t->library, whole);
	free(whole);
	return TOOL_OK;
}

static void trace_run_child(const struct tracing *t, char **argv)
{
	int err;

	if (setenv("PIMDIMM_TRACE", t->library, 1) == 0 &&
	    (!t->tasklets || setenv("PIMDIMM_TRACE_TASKLETS", t->tasklets, 1) == 0))
		execvp(argv[0], argv);
	err = errno;
	tool_error("%s: %s", argv[0], strerror(err));
	_exit(CANNOT_RUN);
}

static int start_child(struct tracing *t, char **argv)
{
	int ret = make_library_file(t);

	if (ret)
		return ret;
	fflush(NULL);
	t->child = fork();
	if (!t->child)
		trace_run_child(t, argv);
	if (t->child < 0)
		return tool_error("fork: %s", strerror(errno));
	t->child_fd = (int)syscall(SYS_pidfd_open, t->child, 0);
	if (t->child_fd >= 0)
		return TOOL_OK;
	ret = tool_error("pidfd_open: %s", strerror(errno));
	kill(t->child, SIGKILL);
	waitpid(t->child, NULL, 0);
	return ret;
}

/* Until the command has ended, or the time is over. */
static void trace_collect(struct tracing *t)
{
	uint64_t end = tool_now() + t->span_ns, now = 0, sample = 0;
	bool ended = false;

	while (!ended) {
		struct pollfd fds[2] = {
			{ .fd = t->child ? t->child_fd : -1, .events = POLLIN },
			{ .fd = t->kernel ? trace_kernel_fd(t->kernel) : -1,
			  .events = POLLIN },
		};

		if (now >= sample) {
			trace_rates_sample(&t->rates, t->sysfs, &t->file);
			sample = now + SAMPLE_NS;
		}
		poll(fds, 2, SAMPLE_NS / 1000000 / 2);
		if (t->kernel)
			trace_kernel_read(t->kernel, &t->file);
		now = tool_now();
		/* a command gets the terminal's signals itself */
		if (t->child && (stopped == SIGTERM || stopped == SIGHUP))
			kill(t->child, stopped);
		ended = t->child ? fds[0].revents != 0 :
				   stopped || now >= end;
	}
	trace_rates_sample(&t->rates, t->sysfs, &t->file);
}

/* The command's own status, as a shell would say it. */
static int child_status(const struct tracing *t, const char *name)
{
	int status = 0;

	if (!t->child)
		return TOOL_OK;
	while (waitpid(t->child, &status, 0) < 0 && errno == EINTR)
		continue;
	if (WIFSIGNALED(status))
		tool_error("%s was ended by signal %d (%s)", name,
			   WTERMSIG(status), strsignal(WTERMSIG(status)));
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
				     WEXITSTATUS(status);
}

static int trace_finish(struct tracing *t)
{
	int ret = 0;

	if (t->kernel)
		trace_kernel_end(t->kernel, &t->file);
	trace_rates_end(&t->rates);
	if (t->child) {
		ret = trace_file_library(&t->file, t->library);
		unlink(t->library);
	}
	if (trace_file_close(&t->file, t->out) || ret)
		return TOOL_FAILED;
	fprintf(stderr, "pimdimm: %s: %" PRIu64 " events", t->out,
		t->file.events);
	if (t->file.lost)
		fprintf(stderr, ", %" PRIu64 " lost", t->file.lost);
	if (t->child && !t->file.events)
		fputs("; the command has done nothing with ranks of this library\n",
		      stderr);
	else
		fputs("; https://ui.perfetto.dev opens it\n", stderr);
	return TOOL_OK;
}

static int trace_command(struct tracing *t, char **argv)
{
	const struct sigaction action = { .sa_handler = trace_on_signal };
	char version[32];
	int status = TOOL_OK, ret;

	if (trace_file_open(&t->file, t->out))
		return TOOL_FAILED;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	if (!t->no_kernel && sysfs_module(version, sizeof(version)))
		t->kernel = trace_kernel_begin();
	ret = *argv ? start_child(t, argv) : TOOL_OK;
	if (!ret) {
		trace_collect(t);
		status = child_status(t, *argv);
	}
	if (trace_finish(t) || ret)
		return TOOL_FAILED;
	return status;
}

static int run_trace(const struct command *self, int argc, char **argv)
{
	struct tracing t = { .out = "trace.json", .sysfs = SYSFS_CLASS };
	int c;

	while ((c = tool_getopt(self, argc, argv)) != -1) {
		t.no_kernel |= c == 'k';
		if (c == 'o')
			t.out = optarg;
		else if (c == 's')
			t.sysfs = optarg;
		else if (c == 't')
			t.tasklets = optarg;
		else if (c == 'd' && !tool_parse_seconds(optarg, 0.01, &t.span_ns))
			return tool_usage(self, "-d %s: expected seconds from 0.01 on",
					  optarg);
	}
	if ((optind == argc) != (t.span_ns != 0))
		return tool_usage(self, "expected either a command or -d SECONDS");
	return trace_command(&t, argv + optind);
}

static const struct tool_option options[] = {
	{ 'o', "output", { "FILE", .kind = TOOL_FILE },
	  .help = "where to (trace.json)",
	  .letter = true },
	{ 'd', "span", { .name = "SECONDS" },
	  .help = "how long, fractions too", .letter = true },
	{ 't', "tasklets", { .name = "PES" },
	  .help = "draw tasklets of these PEs, by modelled time: 0,64-67 or all" },
	{ 'k', "no-kernel", .help = "no tracepoints" },
	{ 's', "sysfs", { "DIR", .kind = TOOL_FOLDER },
	  .help = "read DIR instead of " SYSFS_CLASS },
	{ 0 },
};

const struct command cmd_trace = {
	.name = "trace",
	.summary = "write a timeline of a command that Perfetto opens",
	.run = run_trace,
	.synopsis = "[OPTION]... COMMAND [ARGUMENT]...\n"
		    "[OPTION]... -d SECONDS",
	.about =
	"Runs COMMAND and writes what it and its children did with their ranks: each\n"
	"collective with its bytes, transfers, launches, what worker threads did meanwhile,\n"
	"and a track for every PE that ran. To that come, while the module is loaded, the\n"
	"transfer ioctl's bandwidth for each node, and for who may read tracefs (root) the\n"
	"module's tracepoints. With -d instead of a command only these, of all processes:\n"
	"mem: systems of processes that run already cannot be seen.\n"
	"\n"
	"FILE is Chrome's JSON trace format; https://ui.perfetto.dev opens it. What a\n"
	"command that crashed or was interrupted had begun is there without an end.\n",
	.notes =
	"Exit status: the command's own, 128 and the signal's number where one ended it,\n"
	"127 where it cannot be run; 1 failed, 2 wrong usage.\n",
	.options = options,
	.operand = { "COMMAND", .kind = TOOL_PROGRAM },
};
