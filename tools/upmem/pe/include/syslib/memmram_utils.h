/* SPDX-License-Identifier: MIT */
/* Arithmetic of alignment. */
#ifndef MEMMRAM_UTILS_H
#define MEMMRAM_UTILS_H

#define ALIGN_MASK(x, mask)	(((x) + (mask)) & ~(mask))
#define ALIGN(x, a)		ALIGN_MASK((x), (a) - 1)
#define DMA_ALIGNMENT		8
#define DMA_OFF_MASK		(DMA_ALIGNMENT - 1)
#define DMA_ALIGNED(x)		ALIGN(x, DMA_ALIGNMENT)

#ifndef MIN
#define MIN(a, b)		((a) < (b) ? (a) : (b))
#endif

#define MRAM_CACHE_SIZE		8

#endif /* MEMMRAM_UTILS_H */
