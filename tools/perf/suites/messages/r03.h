/* SPDX-License-Identifier: MIT */
/*
 * The PIM of R03's Table 1: a pipeline 4 deep, which threads share, and memory a reference to
 * which takes 4 cycles in an open page, 11 in a closed one.
 */
#ifndef PIMDIMM_PERF_R03_H
#define PIMDIMM_PERF_R03_H

#define R03_ISSUE	4.0
#define R03_OPEN	4.0
#define R03_CLOSED	11.0
#define R03_WIDE	32.0	/* bytes of a wide word */

#endif /* PIMDIMM_PERF_R03_H */
