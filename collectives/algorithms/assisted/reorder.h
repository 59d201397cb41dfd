/* SPDX-License-Identifier: MIT */
/*
 * PEs reorder what lies in their own MRAM, so that the host moves whole blocks
 * whose lanes are merely turned (PID-Comm, section V-A). A row is nl chunks, one
 * for each lane of a group; the PE of rank r puts chunk c at position c ^ r. That
 * is its own inverse, so that it needs no other MRAM in place, and once more
 * undoes it.
 */
#ifndef PC_REORDER_H
#define PC_REORDER_H

#include "collectives/call/call.h"

/*
 * Of every PE, `rows` rows of chunks of `words` words at word `from`, to word
 * `to`: the same, or where nothing of them lies.
 */
void pc_reorder(struct pc_call *call, uint64_t from, uint64_t to, uint64_t rows,
		uint64_t words);

#endif /* PC_REORDER_H */
