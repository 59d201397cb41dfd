/* SPDX-License-Identifier: MIT */
/* The sentence of a run in which nothing can run any more. */
#ifndef PD_DEADLOCK_H
#define PD_DEADLOCK_H

#include "runtime/pe/resident/run.h"

/* Into run->deadlock; so many threads have not ended. No thread runs. */
void pd_deadlock_tell(struct pd_run *run, uint64_t left);

#endif /* PD_DEADLOCK_H */
