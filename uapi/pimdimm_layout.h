/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * Where the blocks of a rank lie in its window. Part of the ABI: the kernel
 * module, the runtime and host programs compute the same addresses from here.
 *
 * A block is 64 bytes: one 8-byte word of each of the 8 PEs of an entangled
 * group. In the PIM domain, which is what a window shows, byte b of the word
 * of lane l lies at byte 8*b + l of its block.
 */
#ifndef PIMDIMM_LAYOUT_H
#define PIMDIMM_LAYOUT_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdint.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** PIMDIMM_LAYOUT_LINEAR: bank after bank, block after block. */
#define PIMDIMM_LAYOUT_LINEAR	0u
/** PIMDIMM_LAYOUT_XEON_SP: the address map of UPMEM ranks on Intel Xeon SP. */
#define PIMDIMM_LAYOUT_XEON_SP	1u
/** PIMDIMM_NR_LAYOUTS: how many layouts there are. */
#define PIMDIMM_NR_LAYOUTS	2u
/** PIMDIMM_LAYOUT_NAMES: their names, by their numbers. */
#define PIMDIMM_LAYOUT_NAMES	{ "linear", "xeon_sp" }

#define PIMDIMM_CHIPS		8u	/* chips of a rank, lanes of a block */
#define PIMDIMM_BANKS		8u	/* banks of a chip, entangled groups of a rank */
#define PIMDIMM_RANK_PES	64u	/* PEs of a rank */
#define PIMDIMM_WORD_BYTES	8u
#define PIMDIMM_BLOCK_BYTES	64u

#define PIMDIMM_MRAM_MIN	0x10000u	/* 64 KiB */
#define PIMDIMM_MRAM_MAX	0x4000000u	/* 64 MiB */
#define PIMDIMM_MRAM_ALIGN	0x1000u		/* MRAM sizes are multiples of 4 KiB */

/**
 * pimdimm_layout_name() - a layout's name, as URIs and the module have it
 * @layout: a PIMDIMM_LAYOUT_ value
 *
 * Return: a constant, "unknown" for what is no layout.
 */
static inline const char *pimdimm_layout_name(uint32_t layout)
{
	static const char *const names[PIMDIMM_NR_LAYOUTS] =
		PIMDIMM_LAYOUT_NAMES;

	return layout < PIMDIMM_NR_LAYOUTS ? names[layout] : "unknown";
}

/**
 * pimdimm_layout_rotate() - xeon_sp's permutation of an MRAM byte offset
 * @m: byte offset in a PE's MRAM
 *
 * Return: @m with bits 21..15 moved to 20..14 and bit 14 moved to bit 21.
 */
static inline uint64_t pimdimm_layout_rotate(uint64_t m)
{
	return (m & ~(uint64_t)0x3fc000) | ((m >> 1) & 0x1fc000) |
	       ((m & 0x4000) << 7);
}

/**
 * pimdimm_layout_offset() - where a block lies in a rank's window
 * @layout: PIMDIMM_LAYOUT_LINEAR or PIMDIMM_LAYOUT_XEON_SP
 * @mram_size: bytes of MRAM of a PE
 * @bank: bank, 0 to 7: the entangled group's number in its rank
 * @word: index of the 8-byte word in each PE's MRAM, below @mram_size / 8
 *
 * Return: the block's byte offset in the window.
 */
static inline uint64_t pimdimm_layout_offset(uint32_t layout, uint64_t mram_size,
					     uint32_t bank, uint64_t word)
{
	uint64_t x;

	if (layout == PIMDIMM_LAYOUT_LINEAR)
		return bank * PIMDIMM_WORD_BYTES * mram_size +
		       word * PIMDIMM_BLOCK_BYTES;

	x = 16 * pimdimm_layout_rotate(word * PIMDIMM_WORD_BYTES);
	return 0x40000 * (uint64_t)(bank % 4) + (bank >= 4 ? 0x40 : 0) +
	       x % 0x20000 + x / 0x20000 * 0x100000;
}

/**
 * pimdimm_layout_stride() - distance of neighbouring blocks of a run
 * @layout: the layout
 *
 * Return: bytes from the block of word w to that of word w + 1, where both
 * belong to one run.
 */
static inline uint64_t pimdimm_layout_stride(uint32_t layout)
{
	return layout == PIMDIMM_LAYOUT_LINEAR ? PIMDIMM_BLOCK_BYTES :
						 2 * PIMDIMM_BLOCK_BYTES;
}

/**
 * pimdimm_layout_run() - how far a run of evenly spaced blocks reaches
 * @layout: the layout
 * @mram_size: bytes of MRAM of a PE
 * @word: first word
 *
 * Return: how many words from @word on lie pimdimm_layout_stride() apart.
 */
static inline uint64_t pimdimm_layout_run(uint32_t layout, uint64_t mram_size,
					  uint64_t word)
{
	uint64_t left = mram_size / PIMDIMM_WORD_BYTES - word;
	uint64_t run = 1024 - word % 1024;

	if (layout == PIMDIMM_LAYOUT_LINEAR || run > left)
		return left;
	return run;
}

/**
 * pimdimm_layout_span() - the size of a rank's window
 * @layout: the layout
 * @mram_size: bytes of MRAM of a PE, a multiple of 4 KiB
 *
 * The rotation holds for every MRAM size, so a xeon_sp window is larger than
 * its MRAM and sparse: what is not MRAM in it is plain zeroed memory.
 *
 * Return: bytes of the window, a multiple of 4 KiB.
 */
static inline uint64_t pimdimm_layout_span(uint32_t layout, uint64_t mram_size)
{
	uint64_t last, max, bit;

	if (layout == PIMDIMM_LAYOUT_LINEAR)
		return PIMDIMM_RANK_PES * mram_size;

	/*
	 * The rotation permutes bits, so its maximum over 0..last is reached
	 * at last, or where a set bit of last is cleared and all below are set.
	 */
	last = mram_size - PIMDIMM_WORD_BYTES;
	max = pimdimm_layout_rotate(last);
	for (bit = PIMDIMM_WORD_BYTES; bit <= last; bit <<= 1) {
		uint64_t m = ((last & ~bit) | (bit - 1)) &
			     ~(uint64_t)(PIMDIMM_WORD_BYTES - 1);

		if ((last & bit) && pimdimm_layout_rotate(m) > max)
			max = pimdimm_layout_rotate(m);
	}
	return 0x100000 * (1 + max / 0x2000);
}

#ifdef __cplusplus
}
#endif

#endif /* PIMDIMM_LAYOUT_H */
