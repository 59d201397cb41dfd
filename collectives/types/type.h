/* SPDX-License-Identifier: MIT */
/* A type: its layout, its bounds, its signature, and the types that it was made of. */
#ifndef PT_TYPE_H
#define PT_TYPE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <pimdimm/types.h>

#include "collectives/types/nodes.h"
#include "collectives/types/signature.h"

/* so many of a type, for the order of elements */
struct pt_part {
	uint64_t count;
	struct pimtype *type;
};

struct pt_bounds {
	int64_t lb, ub;
	bool set;	/* by resized or an array, not by the data */
};

struct pimtype {
	_Atomic uint64_t refs;	/* and those who hold it, in the upper half */
	_Atomic bool live;	/* the user has not freed it */
	bool basic;
	struct pt_layout layout;
	struct pt_bounds bounds;
	uint64_t align;
	struct pt_sig sig;
	uint32_t nr_parts;
	struct pt_part *parts;	/* none of a basic one */
	struct pimtype *next;	/* among those that are free */
};

/* what a type is made from; layout and parts become its own, even on failure */
struct pt_recipe {
	struct pt_layout layout;
	struct pt_bounds bounds;	/* where set */
	uint64_t nr_parts;
	struct pt_part *parts;		/* each type counted as used */
};

int pt_type_make(struct pt_recipe *recipe, struct pimtype **type);
/* so many of one type, as all the parts there are */
int pt_recipe_of(struct pt_recipe *recipe, uint64_t count,
		 const struct pimtype *old);
void pt_recipe_drop(struct pt_recipe *recipe);

struct pimtype *pt_type_get(const struct pimtype *type);
void pt_type_put(struct pimtype *type);
/* for what is under way: until it is released the type is one to be used, also once the user
 * has freed it */
struct pimtype *pt_type_hold(const struct pimtype *type);
void pt_type_release(struct pimtype *type);

/* -EINVAL and a sentence for NULL and for what has been freed and nobody holds */
int pt_check_type(const char *name, const struct pimtype *type);

/* bytes of data */
static inline uint64_t pt_size(const struct pimtype *type)
{
	return type->layout.node ? type->layout.node->size : 0;
}

static inline int64_t pt_extent(const struct pimtype *type)
{
	return type->bounds.ub - type->bounds.lb;
}

/* whether there is nothing in its typemap, not even a bound */
static inline bool pt_is_empty(const struct pimtype *type)
{
	return !type->layout.node && !type->bounds.set;
}

/*
 * The elements of the first bytes of `count` of a type; false where these end inside
 * of an element.
 */
bool pt_sig_of_begin(const struct pimtype *type, uint64_t count, uint64_t bytes,
		     struct pt_sig *sig);

/* types that live */
uint64_t pt_types_alive(void);

#endif /* PT_TYPE_H */
