/* SPDX-License-Identifier: MIT */
/* Each MRAM byte is read once and written once: fold, then lane broadcast. */
#include "rows.h"

void pc_rows_allreduce(struct pc_call *call, uint32_t set, uint64_t word,
		       uint64_t n)
{
	_Alignas(64) uint8_t rows[64 * PC_ROWS];
	uint64_t count = pc_rows(call, n);

	pc_rows_reduce(call, set, word, n, rows);
	if (call->fold.host_domain) {
		call->sys->kernels->transpose(rows, rows, count);
		pc_count(&call->transfers, count);
	}
	pc_rows_spread(call, set, word, n, rows, true);
}

int pc_allreduce_direct(struct pc_call *call)
{
	pc_for_each_tile(call, call->words, pc_rows_words(call),
			 pc_rows_allreduce);
	return 0;
}
