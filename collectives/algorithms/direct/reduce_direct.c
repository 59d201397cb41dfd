/* SPDX-License-Identifier: MIT */
/* The first half of allreduce; the registers' words go to the host buffers. */
#include "collectives/parts/rows.h"

/* What goes around the caches is packed first: registers alone fill no lines where
 * a group has few lanes. */
static void store_packed(struct pc_call *call, uint8_t *const bufs[],
			 uint64_t n, const uint8_t *rows)
{
	const struct pc_lanes *lanes = &call->shape->lanes;
	_Alignas(64) uint8_t packed[64 * PC_ROWS];
	uint64_t count = pc_rows(call, n);
	unsigned int groups = 8 >> lanes->bits;
	uint8_t *to[8];

	for (unsigned int g = 0; g < groups; g++)
		to[g] = packed + 8 * lanes->nl * count * g;
	call->kernels->rows_out(lanes, to, rows, count,
				n - (count - 1) * lanes->nl);
	for (unsigned int g = 0; g < groups; g++)
		call->sys->kernels->bytes_put(bufs[g], to[g], 8 * n,
					      PD_STORES_AROUND);
}

/* n words of every group's vector, in the host domain */
static void store_rows(struct pc_call *call, uint32_t set, uint64_t word,
		       uint64_t n, const uint8_t *rows)
{
	const struct pc_lanes *lanes = &call->shape->lanes;
	unsigned int groups = 8 >> lanes->bits;
	uint64_t count = pc_rows(call, n);
	uint8_t *bufs[8];

	for (unsigned int g = 0; g < groups; g++)
		bufs[g] = call->bufs[set * groups + g] + 8 * word;
	if (call->stores == PD_STORES_AROUND)
		store_packed(call, bufs, n, rows);
	else
		call->kernels->rows_out(lanes, bufs, rows, count,
					n - (count - 1) * lanes->nl);
	pc_count(&call->host_written, 8 * n * groups);
}

void pc_rows_to_buffers(struct pc_call *call, uint32_t set, uint64_t word,
			uint64_t n)
{
	_Alignas(64) uint8_t rows[64 * PC_ROWS];
	uint64_t count = pc_rows(call, n);

	pc_rows_reduce(call, set, word, n, rows, NULL);
	if (!call->fold.host_domain) {
		call->sys->kernels->transpose(rows, rows, count);
		pc_count(&call->transfers, count);
	}
	store_rows(call, set, word, n, rows);
}

int pc_reduce_direct(struct pc_call *call)
{
	pc_for_each_tile(call, call->words, pc_rows_words(call),
			 pc_rows_to_buffers);
	return 0;
}
