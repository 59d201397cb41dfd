// SPDX-License-Identifier: MIT
/*
 * The race detector of programs compiled by -fpimdimm-check: vector clocks of tasklets,
 * and of each byte of WRAM and each word of MRAM the accesses that later ones are to be
 * ordered after. The compiler calls the functions named __tsan_ at each access.
 */
#include <stdbool.h>
#include <string.h>

#include <mram.h>
#include <pimdimm.h>

#include "found.h"

#define SHARED		0xffffffffu	/* a cell's read: several tasklets', in its row */
#define NR_OBJECTS	16384u
#define NR_ROWS		(1u << 16)
#define CLOCK_SHIFT	5
/* clocks of tasklets have 27 bits; a program that has come so far is not checked on */
#define CLOCK_MAX	((1u << 27) - (1u << 20))
#define PC_BITS		22
#define MRAM_WORDS	(PE_MRAM_MAX / 8)

/* who accessed it when: clock << CLOCK_SHIFT | tasklet; where, with how many bytes */
struct access {
	uint32_t epoch, place;
};

struct cell {
	struct access write;
	struct access read;	/* SHARED: place is the row's number */
};

struct row {
	struct access reads[PE_MAX_TASKLETS];
};

/* what tasklets meet at: the clocks of those that have released it */
struct object {
	uint64_t key;
	uint32_t generation;
	uint32_t there;		/* at a barrier: a bit each of those that wait */
	uint32_t clocks[PE_MAX_TASKLETS];
};

struct checker {
	uint32_t generation, base;
	uint32_t nr_rows, free_rows;	/* of MRAM; 0: none, else its number + 1 */
	bool off;
	uint32_t clocks[PE_MAX_TASKLETS][PE_MAX_TASKLETS];
	struct object objects[NR_OBJECTS];
	struct row rows[2 * NR_ROWS];	/* a byte's of WRAM each, then those of MRAM */
	struct cell wram[PE_WRAM_BYTES];
	struct cell mram[MRAM_WORDS];
};

_Static_assert(sizeof(struct checker) <= PE_CHECK_BYTES, "PE_CHECK");
_Static_assert(NR_ROWS == PE_WRAM_BYTES, "rows");

#define CHECKER	((struct checker *)(uintptr_t)PE_CHECK)
#define TABLE	((struct pe_check_table *)(uintptr_t)PE_CHECK_TABLE)

/*
 * Threads that parcels start, at the places behind the tasklets', are not checked, since
 * nothing tells what they come after; nor is a PE that is entered again, whose notes another
 * worker may have.
 */
static inline bool is_on(const struct checker *c)
{
	return !c->off && TABLE->on;
}

/* From here on there would be reports of what is ordered. */
static void stop(struct checker *c)
{
	const struct pe_found f = { .kind = PE_FOUND_END };

	c->off = true;
	pe_put_found(&f);
}

/*
 * Called by tasklet 0 while it is alone. Nothing is cleared: all that was noted of PEs
 * before is older than the clocks that all tasklets know of each other now.
 */
void pe_check_begin(void)
{
	struct checker *c = CHECKER;

	TABLE->on = 1;
	for (uint32_t t = 0; t < PE_MAX_TASKLETS; t++)
		if (c->base < c->clocks[t][t])
			c->base = c->clocks[t][t];
	for (uint32_t t = 0; t < PE_MAX_TASKLETS; t++) {
		for (uint32_t u = 0; u < PE_MAX_TASKLETS; u++)
			c->clocks[t][u] = c->base;
		c->clocks[t][t]++;
	}
	c->generation++;
	c->off = false;
	if (c->base > CLOCK_MAX)
		stop(c);
}

/* NULL: there is none, or where one is to be made, there are too many. */
static struct object *find_object(struct checker *c, uint64_t key, bool make)
{
	uint32_t at = (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 40) % NR_OBJECTS;

	for (uint32_t n = 0; n < NR_OBJECTS; n++) {
		struct object *o = &c->objects[(at + n) % NR_OBJECTS];

		if (o->generation == c->generation && o->key == key)
			return o;
		if (o->generation != c->generation && !make)
			return NULL;
		if (o->generation != c->generation) {
			*o = (struct object){ .key = key, .generation = c->generation };
			return o;
		}
	}
	stop(c);
	return NULL;
}

static void join(uint32_t *to, const uint32_t *from)
{
	for (uint32_t t = 0; t < PE_MAX_TASKLETS; t++)
		if (to[t] < from[t])
			to[t] = from[t];
}

/*
 * What comes before all that another does who meets this one: of a traveller, what any
 * tasklet has done by now, so that nothing is told of what one has ordered.
 */
static void give(const struct checker *c, uint32_t me, uint32_t *to)
{
	if (me < PE_MAX_TASKLETS) {
		join(to, c->clocks[me]);
		return;
	}
	for (uint32_t t = 0; t < PE_MAX_TASKLETS; t++)
		if (to[t] < c->clocks[t][t])
			to[t] = c->clocks[t][t];
}

static void take(struct checker *c, uint32_t me, const uint32_t *from)
{
	if (me < PE_MAX_TASKLETS)
		join(c->clocks[me], from);
}

/* What it does from now on is not before what others have been given. */
static void go_on(struct checker *c, uint32_t me)
{
	if (me < PE_MAX_TASKLETS && ++c->clocks[me][me] > CLOCK_MAX)
		stop(c);
}

void pe_check_acquire(uint32_t me, uint64_t key)
{
	struct checker *c = CHECKER;
	uint32_t critical = PE_SELF->critical;
	struct object *o;

	pe_be_alone();
	if (is_on(c) && (o = find_object(c, key, false)))
		take(c, me, o->clocks);
	pe_be_among(critical);
}

void pe_check_release(uint32_t me, uint64_t key)
{
	struct checker *c = CHECKER;
	uint32_t critical = PE_SELF->critical;
	struct object *o;

	pe_be_alone();
	if (is_on(c) && (o = find_object(c, key, true))) {
		give(c, me, o->clocks);
		go_on(c, me);
	}
	pe_be_among(critical);
}

void pe_check_arrive(uint32_t me, uint64_t key)
{
	struct checker *c = CHECKER;
	struct object *o;

	if (is_on(c) && (o = find_object(c, key, true))) {
		give(c, me, o->clocks);
		o->there |= 1u << me;
	}
}

void pe_check_pass(uint64_t key)
{
	struct checker *c = CHECKER;
	struct object *o;

	if (!is_on(c) || !(o = find_object(c, key, true)))
		return;
	for (uint32_t t = 0; t < PE_PLACES; t++) {
		if (o->there >> t & 1) {
			take(c, t, o->clocks);
			go_on(c, t);
		}
	}
	*o = (struct object){ .key = key, .generation = c->generation };
}

void pe_check_meet(uint32_t a, uint32_t b)
{
	uint32_t both[PE_MAX_TASKLETS] = { 0 };
	struct checker *c = CHECKER;

	if (!is_on(c))
		return;
	give(c, a, both);
	give(c, b, both);
	take(c, a, both);
	take(c, b, both);
	go_on(c, a);
	go_on(c, b);
}

/* how much in ten bits: of less than a word, which part of it, too */
static uint32_t place_of(const void *pc, uint64_t address, uint32_t bytes)
{
	uint32_t at = (uint32_t)(uintptr_t)pc - PE_TEXT_BASE - 1, code;

	if (bytes < 8)
		code = (address & 7) << 3 | bytes;
	else if (bytes < 480)
		code = 64 + bytes;
	else
		code = 544 + (bytes / 8 < 479 ? bytes / 8 : 479);
	return code << PC_BITS | (at & ((1u << PC_BITS) - 1));
}

static uint32_t bytes_of(uint32_t place)
{
	uint32_t code = place >> PC_BITS;

	return code < 64 ? code & 7 : code < 544 ? code - 64 : (code - 544) * 8;
}

/* Whether two accesses to one word are to other bytes of it. */
static bool apart(uint32_t a, uint32_t b)
{
	a >>= PC_BITS;
	b >>= PC_BITS;
	if (a >= 64 || b >= 64)
		return false;
	return (a >> 3) + (a & 7) <= b >> 3 || (b >> 3) + (b & 7) <= a >> 3;
}

__attribute__((noinline))
static void race(uint32_t address, struct access before, bool wrote, struct access now,
		 bool writes)
{
	const uint32_t mask = (1u << PC_BITS) - 1;
	struct pe_found f = {
		.kind = PE_FOUND_RACE,
		.address = address,
		.pc = { before.place & mask, now.place & mask },
		.bytes = { bytes_of(before.place), bytes_of(now.place) },
		.tasklet = { before.epoch & 31, now.epoch & 31 },
		.write = { wrote, writes },
	};

	if (address - PE_MRAM_BASE >= PE_MRAM_MAX || !apart(before.place, now.place))
		pe_put_found(&f);
}

/* whether all that this tasklet does now comes after */
static inline bool ordered(const uint32_t *clocks, uint32_t epoch)
{
	return epoch >> CLOCK_SHIFT <= clocks[epoch & 31];
}

/* One that another tasklet reads as well: both are remembered. */
__attribute__((noinline))
static void share(struct checker *c, struct cell *cell, struct access now, uint32_t row)
{
	if (cell->read.epoch != SHARED) {
		struct access first = cell->read;

		if (row == SHARED && c->free_rows) {
			row = c->free_rows - 1;
			c->free_rows = c->rows[row].reads[0].place;
		} else if (row == SHARED && c->nr_rows < NR_ROWS) {
			row = NR_ROWS + c->nr_rows++;
		} else if (row == SHARED) {
			/* the older one is forgotten */
			cell->read = now;
			return;
		}
		memset(&c->rows[row], 0, sizeof(c->rows[row]));
		c->rows[row].reads[first.epoch & 31] = first;
		cell->read = (struct access){ SHARED, row };
	}
	c->rows[cell->read.place].reads[now.epoch & 31] = now;
}

static inline void check_read(struct checker *c, const uint32_t *clocks, struct cell *cell,
			      uint32_t address, struct access now, uint32_t row)
{
	if (cell->read.epoch == now.epoch || cell->write.epoch == now.epoch)
		return;
	/* nobody has written since, or it would be nobody's read */
	if (cell->read.epoch == SHARED &&
	    c->rows[cell->read.place].reads[now.epoch & 31].epoch == now.epoch)
		return;
	if (!ordered(clocks, cell->write.epoch))
		race(address, cell->write, true, now, false);
	if (cell->read.epoch != SHARED && ordered(clocks, cell->read.epoch))
		cell->read = now;
	else
		share(c, cell, now, row);
}

__attribute__((noinline))
static void check_readers(struct checker *c, const uint32_t *clocks, struct cell *cell,
			  uint32_t address, struct access now)
{
	struct row *row = &c->rows[cell->read.place];

	for (uint32_t t = 0; t < PE_MAX_TASKLETS; t++)
		if (!ordered(clocks, row->reads[t].epoch))
			race(address, row->reads[t], false, now, true);
	if (cell->read.place >= NR_ROWS) {
		row->reads[0].place = c->free_rows;
		c->free_rows = cell->read.place + 1;
	}
}

static inline void check_write(struct checker *c, const uint32_t *clocks, struct cell *cell,
			       uint32_t address, struct access now)
{
	if (cell->write.epoch == now.epoch && !cell->read.epoch)
		return;
	if (!ordered(clocks, cell->write.epoch))
		race(address, cell->write, true, now, true);
	if (cell->read.epoch == SHARED)
		check_readers(c, clocks, cell, address, now);
	else if (!ordered(clocks, cell->read.epoch))
		race(address, cell->read, false, now, true);
	cell->write = now;
	cell->read = (struct access){ 0, 0 };
}

static void check_wram(struct checker *c, uint32_t at, uint32_t bytes, bool write,
		       struct access now)
{
	const uint32_t *clocks = c->clocks[now.epoch & 31];

	if (bytes > PE_WRAM_BYTES - at)
		bytes = PE_WRAM_BYTES - at;
	for (uint32_t end = at + bytes; at < end; at++) {
		if (write)
			check_write(c, clocks, &c->wram[at], PE_WRAM_BASE + at, now);
		else
			check_read(c, clocks, &c->wram[at], PE_WRAM_BASE + at, now, at);
	}
}

/*
 * By words, of which tasklets may access different bytes: of those that write some, the
 * last is remembered.
 */
static void check_mram(struct checker *c, uint32_t at, uint32_t bytes, bool write,
		       struct access now)
{
	const uint32_t *clocks = c->clocks[now.epoch & 31];
	uint32_t last = (at + bytes - 1) / 8;

	for (uint32_t word = at / 8; word <= last && word < MRAM_WORDS; word++) {
		if (write)
			check_write(c, clocks, &c->mram[word], PE_MRAM_BASE + 8 * word, now);
		else
			check_read(c, clocks, &c->mram[word], PE_MRAM_BASE + 8 * word, now,
				   SHARED);
	}
}

/* Nobody comes in between, whatever the tasklet does itself to be alone. */
static void check(uint64_t address, uint32_t bytes, bool write, const void *pc)
{
	struct checker *c = CHECKER;
	uint32_t me = PE_SELF->tasklet, critical = PE_SELF->critical;
	struct access now;

	if (me >= PE_MAX_TASKLETS || !is_on(c) || !bytes)
		return;
	now = (struct access){ c->clocks[me][me] << CLOCK_SHIFT | me, place_of(pc, address, bytes) };
	pe_be_alone();
	if (address - PE_WRAM_BASE < PE_WRAM_BYTES)
		check_wram(c, (uint32_t)address - PE_WRAM_BASE, bytes, write, now);
	else if (address - PE_MRAM_BASE < PE_MRAM_MAX)
		check_mram(c, (uint32_t)address - PE_MRAM_BASE, bytes, write, now);
	pe_be_among(critical);
}

void pe_check_range(const volatile void *p, size_t bytes, int write, const void *pc)
{
	check((uintptr_t)p, (uint32_t)bytes, write, pc);
}

/* What hardware makes of it. */
void pe_check_dma(uint32_t mram, const void *wram, uint32_t bytes, int write)
{
	const void *pc = __builtin_return_address(0);
	uint64_t at = (uintptr_t)wram & ~7ull;

	bytes = pe_check_rules(mram, wram, bytes, write, pc);
	mram = (mram % PE_MRAM_BASE & ~7u) + PE_MRAM_BASE;
	check(mram, bytes, write, pc);
	check(at, bytes, !write, pc);
}

/* Travellers' accesses are not watched. */
void pe_check_unload(const void *to, uint32_t bytes)
{
	(void)to;
	(void)bytes;
}

#define HOOKS(bytes)								\
	void __tsan_read##bytes(void *p);					\
	void __tsan_read##bytes(void *p)					\
	{									\
		check((uintptr_t)p, bytes, false, __builtin_return_address(0));	\
	}									\
	void __tsan_write##bytes(void *p);					\
	void __tsan_write##bytes(void *p)					\
	{									\
		check((uintptr_t)p, bytes, true, __builtin_return_address(0));	\
	}									\
	void __tsan_unaligned_read##bytes(void *p);				\
	void __tsan_unaligned_read##bytes(void *p)				\
	{									\
		check((uintptr_t)p, bytes, false, __builtin_return_address(0));	\
	}									\
	void __tsan_unaligned_write##bytes(void *p);				\
	void __tsan_unaligned_write##bytes(void *p)				\
	{									\
		check((uintptr_t)p, bytes, true, __builtin_return_address(0));	\
	}

HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)

void __tsan_init(void);
void __tsan_init(void)
{
}
