/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The domain transfer on whole blocks: between the host domain, eight lanes of
 * contiguous words, and the PIM domain, blocks of 64 bytes. Nothing in here is
 * the kernel's own, so that userspace can compile and test it.
 *
 * lanes[l * pitch + i] is word i of lane l; block i begins at byte i * stride,
 * 8-byte aligned. Vector registers are left alone: a kernel may use them only
 * with preemption off.
 */
#ifndef PIMDIMM_TRANSPOSE_H
#define PIMDIMM_TRANSPOSE_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stddef.h>
#include <stdint.h>
#endif

/* Exchanges the bits of *a above @shift in @mask's places with those of *b. */
static inline void pimdimm_swap_bits(uint64_t *a, uint64_t *b,
				     unsigned int shift, uint64_t mask)
{
	uint64_t t = ((*a >> shift) ^ *b) & mask;

	*b ^= t;
	*a ^= t << shift;
}

/**
 * pimdimm_transpose() - transpose eight words as a matrix of 8x8 bytes
 * @w: the words; its own inverse
 *
 * Written out, for at -O2 gcc keeps an array in registers only where no loop
 * runs over it: this is half as fast again.
 */
static inline void pimdimm_transpose(uint64_t w[8])
{
	pimdimm_swap_bits(&w[0], &w[4], 32, 0x00000000ffffffffULL);
	pimdimm_swap_bits(&w[1], &w[5], 32, 0x00000000ffffffffULL);
	pimdimm_swap_bits(&w[2], &w[6], 32, 0x00000000ffffffffULL);
	pimdimm_swap_bits(&w[3], &w[7], 32, 0x00000000ffffffffULL);

	pimdimm_swap_bits(&w[0], &w[2], 16, 0x0000ffff0000ffffULL);
	pimdimm_swap_bits(&w[1], &w[3], 16, 0x0000ffff0000ffffULL);
	pimdimm_swap_bits(&w[4], &w[6], 16, 0x0000ffff0000ffffULL);
	pimdimm_swap_bits(&w[5], &w[7], 16, 0x0000ffff0000ffffULL);

	pimdimm_swap_bits(&w[0], &w[1], 8, 0x00ff00ff00ff00ffULL);
	pimdimm_swap_bits(&w[2], &w[3], 8, 0x00ff00ff00ff00ffULL);
	pimdimm_swap_bits(&w[4], &w[5], 8, 0x00ff00ff00ff00ffULL);
	pimdimm_swap_bits(&w[6], &w[7], 8, 0x00ff00ff00ff00ffULL);
}

/* Transposes the eight words at @src, @from apart, to @dst, @to apart. */
static inline void pimdimm_transpose_to(uint64_t *dst, size_t to,
					const uint64_t *src, size_t from)
{
	uint64_t w[8] = {
		src[0], src[from], src[2 * from], src[3 * from],
		src[4 * from], src[5 * from], src[6 * from], src[7 * from],
	};

	pimdimm_transpose(w);
	dst[0] = w[0];
	dst[to] = w[1];
	dst[2 * to] = w[2];
	dst[3 * to] = w[3];
	dst[4 * to] = w[4];
	dst[5 * to] = w[5];
	dst[6 * to] = w[6];
	dst[7 * to] = w[7];
}

/**
 * pimdimm_store_blocks() - host domain to PIM domain, all eight lanes
 * @blocks: the first block
 * @stride: bytes from one block to the next
 * @lanes: the words
 * @pitch: words from one lane to the next
 * @count: number of blocks
 */
static inline void pimdimm_store_blocks(void *blocks, size_t stride,
					const uint64_t *lanes, size_t pitch,
					size_t count)
{
	char *block = blocks;
	size_t i;

	for (i = 0; i < count; i++, block += stride)
		pimdimm_transpose_to((uint64_t *)block, 1, &lanes[i], pitch);
}

/**
 * pimdimm_store_lanes() - host domain to PIM domain, some lanes
 * @blocks: the first block
 * @stride: bytes from one block to the next
 * @lanes: the words
 * @pitch: words from one lane to the next
 * @count: number of blocks
 * @mask: bit l selects lane l
 *
 * Others may be writing the other lanes of the same blocks at this moment, so
 * their bytes must not be stored, not even with the value they have.
 */
static inline void pimdimm_store_lanes(void *blocks, size_t stride,
				       const uint64_t *lanes, size_t pitch,
				       size_t count, unsigned int mask)
{
	size_t i, l, b;

	for (l = 0; l < 8; l++) {
		uint8_t *byte = (uint8_t *)blocks + l;

		if (!(mask & (1u << l)))
			continue;
		for (i = 0; i < count; i++, byte += stride)
			for (b = 0; b < 8; b++)
				byte[8 * b] = lanes[l * pitch + i] >> (8 * b);
	}
}

/**
 * pimdimm_load_blocks() - PIM domain to host domain
 * @lanes: where the words go, of all eight lanes
 * @pitch: words from one lane to the next
 * @blocks: the first block
 * @stride: bytes from one block to the next
 * @count: number of blocks
 */
static inline void pimdimm_load_blocks(uint64_t *lanes, size_t pitch,
				       const void *blocks, size_t stride,
				       size_t count)
{
	const char *block = blocks;
	size_t i;

	for (i = 0; i < count; i++, block += stride)
		pimdimm_transpose_to(&lanes[i], pitch, (const uint64_t *)block, 1);
}

#endif /* PIMDIMM_TRANSPOSE_H */
