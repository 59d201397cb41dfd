/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The domain transfer on whole blocks: between the host domain, eight lanes of
 * contiguous words, and the PIM domain, blocks of 64 bytes. Nothing in here is
 * the kernel's own, so that userspace can compile and test it.
 *
 * lanes[l][i] is word i of lane l; block i begins at byte i * stride, 8-byte
 * aligned. Vector registers are left alone: a kernel may use them only
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

/**
 * pimdimm_store_blocks() - host domain to PIM domain, all eight lanes
 * @blocks: the first block
 * @stride: bytes from one block to the next
 * @lanes: the words, which are only read
 * @count: number of blocks
 */
static inline void pimdimm_store_blocks(void *blocks, size_t stride,
					uint64_t *const lanes[8], size_t count)
{
	char *block = blocks;
	size_t i;

	for (i = 0; i < count; i++, block += stride) {
		uint64_t w[8] = {
			lanes[0][i], lanes[1][i], lanes[2][i], lanes[3][i],
			lanes[4][i], lanes[5][i], lanes[6][i], lanes[7][i],
		};
		uint64_t *rows = (uint64_t *)block;

		pimdimm_transpose(w);
		rows[0] = w[0];
		rows[1] = w[1];
		rows[2] = w[2];
		rows[3] = w[3];
		rows[4] = w[4];
		rows[5] = w[5];
		rows[6] = w[6];
		rows[7] = w[7];
	}
}

/**
 * pimdimm_store_lanes() - host domain to PIM domain, some lanes
 * @blocks: the first block
 * @stride: bytes from one block to the next
 * @lanes: the words, which are only read
 * @count: number of blocks
 * @mask: bit l selects lane l
 *
 * Others may be writing the other lanes of the same blocks at this moment, so
 * their bytes must not be stored, not even with the value they have.
 */
static inline void pimdimm_store_lanes(void *blocks, size_t stride,
				       uint64_t *const lanes[8], size_t count,
				       unsigned int mask)
{
	size_t i, l, b;

	for (l = 0; l < 8; l++) {
		uint8_t *byte = (uint8_t *)blocks + l;

		if (!(mask & (1u << l)))
			continue;
		for (i = 0; i < count; i++, byte += stride)
			for (b = 0; b < 8; b++)
				byte[8 * b] = lanes[l][i] >> (8 * b);
	}
}

/**
 * pimdimm_load_blocks() - PIM domain to host domain
 * @lanes: where the words go, of all eight lanes
 * @blocks: the first block
 * @stride: bytes from one block to the next
 * @count: number of blocks
 */
static inline void pimdimm_load_blocks(uint64_t *const lanes[8],
				       const void *blocks, size_t stride,
				       size_t count)
{
	const char *block = blocks;
	size_t i;

	for (i = 0; i < count; i++, block += stride) {
		const uint64_t *rows = (const uint64_t *)block;
		uint64_t w[8] = {
			rows[0], rows[1], rows[2], rows[3],
			rows[4], rows[5], rows[6], rows[7],
		};

		pimdimm_transpose(w);
		lanes[0][i] = w[0];
		lanes[1][i] = w[1];
		lanes[2][i] = w[2];
		lanes[3][i] = w[3];
		lanes[4][i] = w[4];
		lanes[5][i] = w[5];
		lanes[6][i] = w[6];
		lanes[7][i] = w[7];
	}
}

#endif /* PIMDIMM_TRANSPOSE_H */
