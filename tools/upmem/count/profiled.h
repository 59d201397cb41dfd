/* SPDX-License-Identifier: MIT */
/*
 * What a program that is to be profiled counts besides: how often each block runs and what
 * depends on values, in cells of the profile, and instructions by class, of each tasklet.
 * Where none is to be, these write nothing.
 */
#ifndef COUNT_PROFILED_H
#define COUNT_PROFILED_H

#include "tools/upmem/count/cost.h"
#include "tools/upmem/count/writer.h"

/* The block's cell counts it; behind its phis. */
void profiled_block(struct writer *w);

/* What an instruction takes each time: @n of a class. */
void profiled_cost(struct writer *w, const struct instruction *i, enum pe_class class,
		   unsigned long n);

/* What it takes besides, by its values: what was just added to the count. */
void profiled_value(struct writer *w, const struct instruction *i, unsigned long n,
		    const char *sign, unsigned int by, bool wide);

/* What comes next may wait. */
void profiled_wait(struct writer *w, const struct instruction *i);

/* Adds what the block took up to here to the tasklet's classes. */
void profiled_classes(struct writer *w);

#endif /* COUNT_PROFILED_H */
