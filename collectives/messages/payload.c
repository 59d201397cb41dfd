// SPDX-License-Identifier: MIT
/* Checks buffers of messages, and moves what they hold. */
#include <errno.h>
#include <string.h>

#include "collectives/messages/payload.h"
#include "collectives/types/apart.h"
#include "collectives/types/mram/groups.h"
#include "collectives/types/mram/moves.h"
#include "collectives/types/stream.h"
#include "collectives/types/type.h"
#include "runtime/base/error.h"
#include "runtime/ranks/inject.h"
#include "runtime/ranks/system.h"

/* a signature that agrees with all, as has PIMTYPE_PACKED */
#define ANY_SIGNATURE	0
/* of the stream at a time, through the stack of a thread */
#define STAGE		2048

static struct pimtype_part payload_part(const struct me_buffer *b)
{
	return (struct pimtype_part){
		.offset = (int64_t)b->words[PM_WORD_OFFSET],
		.count = b->words[PM_WORD_COUNT],
		.type = (const struct pimtype *)(uintptr_t)b->words[PM_WORD_TYPE],
	};
}

/* a whole that was checked as the request began, which holds its type: so it does not fail */
static void payload_whole(struct pt_whole *whole, const struct me_buffer *b)
{
	struct pimtype_part part = payload_part(b);

	pt_whole_of(whole, &part, "buf");
}

void pm_mram_part(const struct me_buffer *buffer, uint32_t *pe,
		  struct pimtype_part *part)
{
	*pe = (uint32_t)buffer->words[PM_WORD_PE];
	*part = payload_part(buffer);
}

static int payload_check_mram(const struct pimmsg_end *end, const struct pimmsg_buf *buf,
			      const struct pt_whole *whole)
{
	const struct pm_world *w = end->world;

	if (!w->sys && w->host_node != PM_NO_NODE)
		return pd_error(EINVAL, "buf: ptr is NULL, expected memory of the host: the MRAM is its programs'");
	if (!w->sys)
		return pd_error(EINVAL, "buf: ptr is NULL, and pimmsg_join() was given no system");
	if (end->pe && buf->pe != w->first_pe + end->node->node.id)
		return pd_error(EINVAL,
				"buf: ptr is NULL and pe=%u, expected the kernel's own, %u",
				buf->pe, w->first_pe + end->node->node.id);
	if (buf->pe - w->first_pe >= w->nr_pes)
		return pd_error(EINVAL,
				"buf: ptr is NULL and pe=%u, expected one of the world, %u to %u",
				buf->pe, w->first_pe, w->first_pe + w->nr_pes - 1);
	return pt_check_mram(w->sys, whole, "buf");
}

/* what begins in the PE's WRAM stays there */
static int payload_check_wram(const struct pimmsg_end *end, const struct pimmsg_buf *buf,
			      const struct pt_whole *whole)
{
	int64_t at = (int64_t)((uintptr_t)buf->ptr - (uintptr_t)end->wram);
	int64_t size = (int64_t)end->wram_size;

	if (!end->wram || (uintptr_t)buf->ptr < (uintptr_t)end->wram || at >= size)
		return 0;
	if (whole->lo < -at || whole->hi > size - at)
		return pd_error(EINVAL,
				"buf: bytes %lld to %lld of WRAM, expected 0 to %lld",
				(long long)(at + whole->lo), (long long)(at + whole->hi),
				(long long)size);
	return 0;
}

static int payload_check(const struct pimmsg_end *end, const struct pimmsg_buf *buf,
			 bool receives, struct pt_whole *whole)
{
	int ret;

	if (!buf)
		return pd_error(EINVAL, "buf is NULL");
	if (buf->reserved)
		return pd_error(EINVAL, "buf: reserved=%u, expected 0", buf->reserved);
	ret = pt_whole_of(whole, &buf->part, "buf");
	if (!ret && !buf->ptr && whole->size)
		ret = payload_check_mram(end, buf, whole);
	if (!ret && buf->ptr && whole->size)
		ret = payload_check_wram(end, buf, whole);
	if (!ret && receives)
		ret = pt_check_apart(whole, "buf");
	return ret;
}

static uint64_t payload_signature(struct pimmsg_end *end, const struct pimtype_part *part)
{
	struct pm_signature *last = &end->signatures[pm_signature_place(part->count)];
	const struct pt_sig *sig;

	if (!part->count)
		return ANY_SIGNATURE;
	sig = &part->type->sig;
	if (sig->packed)
		return ANY_SIGNATURE;
	/* of what the type has, not of its address, which may be another type's next time */
	if (last->count == part->count && last->sum == sig->sum && last->power == sig->power &&
	    (last->basic || !part->type->basic))
		return last->signature;
	*last = (struct pm_signature){
		.sum = sig->sum, .power = sig->power, .count = part->count,
		.signature = pt_sig_hash(pt_sig_repeat(*sig, part->count)),
		.basic = part->type->basic ? part->type : NULL,
		.bytes = part->count * pt_size(part->type),
	};
	return last->signature;
}

int pm_buffer_look(struct pimmsg_end *end, const struct pimmsg_buf *buf,
		   bool receives, struct me_buffer *out)
{
	struct pt_whole whole;
	int ret = payload_check(end, buf, receives, &whole);

	if (ret)
		return ret;
	*out = (struct me_buffer){
		.bytes = whole.size,
		.signature = payload_signature(end, &buf->part),
		.words = {
			[PM_WORD_PTR] = (uintptr_t)buf->ptr,
			[PM_WORD_PE] = buf->pe,
			[PM_WORD_OFFSET] = (uint64_t)buf->part.offset,
			[PM_WORD_COUNT] = buf->part.count,
		},
	};
	/* empty ones are of no type, and need no address */
	if (!whole.size) {
		out->words[PM_WORD_COUNT] = 0;
		return 0;
	}
	out->words[PM_WORD_TYPE] = (uintptr_t)pt_type_hold(buf->part.type);
	if (buf->ptr && pt_is_run(&whole)) {
		out->words[PM_WORD_OFFSET] = (uint64_t)whole.off;
		out->words[PM_WORD_RUN] = 1;
	}
	return 0;
}

/* the stream's bytes from `at` on, between a buffer and memory */
static void payload_stream(struct pm_world *world, const struct me_buffer *b,
			   const struct pt_whole *whole, uint64_t at, uint8_t *data,
			   uint64_t bytes, bool to_buffer)
{
	uint32_t pe = (uint32_t)b->words[PM_WORD_PE];

	if (!pm_is_mram(b))
		pt_stream(whole, pm_buffer_ptr(b), at, data, bytes, to_buffer);
	else if (to_buffer)
		pt_lane_put(world->sys, pe, whole, at, bytes, data);
	else
		pt_lane_get(world->sys, pe, whole, at, bytes, data);
}

/* a transfer of a PE's, which faults can be injected into */
struct touching {
	struct pd_touch touch;
	struct pimdimm_fate *fates;
	bool mram;
};

static int touching_begin(struct pm_world *world, const struct me_buffer *b,
			  const struct pt_whole *whole, bool to_mram, struct touching *t)
{
	t->mram = pm_is_mram(b);
	if (!t->mram)
		return 0;
	t->touch = (struct pd_touch){
		.first_pe = (uint32_t)b->words[PM_WORD_PE],
		.nr_pes = 1,
		.off = (uint64_t)whole->lo,
		.bytes = (uint64_t)(whole->hi - whole->lo),
		.to_mram = to_mram,
	};
	return pd_pes_touch_begin(world->sys, &t->touch, &t->fates);
}

static int touching_end(struct pm_world *world, const struct touching *t)
{
	return t->mram ? pd_pes_touch_end(world->sys, &t->touch, t->fates) : 0;
}

/* between a buffer, in pieces or in MRAM, and memory */
static int payload_transfer(struct pm_world *world, const struct me_buffer *b,
			    uint8_t *data, uint64_t bytes, bool to_buffer)
{
	struct touching t;
	struct pt_whole whole;
	int ret;

	payload_whole(&whole, b);
	ret = touching_begin(world, b, &whole, to_buffer, &t);
	if (ret)
		return ret;
	payload_stream(world, b, &whole, 0, data, bytes, to_buffer);
	return touching_end(world, &t);
}

int pm_gather(struct pm_world *world, const struct me_buffer *from, uint8_t *data)
{
	if (!from->bytes)
		return 0;
	if (from->words[PM_WORD_RUN]) {
		memcpy(data, pm_buffer_run(from), from->bytes);
		return 0;
	}
	return payload_transfer(world, from, data, from->bytes, false);
}

int pm_scatter(struct pm_world *world, const struct me_buffer *to, uint64_t bytes,
	       const uint8_t *data)
{
	if (!bytes)
		return 0;
	if (to->words[PM_WORD_RUN]) {
		memcpy(pm_buffer_run(to), data, bytes);
		return 0;
	}
	return payload_transfer(world, to, (uint8_t *)(uintptr_t)data, bytes, true);
}

static void payload_staged(struct pm_world *world, const struct me_buffer *to,
			   const struct pt_whole *whole_to, const struct me_buffer *from,
			   const struct pt_whole *whole_from)
{
	_Alignas(64) uint8_t stage[STAGE];

	for (uint64_t at = 0; at < from->bytes; at += STAGE) {
		uint64_t n = from->bytes - at < STAGE ? from->bytes - at : STAGE;

		payload_stream(world, from, whole_from, at, stage, n, false);
		payload_stream(world, to, whole_to, at, stage, n, true);
	}
}

/* with MRAM at an end, or at both where it could not be collected */
static int payload_copy_mram(struct pm_world *world, const struct me_buffer *to,
			     const struct me_buffer *from)
{
	struct pt_whole whole_to, whole_from;
	struct touching reads, writes;
	int ret, end;

	payload_whole(&whole_to, to);
	payload_whole(&whole_from, from);
	ret = touching_begin(world, from, &whole_from, false, &reads);
	if (ret)
		return ret;
	ret = touching_begin(world, to, &whole_to, true, &writes);
	if (!ret) {
		payload_staged(world, to, &whole_to, from, &whole_from);
		ret = touching_end(world, &writes);
	}
	end = touching_end(world, &reads);
	return ret ? ret : end;
}

int pm_copy_buffers(struct pm_world *world, const struct me_buffer *to,
		    const struct me_buffer *from)
{
	if (!from->bytes)
		return 0;
	if (to->words[PM_WORD_RUN])
		return pm_gather(world, from, pm_buffer_run(to));
	if (from->words[PM_WORD_RUN])
		return pm_scatter(world, to, from->bytes, pm_buffer_run(from));
	if (pm_is_mram(to) || pm_is_mram(from))
		return payload_copy_mram(world, to, from);
	return pimtype_copy(pm_buffer_ptr(to), payload_part(to), pm_buffer_ptr(from),
			    payload_part(from));
}

struct pimtype_part pm_buffer_whole(const struct me_buffer *buffer, struct pt_whole *whole)
{
	if (!buffer->words[PM_WORD_RUN]) {
		payload_whole(whole, buffer);
		return payload_part(buffer);
	}
	whole->off = whole->lo = (int64_t)buffer->words[PM_WORD_OFFSET];
	whole->hi = whole->lo + (int64_t)buffer->bytes;
	whole->size = buffer->bytes;
	whole->dense = (struct pt_node){ .kind = PT_DENSE, .size = buffer->bytes,
					 .hi = (int64_t)buffer->bytes, .n = 1, .depth = 1 };
	whole->node = &whole->dense;
	return payload_part(buffer);
}

int pm_buffer_stream(struct pm_world *world, const struct me_buffer *buffer, uint64_t at,
		     uint8_t *data, uint64_t bytes, bool to_buffer)
{
	struct touching t;
	struct pt_whole whole;
	int ret;

	pm_buffer_whole(buffer, &whole);
	ret = touching_begin(world, buffer, &whole, to_buffer, &t);
	if (ret)
		return ret;
	payload_stream(world, buffer, &whole, at, data, bytes, to_buffer);
	return touching_end(world, &t);
}

bool pm_agree(const struct me_buffer *to, uint64_t bytes, uint64_t signature)
{
	const struct pimtype *type = (const struct pimtype *)(uintptr_t)to->words[PM_WORD_TYPE];
	struct pt_sig sig;

	if (!bytes || signature == ANY_SIGNATURE || to->signature == ANY_SIGNATURE)
		return true;
	if (bytes == to->bytes)
		return to->signature == signature;
	return pt_sig_of_begin(type, to->words[PM_WORD_COUNT], bytes, &sig) &&
	       pt_sig_hash(sig) == signature;
}
