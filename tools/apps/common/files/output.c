// SPDX-License-Identifier: MIT
/* Writes a file under another name, which only a finished one loses. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/apps/common/files/output.h"
#include "tools/tool.h"

/* what the handler of signals removes */
static const char *volatile unfinished;

static int output_failed(const char *path, int err)
{
	return tool_error("%s: %s", path, strerror(err ? err : EIO));
}

/* Is this name the file that standard output goes to, such as /dev/stdout? */
static bool is_standard_output(const struct stat *st)
{
	struct stat out;

	return !fstat(STDOUT_FILENO, &out) && out.st_dev == st->st_dev &&
	       out.st_ino == st->st_ino;
}

/*
 * Devices and pipes are written to as they are. What goes to standard output's own file
 * stands among what the program prints there.
 */
static FILE *open_as_it_is(const char *path, const struct stat *st)
{
	int fd;

	if (!is_standard_output(st))
		return fopen(path, "we");
	fflush(stdout);
	fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	return fd < 0 ? NULL : fdopen(fd, "w");
}

/* What a name's links lead to: a file takes the place of another file, never of a link. */
static char *follow_links(const char *path)
{
	struct stat st;

	if (lstat(path, &st) || !S_ISLNK(st.st_mode))
		return strdup(path);
	return realpath(path, NULL);
}

/*
 * Makes the temporary file. Interrupts wait until it is known whether there is one: what
 * bears its name otherwise is somebody else's.
 */
static int make_temporary(struct app_output *output)
{
	sigset_t all, before;
	int fd, err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	fd = mkostemp(output->temporary, O_CLOEXEC);
	err = errno;
	if (fd >= 0) {
		unfinished = output->temporary;
	} else {
		free(output->temporary);
		output->temporary = NULL;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = err;
	return fd;
}

static FILE *open_temporary(struct app_output *output)
{
	mode_t mask = umask(0);
	int fd;

	umask(mask);
	fd = make_temporary(output);
	if (fd < 0)
		return NULL;
	/* as open() would have made it */
	fchmod(fd, 0666 & ~mask);
	return fdopen(fd, "w");
}

/* A file under another name, in the folder of the one that it is going to replace. */
static FILE *open_instead(struct app_output *output)
{
	output->target = follow_links(output->path);
	if (!output->target)
		return NULL;
	if (asprintf(&output->temporary, "%s.XXXXXX", output->target) < 0) {
		output->temporary = NULL;
		errno = ENOMEM;
		return NULL;
	}
	return open_temporary(output);
}

int app_output_open(struct app_output *output, const char *path)
{
	struct stat st;
	bool there = !stat(path, &st);

	*output = (struct app_output){ .path = path };
	if (there && S_ISDIR(st.st_mode))
		return output_failed(path, EISDIR);
	if (there && (!S_ISREG(st.st_mode) || is_standard_output(&st)))
		output->file = open_as_it_is(path, &st);
	else
		output->file = open_instead(output);
	if (output->file)
		return TOOL_OK;
	output_failed(path, errno);
	app_output_drop(output);
	return TOOL_FAILED;
}

int app_output_keep(struct app_output *output)
{
	int failed, err;

	errno = 0;
	failed = fflush(output->file) || ferror(output->file);
	err = errno;
	if (fclose(output->file) && !failed) {
		failed = 1;
		err = errno;
	}
	output->file = NULL;
	if (!failed && output->temporary && rename(output->temporary, output->target)) {
		failed = 1;
		err = errno;
	}
	if (failed) {
		output_failed(output->path, err);
		app_output_drop(output);
		return TOOL_FAILED;
	}
	unfinished = NULL;
	free(output->temporary);
	free(output->target);
	*output = (struct app_output){ 0 };
	return TOOL_OK;
}

void app_output_drop(struct app_output *output)
{
	if (output->file)
		fclose(output->file);
	if (output->temporary)
		unlink(output->temporary);
	unfinished = NULL;
	free(output->temporary);
	free(output->target);
	*output = (struct app_output){ 0 };
}

static void interrupted(int number)
{
	const char *path = unfinished;

	if (path)
		unlink(path);
	/* its own action is the default again, which ends the program */
	raise(number);
}

void app_output_interrupts(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = {
		.sa_handler = interrupted,
		.sa_flags = (int)(SA_RESETHAND | SA_NODEFER),
	}, old;

	for (size_t i = 0; i < TOOL_COUNT(signals); i++) {
		/* who started this may not want it to be interrupted */
		if (!sigaction(signals[i], NULL, &old) &&
		    old.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
}
