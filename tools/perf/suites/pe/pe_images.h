/* SPDX-License-Identifier: MIT */
/* The measured programs by name. */
#ifndef PIMDIMM_PERF_PE_IMAGES_H
#define PIMDIMM_PERF_PE_IMAGES_H

#include <pimdimm/program.h>

enum pe_image {
	PE_EMPTY,
	PE_DMA,
	PE_SWITCH,
	PE_VA,
	PE_RED,
	PE_GEMV,
	PE_HOP,
	PE_TRUTH_ARITH,
	PE_TRUTH_STREAM,
	PE_TRUTH_MRAM,
	PE_COPIES,
	PE_EXCHANGE,
	PE_EXCHANGE_REFERENCES,	/* whose loads and stores alone are instructions */
	PE_EXCHANGE_CONVENTIONAL,
	PE_EXCHANGE_CONVENTIONAL_REFERENCES,
	PE_NR_IMAGES,
};

/* 0, or TOOL_FAILED after a message */
int pe_image_open(enum pe_image image, struct pimdimm_program **program);

#endif /* PIMDIMM_PERF_PE_IMAGES_H */
