// SPDX-License-Identifier: MIT
/* Types as such: basic ones, counting of users, bounds, what is known of them. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "collectives/types/type.h"
#include "runtime/base/error.h"
#include "runtime/base/threads.h"

/* so many wait before one is used again, that a freed type be known as such */
#define WAITING_TYPES	256

static const struct {
	uint32_t size, align;
} traits[] = {
#define OF(t) { sizeof(t), _Alignof(t) }
	[PIMTYPE_BYTE] = OF(uint8_t),
	[PIMTYPE_PACKED] = OF(uint8_t),
	[PIMTYPE_I8] = OF(int8_t),
	[PIMTYPE_I16] = OF(int16_t),
	[PIMTYPE_I32] = OF(int32_t),
	[PIMTYPE_I64] = OF(int64_t),
	[PIMTYPE_U8] = OF(uint8_t),
	[PIMTYPE_U16] = OF(uint16_t),
	[PIMTYPE_U32] = OF(uint32_t),
	[PIMTYPE_U64] = OF(uint64_t),
	[PIMTYPE_F16] = OF(uint16_t),
	[PIMTYPE_BF16] = OF(uint16_t),
	[PIMTYPE_F32] = OF(float),
	[PIMTYPE_F64] = OF(double),
	[PIMTYPE_LONG_DOUBLE] = OF(long double),
	[PIMTYPE_COMPLEX_F32] = OF(float _Complex),
	[PIMTYPE_COMPLEX_F64] = OF(double _Complex),
	[PIMTYPE_COMPLEX_LONG_DOUBLE] = OF(long double _Complex),
#undef OF
};

#define NR_BASIC	(sizeof(traits) / sizeof(*traits))

/* what counts one who uses a type, and one who holds it */
#define USE	UINT64_C(1)
#define HOLD	(USE + (UINT64_C(1) << 32))

static struct pt_node basic_nodes[NR_BASIC];
static struct pimtype basics[NR_BASIC];

/* types that nobody uses: their memory stays theirs, so that it can be looked at */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pimtype *oldest, **newest = &oldest;
static unsigned int waiting;
static _Atomic uint64_t alive;

PD_FORK_SAFE(&lock);

static void make_basics(void)
{
	for (unsigned int i = 0; i < NR_BASIC; i++) {
		struct pt_node *node = &basic_nodes[i];

		*node = (struct pt_node){
			.kind = PT_DENSE, .depth = 1, .n = 1, .pieces = 1,
			.size = traits[i].size, .hi = traits[i].size,
		};
		node->hash = pt_mix(pt_mix(PT_DENSE + 1, node->size), 1);
		atomic_init(&node->refs, 1);
		basics[i] = (struct pimtype){
			.basic = true,
			.layout.node = node,
			.bounds.ub = traits[i].size,
			.align = traits[i].align,
			.sig = pt_sig_one(i),
		};
		atomic_init(&basics[i].refs, USE);
		atomic_init(&basics[i].live, true);
	}
}

const struct pimtype *pimtype_basic(enum pimtype_basic which)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	if ((unsigned int)which >= NR_BASIC) {
		pd_error_keep("which=%d, expected a value of enum pimtype_basic",
			      (int)which);
		return NULL;
	}
	pthread_once(&once, make_basics);
	return &basics[which];
}

static struct pimtype *type_alloc(void)
{
	struct pimtype *type = NULL;

	pthread_mutex_lock(&lock);
	if (waiting > WAITING_TYPES) {
		type = oldest;
		oldest = type->next;
		waiting--;
	}
	pthread_mutex_unlock(&lock);
	return type ? type : malloc(sizeof(*type));
}

static void type_recycle(struct pimtype *type)
{
	type->next = NULL;
	pthread_mutex_lock(&lock);
	if (!oldest)
		newest = &oldest;
	*newest = type;
	newest = &type->next;
	waiting++;
	pthread_mutex_unlock(&lock);
}

static struct pimtype *type_count(const struct pimtype *type, uint64_t as)
{
	struct pimtype *used = (struct pimtype *)(uintptr_t)type;

	if (!used->basic)
		atomic_fetch_add_explicit(&used->refs, as, memory_order_relaxed);
	return used;
}

struct pimtype *pt_type_get(const struct pimtype *type)
{
	return type_count(type, USE);
}

struct pimtype *pt_type_hold(const struct pimtype *type)
{
	return type_count(type, HOLD);
}

static void parts_drop(struct pt_part *parts, uint64_t nr)
{
	for (uint64_t i = 0; i < nr; i++)
		pt_type_put(parts[i].type);
	free(parts);
}

/* one user less; whom nobody uses any more is put before the others of whom that is so */
static void type_leave(struct pimtype *type, uint64_t as, struct pimtype **unused)
{
	if (type->basic ||
	    atomic_fetch_sub_explicit(&type->refs, as, memory_order_acq_rel) != as)
		return;
	type->next = *unused;
	*unused = type;
}

/* with what it was made of, without recursion: how deep that goes is its maker's */
static void type_uncount(struct pimtype *type, uint64_t as)
{
	struct pimtype *unused = NULL;

	type_leave(type, as, &unused);
	while (unused) {
		type = unused;
		unused = type->next;
		pt_put(type->layout.node);
		for (uint32_t i = 0; i < type->nr_parts; i++)
			type_leave(type->parts[i].type, USE, &unused);
		free(type->parts);
		type->layout.node = NULL;
		type->parts = NULL;
		type->nr_parts = 0;
		type_recycle(type);
	}
}

void pt_type_put(struct pimtype *type)
{
	type_uncount(type, USE);
}

void pt_type_release(struct pimtype *type)
{
	type_uncount(type, HOLD);
}

void pimtype_free(struct pimtype *type)
{
	if (!type || type->basic || !atomic_exchange(&type->live, false))
		return;
	atomic_fetch_sub_explicit(&alive, 1, memory_order_relaxed);
	pt_type_put(type);
}

uint64_t pt_types_alive(void)
{
	return atomic_load_explicit(&alive, memory_order_relaxed);
}

int pt_check_type(const char *name, const struct pimtype *type)
{
	if (!type)
		return pd_error(EINVAL, "%s is NULL, expected a type", name);
	if (!atomic_load_explicit(&type->live, memory_order_relaxed) &&
	    atomic_load_explicit(&type->refs, memory_order_relaxed) < HOLD)
		return pd_error(EINVAL, "%s has been freed, expected a type that lives",
				name);
	return 0;
}

void pt_recipe_drop(struct pt_recipe *recipe)
{
	pt_put(recipe->layout.node);
	parts_drop(recipe->parts, recipe->nr_parts);
	*recipe = (struct pt_recipe){ .parts = NULL };
}

int pt_recipe_of(struct pt_recipe *recipe, uint64_t count,
		 const struct pimtype *old)
{
	recipe->parts = malloc(sizeof(*recipe->parts));
	if (!recipe->parts)
		return pd_error(ENOMEM, "no memory for a type");
	recipe->nr_parts = 1;
	/* repetitions of repetitions are one */
	if (old->nr_parts == 1 &&
	    !__builtin_mul_overflow(count, old->parts[0].count, &count))
		old = old->parts[0].type;
	recipe->parts[0] = (struct pt_part){ count, pt_type_get(old) };
	return 0;
}

/* what the parts of a type say of it */
static void add_parts(struct pimtype *type)
{
	type->sig = pt_sig_none();
	type->align = 1;
	for (uint32_t i = 0; i < type->nr_parts; i++) {
		const struct pt_part *part = &type->parts[i];

		if (!part->count)
			continue;
		type->sig = pt_sig_join(type->sig,
					pt_sig_repeat(part->type->sig,
						      part->count));
		if (part->type->align > type->align)
			type->align = part->type->align;
	}
}

/* bounds that follow from the data; -EINVAL and a sentence */
static int natural_bounds(struct pimtype *type)
{
	const struct pt_node *node = type->layout.node;
	int64_t extent, align = (int64_t)type->align;

	type->bounds = (struct pt_bounds){ 0 };
	if (!node)
		return 0;
	if (__builtin_add_overflow(type->layout.off, node->lo, &type->bounds.lb) ||
	    __builtin_add_overflow(type->layout.off, node->hi, &type->bounds.ub) ||
	    __builtin_sub_overflow(type->bounds.ub, type->bounds.lb, &extent) ||
	    __builtin_add_overflow(extent, align - 1, &extent))
		return pt_too_large();
	extent -= extent % align;
	if (__builtin_add_overflow(type->bounds.lb, extent, &type->bounds.ub))
		return pt_too_large();
	return 0;
}

static int set_bounds(struct pimtype *type, const struct pt_bounds *bounds)
{
	int64_t extent;
	int ret = natural_bounds(type);

	if (ret || !bounds->set)
		return ret;
	if (__builtin_sub_overflow(bounds->ub, bounds->lb, &extent))
		return pt_too_large();
	type->bounds = *bounds;
	return 0;
}

int pt_type_make(struct pt_recipe *recipe, struct pimtype **type)
{
	struct pimtype *made = recipe->nr_parts > UINT32_MAX ? NULL : type_alloc();
	int ret;

	if (!made) {
		pt_recipe_drop(recipe);
		return pd_error(ENOMEM, "no memory for a type");
	}
	*made = (struct pimtype){
		.layout = recipe->layout,
		.nr_parts = (uint32_t)recipe->nr_parts,
		.parts = recipe->parts,
	};
	atomic_init(&made->refs, USE);
	add_parts(made);
	ret = set_bounds(made, &recipe->bounds);
	if (ret) {
		pt_type_put(made);
		return ret;
	}
	atomic_store(&made->live, true);
	atomic_fetch_add_explicit(&alive, 1, memory_order_relaxed);
	*type = made;
	return 0;
}

static uint64_t hash_of(const struct pimtype *type)
{
	const struct pt_node *node = type->layout.node;
	uint64_t hash = pt_mix((uint64_t)type->bounds.lb,
			       (uint64_t)pt_extent(type));

	return node ? pt_mix(pt_mix(hash, (uint64_t)type->layout.off), node->hash) :
		      hash;
}

int pimtype_info(const struct pimtype *type, struct pimtype_info *info)
{
	const struct pt_node *node;
	int ret = pt_check_type("type", type);

	if (ret)
		return ret;
	if (!info)
		return pd_error(EINVAL, "info is NULL");
	node = type->layout.node;
	*info = (struct pimtype_info){
		.size = pt_size(type),
		.lb = type->bounds.lb,
		.extent = pt_extent(type),
		.true_lb = node ? type->layout.off + node->lo : 0,
		.true_extent = node ? node->hi - node->lo : 0,
		.blocks = node ? node->pieces : 0,
		.alignment = type->align,
		.signature = pt_sig_hash(type->sig),
		.elements = type->sig.nr,
		.hash = hash_of(type),
	};
	return 0;
}

/* the part that the first bytes of one of a type end in; sig and *bytes: past those before it */
static const struct pt_part *part_at(const struct pimtype *type, uint64_t *bytes,
				     struct pt_sig *sig)
{
	const struct pt_part *part = type->parts;
	uint64_t had;

	while ((had = pt_size(part->type) * part->count) < *bytes) {
		*sig = pt_sig_join(*sig, pt_sig_repeat(part->type->sig, part->count));
		*bytes -= had;
		part++;
	}
	return part;
}

bool pt_sig_of_begin(const struct pimtype *type, uint64_t count, uint64_t bytes,
		     struct pt_sig *sig)
{
	*sig = pt_sig_none();
	while (bytes) {
		uint64_t size = pt_size(type);
		uint64_t whole = bytes / size < count ? bytes / size : count;
		const struct pt_part *part;

		*sig = pt_sig_join(*sig, pt_sig_repeat(type->sig, whole));
		bytes -= whole * size;
		if (!bytes)
			break;
		if (!type->nr_parts)
			return false;
		part = part_at(type, &bytes, sig);
		type = part->type;
		count = part->count;
	}
	return true;
}
