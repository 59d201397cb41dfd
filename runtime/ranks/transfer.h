/* SPDX-License-Identifier: MIT */
/* Unchecked transfers for the layers above; words are of 8 bytes. */
#ifndef PD_TRANSFER_H
#define PD_TRANSFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pimdimm/pimdimm_layout.h>

#include "runtime/simd/stores.h"

struct pimdimm;

/* the bytes of one PE, of any alignment; no other PE's byte is stored to */
void pd_pe_read(struct pimdimm *sys, uint32_t pe, uint64_t off, void *dst,
		size_t bytes);
void pd_pe_write(struct pimdimm *sys, uint32_t pe, uint64_t off,
		 const void *src, size_t bytes);

/* words of all PEs of an entangled group, to and from a buffer each; those of a PE
 * that has NULL are not got */
void pd_eg_get(struct pimdimm *sys, uint32_t eg, uint64_t word, uint64_t words,
	       void *const dst[PIMDIMM_CHIPS], enum pd_stores stores);
/* words of an entangled group and of the one that it shares lines with in xeon_sp,
 * four after it: their sixteen PEs' buffers */
void pd_pair_get(struct pimdimm *sys, uint32_t eg, uint64_t word, uint64_t words,
		 void *const dst[2 * PIMDIMM_CHIPS], enum pd_stores stores);
void pd_eg_put(struct pimdimm *sys, uint32_t eg, uint64_t word, uint64_t words,
	       const void *const src[PIMDIMM_CHIPS], enum pd_stores stores);

#endif /* PD_TRANSFER_H */
