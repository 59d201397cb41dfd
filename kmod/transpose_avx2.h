/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The domain transfer on four blocks at a time by AVX2. As transpose.h,
 * nothing in here is the kernel's own; the caller has made vector registers
 * its own, and touches memory that does not fault.
 *
 * Assembler, since the kernel is compiled for a CPU without these registers: so
 * it neither uses them nor lets them be named as clobbered.
 */
#ifndef PIMDIMM_AVX2_H
#define PIMDIMM_AVX2_H

#include "kmod/transpose.h"

/* Blocks that one step moves. */
#define PIMDIMM_AVX2_BLOCKS	4

/* How many blocks before a store its line is asked for. */
#define PIMDIMM_AVX2_AHEAD	16

#ifdef __SSE__
#define PIMDIMM_AVX2_CLOBBERS						\
	"xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",	\
	"xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",	\
	"xmm15", "memory"
#else
#define PIMDIMM_AVX2_CLOBBERS	"memory"
#endif

/* Interleaves @a and @b by @unit (bw, wd, dq, qdq): the low and high halves. */
#define PIMDIMM_UNPACK(unit, a, b, low, high)				\
	"vpunpckl" unit " %%ymm" b ", %%ymm" a ", %%ymm" low "\n\t"	\
	"vpunpckh" unit " %%ymm" b ", %%ymm" a ", %%ymm" high "\n\t"

/* A lane's four words, words 0 and 1 in the register's low half. */
#define PIMDIMM_LANES(move)						\
	move("0") move("1") move("2") move("3")				\
	move("4") move("5") move("6") move("7")
#define PIMDIMM_LANE_LOAD(l)						\
	"mov 8*" l "(%[lanes]), %[lane]\n\t"				\
	"vmovdqu (%[lane],%[at]), %%ymm" l "\n\t"
#define PIMDIMM_LANE_STORE(l)						\
	"mov 8*" l "(%[lanes]), %[lane]\n\t"				\
	"vmovdqu %%ymm" l ", (%[lane],%[at])\n\t"

/* Two blocks, 2 * stride apart, of four registers with two rows of each. */
#define PIMDIMM_STORE_PAIR(block, far, r0, r1, r2, r3)			\
	"vmovdqu %%xmm" r0 ", (" block ")\n\t"				\
	"vmovdqu %%xmm" r1 ", 16(" block ")\n\t"			\
	"vmovdqu %%xmm" r2 ", 32(" block ")\n\t"			\
	"vmovdqu %%xmm" r3 ", 48(" block ")\n\t"			\
	"vextracti128 $1, %%ymm" r0 ", (" far ")\n\t"			\
	"vextracti128 $1, %%ymm" r1 ", 16(" far ")\n\t"			\
	"vextracti128 $1, %%ymm" r2 ", 32(" far ")\n\t"			\
	"vextracti128 $1, %%ymm" r3 ", 48(" far ")\n\t"

/* Rows 2*i and 2*i + 1 of both blocks, brought together byte by byte. */
#define PIMDIMM_LOAD_ROWS(at, block, far, reg)				\
	"vmovdqu " at "(" block "), %%xmm" reg "\n\t"			\
	"vinserti128 $1, " at "(" far "), %%ymm" reg ", %%ymm" reg "\n\t" \
	"vpshufb %%ymm15, %%ymm" reg ", %%ymm" reg "\n\t"
#define PIMDIMM_LOAD_PAIR(block, far, r0, r1, r2, r3)			\
	PIMDIMM_LOAD_ROWS("", block, far, r0)				\
	PIMDIMM_LOAD_ROWS("16", block, far, r1)				\
	PIMDIMM_LOAD_ROWS("32", block, far, r2)				\
	PIMDIMM_LOAD_ROWS("48", block, far, r3)

/* Four blocks of eight lanes' words, @at bytes from where @lanes begin. */
static inline void pimdimm_avx2_store(char *block, size_t stride,
				      uint64_t *const lanes[8], size_t at)
{
	void *lane;

	asm volatile(PIMDIMM_LANES(PIMDIMM_LANE_LOAD)
		/* bytes of lanes 2*i and 2*i + 1; words 0, 2 and words 1, 3 */
		PIMDIMM_UNPACK("bw", "0", "1", "8", "0")
		PIMDIMM_UNPACK("bw", "2", "3", "9", "2")
		PIMDIMM_UNPACK("bw", "4", "5", "10", "4")
		PIMDIMM_UNPACK("bw", "6", "7", "11", "6")
		/* four lanes' bytes: rows 0 to 3 and rows 4 to 7 */
		PIMDIMM_UNPACK("wd", "8", "9", "12", "13")
		PIMDIMM_UNPACK("wd", "10", "11", "14", "15")
		/* all lanes' bytes of two rows */
		PIMDIMM_UNPACK("dq", "12", "14", "8", "9")
		PIMDIMM_UNPACK("dq", "13", "15", "10", "11")
		PIMDIMM_STORE_PAIR("%[b0]", "%[b2]", "8", "9", "10", "11")
		/* words 1 and 3 likewise */
		PIMDIMM_UNPACK("wd", "0", "2", "12", "13")
		PIMDIMM_UNPACK("wd", "4", "6", "14", "15")
		PIMDIMM_UNPACK("dq", "12", "14", "0", "1")
		PIMDIMM_UNPACK("dq", "13", "15", "2", "3")
		PIMDIMM_STORE_PAIR("%[b1]", "%[b3]", "0", "1", "2", "3")
		: [lane] "=&r" (lane)
		: [b0] "r" (block), [b1] "r" (block + stride),
		  [b2] "r" (block + 2 * stride), [b3] "r" (block + 3 * stride),
		  [lanes] "r" (lanes), [at] "r" (at)
		: PIMDIMM_AVX2_CLOBBERS);
}

/*
 * Has the CPU fetch the lines of four blocks for itself, which stores would wait
 * for: a line's four do not fill it at once. No address faults here.
 */
static inline void pimdimm_avx2_fetch(const char *block, size_t stride)
{
	asm volatile("prefetchw (%[b0])\n\t"
		"prefetchw (%[b0],%[stride])\n\t"
		"prefetchw (%[b0],%[stride],2)\n\t"
		"prefetchw (%[b3])"
		:
		: [b0] "r" (block), [stride] "r" (stride),
		  [b3] "r" (block + 3 * stride));
}

/* The inverse. */
static inline void pimdimm_avx2_load(uint64_t *const lanes[8], size_t at,
				     const char *block, size_t stride)
{
	/* makes pairs of a row's bytes with those of the next row */
	static const uint8_t rows[16] = {
		0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15,
	};
	void *lane;

	asm volatile("vbroadcasti128 %[rows], %%ymm15\n\t"
		PIMDIMM_LOAD_PAIR("%[b0]", "%[b2]", "0", "1", "2", "3")
		PIMDIMM_LOAD_PAIR("%[b1]", "%[b3]", "4", "5", "6", "7")
		/* four rows; lanes 0 to 3 and lanes 4 to 7 */
		PIMDIMM_UNPACK("wd", "0", "1", "8", "9")
		PIMDIMM_UNPACK("wd", "2", "3", "10", "11")
		PIMDIMM_UNPACK("wd", "4", "5", "12", "13")
		PIMDIMM_UNPACK("wd", "6", "7", "14", "15")
		/* whole words of two lanes; blocks 0, 2 and blocks 1, 3 */
		PIMDIMM_UNPACK("dq", "8", "10", "0", "1")
		PIMDIMM_UNPACK("dq", "9", "11", "2", "3")
		PIMDIMM_UNPACK("dq", "12", "14", "4", "5")
		PIMDIMM_UNPACK("dq", "13", "15", "6", "7")
		/* four words of one lane; into 0 to 7 as lanes go */
		PIMDIMM_UNPACK("qdq", "0", "4", "8", "9")
		PIMDIMM_UNPACK("qdq", "1", "5", "10", "11")
		PIMDIMM_UNPACK("qdq", "2", "6", "4", "5")
		PIMDIMM_UNPACK("qdq", "3", "7", "6", "7")
		"vmovdqa %%ymm8, %%ymm0\n\t"
		"vmovdqa %%ymm9, %%ymm1\n\t"
		"vmovdqa %%ymm10, %%ymm2\n\t"
		"vmovdqa %%ymm11, %%ymm3\n\t"
		PIMDIMM_LANES(PIMDIMM_LANE_STORE)
		: [lane] "=&r" (lane)
		: [b0] "r" (block), [b1] "r" (block + stride),
		  [b2] "r" (block + 2 * stride), [b3] "r" (block + 3 * stride),
		  [lanes] "r" (lanes), [at] "r" (at), [rows] "m" (rows)
		: PIMDIMM_AVX2_CLOBBERS);
}

/* Or else each switch to and from older instructions costs its time. */
static inline void pimdimm_avx2_end(void)
{
	asm volatile("vzeroupper" : : : PIMDIMM_AVX2_CLOBBERS);
}

/* Moves @lanes on by @words, for those that steps of vectors leave over. */
#define PIMDIMM_LANES_FROM(lanes, words)				\
	{ &(lanes)[0][words], &(lanes)[1][words], &(lanes)[2][words],	\
	  &(lanes)[3][words], &(lanes)[4][words], &(lanes)[5][words],	\
	  &(lanes)[6][words], &(lanes)[7][words] }

/**
 * pimdimm_avx2_store_blocks() - pimdimm_store_blocks() by AVX2
 * @blocks: the first block
 * @stride: bytes from one block to the next
 * @lanes: the words, which are only read
 * @count: number of blocks
 */
static inline void pimdimm_avx2_store_blocks(void *blocks, size_t stride,
					     uint64_t *const lanes[8],
					     size_t count)
{
	const size_t steps = count - count % PIMDIMM_AVX2_BLOCKS;
	uint64_t *const rest[8] = PIMDIMM_LANES_FROM(lanes, steps);
	char *block = blocks;
	size_t i;

	for (i = 0; i < steps; i += PIMDIMM_AVX2_BLOCKS) {
		pimdimm_avx2_fetch(block + (i + PIMDIMM_AVX2_AHEAD) * stride,
				   stride);
		pimdimm_avx2_store(block + i * stride, stride, lanes,
				   i * sizeof(uint64_t));
	}
	pimdimm_avx2_end();
	pimdimm_store_blocks(block + steps * stride, stride, rest,
			     count - steps);
}

/**
 * pimdimm_avx2_load_blocks() - pimdimm_load_blocks() by AVX2
 * @lanes: where the words go, of all eight lanes
 * @blocks: the first block
 * @stride: bytes from one block to the next
 * @count: number of blocks
 */
static inline void pimdimm_avx2_load_blocks(uint64_t *const lanes[8],
					    const void *blocks, size_t stride,
					    size_t count)
{
	const size_t steps = count - count % PIMDIMM_AVX2_BLOCKS;
	uint64_t *const rest[8] = PIMDIMM_LANES_FROM(lanes, steps);
	const char *block = blocks;
	size_t i;

	for (i = 0; i < steps; i += PIMDIMM_AVX2_BLOCKS)
		pimdimm_avx2_load(lanes, i * sizeof(uint64_t),
				  block + i * stride, stride);
	pimdimm_avx2_end();
	pimdimm_load_blocks(rest, block + steps * stride, stride,
			    count - steps);
}

#endif /* PIMDIMM_AVX2_H */
