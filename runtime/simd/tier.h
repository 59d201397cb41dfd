/* SPDX-License-Identifier: MIT */
/*
 * The tiers that this build has: X(their name in enum pd_isa, their own name),
 * which is the suffix of what is compiled once a tier. TIERS in build.mk says
 * the same.
 */
#ifndef PD_TIERS_H
#define PD_TIERS_H

#ifdef __x86_64__
#define PD_TIERS(X)		\
	X(COUNT, count)		\
	X(PORTABLE, portable)	\
	X(AVX2, avx2)		\
	X(AVX512BW, avx512bw)	\
	X(AVX512VBMI, avx512vbmi)
#elif defined(__aarch64__)
#define PD_TIERS(X)		\
	X(COUNT, count)		\
	X(PORTABLE, portable)	\
	X(SVE, sve)		\
	X(NEON, neon)		\
	X(SVE256, sve256)	\
	X(SVE512, sve512)
#else
#define PD_TIERS(X)		\
	X(COUNT, count)		\
	X(PORTABLE, portable)
#endif

#endif /* PD_TIERS_H */
