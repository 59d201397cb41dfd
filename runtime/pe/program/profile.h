/* SPDX-License-Identifier: MIT */
/*
 * Where a program's instructions went, while PIMDIMM_PROFILE_FILE names a file: counts
 * of its cells are summed up over PEs and launches, and put into that file when the
 * process ends. tools/upmem/count/profile.h has the form of a program's table.
 *
 * The file is text, with a line a fact, of fields that tabs part:
 *   pe NUMBER CYCLES INSTRUCTIONS DMA STOP FEW	of each PE that ran: in how many of its
 *		cycles it issued nothing for DMA, for tasklets that waited, for want of them
 *   line INSTRUCTIONS LINE FILE FUNCTIONS	of all PEs; functions by ";", outermost first
 *   wait DMA BARRIER MUTEX SEMAPHORE HANDSHAKE WORD PIPELINE LINE FILE FUNCTIONS	cycles
 *		of all tasklets that were not their own, by what they called there
 *   issue CYCLES	from one instruction of a tasklet to its next
 *   plain PES					that ran what is not compiled for it
 */
#ifndef PD_PROFILE_H
#define PD_PROFILE_H

#include <stdint.h>

#include <pimdimm/program.h>

#include "runtime/pe/program/elf.h"

struct pd_profile;

/*
 * Of a program that was just read: NULL where nobody asks for one, -ENOMEM in *err. It
 * stays until the process ends, though the program may be closed before.
 */
struct pd_profile *pd_profile_open(const struct pd_elf *elf, int *err);

/*
 * What a PE has counted, in all cells that there are, and took, or NULL where it is not
 * done yet. @p may be NULL.
 */
void pd_profile_add(struct pd_profile *p, const volatile uint64_t *cells, uint32_t pe,
		    const struct pimdimm_times *times);

#endif /* PD_PROFILE_H */
