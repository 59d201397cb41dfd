/* SPDX-License-Identifier: MIT */
/* Which thread of which PE a worker runs next. */
#ifndef PD_SCHEDULE_H
#define PD_SCHEDULE_H

#include "runtime/pe/resident/run.h"

/* A worker of the run, from here until the run is over. */
void pd_schedule_work(struct pd_worker *w);

/* Behind those that can run in a PE, which the caller owns. */
void pd_schedule_ready(struct pd_home *home, struct pd_thread *t);
/* Before them. */
void pd_schedule_first(struct pd_home *home, struct pd_thread *t);

/*
 * Into a PE's inbox. Returns true, and the thread is not there, if nobody owned the PE;
 * now the caller does.
 */
bool pd_schedule_deliver(struct pd_home *home, struct pd_thread *t);
/* Whether nobody owned the PE, and nothing had come; now the caller does. */
bool pd_schedule_own(struct pd_home *home);

/* A PE that the caller owns, for some worker. `w`: the caller's; NULL: the host's. */
void pd_schedule_put(struct pd_run *run, struct pd_worker *w, struct pd_home *home);

/* The worker is in this PE from now on, which it owns. */
void pd_schedule_enter(struct pd_worker *w, struct pd_home *home);
/* No thread that runs is in the PE any more, which the caller owns. */
void pd_schedule_leave(struct pd_worker *w, struct pd_home *home);

/*
 * The thread stops, as w->after says and where it may have been queued; it goes on when
 * somebody has made it ready.
 */
void pd_schedule_away(struct pd_thread *me);
/* Whether others run, but there is nothing for the thread's worker but the thread itself. */
bool pd_schedule_spare(const struct pd_thread *me);
/* Draw that a thread has come to where it is, which was sent from a PE at that time. */
void pd_schedule_arrow(const struct pd_thread *t, uint32_t from, uint64_t sent);
/* The thread stops, to go on in its PE as soon as it can; `next` of `home` runs. */
void pd_schedule_into(struct pd_thread *me, struct pd_home *home,
		      struct pd_thread *next);

#endif /* PD_SCHEDULE_H */
