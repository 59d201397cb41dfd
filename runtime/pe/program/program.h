/* SPDX-License-Identifier: MIT */
/*
 * A PE program in host memory: what the loader leaves and the execution takes.
 * Nothing in it changes after it was opened, but the count of its users.
 */
#ifndef PD_PROGRAM_H
#define PD_PROGRAM_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <pimdimm/program.h>

#include "runtime/pe/program/dwarf.h"
#include "runtime/pe/shared/abi.h"

struct pd_profile;
struct pd_check;

/* bytes that a load puts at an offset of memory */
struct pd_program_piece {
	uint32_t offset;
	uint32_t bytes;
	const uint8_t *data;
};

struct pimdimm_program {
	_Atomic uint32_t users;	/* whoever opened it, PEs, worker processes */
	/*
	 * Never used again for another program: what workers are kept by. A
	 * pointer would do but for a program freed and another at its place.
	 */
	uint64_t id;
	char name[64];		/* its file's, without folders */
	struct pimdimm_program_info info;
	struct pe_note note;
	uint32_t entry;		/* an address in the text, PE_TEXT_BASE included */

	/* a memfd, sealed, of text_bytes rounded up to pages: mapped read-only
	 * and executable at PE_TEXT_BASE */
	int text_fd;
	uint32_t text_bytes;
	const uint8_t *text;	/* its bytes, for the host to read */

	/*
	 * WRAM at load, without the zeros at its end; a multiple of 8 bytes.
	 * CLOCKS_PER_SEC holds pd_cost()->clock_hz.
	 */
	uint8_t *wram;
	uint32_t wram_image_bytes;

	/* initialised objects in MRAM; offsets and bytes are multiples of 8 */
	struct pd_program_piece *mram;
	uint32_t nr_mram;

	uint8_t *image;		/* the file's bytes, for pimdimm_save() and debug information */
	size_t image_bytes;

	struct pimdimm_symbol *symbols;	/* by name */
	uint32_t nr_symbols;
	char *names;			/* that they point into */
	struct pd_dwarf dwarf;	/* of the image */
	struct pd_profile *profile;	/* NULL: nobody asks for one; not the program's own */
	struct pd_check *check;		/* NULL: nobody asks, or it is not compiled for it */
};

/* one more user; pimdimm_program_close() is due for each */
static inline struct pimdimm_program *pd_program_get(struct pimdimm_program *p)
{
	atomic_fetch_add_explicit(&p->users, 1, memory_order_relaxed);
	return p;
}

/* bytes that each stack has besides, for a program's checks of itself */
static inline uint32_t pd_stack_more(const struct pimdimm_program *p)
{
	if (p->note.flags & PE_NOTE_MEMORY)
		return PE_MEMORY_STACK;
	return p->note.flags & PE_NOTE_CHECK ? PE_CHECK_STACK : 0;
}

/* bytes of stack that a program declares for a tasklet, or that a traveller has, and those */
static inline uint32_t pd_stack_declared(const struct pimdimm_program *p, uint32_t t)
{
	return t < PE_MAX_TASKLETS ? p->note.stack_bytes[t] :
				     PE_TRAVELLER_STACK + pd_stack_more(p);
}

#endif /* PD_PROGRAM_H */
