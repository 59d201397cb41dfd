// SPDX-License-Identifier: MIT
/* The constructors of types but those of arrays. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "collectives/types/make.h"
#include "runtime/base/error.h"

/* [lb, ub) of a block of them from `at` on, into bounds; false where too large */
bool pt_widen(struct pt_bounds *bounds, const struct pimtype *old, int64_t at,
	      uint64_t count)
{
	int64_t last, lb, ub;

	if (!count || !old->bounds.set)
		return true;
	if (count - 1 > INT64_MAX ||
	    __builtin_mul_overflow((int64_t)(count - 1), pt_extent(old), &last) ||
	    __builtin_add_overflow(at, old->bounds.lb, &lb) ||
	    __builtin_add_overflow(at, old->bounds.ub, &ub) ||
	    __builtin_add_overflow(last < 0 ? lb : ub, last, last < 0 ? &lb : &ub))
		return false;
	if (!bounds->set || lb < bounds->lb)
		bounds->lb = lb;
	if (!bounds->set || ub > bounds->ub)
		bounds->ub = ub;
	bounds->set = true;
	return true;
}

int pt_check_made(struct pimtype **type)
{
	if (!type)
		return pd_error(EINVAL, "type is NULL, expected where to put a type");
	return 0;
}

static int check_old(const struct pimtype *old, struct pimtype **type)
{
	int ret = pt_check_made(type);

	return ret ? ret : pt_check_type("old", old);
}

/* so many blocks of so many: [lb, ub), where the bounds are set */
static bool widen_even(struct pt_bounds *bounds, const struct pimtype *old,
		       uint64_t count, uint64_t blocklength, int64_t stride)
{
	int64_t last;

	if (!count || !blocklength || !old->bounds.set)
		return true;
	return count - 1 <= INT64_MAX &&
	       !__builtin_mul_overflow((int64_t)(count - 1), stride, &last) &&
	       pt_widen(bounds, old, 0, blocklength) &&
	       pt_widen(bounds, old, last, blocklength);
}

static int make_even(uint64_t count, uint64_t blocklength, int64_t stride,
		     const struct pimtype *old, struct pimtype **type)
{
	struct pt_recipe recipe = { .nr_parts = 0 };
	struct pt_layout block;
	uint64_t all;
	int ret;

	/* of no blocks none is made either */
	blocklength = count ? blocklength : 0;
	if (__builtin_mul_overflow(count, blocklength, &all) || all > INT64_MAX)
		return pt_too_large();
	if (!widen_even(&recipe.bounds, old, count, blocklength, stride))
		return pt_too_large();
	ret = pt_repeat(old->layout, blocklength, pt_extent(old), &block);
	if (ret)
		return ret;
	ret = pt_repeat(block, count, stride, &recipe.layout);
	pt_put(block.node);
	if (!ret)
		ret = pt_recipe_of(&recipe, all, old);
	if (ret) {
		pt_recipe_drop(&recipe);
		return ret;
	}
	return pt_type_make(&recipe, type);
}

int pimtype_hvector(uint64_t count, uint64_t blocklength, int64_t stride,
		    const struct pimtype *old, struct pimtype **type)
{
	int ret = check_old(old, type);

	return ret ? ret : make_even(count, blocklength, stride, old, type);
}

int pimtype_vector(uint64_t count, uint64_t blocklength, int64_t stride,
		   const struct pimtype *old, struct pimtype **type)
{
	int64_t bytes = 0;
	int ret = check_old(old, type);

	if (ret)
		return ret;
	/* there is a next block to lead to */
	if (count > 1 && blocklength &&
	    __builtin_mul_overflow(stride, pt_extent(old), &bytes))
		return pt_too_large();
	return make_even(count, blocklength, bytes, old, type);
}

int pimtype_contiguous(uint64_t count, const struct pimtype *old,
		       struct pimtype **type)
{
	int ret = check_old(old, type);

	return ret ? ret : make_even(1, count, 0, old, type);
}

int pimtype_dup(const struct pimtype *old, struct pimtype **type)
{
	return pimtype_contiguous(1, old, type);
}

int pimtype_resized(const struct pimtype *old, int64_t lb, int64_t extent,
		    struct pimtype **type)
{
	struct pt_recipe recipe = { .bounds = { .lb = lb, .set = true } };
	int ret = check_old(old, type);

	if (ret)
		return ret;
	if (__builtin_add_overflow(lb, extent, &recipe.bounds.ub))
		return pt_too_large();
	ret = pt_recipe_of(&recipe, 1, old);
	if (ret)
		return ret;
	recipe.layout = old->layout;
	pt_get(recipe.layout.node);
	return pt_type_make(&recipe, type);
}

/* blocks of one type at places of their own */
struct places {
	uint64_t count;
	const uint64_t *lengths;	/* NULL: all are `length` */
	uint64_t length;
	const int64_t *displs;
	int64_t unit;			/* bytes that displs count */
	const struct pimtype *old;	/* of all, or of each by its number: */
	const struct pimtype *const *olds;
};

static const struct pimtype *old_at(const struct places *p, uint64_t i)
{
	return p->olds ? p->olds[i] : p->old;
}

static uint64_t length_at(const struct places *p, uint64_t i)
{
	return p->lengths ? p->lengths[i] : p->length;
}

/* the last block that needed a node: the next one may be the same */
struct last_block {
	const struct pimtype *old;
	uint64_t length;
	struct pt_layout layout;
};

/* `length` of a type in a row, one run where they are */
static int list_block(struct pt_list *list, const struct pimtype *old,
		      int64_t at, uint64_t length, struct last_block *last)
{
	const struct pt_node *node = old->layout.node;
	uint64_t bytes;
	int64_t from;
	int ret;

	if (!length || !node)
		return 0;
	if (node->kind == PT_DENSE &&
	    (length == 1 || pt_extent(old) == (int64_t)node->size)) {
		if (__builtin_mul_overflow(length, node->size, &bytes) ||
		    bytes > INT64_MAX ||
		    __builtin_add_overflow(at, old->layout.off, &from))
			return pt_too_large();
		return pt_list_add_run(list, from, bytes);
	}
	if (last->old != old || last->length != length) {
		pt_put(last->layout.node);
		last->layout.node = NULL;
		last->old = old;
		last->length = length;
		ret = pt_repeat(old->layout, length, pt_extent(old),
				&last->layout);
		if (ret) {
			last->old = NULL;
			return ret;
		}
	}
	return pt_list_add(list, last->layout, at);
}

static int list_places(const struct places *p, struct pt_list *list,
		       struct pt_bounds *bounds)
{
	struct last_block last = { .old = NULL };
	int ret = 0;

	for (uint64_t i = 0; i < p->count && !ret; i++) {
		int64_t at;

		/* of no elements, wherever it is */
		if (!length_at(p, i))
			continue;
		if (__builtin_mul_overflow(p->displs[i], p->unit, &at) ||
		    !pt_widen(bounds, old_at(p, i), at, length_at(p, i)))
			ret = pt_too_large();
		else
			ret = list_block(list, old_at(p, i), at,
					 length_at(p, i), &last);
	}
	pt_put(last.layout.node);
	return ret;
}

/* the elements' order: blocks of the same type in a row are one part */
static int list_parts(const struct places *p, struct pt_recipe *recipe)
{
	uint64_t n = 0;

	recipe->parts = malloc((p->count ? p->count : 1) * sizeof(*recipe->parts));
	if (!recipe->parts)
		return pd_error(ENOMEM, "no memory for a type of %llu blocks",
				(unsigned long long)p->count);
	for (uint64_t i = 0; i < p->count; i++) {
		struct pt_part *last = n ? &recipe->parts[n - 1] : NULL;
		const struct pimtype *old = old_at(p, i);

		if (!length_at(p, i))
			continue;
		if (last && last->type == old) {
			if (__builtin_add_overflow(last->count, length_at(p, i),
						   &last->count))
				return pt_too_large();
			continue;
		}
		recipe->parts[n++] = (struct pt_part){ length_at(p, i),
						       pt_type_get(old) };
		recipe->nr_parts = n;
	}
	return 0;
}

/* all blocks of one type are one part, and no list of parts is made */
static int parts_of_one(const struct places *p, struct pt_recipe *recipe)
{
	uint64_t all = 0;

	if (!p->lengths && __builtin_mul_overflow(p->count, p->length, &all))
		return pt_too_large();
	for (uint64_t i = 0; p->lengths && i < p->count; i++) {
		if (__builtin_add_overflow(all, p->lengths[i], &all))
			return pt_too_large();
	}
	if (all > INT64_MAX)
		return pt_too_large();
	return pt_recipe_of(recipe, all, p->old);
}

static int make_places(const struct places *p, struct pimtype **type)
{
	struct pt_recipe recipe = { .nr_parts = 0 };
	struct pt_list list;
	int ret = p->count > SSIZE_MAX / sizeof(*recipe.parts) ?
		  pd_error(EINVAL, "count=%llu, expected an array of as many",
			   (unsigned long long)p->count) :
		  pt_list_begin(&list, p->count);

	if (ret)
		return ret;
	ret = list_places(p, &list, &recipe.bounds);
	if (ret)
		pt_list_drop(&list);
	else
		ret = pt_list_end(&list, &recipe.layout);
	if (!ret)
		ret = p->olds ? list_parts(p, &recipe) :
				parts_of_one(p, &recipe);
	if (ret) {
		pt_recipe_drop(&recipe);
		return ret;
	}
	return pt_type_make(&recipe, type);
}

static int check_array(const char *name, const void *array, uint64_t count)
{
	if (!array && count)
		return pd_error(EINVAL, "%s is NULL, expected %llu numbers", name,
				(unsigned long long)count);
	return 0;
}

static int make_indexed(const struct places *p, struct pimtype **type)
{
	int ret = check_old(p->old, type);

	if (!ret)
		ret = check_array("displacements", p->displs, p->count);
	return ret ? ret : make_places(p, type);
}

int pimtype_hindexed(uint64_t count, const uint64_t blocklengths[],
		     const int64_t displacements[], const struct pimtype *old,
		     struct pimtype **type)
{
	const struct places p = { .count = count, .lengths = blocklengths,
				  .displs = displacements, .unit = 1, .old = old };
	int ret = check_array("blocklengths", blocklengths, count);

	return ret ? ret : make_indexed(&p, type);
}

int pimtype_indexed(uint64_t count, const uint64_t blocklengths[],
		    const int64_t displacements[], const struct pimtype *old,
		    struct pimtype **type)
{
	struct places p = { .count = count, .lengths = blocklengths,
			    .displs = displacements, .old = old };
	int ret = check_array("blocklengths", blocklengths, count);

	if (!ret)
		ret = check_old(old, type);
	if (ret)
		return ret;
	p.unit = pt_extent(old);
	return make_indexed(&p, type);
}

int pimtype_hindexed_block(uint64_t count, uint64_t blocklength,
			   const int64_t displacements[],
			   const struct pimtype *old, struct pimtype **type)
{
	const struct places p = { .count = count, .length = blocklength,
				  .displs = displacements, .unit = 1, .old = old };

	return make_indexed(&p, type);
}

int pimtype_indexed_block(uint64_t count, uint64_t blocklength,
			  const int64_t displacements[],
			  const struct pimtype *old, struct pimtype **type)
{
	struct places p = { .count = count, .length = blocklength,
			    .displs = displacements, .old = old };
	int ret = check_old(old, type);

	if (ret)
		return ret;
	p.unit = pt_extent(old);
	return make_indexed(&p, type);
}

int pimtype_struct(uint64_t count, const uint64_t blocklengths[],
		   const int64_t displacements[],
		   const struct pimtype *const olds[], struct pimtype **type)
{
	const struct places p = { .count = count, .lengths = blocklengths,
				  .displs = displacements, .unit = 1, .olds = olds };
	int ret = pt_check_made(type);

	if (!ret)
		ret = check_array("blocklengths", blocklengths, count);
	if (!ret)
		ret = check_array("displacements", displacements, count);
	if (!ret)
		ret = check_array("olds", olds, count);
	for (uint64_t i = 0; i < count && !ret; i++)
		ret = pt_check_type("a member of olds", olds[i]);
	return ret ? ret : make_places(&p, type);
}
