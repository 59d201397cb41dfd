/* SPDX-License-Identifier: MIT */
/*
 * What an end is at, moment by moment, where somebody asks: both ends' moments beside each other
 * tell where the time of the messages between them goes.
 */
#ifndef PM_PAIR_PHASES_H
#define PM_PAIR_PHASES_H

#include "collectives/messages/pair/pair_moments.h"

struct pimmsg_end;

/* What the end is at is kept from here on, until it is asked for. -ENOMEM */
int pm_pair_phases_begin(struct pimmsg_end *end);
/* What was kept, which is the caller's to free(). */
struct pair_phases *pm_pair_phases_end(struct pimmsg_end *end);

#endif /* PM_PAIR_PHASES_H */
