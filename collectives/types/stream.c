// SPDX-License-Identifier: MIT
/* Packs, unpacks and copies parts of host memory. */
#include <errno.h>
#include <string.h>

#include "collectives/types/apart.h"
#include "collectives/types/layouts.h"
#include "collectives/types/mover.h"
#include "collectives/types/stream.h"
#include "collectives/types/type.h"
#include "runtime/base/error.h"

#define STAGE_BYTES	8192	/* of the stream at a time, where two layouts have no common one */

static int check_position(const struct pt_whole *whole, uint64_t position)
{
	if (position > whole->size)
		return pd_error(EINVAL,
				"position=%llu, expected at most the stream's %llu bytes",
				(unsigned long long)position,
				(unsigned long long)whole->size);
	return 0;
}

static int check_buffer(const char *name, const void *buffer, uint64_t bytes)
{
	if (!buffer && bytes)
		return pd_error(EINVAL, "%s is NULL, expected %llu bytes", name,
				(unsigned long long)bytes);
	return 0;
}

void pt_stream(const struct pt_whole *whole, uint8_t *base, uint64_t position,
	       uint8_t *stream, uint64_t bytes, bool to_mem)
{
	struct pt_mover m = { .strided = pt_strided_best(), .mem = base,
			      .stream = stream, .to_mem = to_mem };

	pt_walk(whole, position, bytes, pt_move_leaf, &m);
}

int pimtype_pack(const void *base, struct pimtype_part part, uint64_t position,
		 void *out, size_t *bytes)
{
	struct pt_whole whole;
	int ret = pt_whole_of(&whole, &part, "part");

	if (!ret && !bytes)
		ret = pd_error(EINVAL, "bytes is NULL");
	if (!ret)
		ret = check_position(&whole, position);
	if (ret)
		return ret;
	if (*bytes > whole.size - position)
		*bytes = whole.size - position;
	ret = check_buffer("out", out, *bytes);
	if (ret)
		return ret;
	pt_stream(&whole, (uint8_t *)(uintptr_t)base, position, out, *bytes,
		  false);
	return 0;
}

int pimtype_unpack(void *base, struct pimtype_part part, uint64_t position,
		   const void *in, size_t bytes)
{
	struct pt_whole whole;
	int ret = pt_whole_of(&whole, &part, "part");

	if (!ret)
		ret = check_position(&whole, position);
	if (!ret)
		ret = check_buffer("in", in, bytes);
	if (!ret && bytes > whole.size - position)
		ret = pd_error(EMSGSIZE,
			       "bytes=%zu from position %llu on, expected at most %llu",
			       bytes, (unsigned long long)position,
			       (unsigned long long)(whole.size - position));
	if (!ret)
		ret = pt_check_apart(&whole, "part");
	if (ret)
		return ret;
	pt_stream(&whole, base, position, (uint8_t *)(uintptr_t)in, bytes, true);
	return 0;
}

static int differ(const char *to_name, struct pt_sig to, const char *from_name,
		  struct pt_sig from)
{
	return pd_error(EPROTO,
			"%s has elements of signature %016llx, %s of %016llx, expected the same",
			to_name, (unsigned long long)pt_sig_hash(to), from_name,
			(unsigned long long)pt_sig_hash(from));
}

int pt_check_parts(const char *to_name, const struct pimtype_part *to,
		   const struct pt_whole *whole_to, const char *from_name,
		   const struct pimtype_part *from,
		   const struct pt_whole *whole_from)
{
	struct pt_sig sent, wanted;

	if (whole_from->size > whole_to->size)
		return pd_error(EMSGSIZE, "%s has %llu bytes, expected at most %s's %llu",
				from_name, (unsigned long long)whole_from->size,
				to_name, (unsigned long long)whole_to->size);
	if (!whole_from->size)
		return 0;
	if (pt_sig_alike(&from->type->sig, &to->type->sig))
		return pt_check_apart(whole_to, to_name);
	sent = pt_sig_repeat(from->type->sig, from->count);
	if (!pt_sig_of_begin(to->type, to->count, whole_from->size, &wanted)) {
		if (sent.packed || to->type->sig.packed)
			return pt_check_apart(whole_to, to_name);
		return pd_error(EPROTO,
				"%s, of signature %016llx, ends inside of an element of %s, of %016llx",
				from_name, (unsigned long long)pt_sig_hash(sent),
				to_name,
				(unsigned long long)pt_sig_hash(to->type->sig));
	}
	if (!pt_sig_agree(sent, wanted))
		return differ(to_name, wanted, from_name, sent);
	return pt_check_apart(whole_to, to_name);
}

/* by way of the cache, some at a time */
static void copy_staged(uint8_t *dst, const struct pt_whole *to, uint8_t *src,
			const struct pt_whole *from)
{
	_Alignas(64) uint8_t stage[STAGE_BYTES];

	pt_layouts_staged();
	for (uint64_t at = 0; at < from->size; at += STAGE_BYTES) {
		uint64_t bytes = from->size - at;

		bytes = bytes < STAGE_BYTES ? bytes : STAGE_BYTES;
		pt_stream(from, src, at, stage, bytes, false);
		pt_stream(to, dst, at, stage, bytes, true);
	}
}

static int copy_pair(uint8_t *dst, const struct pimtype_part *to,
		     const struct pt_whole *whole_to, uint8_t *src,
		     const struct pimtype_part *from,
		     const struct pt_whole *whole_from)
{
	struct pt_node *merged = NULL;
	int ret = 0;

	if (whole_to->size == whole_from->size)
		ret = pt_layouts_find(to, whole_to, from, whole_from, &merged);
	if (ret)
		return ret;
	if (!merged) {
		copy_staged(dst, whole_to, src, whole_from);
		return 0;
	}
	pt_run_merged(pt_strided_best(), merged, dst + whole_to->off,
		      src + whole_from->off, 0);
	pt_put(merged);
	return 0;
}

int pimtype_copy(void *dst, struct pimtype_part to, const void *src,
		 struct pimtype_part from)
{
	struct pt_whole whole_to, whole_from;
	uint8_t *from_mem = (uint8_t *)(uintptr_t)src;
	int ret = pt_whole_of(&whole_to, &to, "to");

	if (!ret)
		ret = pt_whole_of(&whole_from, &from, "from");
	if (!ret)
		ret = pt_check_parts("to", &to, &whole_to, "from", &from,
				     &whole_from);
	if (ret || !whole_from.size)
		return ret;
	if (pt_is_run(&whole_from))
		pt_stream(&whole_to, dst, 0, from_mem + whole_from.off,
			  whole_from.size, true);
	else if (pt_is_run(&whole_to))
		pt_stream(&whole_from, from_mem, 0,
			  (uint8_t *)dst + whole_to.off, whole_from.size, false);
	else
		return copy_pair(dst, &to, &whole_to, from_mem, &from,
				 &whole_from);
	return 0;
}

int pimtype_stats(struct pimtype_stats *stats)
{
	if (!stats)
		return pd_error(EINVAL, "stats is NULL");
	pt_layouts_stats(stats);
	stats->types = pt_types_alive();
	return 0;
}
