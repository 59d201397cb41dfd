/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * Injected faults: what is decided of a transfer. The module does so for ranks
 * of /dev/pimdimmN, the library for those it was told of; being one and the same
 * arithmetic, the same seed gives both the same faults. Not installed.
 */
#ifndef _UAPI_PIMDIMM_INJECT_H
#define _UAPI_PIMDIMM_INJECT_H

#include <linux/types.h>

#ifdef __KERNEL__
#include <linux/bitops.h>
#include <linux/math64.h>
#define PIMDIMM_DIV(a, b)	div_u64_rem(a, b, &(__u32){ 0 })
#define PIMDIMM_WEIGHT(a)	hweight64(a)
#else
#define PIMDIMM_DIV(a, b)	((a) / (b))
#define PIMDIMM_WEIGHT(a)	((unsigned int)__builtin_popcountll(a))
#endif

#define PIMDIMM_PPM		1000000u
#define PIMDIMM_DELAY_MAX	10000000u

/*
 * The knobs of a rank, under the names that sysfs, URIs and PIMDIMM_INJECT know,
 * and where its random numbers have come to. A transfer is a call that moves
 * something into or out of the rank.
 */
struct pimdimm_inject {
	__u64 seed;
	__u64 fail_nth;		/* this transfer from now on fails, 1 the next */
	__u64 gone_nth;		/* this one finds the rank gone */
	__u32 fail_ppm;		/* of a million transfers so many fail */
	__u32 flip_ppm;		/* of a million words so many lose a bit */
	__u32 delay_us;		/* each transfer takes so much longer */
	__u32 gone;
	__u64 state;
};

/* what becomes of a transfer */
struct pimdimm_fate {
	__u32 gone;
	__u32 fails;
	__u32 late;		/* not before the first byte but after the last */
	__u32 delay_us;
	__u64 flips;
	__u64 draw;		/* where the flips' random numbers begin */
};

/* a bit of a word of a PE */
struct pimdimm_flip {
	__u32 pe;		/* bit of the mask */
	__u32 bit;
	__u64 word;
};

/* splitmix64 */
static inline __u64 pimdimm_inject_next(__u64 *state)
{
	__u64 z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* evenly below a limit of 32 bits */
static inline __u64 pimdimm_inject_below(__u64 *state, __u64 limit)
{
	return ((pimdimm_inject_next(state) >> 32) * limit) >> 32;
}

/* Ranks of one seed must not fail in step: @position is the rank's in its system. */
static inline void pimdimm_inject_seed(struct pimdimm_inject *in, __u64 seed,
				       __u32 position)
{
	__u64 mix = position;

	in->seed = seed;
	in->state = seed ^ pimdimm_inject_next(&mix);
}

static inline int pimdimm_inject_armed(const struct pimdimm_inject *in)
{
	return in->fail_nth || in->gone_nth || in->fail_ppm || in->flip_ppm ||
	       in->delay_us;
}

/* Whole flips for the words, and by lot one more for what is left over. */
static inline __u64 pimdimm_inject_flips(struct pimdimm_inject *in, __u64 words)
{
	__u64 millionths = words * in->flip_ppm;
	__u64 flips = PIMDIMM_DIV(millionths, PIMDIMM_PPM);
	__u64 rest = millionths - flips * PIMDIMM_PPM;

	return flips + (pimdimm_inject_below(&in->state, PIMDIMM_PPM) < rest);
}

/* Decides of the next transfer, of @words words of all PEs. */
static inline struct pimdimm_fate pimdimm_inject_draw(struct pimdimm_inject *in,
						      __u64 words)
{
	struct pimdimm_fate fate = { .delay_us = in->delay_us };

	if (in->gone_nth && !--in->gone_nth)
		in->gone = 1;
	fate.gone = in->gone;
	if (in->fail_nth && !--in->fail_nth)
		fate.fails = 1;
	if (in->fail_ppm &&
	    pimdimm_inject_below(&in->state, PIMDIMM_PPM) < in->fail_ppm)
		fate.fails = 1;
	if (fate.fails)
		fate.late = pimdimm_inject_next(&in->state) & 1;
	if (in->flip_ppm) {
		fate.flips = pimdimm_inject_flips(in, words);
		fate.draw = pimdimm_inject_next(&in->state);
	}
	return fate;
}

/* Picks a bit of @words words from @first on of the PEs in @mask, which has some. */
static inline struct pimdimm_flip pimdimm_inject_pick(__u64 *draw, __u64 mask,
						      __u64 first, __u64 words)
{
	__u64 nth = pimdimm_inject_below(draw, PIMDIMM_WEIGHT(mask));
	struct pimdimm_flip flip;

	while (nth--)
		mask &= mask - 1;
	flip.pe = PIMDIMM_WEIGHT((mask & -mask) - 1);
	flip.word = first + pimdimm_inject_below(draw, words);
	flip.bit = pimdimm_inject_next(draw) >> 58;
	return flip;
}

#endif /* _UAPI_PIMDIMM_INJECT_H */
