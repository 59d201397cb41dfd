/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "error.h"
#include "system.h"
#include "timeline.h"

#define BUFFER_BYTES	65536
#define EVENT_BYTES	512
/* what is older than this when the next event comes is written */
#define OLD_NS		100000000

/*
 * Numbers of processes end below 2^22: the tracks of a rank are a process of
 * their own to whoever reads the file, numbered beyond these.
 */
#define PID_BITS	22
#define RANK_TRACKS	1023

_Atomic bool pd_timeline_running;

static struct {
	pthread_mutex_t lock;	/* of what follows */
	int fd;
	pid_t pid;
	bool told;		/* the process's name is in the file */
	uint64_t written_ns;
	size_t used;
	char buffer[BUFFER_BYTES];
} timeline = { .lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1 };

/* ranks of all systems opened so far, for the numbers of their tracks */
static _Atomic uint32_t ranks_seen;

static _Thread_local struct {
	pid_t pid;		/* whose thread it was when it was named */
	pid_t tid;
	const char *name;
	const char *span;
} self;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

uint64_t pd_timeline_now(void)
{
	return pd_timeline_on() ? now_ns() : 0;
}

/* lock held */
static void stop(int err)
{
	/* whoever asked for the timeline must know that it ends here */
	fprintf(stderr, "pimdimm: PIMDIMM_TRACE: %s: the timeline ends here\n",
		strerror(err));
	pd_timeline_running = false;
}

/* lock held; whole lines by one write each, so that processes do not mix */
static void write_out(void)
{
	size_t done = 0;

	while (done < timeline.used && pd_timeline_running) {
		ssize_t n = write(timeline.fd, timeline.buffer + done,
				  timeline.used - done);

		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR)
			stop(errno);
	}
	timeline.used = 0;
}

void pd_timeline_flush(void)
{
	if (!pd_timeline_on())
		return;
	pthread_mutex_lock(&timeline.lock);
	write_out();
	pthread_mutex_unlock(&timeline.lock);
}

__attribute__((destructor))
static void flush_at_exit(void)
{
	pd_timeline_flush();
}

/* lock held */
static void put(const char *text, size_t length)
{
	if (timeline.used + length > BUFFER_BYTES)
		write_out();
	memcpy(timeline.buffer + timeline.used, text, length);
	timeline.used += length;
}

/* lock held; `text` may hold anything: what JSON would quote becomes '?' */
static void put_name(const char *kind, uint32_t pid, uint32_t tid,
		     const char *text)
{
	char clean[64], event[EVENT_BYTES];
	size_t n = 0;
	int length;

	for (; *text && n < sizeof(clean) - 1; text++)
		clean[n++] = *text < ' ' || *text > '~' || *text == '"' ||
			     *text == '\\' ? '?' : *text;
	clean[n] = '\0';
	length = snprintf(event, sizeof(event),
			  "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%u,\"tid\":%u,\"args\":{\"name\":\"%s\"}},\n",
			  kind, pid, tid, clean);
	put(event, (size_t)length);
}

/* lock held; the names of process and thread before its first event */
static void introduce(void)
{
	char name[17] = "";

	if (self.pid == timeline.pid)
		return;
	self.pid = timeline.pid;
	self.tid = (pid_t)syscall(SYS_gettid);
	if (!timeline.told)
		put_name("process_name", (uint32_t)self.pid,
			 (uint32_t)self.pid, program_invocation_short_name);
	timeline.told = true;
	prctl(PR_GET_NAME, name);
	put_name("thread_name", (uint32_t)self.pid, (uint32_t)self.tid,
		 self.name ? self.name : name);
}

/* lock held */
static void put_span(uint32_t pid, uint32_t tid, const char *name,
		     uint64_t start, uint64_t end, const char *args)
{
	char event[EVENT_BYTES];
	uint64_t ns = end - start;
	int length;

	length = snprintf(event, sizeof(event),
			  "{\"ph\":\"X\",\"name\":\"%s\",\"pid\":%u,\"tid\":%u,\"ts\":%llu.%03u,\"dur\":%llu.%03u,\"args\":{%s}},\n",
			  name, pid, tid, (unsigned long long)(start / 1000),
			  (unsigned int)(start % 1000),
			  (unsigned long long)(ns / 1000),
			  (unsigned int)(ns % 1000), args);
	/* half an event would make the file no JSON */
	if (length < (int)sizeof(event))
		put(event, (size_t)length);
	if (end - timeline.written_ns > OLD_NS) {
		write_out();
		timeline.written_ns = end;
	}
}

void pd_timeline_thread(const char *name)
{
	self.name = name;
}

const char *pd_timeline_current(void)
{
	return self.span;
}

struct pd_span pd_timeline_start(const char *name)
{
	struct pd_span span = {
		.start = now_ns(),
		.name = name,
		.outer = self.span,
	};

	self.span = name;
	return span;
}

void pd_timeline_stop(const struct pd_span *span, const char *format, ...)
{
	uint64_t end = now_ns();
	char args[EVENT_BYTES / 2 + 64];
	va_list ap;

	va_start(ap, format);
	vsnprintf(args, sizeof(args), format, ap);
	va_end(ap);
	self.span = span->outer;
	pthread_mutex_lock(&timeline.lock);
	introduce();
	put_span((uint32_t)self.pid, (uint32_t)self.tid, span->name,
		 span->start, end, args);
	pthread_mutex_unlock(&timeline.lock);
}

void pd_timeline_past(const char *name, uint64_t start, uint64_t end)
{
	pthread_mutex_lock(&timeline.lock);
	introduce();
	put_span((uint32_t)self.pid, (uint32_t)self.tid, name, start, end, "");
	pthread_mutex_unlock(&timeline.lock);
}

struct pd_tracks {
	uint32_t first;		/* number of the first rank among all systems' */
	pid_t pid;		/* that the names were given in */
	uint32_t words;
	uint64_t named[];	/* a bit a PE, then a bit a rank */
};

struct pd_tracks *pd_tracks_create(const struct pimdimm *sys)
{
	uint32_t words = sys->nr_ranks + (sys->nr_ranks + 63) / 64;
	struct pd_tracks *tracks;

	if (!pd_timeline_on())
		return NULL;
	tracks = calloc(1, sizeof(*tracks) + words * sizeof(uint64_t));
	if (tracks) {
		tracks->first = atomic_fetch_add(&ranks_seen, sys->nr_ranks);
		tracks->words = words;
	}
	return tracks;
}

void pd_tracks_free(struct pd_tracks *tracks)
{
	free(tracks);
}

/* whether it is the first time; lock held */
static bool set_first(uint64_t *bits, uint32_t i)
{
	uint64_t bit = (uint64_t)1 << i % 64;
	bool first = !(bits[i / 64] & bit);

	bits[i / 64] |= bit;
	return first;
}

/* lock held */
static void introduce_pe(struct pd_tracks *t, const struct pimdimm *sys,
			 uint32_t pe, uint32_t pid, uint32_t tid)
{
	uint32_t rank = pe / PIMDIMM_RANK_PES;
	char name[64];

	if (t->pid != timeline.pid)
		memset(t->named, 0, t->words * sizeof(uint64_t));
	t->pid = timeline.pid;
	if (set_first(t->named + sys->nr_ranks, rank)) {
		snprintf(name, sizeof(name), "rank %u of %.30s", rank,
			 program_invocation_short_name);
		put_name("process_name", pid, tid, name);
	}
	if (set_first(t->named, pe)) {
		snprintf(name, sizeof(name), "PE %u", pe);
		put_name("thread_name", pid, tid, name);
	}
}

void pd_timeline_pe(const struct pimdimm *sys, uint32_t pe, const char *name,
		    uint64_t start, uint64_t end)
{
	struct pd_tracks *t = sys->tracks;
	uint32_t rank, pid, tid;
	char args[32];

	/* opened before the timeline was, or there was no memory for names */
	if (!t || !start)
		return;
	rank = t->first + pe / PIMDIMM_RANK_PES;
	tid = rank * PIMDIMM_RANK_PES + pe % PIMDIMM_RANK_PES + 1;
	snprintf(args, sizeof(args), "\"pe\":%u", pe);
	pthread_mutex_lock(&timeline.lock);
	pid = (rank % RANK_TRACKS + 1) << PID_BITS | (uint32_t)timeline.pid;
	introduce_pe(t, sys, pe, pid, tid);
	put_span(pid, tid, name, start, end, args);
	pthread_mutex_unlock(&timeline.lock);
}

static void before_fork(void)
{
	pthread_mutex_lock(&timeline.lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&timeline.lock);
}

/* What has gathered is the parent's to write. */
static void in_child(void)
{
	timeline.used = 0;
	timeline.told = false;
	timeline.pid = getpid();
	pthread_mutex_unlock(&timeline.lock);
}

/* The first process that comes begins the array. */
static int begin_array(int fd)
{
	struct stat st;
	int err = 0;

	if (flock(fd, LOCK_EX) || fstat(fd, &st))
		return errno;
	if (!S_ISREG(st.st_mode))
		err = EINVAL;
	else if (!st.st_size && write(fd, "[\n", 2) != 2)
		err = errno;
	flock(fd, LOCK_UN);
	return err;
}

static int open_file(const char *path)
{
	/* not to wait for a pipe's reader: it is refused as all but files are */
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC |
			    O_NONBLOCK, 0666);
	int err = fd < 0 ? errno : begin_array(fd);

	if (!err) {
		timeline.fd = fd;
		return 0;
	}
	if (fd >= 0)
		close(fd);
	return pd_error(err, "PIMDIMM_TRACE is \"%s\", expected a file to write: %s",
			path, strerror(err));
}

/* lock held */
static int start(const char *path)
{
	int ret = open_file(path);

	if (ret)
		return ret;
	timeline.pid = getpid();
	timeline.written_ns = now_ns();
	pthread_atfork(before_fork, after_fork, in_child);
	pd_timeline_running = true;
	return 0;
}

int pd_timeline_open(void)
{
	/* not for who has more rights than the one who asks */
	const char *path = secure_getenv("PIMDIMM_TRACE");
	int ret = 0;

	if (!path || !*path || pd_timeline_on())
		return 0;
	pthread_mutex_lock(&timeline.lock);
	/* one that has failed does not begin again */
	if (timeline.fd < 0)
		ret = start(path);
	pthread_mutex_unlock(&timeline.lock);
	return ret;
}
