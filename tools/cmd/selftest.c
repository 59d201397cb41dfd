// SPDX-License-Identifier: MIT
/* `pimdimm selftest`: the kernel selftests against the loaded module. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/cmd/commands.h"
#include "tools/inside.h"
#include "tools/module/sysfs.h"
#include "tools/nearest.h"
#include "tools/tool.h"

/* the file that names the selftests beside it, in the order to run them */
#define LIST "selftests"
#define MAX_TESTS 64

/* installed as PREFIX/bin/pimdimm, else where `make` leaves both */
static const char *const folders[] = {
	"../libexec/pimdimm",
	"tests/kernel",
};

struct suite {
	char folder[PATH_MAX];
	char names[MAX_TESTS][64];
	unsigned int count;
};

struct tally {
	unsigned int run, skipped, failed;
};

static bool read_list(struct suite *suite, const char *folder)
{
	char path[PATH_MAX];
	FILE *file;

	if (snprintf(suite->folder, sizeof(suite->folder), "%s", folder) >=
		    (int)sizeof(suite->folder) ||
	    snprintf(path, sizeof(path), "%s/" LIST, folder) >=
		    (int)sizeof(path))
		return false;
	file = fopen(path, "re");
	if (!file)
		return false;
	while (suite->count < MAX_TESTS &&
	       fgets(suite->names[suite->count], sizeof(suite->names[0]),
		     file)) {
		char *name = suite->names[suite->count];

		name[strcspn(name, "\n")] = '\0';
		suite->count += *name != '\0';
	}
	fclose(file);
	return suite->count;
}

static int find_suite(struct suite *suite, const char *folder)
{
	char path[PATH_MAX];

	suite->count = 0;
	if (folder) {
		if (read_list(suite, folder))
			return TOOL_OK;
		return tool_error("%s/" LIST ": not there, or empty", folder);
	}
	for (size_t i = 0; i < TOOL_COUNT(folders); i++) {
		if (snprintf(path, sizeof(path), "%s/%s", tool_folder(),
			     folders[i]) < (int)sizeof(path) &&
		    read_list(suite, path))
			return TOOL_OK;
	}
	return tool_error("no selftests in %s/%s, nor in %s/%s: `make install` puts them there, `make kernel-tests` here",
			  tool_folder(), folders[0], tool_folder(),
			  folders[1]);
}

/* A test's own TAP goes into the comments of this one, as kselftest does it. */
static void copy_output(int fd)
{
	FILE *output = fdopen(fd, "r");
	char *line = NULL;
	size_t room = 0;

	if (!output) {
		close(fd);
		return;
	}
	while (getline(&line, &room, output) > 0) {
		line[strcspn(line, "\n")] = '\0';
		printf("# %s\n", line);
		fflush(stdout);
	}
	free(line);
	fclose(output);
}

static void selftest_run_child(const struct suite *suite, const char *name, int fd)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/%s", suite->folder, name);
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	execl(path, name, NULL);
	fprintf(stderr, "%s: %s\n", path, strerror(errno));
	_exit(127);
}

/* Returns the wait status, or -1 after a message. */
static int run_test(const struct suite *suite, const char *name)
{
	int fds[2], status;
	pid_t child;

	if (pipe2(fds, O_CLOEXEC)) {
		tool_error("pipe: %s", strerror(errno));
		return -1;
	}
	fflush(stdout);
	child = fork();
	if (!child)
		selftest_run_child(suite, name, fds[1]);
	close(fds[1]);
	if (child < 0) {
		tool_error("fork: %s", strerror(errno));
		close(fds[0]);
		return -1;
	}
	copy_output(fds[0]);
	while (waitpid(child, &status, 0) < 0) {
		if (errno != EINTR)
			return -1;
	}
	return status;
}

static void selftest_report(struct tally *tally, const char *name, int status)
{
	tally->run++;
	if (status >= 0 && WIFEXITED(status) && !WEXITSTATUS(status)) {
		printf("ok %u %s\n", tally->run, name);
		return;
	}
	if (status >= 0 && WIFEXITED(status) &&
	    WEXITSTATUS(status) == TOOL_SKIP) {
		tally->skipped++;
		printf("ok %u %s # SKIP\n", tally->run, name);
		return;
	}
	tally->failed++;
	printf("not ok %u %s\n", tally->run, name);
	if (status >= 0 && WIFSIGNALED(status))
		printf("# ended by signal %d\n", WTERMSIG(status));
	else if (status >= 0)
		printf("# exit status %d\n", WEXITSTATUS(status));
}

static bool selftest_chosen(const char *name, int argc, char **argv)
{
	if (optind == argc)
		return true;
	for (int i = optind; i < argc; i++) {
		if (!strcmp(name, argv[i]))
			return true;
	}
	return false;
}

static int unknown_name(const struct command *self, const struct suite *suite,
			const char *name)
{
	struct pd_nearest nearest = { .given = name };

	for (unsigned int i = 0; i < suite->count; i++)
		pd_nearest_offer(&nearest, suite->names[i]);
	if (pd_nearest_found(&nearest))
		return tool_usage_near(self, pd_nearest_found(&nearest),
				       "no selftest \"%s\"", name);
	return tool_usage(self, "no selftest \"%s\"; --list names them", name);
}

static int selftest_check_names(const struct command *self, const struct suite *suite,
				int argc, char **argv)
{
	for (int i = optind; i < argc; i++) {
		unsigned int at = 0;

		while (at < suite->count && strcmp(argv[i], suite->names[at]))
			at++;
		if (at == suite->count)
			return unknown_name(self, suite, argv[i]);
	}
	return TOOL_OK;
}

static int selftest_run_suite(const struct suite *suite, int argc, char **argv)
{
	struct tally tally = { 0 };
	unsigned int planned = 0;

	for (unsigned int i = 0; i < suite->count; i++)
		planned += selftest_chosen(suite->names[i], argc, argv);
	puts("TAP version 13");
	if (!sysfs_module((char[32]){ 0 }, 32)) {
		puts("1..0 # SKIP the module is not loaded: `pimdimm load` does that");
		return TOOL_SKIP;
	}
	printf("1..%u\n", planned);
	for (unsigned int i = 0; i < suite->count; i++) {
		const char *name = suite->names[i];

		if (!selftest_chosen(name, argc, argv))
			continue;
		printf("# selftest %s\n", name);
		selftest_report(&tally, name, run_test(suite, name));
	}
	printf("# passed %u, failed %u, skipped %u\n",
	       tally.run - tally.failed - tally.skipped, tally.failed,
	       tally.skipped);
	if (tally.failed)
		return TOOL_FAILED;
	return tally.skipped == tally.run ? TOOL_SKIP : TOOL_OK;
}

static int run_selftest(const struct command *self, int argc, char **argv)
{
	static struct suite suite;
	const char *folder = NULL;
	bool list = false;
	int c;

	/* an unload must have been asked for, and not be in the air */
	unsetenv("SELFTEST_KO");
	while ((c = tool_getopt(self, argc, argv)) != -1) {
		if (c == 'l')
			list = true;
		else if (c == 'f')
			folder = optarg;
		else if (setenv("SELFTEST_KO", optarg, 1))
			return tool_error("no memory for the environment");
	}
	if (find_suite(&suite, folder))
		return TOOL_FAILED;
	if (selftest_check_names(self, &suite, argc, argv))
		return TOOL_USAGE;
	if (!list)
		return selftest_run_suite(&suite, argc, argv);
	for (unsigned int i = 0; i < suite.count; i++)
		puts(suite.names[i]);
	return TOOL_OK;
}

static const struct tool_option options[] = {
	{ 'm', "module", { "PATH", .kind = TOOL_FILE },
	  .help = "the file of the loaded module, for tests that unload it and load it again with other parameters; without it they are skipped" },
	{ 'l', "list", .help = "name the selftests instead" },
	{ 'f', "folder", { "DIR", .kind = TOOL_FOLDER },
	  .help = "take them from DIR instead of PREFIX/libexec/pimdimm, or the folder that they are built in" },
	{ 0 },
};

const struct command cmd_selftest = {
	.name = "selftest",
	.summary = "test the loaded module on this machine",
	.run = run_selftest,
	.synopsis = "[OPTION]... [NAME]...",
	.about =
	"Runs the kernel selftests, all or those named, against the loaded module. They\n"
	"open free nodes and overwrite their MRAM; as root more of them can run. Prints\n"
	"TAP, the tests' own output in its comments.\n",
	.notes =
	"Exit status, as kselftest's: 0 passed, 1 failed, 4 all skipped; 2 wrong usage.\n",
	.options = options,
	.operand = { "NAME", .lister = "selftest --list" },
};
