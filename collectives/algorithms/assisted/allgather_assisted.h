/* SPDX-License-Identifier: MIT */
/* What the PE-assisted ways of allgather share. */
#ifndef PC_ALLGATHER_ASSISTED_H
#define PC_ALLGATHER_ASSISTED_H

#include "collectives/algorithms/assisted/assisted.h"

/* every block goes to all lanes by turns, then PEs reorder */
int pc_allgather_assisted(struct pc_call *call, enum pc_steps steps);

#endif /* PC_ALLGATHER_ASSISTED_H */
