/* SPDX-License-Identifier: MIT */
/*
 * The file that pimdimm_save() writes and pimdimm_restore() reads, little-endian: a header,
 * then records, each followed by its data, the last of them PD_SAVE_END. Blocks of MRAM
 * are there as the bus carries them, whatever the layout.
 */
#ifndef PD_CHECKPOINT_H
#define PD_CHECKPOINT_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/base/hash.h"

#define PD_SAVE_MAGIC	"PIMDIMM\nSAVE 1\n"
/* data of a record of MRAM, at most */
#define PD_SAVE_MOST	(1u << 20)

struct pd_save_header {
	char magic[16];
	uint32_t channels, ranks, layout, nr_programs;
	uint64_t mram_size;
	uint64_t hash;		/* of what is before it */
};

enum pd_save_kind {
	/* number: 0, 1, ... data: its name, then its file's bytes */
	PD_SAVE_PROGRAM = 1,
	/* number: the PE, at: its program, and how often it was launched << 32;
	 * data: its WRAM, without zeros at the end */
	PD_SAVE_PE,
	/* the same, but WRAM is as its program was loaded: no data */
	PD_SAVE_PE_LOADED,
	/* number: the entangled group, at: the first word; data: blocks. By number, then
	 * by word; what no record has is zero */
	PD_SAVE_MRAM,
	/* at: how many records are before this one */
	PD_SAVE_END,
};

struct pd_save_record {
	uint32_t kind, number;
	uint64_t at;
	uint64_t bytes;		/* of data, which follows */
	uint64_t hash;		/* of all that, from the record's before on */
};

/* the name that a PROGRAM begins with, ended by zeros */
#define PD_SAVE_NAME	64

static inline uint64_t pd_save_header_hash(const struct pd_save_header *h)
{
	return pd_hash(h, offsetof(struct pd_save_header, hash), 0);
}

/* before: the hash of the record before it, or of the header */
static inline uint64_t pd_save_record_hash(const struct pd_save_record *r,
					   const void *data, uint64_t before)
{
	return pd_hash(data, r->bytes,
		       pd_hash(r, offsetof(struct pd_save_record, hash), before));
}

#endif /* PD_CHECKPOINT_H */
