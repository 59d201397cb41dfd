/* SPDX-License-Identifier: MIT */
/* What the PE-assisted ways of alltoall share. */
#ifndef PC_ALLTOALL_ASSISTED_H
#define PC_ALLTOALL_ASSISTED_H

#include "collectives/algorithms/assisted/assisted.h"

/*
 * PEs reorder into dst, the host exchanges what lies at own->from between
 * entangled groups, PEs reorder in place. There is no need for other MRAM.
 */
int pc_alltoall_assisted(struct pc_call *call, enum pc_steps steps,
			 void (*exchange)(struct pc_call *call));

/* in registers, between two domain transfers or without any */
void pc_alltoall_registers(struct pc_call *call);

#endif /* PC_ALLTOALL_ASSISTED_H */
