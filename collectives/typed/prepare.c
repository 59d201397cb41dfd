// SPDX-License-Identifier: MIT
/* Typed calls: made of what their callers gave, checked, and freed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/typed/typed.h"
#include "runtime/base/error.h"

const char *pc_typed_name(enum pc_typed_id id)
{
	static const char *const names[] = {
		[PC_ALLTOALLW] = "alltoallw",
		[PC_ALLTOALLV] = "alltoallv",
		[PC_ALLGATHERV] = "allgatherv",
		[PC_HALO] = "halo",
	};

	return names[id];
}

/* the hypercube's shape is its own only until it is asked for another */
static bool take_shape(struct pc_typed *t, const struct pc_shape *shape)
{
	size_t off = shape->egs * sizeof(uint32_t);
	size_t base = shape->sets * sizeof(uint32_t);

	t->tables = malloc(off + base);
	if (!t->tables)
		return false;
	t->shape = *shape;
	t->shape.off = t->tables;
	t->shape.base = t->tables + shape->egs;
	memcpy(t->shape.off, shape->off, off);
	memcpy(t->shape.base, shape->base, base);
	return true;
}

static int check_periodic(const struct pidcomm *hc, uint32_t periodic)
{
	if (periodic >> hc->cube.ndims)
		return pd_error(
			EINVAL,
			"periodic=0x%x, expected a bit for each of %u axes",
			periodic, hc->cube.ndims);
	return 0;
}

static int make_call(struct pc_typed *t, const struct pc_typed_args *args,
		     uint32_t axes)
{
	if (!take_shape(t, pc_shape_get(&t->hc->cube, axes)))
		return pd_error(ENOMEM, "no memory for a call of %s",
				pc_typed_name(t->id));
	memcpy(t->axes, args->axes, t->hc->cube.ndims);
	if (t->id == PC_ALLTOALLV || t->id == PC_ALLGATHERV)
		return pc_counts_prepare(t, args);
	return pc_parts_prepare(t, args);
}

int pc_typed_make(struct pidcomm *hc, const struct pc_typed_args *args,
		  struct pc_typed **typed)
{
	struct pc_typed *t;
	uint32_t axes;
	int ret = pc_axes_parse(hc, args->axes, &axes);

	if (!ret && hc->crew)
		ret = pd_error(EOPNOTSUPP,
			       "a hypercube of pidcomm_create_hosts(): collectives on datatypes do not serve it");
	if (!ret)
		ret = check_periodic(hc, args->periodic);
	if (ret)
		return ret;
	t = calloc(1, sizeof(*t));
	if (!t)
		return pd_error(ENOMEM, "no memory for a call of %s",
				pc_typed_name(args->id));
	t->id = args->id;
	t->hc = hc;
	t->periodic = args->periodic;
	ret = make_call(t, args, axes);
	if (ret)
		pc_typed_free(t);
	else
		*typed = t;
	return ret;
}

void pc_typed_free(struct pc_typed *t)
{
	if (!t)
		return;
	pc_parts_free(t);
	pc_counts_free(t);
	free(t->tables);
	free(t);
}
