/* SPDX-License-Identifier: MIT */
/* Barriers of resident kernels: among the tasklets that are in the PE they began in. */
#ifndef PD_BARRIER_H
#define PD_BARRIER_H

#include "runtime/pe/resident/run.h"

void pd_barrier_wait(struct pimdimm_pe *pe);
/* A thread ends or goes elsewhere, or has come: nobody waits for who is not there. */
void pd_barrier_leave(struct pd_thread *t);
void pd_barrier_come(struct pd_thread *t);

#endif /* PD_BARRIER_H */
