// SPDX-License-Identifier: MIT
/* Adding events to the timeline's file, and replacing some, while others write there. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/error.h"
#include "runtime/base/signals.h"
#include "runtime/watch/timeline_file.h"

/* how long to try for a lock that is held for microseconds */
#define LOCK_TRIES	50
#define LOCK_PAUSE_NS	2000000

/* Is it the file still, and are places in it where they were? */
static int check_file(struct pd_timeline_file *f, int fd)
{
	struct stat st;

	if (fstat(fd, &st) || st.st_dev != f->device || st.st_ino != f->inode)
		return EBADF;
	f->life += st.st_size < f->size;
	f->size = st.st_size;
	return 0;
}

/* Another descriptor of the same file, with a position of its own, or -1. */
static int open_again(const struct pd_timeline_file *f, const char *path,
		      int flags)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | flags);
	struct stat st;

	if (fd < 0 || (!fstat(fd, &st) && st.st_dev == f->device &&
		       st.st_ino == f->inode))
		return fd;
	close(fd);
	errno = EBADF;
	return -1;
}

static int make_own(struct pd_timeline_file *f)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", f->fd);
	fd = open_again(f, path, O_APPEND);
	if (fd < 0)
		return errno;
	close(f->fd);
	f->fd = fd;
	f->inherited = false;
	return 0;
}

static ssize_t write_limited(int fd, const char *text, size_t length)
{
	struct pd_xfsz xfsz;
	ssize_t n;

	pd_xfsz_block(&xfsz);
	n = write(fd, text, length);
	pd_xfsz_unblock(&xfsz, n < 0 && errno == EFBIG);
	return n;
}

static ssize_t write_some(int fd, const char *text, size_t length)
{
	struct rlimit limit;
	ssize_t n;

	do {
		if (getrlimit(RLIMIT_FSIZE, &limit) ||
		    limit.rlim_cur == RLIM_INFINITY)
			n = write(fd, text, length);
		else
			n = write_limited(fd, text, length);
	} while (n < 0 && errno == EINTR);
	if (!n)
		errno = ENOSPC;
	return n ? n : -1;
}

/* Half an event would make the file no JSON; it is the file's end, or nobody's. */
static void take_back(struct pd_timeline_file *f, size_t written)
{
	off_t end = lseek(f->fd, 0, SEEK_CUR);

	if (written && end >= 0 && !check_file(f, f->fd) && f->size == end &&
	    !ftruncate(f->fd, end - (off_t)written))
		f->size -= (off_t)written;
}

int pd_timeline_file_append(struct pd_timeline_file *f, const char *text,
			    size_t length, off_t *end)
{
	int err = check_file(f, f->fd);
	size_t done = 0;

	if (!err && f->inherited)
		err = make_own(f);
	while (!err && done < length) {
		ssize_t n = write_some(f->fd, text + done, length - done);

		if (n < 0)
			err = errno;
		else
			done += (size_t)n;
	}
	if (err && err != EBADF)
		take_back(f, done);
	if (!err)
		*end = lseek(f->fd, 0, SEEK_CUR);
	return err;
}

int pd_timeline_file_replace(struct pd_timeline_file *f, off_t at,
			     uint32_t life, const char *text, size_t length)
{
	int err = check_file(f, f->inside);
	ssize_t n;

	if (err)
		return err;
	if (life != f->life)
		return ESTALE;
	do
		n = pwrite(f->inside, text, length, at);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)length ? 0 : n < 0 ? errno : ENOSPC;
}

void pd_timeline_file_forked(struct pd_timeline_file *f)
{
	f->inherited = true;
	f->life++;
}

/* Whoever holds it for longer than it takes to begin a file is none of us. */
static int lock(int fd)
{
	const struct timespec pause = { .tv_nsec = LOCK_PAUSE_NS };
	int err = 0;

	for (unsigned int i = 0; i < LOCK_TRIES; i++) {
		err = flock(fd, LOCK_EX | LOCK_NB) ? errno : 0;
		if (err != EWOULDBLOCK && err != EINTR)
			return err;
		nanosleep(&pause, NULL);
	}
	return EBUSY;
}

/* The first process that comes begins the array. */
static int begin_array(struct pd_timeline_file *f)
{
	struct stat st;
	off_t end;
	int err;

	if (fstat(f->fd, &st))
		return errno;
	if (!S_ISREG(st.st_mode))
		return EINVAL;
	f->device = st.st_dev;
	f->inode = st.st_ino;
	err = lock(f->fd);
	if (err)
		return err;
	err = check_file(f, f->fd);
	if (!err && !f->size)
		err = pd_timeline_file_append(f, "[\n", 2, &end);
	flock(f->fd, LOCK_UN);
	return err;
}

static int open_both(struct pd_timeline_file *f, const char *path)
{
	int err;

	/* not to wait for a pipe's reader: it is refused as all but files are */
	f->fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC |
			   O_NONBLOCK, 0666);
	if (f->fd < 0)
		return errno;
	err = begin_array(f);
	if (!err) {
		f->inside = open_again(f, path, 0);
		err = f->inside < 0 ? errno : 0;
	}
	if (err)
		close(f->fd);
	return err;
}

int pd_timeline_file_open(struct pd_timeline_file *f, const char *path)
{
	int err;

	*f = (struct pd_timeline_file){ .fd = -1, .inside = -1 };
	err = open_both(f, path);
	if (!err)
		return 0;
	f->fd = -1;
	return pd_error(err, "PIMDIMM_TRACE is \"%s\", expected a file to write: %s",
			path, err == EBUSY ? "another process has locked it" :
					     strerror(err));
}
