/* SPDX-License-Identifier: MIT */
/* pimtype_move() from inside of kernels. */
#ifndef PT_MOVES_H
#define PT_MOVES_H

#include <pimdimm/types.h>

/* on the calling thread alone, and whoever owns the ranks */
int pt_moves_of_pes(struct pimdimm *sys, size_t nr,
		    const struct pimtype_move moves[]);

#endif /* PT_MOVES_H */
