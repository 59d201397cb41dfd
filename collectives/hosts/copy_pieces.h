/* SPDX-License-Identifier: MIT */
/*
 * How much of a copy one memcpy() does. Long ones need not read what they overwrite on many CPUs,
 * which counts where that is in another core's cache; on some of these they take several times as
 * long where source and destination have nearly the same place in their pages, as buffers of
 * malloc() and of pages have: these get short ones. Both go through the caches.
 */
#ifndef PC_COPY_PIECES_H
#define PC_COPY_PIECES_H

#include <stdint.h>

#define PC_PIECE_SHORT	(UINT64_C(4) << 10)
#define PC_PIECE_LONG	(UINT64_C(64) << 10)

/*
 * Bytes of a piece on this machine, measured once a process: PC_PIECE_LONG or PC_PIECE_SHORT, which
 * it is, too, until there is memory to measure in.
 */
uint64_t pc_pieces_measured(void);

/*
 * The same, by what a copy of PC_PIECE_LONG bytes takes in such pieces, from and to these places
 * of pages. For tests.
 */
typedef uint64_t (*pc_pieces_ns)(void *ctx, unsigned int from, unsigned int to, uint64_t piece);
uint64_t pc_pieces_choose(pc_pieces_ns ns, void *ctx);

#endif /* PC_COPY_PIECES_H */
