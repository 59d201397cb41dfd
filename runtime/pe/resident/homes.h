/* SPDX-License-Identifier: MIT */
/* Queues of PEs whose threads can run. */
#ifndef PD_HOMES_H
#define PD_HOMES_H

#include "runtime/pe/resident/run.h"

/* how many there are, but for what others do at the moment */
uint32_t pd_homes_count(const struct pd_homes *q);
/* behind all others, or before those of the queue; by anybody */
void pd_homes_put(struct pd_homes *q, struct pd_home *home, bool first);
/* by its worker: behind all others; returns how many there are then */
uint32_t pd_homes_put_own(struct pd_worker *w, struct pd_home *home);
/* by its worker: before all others */
void pd_homes_put_first(struct pd_worker *w, struct pd_home *home);
/* by its worker: the first, or NULL */
struct pd_home *pd_homes_take_own(struct pd_worker *w);
/* by its worker, which is the only one: any, by chance, or NULL */
struct pd_home *pd_homes_draw(struct pd_run *run, struct pd_homes *q);
/* by another worker: the last, if there are so many, or NULL */
struct pd_home *pd_homes_take_other(struct pd_homes *q, uint32_t least);

#endif /* PD_HOMES_H */
