// SPDX-License-Identifier: MIT
/* `pimdimm debug`: gdb on a PE of a program, on one that is kept, or on a core file. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <pimdimm/program.h>

#include "tools/cmd/commands.h"
#include "tools/inside.h"
#include "tools/tool.h"

#define CANNOT_RUN	127
#define MAX_GDB_OPTIONS	64
#define LOOK_NS		20000000
/* a program whose PE was the last thing it did has so long to end by itself */
#define END_NS		2000000000ull
#define NOTES_MOST	65536u

struct debugging {
	uint32_t pe;
	const char *attach, *core;
	bool batch;
	const char *options[MAX_GDB_OPTIONS];	/* of gdb, in the order given */
	unsigned int nr_options;
	char folder[64];	/* ours: a script for gdb, and where it finds the PE */
	pid_t child;
	int status;
	bool ended;
};

static volatile sig_atomic_t debug_signal;

static void debug_on_signal(int signal)
{
	debug_signal = signal;
}

static bool have_gdb(void)
{
	const char *path = getenv("PATH");
	char file[4096];

	while (path && *path) {
		size_t n = strcspn(path, ":");

		snprintf(file, sizeof(file), "%.*s/gdb", (int)n, path);
		if (!access(file, X_OK))
			return true;
		path += n + (path[n] == ':');
	}
	tool_error("debug: no gdb in PATH: install the package gdb");
	return false;
}

static void file_in(const struct debugging *d, const char *name, char path[128])
{
	snprintf(path, 128, "%.63s/%s", d->folder, name);
}

/* The name of a memory for what begins there, unless the program has it for another. */
static void name_memory(FILE *f, const char *program, const char *name, uint32_t begin)
{
	struct pimdimm_program *p = NULL;
	struct pimdimm_symbol symbol;

	if (pimdimm_program_open(program, &p) || pimdimm_program_symbol(p, name, &symbol))
		fprintf(f, "macro define %s ((unsigned char *)%#x)\n", name, begin);
	pimdimm_program_close(p);
}

/* Memories by their names, tasklets by their numbers, and no steps into the PE library. */
static int write_script(const struct debugging *d, const char *program,
			const char *socket)
{
	char path[128];
	FILE *f;

	file_in(d, "commands", path);
	f = fopen(path, "w");
	if (!f)
		return tool_error("debug: %s: %s", path, strerror(errno));
	name_memory(f, program, "mram", PE_MRAM_BASE);
	name_memory(f, program, "wram", PE_WRAM_BASE);
	fputs("set print thread-events off\n"
		"skip -gfi */tools/upmem/pe/lib/*.[ch]\n"
		"define tasklet\n"
		"  if $argc == 0\n"
		"    info threads\n"
		"  else\n"
		"    eval \"thread %d\", $arg0 + 1\n"
		"  end\n"
		"end\n"
		"document tasklet\n"
		"tasklet N: look at tasklet N. Without a number: list them.\n"
		"end\n", f);
	if (socket)
		fprintf(f, "target remote %s\n", socket);
	if (fclose(f))
		return tool_error("debug: %s: %s", path, strerror(errno));
	return TOOL_OK;
}

static void exec_gdb(const struct debugging *d, const char *program, const char *core)
{
	const char *argv[MAX_GDB_OPTIONS + 10] = { "gdb", "-q" };
	unsigned int n = 2;
	char script[128];

	file_in(d, "commands", script);
	if (d->batch)
		argv[n++] = "-batch";
	argv[n++] = "-x";
	argv[n++] = script;
	for (unsigned int i = 0; i < d->nr_options; i++)
		argv[n++] = d->options[i];
	argv[n++] = program;
	if (core)
		argv[n++] = core;
	argv[n] = NULL;
	execvp("gdb", (char **)(uintptr_t)argv);
	tool_error("debug: gdb: %s", strerror(errno));
	_exit(CANNOT_RUN);
}

/* Have gdb for as long as it takes; its exit status. */
static int run_gdb(const struct debugging *d, const char *program, const char *core)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
	int status = 0;
	pid_t pid;

	fflush(NULL);
	/* an interrupt is for gdb, which asks the PE to stop */
	sigaction(SIGINT, &ignore, &before);
	pid = fork();
	if (!pid) {
		sigaction(SIGINT, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
		exec_gdb(d, program, core);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	sigaction(SIGINT, &before, NULL);
	if (pid < 0)
		return tool_error("debug: fork: %s", strerror(errno));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int make_folder(struct debugging *d)
{
	strcpy(d->folder, "/tmp/pimdimm-debug-XXXXXX");
	if (mkdtemp(d->folder))
		return TOOL_OK;
	return tool_error("debug: %s: %s", d->folder, strerror(errno));
}

static void remove_folder(const struct debugging *d)
{
	static const char *const names[] = {
		"commands", PD_DEBUGGER_PROGRAM, PD_DEBUGGER_SOCKET,
	};
	char path[128];

	for (size_t i = 0; i < TOOL_COUNT(names); i++) {
		file_in(d, names[i], path);
		unlink(path);
	}
	rmdir(d->folder);
}

/* The command, on its own, as whoever launches PE programs would. */
static int run_pe_program(const char *path, uint32_t pe)
{
	const char *uri = getenv("PIMDIMM_URI");
	struct pimdimm_program *program;
	struct pimdimm *sys;
	char *log = NULL;
	int err;

	if (pimdimm_open(uri && *uri ? uri : "mem:ranks=1,mram=64M", &sys))
		return tool_error("%s", pimdimm_errmsg());
	err = pimdimm_program_open(path, &program);
	if (!err) {
		err = pimdimm_load(sys, &pe, 1, program);
		if (!err)
			err = pimdimm_run(sys, &pe, 1, NULL);
		if (err)
			tool_error("%s", pimdimm_errmsg());
		if (!pimdimm_log_read(sys, pe, &log))
			fputs(log, stdout);
		free(log);
		pimdimm_program_close(program);
	} else {
		tool_error("%s", pimdimm_errmsg());
	}
	pimdimm_close(sys);
	fflush(NULL);
	return err ? TOOL_FAILED : TOOL_OK;
}

static bool is_pe_program(const char *path)
{
	struct pimdimm_program *program;

	if (pimdimm_program_open(path, &program))
		return false;
	pimdimm_program_close(program);
	return true;
}

/* gdb has the terminal, and an interrupt is for it: the program is in the background. */
static void debug_run_child(const struct debugging *d, char **argv)
{
	int null = open("/dev/null", O_RDONLY);
	char value[96];

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	dup2(null, STDIN_FILENO);
	snprintf(value, sizeof(value), "%u:%s", d->pe, d->folder);
	setenv("PIMDIMM_DEBUG", value, 1);
	if (is_pe_program(argv[0]))
		/* not _exit(): the library tells gdb of the end */
		exit(run_pe_program(argv[0], d->pe));
	execvp(argv[0], argv);
	tool_error("debug: %s: %s", argv[0], strerror(errno));
	_exit(CANNOT_RUN);
}

static bool has_ended(struct debugging *d)
{
	if (!d->ended && waitpid(d->child, &d->status, WNOHANG) == d->child)
		d->ended = true;
	return d->ended;
}

static void pause_a_moment(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = LOOK_NS }, NULL);
}

/* Until the PE is about to run; false: it will not. */
static bool await_pe(struct debugging *d, const char *socket, const char *name)
{
	while (access(socket, F_OK)) {
		/* it may have come and gone in between */
		if (debug_signal || (has_ended(d) && access(socket, F_OK)))
			break;
		pause_a_moment();
	}
	if (!access(socket, F_OK))
		return true;
	if (d->ended && !(WIFEXITED(d->status) && WEXITSTATUS(d->status) == CANNOT_RUN))
		tool_error("debug: %s has ended, and has run no program on PE %u", name,
			   d->pe);
	return false;
}

static void end_child(struct debugging *d)
{
	uint64_t end = tool_now() + END_NS;

	while (!has_ended(d) && !debug_signal && tool_now() < end)
		pause_a_moment();
	if (!has_ended(d))
		kill(-d->child, SIGTERM);
	end = tool_now() + END_NS;
	while (!has_ended(d) && tool_now() < end)
		pause_a_moment();
	if (!has_ended(d)) {
		kill(-d->child, SIGKILL);
		waitpid(d->child, &d->status, 0);
	}
}

static int debug_live(struct debugging *d, char **argv)
{
	char socket[128], program[128];
	int ret = TOOL_FAILED;

	file_in(d, PD_DEBUGGER_SOCKET, socket);
	file_in(d, PD_DEBUGGER_PROGRAM, program);
	sigaction(SIGINT, &(struct sigaction){ .sa_handler = debug_on_signal }, NULL);
	sigaction(SIGTERM, &(struct sigaction){ .sa_handler = debug_on_signal }, NULL);
	fflush(NULL);
	d->child = fork();
	if (!d->child)
		debug_run_child(d, argv);
	if (d->child < 0)
		return tool_error("debug: fork: %s", strerror(errno));
	setpgid(d->child, d->child);
	if (await_pe(d, socket, argv[0]) && !write_script(d, program, socket))
		ret = run_gdb(d, program, NULL);
	end_child(d);
	if (ret == TOOL_FAILED && d->ended && WIFEXITED(d->status) &&
	    WEXITSTATUS(d->status) == CANNOT_RUN)
		return CANNOT_RUN;
	return ret;
}

static int debug_kept(struct debugging *d)
{
	char socket[4096], program[4096];

	snprintf(socket, sizeof(socket), "%s/" PD_DEBUGGER_SOCKET, d->attach);
	snprintf(program, sizeof(program), "%s/" PD_DEBUGGER_PROGRAM, d->attach);
	if (access(socket, R_OK | W_OK))
		return tool_error("debug: --attach %s: no PE is kept there: %s", d->attach,
				  strerror(errno));
	if (write_script(d, program, socket))
		return TOOL_FAILED;
	return run_gdb(d, program, NULL);
}

/* Whether notes have the one that tells core files of PEs. */
static bool has_our_note(const uint8_t *notes, size_t bytes)
{
	size_t at = 0;
	Elf64_Nhdr n;

	while (bytes - at >= sizeof(n)) {
		memcpy(&n, notes + at, sizeof(n));
		at += sizeof(n);
		if (n.n_namesz > bytes - at || n.n_descsz > bytes - at)
			return false;
		if (n.n_namesz == sizeof(PE_NOTE_NAME) &&
		    !memcmp(notes + at, PE_NOTE_NAME, sizeof(PE_NOTE_NAME)))
			return true;
		at += (size_t)pd_round_up(n.n_namesz, 4);
		if (at > bytes || pd_round_up(n.n_descsz, 4) > bytes - at)
			return false;
		at += (size_t)pd_round_up(n.n_descsz, 4);
	}
	return false;
}

static bool is_our_core(int fd)
{
	static uint8_t notes[NOTES_MOST];
	Elf64_Ehdr h;
	Elf64_Phdr p;
	ssize_t n;

	if (pread(fd, &h, sizeof(h), 0) != sizeof(h) || memcmp(h.e_ident, ELFMAG, SELFMAG) ||
	    h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_type != ET_CORE)
		return false;
	/* the notes come first */
	if (pread(fd, &p, sizeof(p), (off_t)h.e_phoff) != sizeof(p) || p.p_type != PT_NOTE ||
	    p.p_filesz > NOTES_MOST)
		return false;
	n = pread(fd, notes, p.p_filesz, (off_t)p.p_offset);
	return n > 0 && has_our_note(notes, (size_t)n);
}

static int debug_core(struct debugging *d, const char *program)
{
	int fd = open(d->core, O_RDONLY | O_CLOEXEC);
	bool ours;

	if (fd < 0)
		return tool_error("debug: --core %s: %s", d->core, strerror(errno));
	ours = is_our_core(fd);
	close(fd);
	if (!ours)
		return tool_error("debug: --core %s: no core file of a PE, as PIMDIMM_ON_FAULT=core writes them",
				  d->core);
	if (!is_pe_program(program))
		return tool_error("debug: %s", pimdimm_errmsg());
	if (write_script(d, program, NULL))
		return TOOL_FAILED;
	return run_gdb(d, program, d->core);
}

static int add_option(const struct command *self, struct debugging *d, const char *name,
		      const char *value)
{
	if (d->nr_options + 2 > MAX_GDB_OPTIONS)
		return tool_usage(self, "more than %u options for gdb", MAX_GDB_OPTIONS / 2);
	d->options[d->nr_options++] = name;
	d->options[d->nr_options++] = value;
	return TOOL_OK;
}

static int read_options(const struct command *self, int argc, char **argv,
			struct debugging *d)
{
	uint64_t n;
	int c, ret;

	while ((c = tool_getopt(self, argc, argv)) != -1) {
		d->batch |= c == 'b';
		ret = TOOL_OK;
		if (c == 'a')
			d->attach = optarg;
		else if (c == 'c')
			d->core = optarg;
		else if (c == 'e')
			ret = add_option(self, d, "-ex", optarg);
		else if (c == 'x')
			ret = add_option(self, d, "-x", optarg);
		else if (c == 'p' && !pd_parse_number(optarg, strlen(optarg), false,
						      UINT32_MAX, &n))
			return tool_usage(self, "--pe %s: expected a PE's number", optarg);
		else if (c == 'p')
			d->pe = (uint32_t)n;
		if (ret)
			return ret;
	}
	if (d->attach && (d->core || optind < argc))
		return tool_usage(self, "expected nothing with --attach");
	if (d->core && argc - optind != 1)
		return tool_usage(self, "expected the program of the PE with --core");
	if (!d->attach && optind == argc)
		return tool_usage(self, "expected a program");
	return TOOL_OK;
}

static int run_debug(const struct command *self, int argc, char **argv)
{
	struct debugging d = { 0 };
	int ret = read_options(self, argc, argv, &d);

	if (ret)
		return ret;
	if (!have_gdb() || make_folder(&d))
		return TOOL_FAILED;
	if (d.attach)
		ret = debug_kept(&d);
	else if (d.core)
		ret = debug_core(&d, argv[optind]);
	else
		ret = debug_live(&d, argv + optind);
	remove_folder(&d);
	return ret;
}

static const struct tool_option options[] = {
	{ 'p', "pe", { .name = "PE" }, .help = "which one (0)", .letter = true },
	{ 'x', "script", { "FILE", .kind = TOOL_FILE }, .help = "gdb runs these commands",
	  .letter = true },
	{ 'e', "command", { .name = "COMMAND" }, .help = "gdb runs this one; may be repeated",
	  .letter = true },
	{ 'b', "batch", .help = "gdb ends after these" },
	{ 'a', "attach", { "FOLDER", .kind = TOOL_FOLDER },
	  .help = "to the PE that PIMDIMM_ON_FAULT=wait keeps" },
	{ 'c', "core", { "FILE", .kind = TOOL_FILE },
	  .help = "look at what PIMDIMM_ON_FAULT=core has written" },
	{ 0 },
};

const struct command cmd_debug = {
	.name = "debug",
	.summary = "start gdb on a PE of a program",
	.run = run_debug,
	.synopsis = "[OPTION]... PROGRAM [ARGUMENT]...\n"
		    "[OPTION]... --attach FOLDER\n"
		    "[OPTION]... --core FILE PROGRAM",
	.about =
	"Runs PROGRAM, which is either a program for PEs, or one of the host that runs such,\n"
	"and starts gdb on one PE before it executes anything: breakpoints can be set by\n"
	"file and line, tasklets are threads, and what `continue` goes on with includes the\n"
	"PE's further launches. Beyond gdb's own commands: `tasklet N` looks at tasklet N,\n"
	"mram and wram are the PE's memories, as in x/8w mram+0x1000.\n"
	"PROGRAM's standard input is empty: gdb has the terminal.\n",
	.notes =
	"Exit status: gdb's; 1 failed, 2 wrong usage, 127 PROGRAM cannot be run.\n",
	.options = options,
	.operand = { "PROGRAM", .kind = TOOL_PROGRAM },
};
