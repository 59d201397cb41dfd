// SPDX-License-Identifier: MIT
/* What algorithms on hosts' buffers are made of: steps, folds, copies, all of it counted. */
#include <string.h>
#ifdef __x86_64__
#include <emmintrin.h>
#endif

#include "runtime/base/clock.h"
#include "collectives/hosts/agree.h"
#include "collectives/hosts/buffers.h"
#include "collectives/hosts/waiting.h"

#define LINE	64

uint64_t pc_buffers_work_set(enum pc_hosts_kind kind, uint64_t bytes, uint64_t p, uint64_t m,
			     uint64_t slice)
{
	switch (kind) {
	case PC_HOSTS_ALLREDUCE:
		return 2 * bytes * p + m * p * slice;
	case PC_HOSTS_BROADCAST:
		return bytes * p + 2 * slice;
	case PC_HOSTS_ALLGATHER:
		return bytes * p + bytes * p * p + 2 * p * slice;
	default:
		return bytes * p + bytes + p * slice;
	}
}

uint64_t pc_buffers_slice(const struct pc_buffers_call *call, uint64_t most)
{
	uint64_t part = (call->bytes + call->h->hosts - 1) / call->h->hosts;

	if (part > most)
		part = most;
	return part < LINE ? LINE : (part + LINE - 1) / LINE * LINE;
}

static void spread_begin(struct pc_buffers_call *call)
{
	/* what comes with the arrival has no clock read */
	if (call->spreading || call->one_pass || call->h->brief)
		return;
	pc_hosts_doing(call->h, PC_HOSTS_SPREADING);
	call->spreading = pd_now_ns();
}

void pc_buffers_spread_over(struct pc_buffers_call *call)
{
	if (!call->spreading)
		return;
	call->h->stats.ns_spread += pd_now_ns() - call->spreading;
	call->spreading = 0;
	pc_hosts_doing(call->h, PC_HOSTS_FOLDING);
}

void pc_buffers_post(struct pc_buffers_call *call, uint32_t step)
{
	pc_buffers_spread_over(call);
	if (!call->err)
		pc_hosts_post(call->h, PC_HOSTS_ARRIVED + step);
}

bool pc_buffers_wait(struct pc_buffers_call *call, uint32_t host, uint32_t step)
{
	pc_buffers_spread_over(call);
	if (!call->err && host != call->h->host)
		call->err = pc_hosts_wait(call->h, host, PC_HOSTS_ARRIVED + step);
	return !call->err;
}

bool pc_buffers_wait_all(struct pc_buffers_call *call, uint32_t step)
{
	pc_buffers_spread_over(call);
	if (!call->err)
		call->err = pc_hosts_wait_all(call->h, PC_HOSTS_ARRIVED + step);
	return !call->err;
}

static void count(struct pc_buffers_call *call, uint64_t loaded, uint64_t stored)
{
	call->h->stats.loaded += loaded;
	call->h->stats.stored += stored;
}

static uint64_t piece_of(uint64_t left)
{
	return left < PC_FOLD_BYTES ? left : PC_FOLD_BYTES;
}

/* Stores around the caches, of whole lines; others wait for them at the next step. */
static void copy_around(uint8_t *to, const uint8_t *from, uint64_t bytes)
{
#ifdef __x86_64__
	uint64_t head = -(uintptr_t)to % LINE;

	if (head > bytes)
		head = bytes;
	memcpy(to, from, head);
	for (to += head, from += head, bytes -= head; bytes >= LINE; bytes -= LINE) {
		for (unsigned int i = 0; i < LINE; i += 16)
			_mm_stream_si128((void *)(to + i),
					 _mm_loadu_si128((const void *)(from + i)));
		to += LINE;
		from += LINE;
	}
	memcpy(to, from, bytes);
	_mm_sfence();
#else
	memcpy(to, from, bytes);
#endif
}

void pc_buffers_first(struct pc_buffers_call *call, uint8_t *acc, const uint8_t *in,
		      uint64_t bytes)
{
	pc_buffers_spread_over(call);
	if (call->in_around && call->wide == 1) {
		copy_around(acc, in, bytes);
		call->h->stats.stored_around += bytes;
	} else {
		for (uint64_t at = 0; at < bytes; at += PC_FOLD_BYTES)
			pc_fold_first(&call->fold, acc + at * call->wide, in + at,
				      piece_of(bytes - at));
	}
	count(call, bytes, bytes * call->wide);
	call->h->stats.copied_in += bytes;
}

void pc_buffers_next(struct pc_buffers_call *call, uint8_t *acc, const uint8_t *in,
		     uint64_t bytes)
{
	pc_buffers_spread_over(call);
	for (uint64_t at = 0; at < bytes; at += PC_FOLD_BYTES)
		pc_fold_next(&call->fold, acc + at * call->wide, in + at, piece_of(bytes - at));
	count(call, bytes + bytes * call->wide, bytes * call->wide);
}

void pc_buffers_into(struct pc_buffers_call *call, uint8_t *out, const uint8_t *acc,
		     const uint8_t *in, uint64_t bytes)
{
	_Alignas(64) uint8_t tile[PC_FOLD_ACC_BYTES];

	pc_buffers_spread_over(call);
	for (uint64_t at = 0; at < bytes; at += PC_FOLD_BYTES) {
		uint64_t n = piece_of(bytes - at);

		memcpy(tile, acc + at * call->wide, n * call->wide);
		pc_fold_next(&call->fold, tile, in + at, n);
		pc_fold_last(&call->fold, out + at, tile, n);
	}
	count(call, bytes + bytes * call->wide, bytes);
}

static void copy_bytes(struct pc_buffers_call *call, uint8_t *to, const uint8_t *from,
		       uint64_t bytes, bool around)
{
	if (to == from || !bytes)
		return;
	count(call, bytes, bytes);
	if (around) {
		copy_around(to, from, bytes);
		call->h->stats.stored_around += bytes;
	} else if (call->memmoves) {
		memmove(to, from, bytes);
	} else {
		const uint64_t piece = call->h->piece;

		for (uint64_t at = 0; at < bytes; at += piece)
			memcpy(to + at, from + at, bytes - at < piece ? bytes - at : piece);
	}
}

void pc_buffers_copy(struct pc_buffers_call *call, uint8_t *to, const uint8_t *from,
		     uint64_t bytes, bool result)
{
	if (!result) {
		pc_buffers_spread_over(call);
		call->h->stats.copied_in += bytes;
	} else {
		spread_begin(call);
		call->h->stats.copied_out += bytes;
	}
	copy_bytes(call, to, from, bytes, result ? call->around : call->in_around);
}

void pc_buffers_hand_on(struct pc_buffers_call *call, uint8_t *to, const uint8_t *from,
			uint64_t bytes)
{
	spread_begin(call);
	call->h->stats.copied_out += bytes;
	copy_bytes(call, to, from, bytes, call->in_around);
}

void pc_buffers_keep(struct pc_buffers_call *call, uint8_t *to, const uint8_t *from,
		     uint64_t bytes)
{
	copy_bytes(call, to, from, bytes, call->around);
}

void pc_buffers_last(struct pc_buffers_call *call, uint8_t *out, const uint8_t *acc,
		     uint64_t bytes)
{
	if (call->wide == 1) {
		pc_buffers_copy(call, out, acc, bytes, true);
		return;
	}
	spread_begin(call);
	for (uint64_t at = 0; at < bytes; at += PC_FOLD_BYTES)
		pc_fold_last(&call->fold, out + at, acc + at * call->wide, piece_of(bytes - at));
	count(call, bytes * call->wide, bytes);
	call->h->stats.copied_out += bytes;
}

void pc_buffers_merge(struct pc_buffers_call *call, uint8_t *acc, const uint8_t *acc2,
		      uint64_t bytes)
{
	/* accumulators fold by the function itself: they are wide already */
	if (call->fold.user) {
		pc_buffers_next(call, acc, acc2, bytes);
		return;
	}
	pc_buffers_spread_over(call);
	bytes *= call->wide;
	call->fold.fn(acc, acc2, bytes);
	count(call, 2 * bytes, bytes);
}

void pc_buffers_folded(struct pc_buffers_call *call, uint64_t begin, uint64_t end)
{
	struct pimdimm_hosts *h = call->h;

	if (begin < call->out_begin)
		begin = call->out_begin;
	if (end > call->out_end)
		end = call->out_end;
	if (h->folded && !call->err && begin < end)
		h->folded(h->folded_ctx, begin - call->out_begin, end - call->out_begin);
}

void pc_buffers_receive(struct pc_buffers_call *call, const uint8_t *acc, uint64_t begin,
			uint64_t bytes)
{
	uint64_t from = begin > call->out_begin ? begin : call->out_begin;
	uint64_t to = begin + bytes < call->out_end ? begin + bytes : call->out_end;

	if (from < to)
		pc_buffers_last(call, call->dst + (from - call->out_begin),
				acc + (from - begin) * call->wide, to - from);
}
