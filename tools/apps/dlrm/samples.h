/* SPDX-License-Identifier: MIT */
/* Samples in Criteo's form: dense numbers, and a category for each table. */
#ifndef PIMDIMM_APPS_DLRM_SAMPLES_H
#define PIMDIMM_APPS_DLRM_SAMPLES_H

#include <stdint.h>

#include "tools/apps/dlrm/args.h"

/* a dense number that is not given */
#define DLRM_MISSING	INT32_MIN

struct dlrm_samples {
	uint64_t count, room;
	uint32_t pooling;	/* categories that a sample has of each table */
	int32_t *dense;		/* [count][DLRM_DENSE] */
	uint32_t *categories;	/* [count][DLRM_MAX_TABLES][pooling]: rows of tables */
};

/* Room for one sample more at least; 0, or -ENOMEM. */
int dlrm_samples_grow(struct dlrm_samples *samples);
void dlrm_samples_free(struct dlrm_samples *samples);

/*
 * Reads lines of a label, 13 whole numbers and 26 categories of hexadecimal digits, with
 * tabs between; any field but the label may be empty. A file may be compressed, and "-"
 * is standard input. A category is a row of its table modulo the table's rows; an empty
 * one is row 0. More than `most` lines are refused. TOOL_OK, or TOOL_FAILED after a
 * message that has line and column.
 */
int dlrm_read_tsv(const char *path, const uint32_t *rows, uint64_t most,
		  struct dlrm_samples *samples);

/*
 * Samples of a seed, the same on every machine with any number of threads: dense numbers
 * of which many are small and some missing, categories by a power law in which row i is
 * asked for as i^-0.75. 0, or -ENOMEM.
 */
int dlrm_make_samples(uint64_t count, uint32_t pooling, const uint32_t *rows,
		      uint64_t seed, unsigned int threads,
		      struct dlrm_samples *samples);

#endif /* PIMDIMM_APPS_DLRM_SAMPLES_H */
