// SPDX-License-Identifier: MIT
/* The constructors of types of arrays: boxes of them, and what processes have of them. */
#include <errno.h>

#include "collectives/types/make.h"
#include "runtime/base/error.h"

/* an axis of an array of which some is taken: blocks of `block` elements, `period`
 * apart, and a last one that is shorter */
struct axis {
	uint64_t size, start;
	uint64_t block, period, full, rest;
};

static int check_ndims(uint32_t ndims, enum pimtype_order order)
{
	if (!ndims || ndims > PIMTYPE_MAX_DEPTH)
		return pd_error(EINVAL, "ndims=%u, expected 1 to %d", ndims,
				PIMTYPE_MAX_DEPTH);
	if (order != PIMTYPE_ORDER_C && order != PIMTYPE_ORDER_FORTRAN)
		return pd_error(EINVAL,
				"order=%d, expected PIMTYPE_ORDER_C or PIMTYPE_ORDER_FORTRAN",
				(int)order);
	return 0;
}

/* n of old from element `first` on, a step of elements apart */
static int add_run(struct pt_list *list, struct pt_layout old, int64_t element,
		   uint64_t first, uint64_t n, int64_t step)
{
	struct pt_layout run;
	int64_t at;
	int ret;

	if (!n)
		return 0;
	if (first > INT64_MAX ||
	    __builtin_mul_overflow((int64_t)first, element, &at))
		return pt_too_large();
	ret = pt_repeat(old, n, step, &run);
	if (!ret)
		ret = pt_list_add(list, run, at);
	pt_put(run.node);
	return ret;
}

/* element: bytes from one of the axis to the next */
static int add_axis(struct pt_list *list, const struct axis *a,
		    struct pt_layout old, int64_t element)
{
	struct pt_layout block;
	int64_t step;
	int ret;

	if (a->period > INT64_MAX ||
	    __builtin_mul_overflow((int64_t)a->period, element, &step))
		return pt_too_large();
	ret = pt_repeat(old, a->block, element, &block);
	if (!ret)
		ret = add_run(list, block, element, a->start, a->full, step);
	pt_put(block.node);
	/* where it begins lies below the axis's size, if there is any */
	if (!ret && a->rest)
		ret = add_run(list, old, element,
			      a->start + a->full * a->period, a->rest, element);
	return ret;
}

static int layout_of_axis(const struct axis *a, struct pt_layout old,
			  int64_t element, struct pt_layout *layout)
{
	struct pt_list list;
	int ret = pt_list_begin(&list, 2);

	if (ret)
		return ret;
	ret = add_axis(&list, a, old, element);
	if (!ret)
		return pt_list_end(&list, layout);
	pt_list_drop(&list);
	return ret;
}

/* from the fastest axis to the slowest; element: bytes of an element of the array */
static int layout_of_axes(const struct axis axes[], uint32_t ndims,
			  enum pimtype_order order, const struct pimtype *old,
			  struct pt_layout *layout, int64_t *whole)
{
	int64_t element = pt_extent(old);
	struct pt_layout had = old->layout;

	pt_get(had.node);
	for (uint32_t i = 0; i < ndims; i++) {
		const struct axis *a = &axes[order == PIMTYPE_ORDER_C ?
					     ndims - 1 - i : i];
		int ret = layout_of_axis(a, had, element, layout);

		pt_put(had.node);
		if (ret)
			return ret;
		had = *layout;
		if (a->size > INT64_MAX ||
		    __builtin_mul_overflow(element, (int64_t)a->size, &element)) {
			pt_put(had.node);
			return pt_too_large();
		}
	}
	*layout = had;
	*whole = element;
	return 0;
}

static int make_array(const struct axis axes[], uint32_t ndims,
		      enum pimtype_order order, const struct pimtype *old,
		      struct pimtype **type)
{
	struct pt_recipe recipe = { .bounds.set = true };
	uint64_t all = 1;
	int ret;

	for (uint32_t i = 0; i < ndims; i++) {
		if (__builtin_mul_overflow(all, axes[i].full * axes[i].block +
						axes[i].rest, &all))
			return pt_too_large();
	}
	ret = layout_of_axes(axes, ndims, order, old, &recipe.layout,
			     &recipe.bounds.ub);
	if (ret)
		return ret;
	ret = all > INT64_MAX ? pt_too_large() : pt_recipe_of(&recipe, all, old);
	if (ret) {
		pt_recipe_drop(&recipe);
		return ret;
	}
	return pt_type_make(&recipe, type);
}

static int check_array_of(const struct pimtype *old, struct pimtype **type,
			  uint32_t ndims, enum pimtype_order order)
{
	int ret = pt_check_made(type);

	if (!ret)
		ret = pt_check_type("old", old);
	return ret ? ret : check_ndims(ndims, order);
}

int pimtype_subarray(uint32_t ndims, const uint64_t sizes[],
		     const uint64_t subsizes[], const uint64_t starts[],
		     enum pimtype_order order, const struct pimtype *old,
		     struct pimtype **type)
{
	struct axis axes[PIMTYPE_MAX_DEPTH];
	int ret = check_array_of(old, type, ndims, order);

	if (ret)
		return ret;
	if (!sizes || !subsizes || !starts)
		return pd_error(EINVAL, "%s is NULL, expected %u numbers",
				!sizes ? "sizes" : !subsizes ? "subsizes" : "starts",
				ndims);
	for (uint32_t i = 0; i < ndims; i++) {
		if (!sizes[i] || !subsizes[i] || subsizes[i] > sizes[i] ||
		    starts[i] > sizes[i] - subsizes[i])
			return pd_error(EINVAL,
					"axis %u: sizes=%llu, subsizes=%llu, starts=%llu, expected a box inside of the array",
					i, (unsigned long long)sizes[i],
					(unsigned long long)subsizes[i],
					(unsigned long long)starts[i]);
		axes[i] = (struct axis){ .size = sizes[i], .start = starts[i],
					 .block = subsizes[i],
					 .period = sizes[i], .full = 1 };
	}
	return make_array(axes, ndims, order, old, type);
}

/* what the process at `place` of so many has of an axis */
static void deal(struct axis *a, uint64_t place, uint64_t places)
{
	uint64_t left;

	/* no overflow: a block is no longer than the axis, and places fewer than that
	 * or the process has nothing */
	if (place > (a->size - 1) / a->block) {
		a->full = a->rest = 0;
		return;
	}
	a->start = place * a->block;
	left = a->size - a->start;
	if (places > a->size / a->block) {
		/* one turn reaches the axis's end */
		a->full = left >= a->block;
		a->rest = a->full ? 0 : left;
		a->period = a->size;
		return;
	}
	a->period = places * a->block;
	a->full = left / a->period;
	left -= a->full * a->period;
	if (left >= a->block)
		a->full++;
	else
		a->rest = left;
}

static int bad_axis(uint32_t i, const char *what, uint64_t value,
		    const char *expected)
{
	return pd_error(EINVAL, "axis %u: %s=%llu, expected %s", i, what,
			(unsigned long long)value, expected);
}

static int deal_axis(uint32_t i, struct axis *a,
		     enum pimtype_distribution distrib, uint64_t darg,
		     uint64_t psize, uint64_t place)
{
	uint64_t share;

	if (!a->size)
		return bad_axis(i, "gsizes", 0, "1 at least");
	share = a->size / psize + (a->size % psize != 0);
	switch (distrib) {
	case PIMTYPE_DISTRIBUTE_NONE:
		if (psize != 1)
			return bad_axis(i, "psizes", psize,
					"1, as it is not distributed");
		a->block = a->size;
		break;
	case PIMTYPE_DISTRIBUTE_BLOCK:
		a->block = darg == PIMTYPE_DISTRIBUTE_DARG ? share : darg;
		if (a->block < share)
			return bad_axis(i, "dargs", darg,
					"blocks that reach the axis's end");
		break;
	case PIMTYPE_DISTRIBUTE_CYCLIC:
		a->block = darg == PIMTYPE_DISTRIBUTE_DARG ? 1 : darg;
		break;
	default:
		return pd_error(EINVAL,
				"axis %u: distribs=%d, expected a value of enum pimtype_distribution",
				i, (int)distrib);
	}
	if (a->block > a->size)
		a->block = a->size;
	deal(a, place, psize);
	return 0;
}

/* the product of the processes along the axes; 0 where that is not `size` */
static uint64_t check_grid(uint64_t size, uint32_t ndims, const uint64_t psizes[])
{
	uint64_t all = 1;

	for (uint32_t i = 0; i < ndims; i++) {
		if (!psizes[i] || __builtin_mul_overflow(all, psizes[i], &all))
			return 0;
	}
	return all == size ? all : 0;
}

int pimtype_darray(uint64_t size, uint64_t rank, uint32_t ndims,
		   const uint64_t gsizes[],
		   const enum pimtype_distribution distribs[],
		   const uint64_t dargs[], const uint64_t psizes[],
		   enum pimtype_order order, const struct pimtype *old,
		   struct pimtype **type)
{
	struct axis axes[PIMTYPE_MAX_DEPTH];
	uint64_t left;
	int ret = check_array_of(old, type, ndims, order);

	if (ret)
		return ret;
	if (!gsizes || !distribs || !dargs || !psizes)
		return pd_error(EINVAL,
				"gsizes, distribs, dargs or psizes is NULL, expected %u numbers of each",
				ndims);
	left = check_grid(size, ndims, psizes);
	if (!left)
		return pd_error(EINVAL, "size=%llu, expected the product of psizes",
				(unsigned long long)size);
	if (rank >= size)
		return pd_error(EINVAL, "rank=%llu, expected below %llu",
				(unsigned long long)rank,
				(unsigned long long)size);
	for (uint32_t i = 0; i < ndims && !ret; i++) {
		left /= psizes[i];
		axes[i] = (struct axis){ .size = gsizes[i], .period = gsizes[i] };
		ret = deal_axis(i, &axes[i], distribs[i], dargs[i], psizes[i],
				rank / left % psizes[i]);
	}
	return ret ? ret : make_array(axes, ndims, order, old, type);
}
