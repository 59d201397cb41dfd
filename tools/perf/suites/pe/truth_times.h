/* SPDX-License-Identifier: MIT */
/*
 * Times of PrIM's programs on real DPUs, in milliseconds, launches included: measured
 * by the authors of uPIMulator (github.com/VIA-Research/uPIMulator, MIT,
 * tools/upmem_reg_model/data/input.xlsx). The size is their data_prep parameter:
 *
 * - VA, HST-L: 4-byte elements of all DPUs; RED, SCAN-SSA: 8-byte ones
 * - GEMV: rows of 64 elements, of all DPUs
 * - BS: 8-byte elements, the same on every DPU; an eighth as many queries, of all DPUs
 * - TRNS: rows of tiles of 4 x 8 elements of 8 bytes in each of 64 parts, which the
 *   DPUs take one after another, in two launches each
 */
#ifndef PIMDIMM_PERF_TRUTH_TIMES_H
#define PIMDIMM_PERF_TRUTH_TIMES_H

/* program, DPUs, size, milliseconds */
#define TRUTH_TIMES(X) \
	X(VA, 1, 2097152, 61.4502) \
	X(VA, 4, 524288, 4.46501) \
	X(VA, 4, 1048576, 8.25926) \
	X(VA, 4, 2097152, 15.8665) \
	X(VA, 4, 4194304, 31.0611) \
	X(VA, 4, 8388608, 61.436) \
	X(VA, 4, 9437184, 69.0983) \
	X(VA, 16, 524288, 1.50721) \
	X(VA, 16, 1048576, 2.44993) \
	X(VA, 16, 2097152, 4.35661) \
	X(VA, 16, 4194304, 8.16815) \
	X(VA, 16, 8388608, 15.5037) \
	X(VA, 16, 9437184, 17.3999) \
	X(VA, 64, 524288, 0.77657) \
	X(VA, 64, 1048576, 1.03433) \
	X(VA, 64, 2097152, 1.51305) \
	X(VA, 64, 4194304, 2.46044) \
	X(VA, 64, 9437184, 4.5137) \
	X(RED, 1, 2097152, 49.5057) \
	X(RED, 4, 524288, 3.33846) \
	X(RED, 4, 1048576, 6.42564) \
	X(RED, 4, 2097152, 12.5729) \
	X(RED, 4, 4194304, 24.9054) \
	X(RED, 4, 8388608, 49.5563) \
	X(RED, 16, 524288, 0.93111) \
	X(RED, 16, 1048576, 1.69762) \
	X(RED, 16, 2097152, 3.23793) \
	X(RED, 16, 4194304, 6.32361) \
	X(RED, 64, 524288, 0.34424) \
	X(RED, 64, 1048576, 0.53787) \
	X(RED, 64, 2097152, 0.91718) \
	X(RED, 64, 4194304, 1.68835) \
	X(GEMV, 1, 8192, 36.4153) \
	X(GEMV, 4, 2048, 2.55262) \
	X(GEMV, 4, 4096, 4.82995) \
	X(GEMV, 4, 8192, 9.33351) \
	X(GEMV, 4, 16384, 18.2742) \
	X(GEMV, 4, 24576, 27.2775) \
	X(GEMV, 4, 32768, 36.1394) \
	X(GEMV, 4, 65536, 72.4034) \
	X(GEMV, 16, 2048, 0.76295) \
	X(GEMV, 16, 4096, 1.33458) \
	X(GEMV, 16, 8192, 2.46533) \
	X(GEMV, 16, 16384, 4.70197) \
	X(GEMV, 16, 24576, 6.955) \
	X(GEMV, 16, 32768, 9.16545) \
	X(GEMV, 64, 2048, 0.33607) \
	X(GEMV, 64, 4096, 0.50023) \
	X(GEMV, 64, 8192, 0.7663) \
	X(GEMV, 64, 16384, 1.3218) \
	X(GEMV, 64, 24576, 1.89355) \
	X(SCAN, 1, 1048576, 76.5709) \
	X(SCAN, 4, 262144, 5.07173) \
	X(SCAN, 4, 524288, 9.84631) \
	X(SCAN, 4, 1048576, 19.3968) \
	X(SCAN, 16, 262144, 1.39097) \
	X(SCAN, 16, 524288, 2.58583) \
	X(SCAN, 16, 1048576, 4.98413) \
	X(SCAN, 16, 2097152, 9.74472) \
	X(SCAN, 64, 262144, 0.50672) \
	X(SCAN, 64, 524288, 0.79754) \
	X(SCAN, 64, 1048576, 1.39042) \
	X(SCAN, 64, 2097152, 2.59873) \
	X(HST, 1, 524288, 145.591) \
	X(HST, 4, 131072, 9.33306) \
	X(HST, 4, 262144, 18.4317) \
	X(HST, 4, 524288, 36.6094) \
	X(HST, 4, 1048576, 72.9481) \
	X(HST, 4, 1572864, 109.296) \
	X(HST, 4, 2097152, 145.664) \
	X(HST, 16, 131072, 2.42097) \
	X(HST, 16, 262144, 4.68091) \
	X(HST, 16, 524288, 9.23259) \
	X(HST, 16, 1048576, 18.3187) \
	X(HST, 64, 131072, 0.55717) \
	X(HST, 64, 524288, 2.4145) \
	X(BS, 1, 131072, 114.307) \
	X(BS, 4, 32768, 6.37902) \
	X(BS, 4, 65536, 13.5465) \
	X(BS, 4, 131072, 28.8836) \
	X(BS, 4, 262144, 61.6099) \
	X(BS, 16, 131072, 7.36936) \
	X(BS, 16, 262144, 15.5874) \
	X(BS, 64, 32768, 0.58035) \
	X(BS, 64, 65536, 1.02509) \
	X(BS, 64, 131072, 1.97167) \
	X(BS, 64, 262144, 3.978) \
	X(TRNS, 1, 128, 172.966) \
	X(TRNS, 4, 32, 15.8249) \
	X(TRNS, 4, 64, 26.8346) \
	X(TRNS, 4, 128, 43.5416) \
	X(TRNS, 4, 256, 80.4816) \
	X(TRNS, 16, 32, 3.45876) \
	X(TRNS, 16, 64, 6.16125) \
	X(TRNS, 16, 128, 10.426) \
	X(TRNS, 16, 256, 19.7134) \
	X(TRNS, 64, 32, 0.86281) \
	X(TRNS, 64, 64, 1.54112) \
	X(TRNS, 64, 128, 2.6038) \
	X(TRNS, 64, 256, 4.92302)

#endif /* PIMDIMM_PERF_TRUTH_TIMES_H */
