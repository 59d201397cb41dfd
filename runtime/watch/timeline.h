/* SPDX-License-Identifier: MIT */
/*
 * PIMDIMM_TRACE: what a process does with its ranks, when and on which thread,
 * appended to a file as Chrome's JSON array of trace events, a line each, which
 * Perfetto opens. The array's "]" is never written, as its readers allow: other
 * processes may add to the file later.
 *
 * Off, a span costs a load and a branch. On, its begin is written as it begins, and
 * its end over it: what a process was at when it ended stays in the file as a span
 * without an end, whatever ended it.
 */
#ifndef PD_TIMELINE_H
#define PD_TIMELINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

extern _Atomic bool pd_timeline_running;

static inline bool pd_timeline_on(void)
{
	return __builtin_expect(atomic_load_explicit(&pd_timeline_running,
						     memory_order_relaxed), 0);
}

/* Begin if PIMDIMM_TRACE says so and this is the first time; negative errno. */
int pd_timeline_open(void);

/* What the calling thread is called from its first event on; a constant. */
void pd_timeline_thread(const char *name);

/*
 * What tells this process from others of its program, ", host 1 of 3": it follows the
 * program's name from now on. A child of fork() has none.
 */
void pd_timeline_process(const char *role);

/* what a thread does from a begin to an end; spans inside of it end before it */
struct pd_span {
	uint64_t start;		/* 0: the timeline is off */
	const char *name;	/* stays to its end */
	const char *outer;
	/* where its begin stands in the file, so much room; and in which life */
	off_t at;
	uint32_t room, life;
};

struct pd_span pd_timeline_start(const char *name);
__attribute__((format(printf, 2, 3)))
void pd_timeline_stop(const struct pd_span *span, const char *format, ...);

static inline struct pd_span pd_timeline_begin(const char *name)
{
	if (!pd_timeline_on())
		return (struct pd_span){ 0 };
	return pd_timeline_start(name);
}

/* format: JSON members of the span's arguments, `"pe":1,"bytes":8` */
#define pd_timeline_end(span, ...)				\
	do {							\
		if (__builtin_expect((span)->start != 0, 0))	\
			pd_timeline_stop(span, __VA_ARGS__);	\
	} while (0)

/* A span that has begun at a time and is in the file from its end on. */
struct pd_span pd_timeline_since(const char *name, uint64_t start);

/* A span of the calling thread that is over already. */
void pd_timeline_past(const char *name, uint64_t start, uint64_t end);

/* The name of the innermost span of the calling thread, NULL outside of any. */
const char *pd_timeline_current(void);

/* now, or 0 while the timeline is off */
uint64_t pd_timeline_now(void);

/* The tracks of so many ranks' PEs; NULL while the timeline is off. */
struct pd_tracks;
struct pd_tracks *pd_tracks_create(uint32_t nr_ranks);
void pd_tracks_free(struct pd_tracks *tracks);

/* A span of a PE, on a track of its own among those of its rank; NULL has none. */
struct pd_span pd_timeline_pe_start(struct pd_tracks *tracks, uint32_t pe,
				    const char *name);
void pd_timeline_pe_stop(struct pd_tracks *tracks, uint32_t pe,
			 const struct pd_span *span);
/* A span of a PE that is over already. */
void pd_timeline_pe(struct pd_tracks *tracks, uint32_t pe, const char *name,
		    uint64_t start, uint64_t end);

/* A span of a PE's tasklet, modelled, on a track of its own beside the PE's. */
void pd_timeline_tasklet(struct pd_tracks *tracks, uint32_t pe, uint32_t tasklet,
			 const char *name, uint64_t start, uint64_t end);

/*
 * An arrow from a PE to another, from where a span of the one was when it sent something
 * to where a span of the other was when that came; an arrow to itself is none, and of a
 * time 0.
 */
void pd_timeline_arrow(struct pd_tracks *tracks, const char *name, uint32_t from,
		       uint64_t sent, uint32_t to, uint64_t came);

/* A track of the process's that is no thread's, with one span from its open to its close. */
struct pd_timeline_track {
	struct pd_span span;	/* its name is the track's, too */
	uint32_t number;
	pid_t pid;		/* that the name was given in */
};

void pd_timeline_track_open(struct pd_timeline_track *track, const char *name);
void pd_timeline_track_close(struct pd_timeline_track *track);

/* where an arrow begins or ends: in the span of a PE, or of such a track */
struct pd_timeline_place {
	struct pd_timeline_track *own;	/* NULL: the PE's */
	struct pd_tracks *tracks;
	uint32_t pe;
};

/*
 * One end of an arrow, now. Both ends have the same number, which no other arrow has: whoever
 * draws the one knows nothing of the other, and may be another process.
 */
void pd_timeline_arrow_end(const struct pd_timeline_place *at, const char *name, uint64_t number,
			   bool begins);

#endif /* PD_TIMELINE_H */
