// SPDX-License-Identifier: MIT
/* Asking the files that ranks of "mem:" lie in for their holes. */
#include <errno.h>
#include <unistd.h>

#include "runtime/ranks/backend.h"
#include "runtime/ranks/file.h"
#include "runtime/ranks/holes.h"

/* Where the next data from here on is in the window; its end if there is none. */
static uint64_t next_data(const struct pimdimm *sys, uint32_t rank, uint64_t from)
{
	const struct pd_file *file = sys->file;
	off_t begin = file ? pd_file_begin(file, rank) : 0;
	off_t at = lseek(file ? file->fd : sys->ranks[rank].fd,
			 begin + (off_t)from, SEEK_DATA);

	if (at >= 0)
		return (uint64_t)(at - begin);
	return errno == ENXIO ? sys->ranks[rank].bytes : from;
}

bool pd_is_hole(struct pimdimm *sys, struct pd_holes *holes, uint32_t eg,
		uint64_t word)
{
	const struct pimdimm_geometry *g = &sys->geometry;
	uint32_t rank = eg / PIMDIMM_BANKS;
	uint64_t from = pimdimm_layout_offset(g->layout, g->mram_size,
					      eg % PIMDIMM_BANKS, word);
	uint64_t to = from + (PD_HOLE_WORDS - 1) * pd_stride(sys) +
		      PIMDIMM_BLOCK_BYTES;

	/* nodes of the module tell nothing */
	if (sys->backend != &pd_backend_mem)
		return false;
	if (rank != holes->rank || from < holes->from || to > holes->to)
		*holes = (struct pd_holes){ rank, from, next_data(sys, rank, from) };
	return to <= holes->to;
}
