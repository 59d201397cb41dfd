// SPDX-License-Identifier: MIT
/* Writing a report: into a descriptor, and where PIMDIMM_REPORT says when all ends. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/error.h"
#include "runtime/base/util.h"
#include "runtime/watch/report_file.h"
#include "runtime/watch/report_format.h"

/* as PIMDIMM_REPORT was at first, from the root, whatever the process's folder is
 * later; NULL: nobody asks */
static char *destination;

/* 0 or -errno and a sentence */
static int write_report(int fd, const struct pd_report_all *all,
			enum pimdimm_report_format format)
{
	size_t bytes;
	char *text;
	int ret = pd_report_format(all, format, &text, &bytes), err;

	if (ret)
		return ret;
	err = pd_write_all(fd, text, bytes);
	free(text);
	return err ? pd_error(err, "fd=%d: writing a report of %zu bytes: %s",
			      fd, bytes, strerror(err)) : 0;
}

int pimdimm_report_write(int fd, enum pimdimm_report_format format)
{
	struct pd_report_all all;
	int ret = pd_report_copy(&all);

	if (ret)
		return ret;
	ret = write_report(fd, &all, format);
	pd_report_free(&all);
	return ret;
}

/* Standard output or error, where the path leads to what that is; else -1. */
static int stream_of(const char *path)
{
	struct stat st, own;

	if (stat(path, &st))
		return -1;
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
		if (!fstat(fd, &own) && own.st_dev == st.st_dev && own.st_ino == st.st_ino)
			return fd;
	}
	return -1;
}

/* Behind what the process has written there, and may still write; -1 and errno */
static int open_stream(int stream)
{
	return fcntl(stream, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

/*
 * A link that somebody else has put there is not followed; those of the system, as
 * /dev/stdout is, and of the process's own user are. Nobody waits for a FIFO's reader.
 */
static int open_destination(const char *path)
{
	const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
	int fd = open(path, flags | O_NOFOLLOW, 0666);
	struct stat st;

	if (fd < 0 && errno == ELOOP && !lstat(path, &st) &&
	    S_ISLNK(st.st_mode) && (!st.st_uid || st.st_uid == geteuid()))
		fd = open(path, flags, 0666);
	if (fd < 0)
		return fd;
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && ftruncate(fd, 0)) {
		close(fd);
		return -1;
	}
	return fd;
}

static enum pimdimm_report_format format_of(const char *path)
{
	const char *dot = strrchr(path, '.');

	if (dot && !strcmp(dot, ".json"))
		return PIMDIMM_REPORT_JSON;
	if (dot && !strcmp(dot, ".csv"))
		return PIMDIMM_REPORT_CSV;
	return PIMDIMM_REPORT_TEXT;
}

static void complain(const char *path, int err)
{
	fprintf(stderr, "pimdimm: PIMDIMM_REPORT: %s: %s\n", path,
		strerror(err));
}

static void write_file(const char *path, const struct pd_report_all *all)
{
	int stream = stream_of(path), ret;
	int fd = stream < 0 ? open_destination(path) : open_stream(stream);

	if (fd < 0) {
		complain(path, errno);
		return;
	}
	ret = write_report(fd, all, format_of(destination));
	if (close(fd) && !ret)
		ret = -errno;
	if (ret)
		complain(path, -ret);
}

/* A child of fork() has a file of its own, where what is named is a file. */
static void write_child(const struct pd_report_all *all)
{
	char *path;
	struct stat st;

	if (stream_of(destination) >= 0 ||
	    (!stat(destination, &st) && !S_ISREG(st.st_mode))) {
		write_file(destination, all);
		return;
	}

	if (asprintf(&path, "%s.%d", destination, (int)getpid()) < 0) {
		complain(destination, ENOMEM);
		return;
	}
	write_file(path, all);
	free(path);
}

static void __attribute__((destructor)) write_at_end(void)
{
	struct pd_report_all all;

	if (!destination || pd_report_copy(&all))
		return;
	/* a child that used no PEs has nothing to tell */
	if (all.forked && !all.nr_rows)
		;
	else if (!strcmp(destination, "-"))
		write_report(STDERR_FILENO, &all, PIMDIMM_REPORT_TEXT);
	else if (all.forked)
		write_child(&all);
	else
		write_file(destination, &all);
	pd_report_free(&all);
}

static void read_destination(void)
{
	/* not for who has more rights than the one who asks */
	const char *path = secure_getenv("PIMDIMM_REPORT");

	if (!path || !*path)
		return;
	destination = strcmp(path, "-") ? pd_absolute_path(path) : strdup(path);
	if (destination)
		pimdimm_report_start();
	else
		complain(path, ENOMEM);
}

void pd_report_open(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, read_destination);
}
