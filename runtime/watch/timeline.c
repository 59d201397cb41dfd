// SPDX-License-Identifier: MIT
/* The events of the timeline: spans, their tracks and the names of these. */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <pimdimm/pimdimm_layout.h>

#include "runtime/base/clock.h"
#include "runtime/base/threads.h"
#include "runtime/watch/drawn.h"
#include "runtime/watch/timeline.h"
#include "runtime/watch/timeline_file.h"
#include "runtime/watch/timeline_format.h"

/* an event, and the names of its track and its process */
#define BUFFER_BYTES	(3 * PD_EVENT_BYTES)
#define NAME_BYTES	96
#define ROLE_BYTES	48
/* what a begin leaves room for: a collective's arguments, a PE's number */
#define SPAN_ROOM	384
#define PE_ROOM		144

/*
 * Numbers of processes end below 2^22: the tracks of a rank are a process of
 * their own to whoever reads the file, numbered beyond these.
 */
#define PID_BITS	22
#define RANK_TRACKS	1023
/* and of tasklets, beyond those of PEs */
#define TASKLET_TRACKS	(1u << 24)
#define TASKLETS	32
/* and those of a process that are no threads' */
#define OWN_TRACKS	(1u << 23)

_Atomic bool pd_timeline_running;

static struct {
	pthread_mutex_t lock;	/* of what follows */
	struct pd_timeline_file file;
	pid_t pid;
	bool told;		/* the process's name is in the file */
	char role[ROLE_BYTES];
	pid_t role_pid;		/* whose it is */
	uint64_t arrows;
	size_t used;		/* of an event that is being put together */
	char buffer[BUFFER_BYTES];
} timeline = { .lock = PTHREAD_MUTEX_INITIALIZER, .file.fd = -1 };

/* ranks of all systems opened so far, for the numbers of their tracks */
static _Atomic uint32_t ranks_seen;
static _Atomic uint32_t own_tracks_seen;

static _Thread_local struct {
	pid_t pid;		/* whose thread it was when it was named */
	pid_t tid;
	const char *name;
	const char *span;
} self;

uint64_t pd_timeline_now(void)
{
	return pd_timeline_on() ? pd_now_ns() : 0;
}

/* What the lock protects must not be left half done. */
static int lock_timeline(void)
{
	int cancel = pd_cancel_off();

	pthread_mutex_lock(&timeline.lock);
	return cancel;
}

static void unlock_timeline(int cancel)
{
	pthread_mutex_unlock(&timeline.lock);
	pd_cancel_restore(cancel);
}

/* lock held */
static void end_timeline(int err)
{
	/* whoever asked for the timeline must know that it ends here */
	fprintf(stderr, "pimdimm: PIMDIMM_TRACE: %s: the timeline ends here\n", strerror(err));
	pd_timeline_running = false;
}

/*
 * lock held; whole lines by one write, so that those of processes do not mix. Where
 * the text ends in the file, or -1.
 */
static off_t write_out(void)
{
	off_t end = -1;
	int err = 0;

	if (pd_timeline_running)
		err = pd_timeline_file_append(&timeline.file, timeline.buffer,
					      timeline.used, &end);
	if (err)
		end_timeline(err);
	timeline.used = 0;
	return err ? -1 : end;
}

/* lock held; there is room for all that one event may need */
static void put_text(const char *text, size_t length)
{
	memcpy(timeline.buffer + timeline.used, text, length);
	timeline.used += length;
}

/* lock held */
static void put_name(const char *kind, uint32_t pid, uint32_t tid, const char *text)
{
	const struct pd_event_track track = { pid, tid };
	char event[PD_EVENT_BYTES];

	put_text(event, pd_format_name(event, kind, &track, text));
}

static struct pd_event_track own_track(void)
{
	return (struct pd_event_track){ (uint32_t)self.pid, (uint32_t)self.tid };
}

/* lock held */
static const char *own_role(void)
{
	return timeline.role_pid == timeline.pid ? timeline.role : "";
}

/* lock held */
static void name_process(void)
{
	char name[NAME_BYTES];

	snprintf(name, sizeof(name), "%.40s%s", program_invocation_short_name, own_role());
	put_name("process_name", (uint32_t)timeline.pid, (uint32_t)timeline.pid, name);
	timeline.told = true;
}

/* lock held; the names of process and thread before its first event */
static void introduce(struct pd_event_track *track)
{
	char name[17] = "";

	*track = own_track();
	if (self.pid == timeline.pid)
		return;
	self.pid = timeline.pid;
	self.tid = (pid_t)syscall(SYS_gettid);
	if (!timeline.told)
		name_process();
	prctl(PR_GET_NAME, name);
	put_name("thread_name", (uint32_t)self.pid, (uint32_t)self.tid,
		 self.name ? self.name : name);
	*track = own_track();
}

/* lock held, the track has its names; where the begin stands goes into the span */
static void write_begin(struct pd_span *span, const struct pd_event_track *track, uint32_t room)
{
	char event[PD_EVENT_BYTES];
	size_t length = pd_format_span(event, "B", track, span->name, span->start, 0, "", room);
	off_t end;

	put_text(event, length);
	end = write_out();
	span->at = end < 0 ? -1 : end - (off_t)length;
	span->room = (uint32_t)length;
	span->life = timeline.file.life;
}

/* lock held, the track has its names */
static void write_span(const struct pd_span *span, const struct pd_event_track *track,
		       uint64_t end, const char *args)
{
	char event[PD_EVENT_BYTES];
	size_t length = pd_format_span(event, "X", track, span->name, span->start, end, args,
				       span->room);
	int err = ESTALE;

	/* names that came up meanwhile */
	if (timeline.used)
		write_out();
	if (!pd_timeline_running)
		return;
	if (span->at >= 0 && length == span->room)
		err = pd_timeline_file_replace(&timeline.file, span->at,
					       span->life, event, length);
	if (err == ESTALE) {
		put_text(event, length);
		write_out();
	} else if (err) {
		end_timeline(err);
	}
}

void pd_timeline_thread(const char *name)
{
	self.name = name;
}

void pd_timeline_process(const char *role)
{
	int cancel = lock_timeline();

	snprintf(timeline.role, sizeof(timeline.role), "%s", role);
	timeline.role_pid = getpid();
	if (pd_timeline_running) {
		name_process();
		write_out();
	}
	unlock_timeline(cancel);
}

const char *pd_timeline_current(void)
{
	return self.span;
}

struct pd_span pd_timeline_start(const char *name)
{
	struct pd_span span = {
		.start = pd_now_ns(),
		.name = name,
		.outer = self.span,
	};
	struct pd_event_track track;
	int cancel = lock_timeline();

	introduce(&track);
	write_begin(&span, &track, SPAN_ROOM);
	unlock_timeline(cancel);
	self.span = name;
	/* what it took to write is not the span's */
	span.start = pd_now_ns();
	return span;
}

void pd_timeline_stop(const struct pd_span *span, const char *format, ...)
{
	uint64_t end = pd_now_ns();
	char args[PD_EVENT_BYTES / 2 + 64];
	struct pd_event_track track;
	va_list ap;
	int cancel;

	va_start(ap, format);
	vsnprintf(args, sizeof(args), format, ap);
	va_end(ap);
	self.span = span->outer;
	cancel = lock_timeline();
	introduce(&track);
	write_span(span, &track, end, args);
	unlock_timeline(cancel);
}

struct pd_span pd_timeline_since(const char *name, uint64_t start)
{
	return (struct pd_span){ .start = start, .name = name, .outer = self.span, .at = -1 };
}

void pd_timeline_past(const char *name, uint64_t start, uint64_t end)
{
	struct pd_span span = { .start = start, .name = name, .at = -1 };
	int cancel = lock_timeline();
	struct pd_event_track track;

	introduce(&track);
	write_span(&span, &track, end, "");
	unlock_timeline(cancel);
}

struct pd_tracks {
	uint32_t first;		/* number of the first rank among all systems' */
	pid_t pid;		/* that the names were given in */
	uint32_t nr_ranks;
	uint32_t words;
	uint64_t named[];	/* a bit a PE, then a bit a rank, then a bit a tasklet */
};

static uint32_t rank_words(uint32_t nr_ranks)
{
	return (nr_ranks + 63) / 64;
}

struct pd_tracks *pd_tracks_create(uint32_t nr_ranks)
{
	uint32_t words = nr_ranks + rank_words(nr_ranks) + nr_ranks * TASKLETS;
	struct pd_tracks *tracks;

	if (!pd_timeline_on())
		return NULL;
	tracks = calloc(1, sizeof(*tracks) + words * sizeof(uint64_t));
	if (tracks) {
		tracks->first = atomic_fetch_add(&ranks_seen, nr_ranks);
		tracks->nr_ranks = nr_ranks;
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
static void introduce_pe(struct pd_tracks *t, uint32_t pe, struct pd_event_track *track)
{
	uint32_t rank = pe / PIMDIMM_RANK_PES, number = t->first + rank;
	char name[NAME_BYTES];

	track->pid = (number % RANK_TRACKS + 1) << PID_BITS |
		     (uint32_t)timeline.pid;
	track->tid = number * PIMDIMM_RANK_PES + pe % PIMDIMM_RANK_PES + 1;
	if (t->pid != timeline.pid)
		memset(t->named, 0, t->words * sizeof(uint64_t));
	t->pid = timeline.pid;
	if (set_first(t->named + t->nr_ranks, rank)) {
		snprintf(name, sizeof(name), "rank %u of %.30s%s", rank,
			 program_invocation_short_name, own_role());
		put_name("process_name", track->pid, track->tid, name);
	}
	if (set_first(t->named, pe)) {
		snprintf(name, sizeof(name), "PE %u", pe);
		put_name("thread_name", track->pid, track->tid, name);
	}
}

struct pd_span pd_timeline_pe_start(struct pd_tracks *tracks, uint32_t pe, const char *name)
{
	struct pd_span span = { .start = pd_now_ns(), .name = name };
	struct pd_event_track track;
	int cancel;

	/* opened before the timeline was, or there was no memory for names */
	if (!tracks)
		return (struct pd_span){ 0 };
	cancel = lock_timeline();
	introduce_pe(tracks, pe, &track);
	write_begin(&span, &track, PE_ROOM);
	unlock_timeline(cancel);
	span.start = pd_now_ns();
	return span;
}

void pd_timeline_pe_stop(struct pd_tracks *tracks, uint32_t pe, const struct pd_span *span)
{
	uint64_t end = pd_now_ns();
	struct pd_event_track track;
	char args[32];
	int cancel;

	snprintf(args, sizeof(args), "\"pe\":%u", pe);
	cancel = lock_timeline();
	introduce_pe(tracks, pe, &track);
	write_span(span, &track, end, args);
	unlock_timeline(cancel);
}

void pd_timeline_pe(struct pd_tracks *tracks, uint32_t pe, const char *name,
		    uint64_t start, uint64_t end)
{
	struct pd_span span = { .start = start, .name = name, .at = -1 };
	struct pd_event_track track;
	char args[32];
	int cancel;

	if (!tracks || !start)
		return;
	snprintf(args, sizeof(args), "\"pe\":%u", pe);
	cancel = lock_timeline();
	introduce_pe(tracks, pe, &track);
	write_span(&span, &track, end, args);
	unlock_timeline(cancel);
}

/* lock held */
static void introduce_tasklet(struct pd_tracks *t, uint32_t pe, uint32_t tasklet,
			      struct pd_event_track *track)
{
	uint32_t first = t->nr_ranks + rank_words(t->nr_ranks);
	char name[64];

	introduce_pe(t, pe, track);
	track->tid = TASKLET_TRACKS + track->tid * TASKLETS + tasklet;
	if (!set_first(t->named + first, pe * TASKLETS + tasklet))
		return;
	snprintf(name, sizeof(name), "PE %u, tasklet %u, modelled", pe, tasklet);
	put_name("thread_name", track->pid, track->tid, name);
}

void pd_timeline_tasklet(struct pd_tracks *tracks, uint32_t pe, uint32_t tasklet,
			 const char *name, uint64_t start, uint64_t end)
{
	struct pd_span span = { .start = start, .name = name, .at = -1 };
	struct pd_event_track track;
	char args[48];
	int cancel;

	snprintf(args, sizeof(args), "\"pe\":%u,\"tasklet\":%u", pe, tasklet);
	cancel = lock_timeline();
	introduce_tasklet(tracks, pe, tasklet, &track);
	write_span(&span, &track, end, args);
	unlock_timeline(cancel);
}

/* lock held */
static void put_arrow(const char *phase, const char *name, uint64_t id,
		      const struct pd_event_track *track, uint64_t at)
{
	char event[PD_EVENT_BYTES];

	put_text(event, pd_format_arrow(event, phase, track, name, id, at));
}

void pd_timeline_arrow(struct pd_tracks *tracks, const char *name, uint32_t from,
		       uint64_t sent, uint32_t to, uint64_t came)
{
	struct pd_event_track a, b;
	uint64_t id;
	int cancel;

	if (!tracks || !sent || !came || from == to)
		return;
	cancel = lock_timeline();
	/* those of several processes are different ones */
	id = (uint64_t)timeline.pid << 40 | ++timeline.arrows;
	introduce_pe(tracks, from, &a);
	introduce_pe(tracks, to, &b);
	write_out();
	put_arrow("s", name, id, &a, sent);
	put_arrow("f", name, id, &b, came);
	write_out();
	unlock_timeline(cancel);
}

/* lock held */
static void introduce_own(struct pd_timeline_track *own, struct pd_event_track *track)
{
	*track = (struct pd_event_track){ (uint32_t)timeline.pid, own->number };
	if (own->pid == timeline.pid)
		return;
	own->pid = timeline.pid;
	if (!timeline.told)
		name_process();
	put_name("thread_name", track->pid, track->tid, own->span.name);
}

void pd_timeline_track_open(struct pd_timeline_track *own, const char *name)
{
	struct pd_event_track track;
	int cancel;

	*own = (struct pd_timeline_track){ .span.name = name, .span.start = pd_timeline_now() };
	if (!own->span.start)
		return;
	own->number = OWN_TRACKS + atomic_fetch_add(&own_tracks_seen, 1);
	cancel = lock_timeline();
	introduce_own(own, &track);
	write_begin(&own->span, &track, PE_ROOM);
	unlock_timeline(cancel);
}

void pd_timeline_track_close(struct pd_timeline_track *own)
{
	struct pd_event_track track;
	int cancel;

	if (!own->span.start)
		return;
	cancel = lock_timeline();
	introduce_own(own, &track);
	write_span(&own->span, &track, pd_now_ns(), "");
	unlock_timeline(cancel);
}

void pd_timeline_arrow_end(const struct pd_timeline_place *at, const char *name, uint64_t number,
			   bool begins)
{
	struct pd_event_track track;
	int cancel;

	if (!at->own && !at->tracks)
		return;
	cancel = lock_timeline();
	if (at->own)
		introduce_own(at->own, &track);
	else
		introduce_pe(at->tracks, at->pe, &track);
	put_arrow(begins ? "s" : "f", name, number, &track, pd_now_ns());
	write_out();
	unlock_timeline(cancel);
}

static void before_fork(void)
{
	pthread_mutex_lock(&timeline.lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&timeline.lock);
}

static void in_child(void)
{
	timeline.told = false;
	timeline.pid = getpid();
	pd_timeline_file_forked(&timeline.file);
	pthread_mutex_unlock(&timeline.lock);
}

/* lock held */
static int begin_timeline(const char *path)
{
	int ret = pd_timeline_file_open(&timeline.file, path);

	if (ret)
		return ret;
	timeline.pid = getpid();
	pthread_atfork(before_fork, after_fork, in_child);
	pd_timeline_running = true;
	return 0;
}

int pd_timeline_open(void)
{
	/* not for who has more rights than the one who asks */
	const char *path = secure_getenv("PIMDIMM_TRACE");
	int ret = pd_drawn_open(), cancel;

	if (ret || !path || !*path || pd_timeline_on())
		return ret;
	cancel = lock_timeline();
	/* one that has failed does not begin again */
	if (timeline.file.fd < 0)
		ret = begin_timeline(path);
	unlock_timeline(cancel);
	return ret;
}
