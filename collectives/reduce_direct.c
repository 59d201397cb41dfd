/* SPDX-License-Identifier: MIT */
/* The first half of allreduce; the registers' words go to the host buffers. */
#include "rows.h"

void pc_rows_to_buffers(struct pc_call *call, uint32_t set, uint64_t word,
			uint64_t n)
{
	const struct pc_lanes *lanes = &call->shape->lanes;
	_Alignas(64) uint8_t rows[64 * PC_ROWS];
	uint64_t count = pc_rows(call, n);
	unsigned int groups = 8 / lanes->nl;
	uint8_t *to[8];

	pc_rows_reduce(call, set, word, n, rows, NULL);
	if (!call->fold.host_domain) {
		call->sys->kernels->transpose(rows, rows, count);
		pc_count(&call->transfers, count);
	}
	for (unsigned int g = 0; g < groups; g++)
		to[g] = call->bufs[set * groups + g] + 8 * word;
	call->kernels->rows_out(lanes, to, rows, count,
				n - (count - 1) * lanes->nl);
	pc_count(&call->host_written, 8 * n * groups);
}

int pc_reduce_direct(struct pc_call *call)
{
	pc_for_each_tile(call, call->words, pc_rows_words(call),
			 pc_rows_to_buffers);
	return 0;
}
