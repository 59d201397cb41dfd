/* SPDX-License-Identifier: MIT */
/* What the program of hops shares with who measures it. */
#ifndef PERF_PE_HOP_H
#define PERF_PE_HOP_H

#include <stdint.h>

/* symbol `args` */
struct hop_args {
	uint32_t pes;
	uint32_t hops;		/* of one traveller around all PEs; 0: all send to all */
	uint32_t each;		/* parcels of each PE then */
	uint32_t reserved;
};

/* Symbol `came`, uint64_t: travellers that have come to the PE. */

#endif /* PERF_PE_HOP_H */
