// SPDX-License-Identifier: MIT
/* Sends and receives of given types: copied, and checked against each other. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "collectives/typed/typed.h"
#include "collectives/types/claims.h"
#include "collectives/types/stream.h"
#include "runtime/base/error.h"

#define NAME_BYTES 32

/* of a send or a receive, as its caller knows it */
static const char *name_of(const struct pc_typed *t, bool recv, uint32_t i,
			   char name[NAME_BYTES])
{
	const char *what = recv ? "recv" : "send";

	if (t->id == PC_HALO)
		snprintf(name, NAME_BYTES, "faces[%u].%s", i, what);
	else
		snprintf(name, NAME_BYTES, "%s[%u]", what, i);
	return name;
}

static struct pc_part *part_of(const struct pc_typed *t, bool recv, uint32_t i)
{
	return &t->parts[recv ? t->nr + i : i];
}

static int look_at_part(const struct pc_typed *t, const struct pimtype_part *from,
			const char *name, struct pt_whole *whole)
{
	int ret = pt_whole_of(whole, from, name);

	return ret ? ret : pt_check_mram(t->hc->sys, whole, name);
}

/* Names are printed only of what is refused, which is looked at again: they would take longer
 * than all checks. */
static int take_part(struct pc_typed *t, bool recv, uint32_t i,
		     const struct pimtype_part *from)
{
	struct pc_part *p = part_of(t, recv, i);
	char name[NAME_BYTES];
	int ret = look_at_part(t, from, "", &p->whole);

	if (ret)
		ret = look_at_part(t, from, name_of(t, recv, i, name), &p->whole);
	if (ret)
		return ret;
	p->part = *from;
	if (from->type)
		p->type = pt_type_get(from->type);
	return 0;
}

static int take_parts(struct pc_typed *t, const struct pc_typed_args *args)
{
	int ret = 0;

	for (uint32_t i = 0; i < t->nr && !ret; i++) {
		bool halo = t->id == PC_HALO;

		ret = take_part(t, false, i,
				halo ? &args->faces[i].send : &args->send[i]);
		if (!ret)
			ret = take_part(t, true, i,
					halo ? &args->faces[i].recv
					     : &args->recv[i]);
	}
	return ret;
}

static int refuse_fewer(const struct pc_part *from, const char *from_name,
			const struct pc_part *to, const char *to_name)
{
	return pd_error(EPROTO,
			"%s has %" PRIu64 " bytes, %s %" PRIu64
			", expected the same of all members",
			from_name, from->whole.size, to_name, to->whole.size);
}

/* whether what one sends is what the other receives; all of it, if asked */
static int check_pair(const struct pc_typed *t, uint32_t send, uint32_t recv,
		      bool all)
{
	const struct pc_part *from = part_of(t, false, send);
	const struct pc_part *to = part_of(t, true, recv);
	char from_name[NAME_BYTES], to_name[NAME_BYTES];
	bool fewer = all && from->whole.size < to->whole.size;

	if (!fewer && !pt_check_parts("", &to->part, &to->whole, "",
				      &from->part, &from->whole))
		return 0;
	name_of(t, false, send, from_name);
	name_of(t, true, recv, to_name);
	if (fewer)
		return refuse_fewer(from, from_name, to, to_name);
	return pt_check_parts(to_name, &to->part, &to->whole, from_name,
			      &from->part, &from->whole);
}

/* a part that says which elements it has, PIMTYPE_PACKED agreeing with all; or
 * 0 */
static uint32_t telling_part(const struct pc_typed *t, bool recv)
{
	for (uint32_t i = 0; i < t->nr; i++) {
		const struct pc_part *p = part_of(t, recv, i);

		if (p->whole.size && !p->type->sig.packed)
			return i;
	}
	return 0;
}

/*
 * Every member sends the same, so every send meets every receive: all of them
 * are alike where each is like one of the other side.
 */
static int check_exchange(const struct pc_typed *t)
{
	uint32_t send = telling_part(t, false), recv = telling_part(t, true);
	int ret = 0;

	for (uint32_t i = 0; i < t->nr && !ret; i++) {
		ret = check_pair(t, send, i, true);
		if (!ret)
			ret = check_pair(t, i, recv, true);
	}
	return ret;
}

/* what is sent to -1 comes from +1 */
static int check_faces(const struct pc_typed *t)
{
	int ret = 0;

	for (uint32_t i = 0; i < t->nr && !ret; i++)
		ret = check_pair(t, i, i ^ 1, false);
	return ret;
}

static int check_apart(const struct pc_typed *t)
{
	struct pt_claim *claims = malloc(2 * (size_t)t->nr * sizeof(*claims));
	int ret;

	if (!claims)
		return pd_error(ENOMEM, "no memory to check %u parts",
				2 * t->nr);
	for (uint32_t i = 0; i < 2 * t->nr; i++) {
		bool recv = i >= t->nr;

		claims[i] = (struct pt_claim){
			.name = recv ? "recv" : "send",
			.index = recv ? i - t->nr : i,
			.written = recv,
			.part = &t->parts[i].part,
			.whole = &t->parts[i].whole,
		};
		if (t->id == PC_HALO)
			claims[i].name =
				recv ? "recv of faces" : "send of faces";
	}
	ret = pt_check_claims(claims, 2 * (size_t)t->nr);
	free(claims);
	return ret;
}

/* from the first byte to the last one */
static void set_range(const struct pc_typed *t, bool recv, uint64_t *begin,
		      uint64_t *bytes)
{
	int64_t lo = INT64_MAX, hi = INT64_MIN;

	for (uint32_t i = 0; i < t->nr; i++) {
		const struct pt_whole *w = &part_of(t, recv, i)->whole;

		if (!w->size)
			continue;
		lo = w->lo < lo ? w->lo : lo;
		hi = w->hi > hi ? w->hi : hi;
	}
	if (hi > lo) {
		*begin = (uint64_t)lo;
		*bytes = (uint64_t)(hi - lo);
	}
}

static uint32_t nr_parts(const struct pc_typed *t)
{
	uint32_t n = 0;

	if (t->id == PC_ALLTOALLW)
		return t->shape.members;
	for (const char *axis = t->axes; *axis; axis++)
		n += 2 * (*axis == '1');
	return n;
}

int pc_parts_prepare(struct pc_typed *t, const struct pc_typed_args *args)
{
	int ret = 0;

	t->nr = nr_parts(t);
	if (!t->nr)
		return 0;
	if (t->id == PC_HALO && !args->faces)
		return pd_error(EINVAL, "faces is NULL, expected %u of them",
				t->nr);
	if (t->id != PC_HALO && (!args->send || !args->recv))
		return pd_error(
			EINVAL,
			"%s is NULL, expected a part for each of %u members",
			args->send ? "recv" : "send", t->nr);
	t->parts = calloc(2 * (size_t)t->nr, sizeof(*t->parts));
	if (!t->parts)
		return pd_error(ENOMEM, "no memory for %u parts", 2 * t->nr);
	ret = take_parts(t, args);
	if (!ret)
		ret = t->id == PC_HALO ? check_faces(t) : check_exchange(t);
	if (!ret)
		ret = check_apart(t);
	if (ret)
		return ret;
	set_range(t, false, &t->ranges.read, &t->ranges.read_bytes);
	set_range(t, true, &t->ranges.written, &t->ranges.written_bytes);
	for (uint32_t i = 0; i < t->nr; i++)
		t->bytes += t->parts[i].whole.size * t->hc->cube.nr_pes;
	return t->id == PC_HALO ? pc_halo_prepare(t) : 0;
}

void pc_parts_free(struct pc_typed *t)
{
	for (uint32_t i = 0; i < t->nr && t->merged; i++)
		pt_put(t->merged[i]);
	free(t->merged);
	for (uint32_t i = 0; i < 2 * t->nr && t->parts; i++) {
		if (t->parts[i].type)
			pt_type_put(t->parts[i].type);
	}
	free(t->parts);
}
