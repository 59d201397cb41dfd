// SPDX-License-Identifier: MIT
/* What buffers hold: walked in the order of their types, checked, and copied. */
#include <pimdimm.h>
#include <string.h>

#include "inside.h"

/* of a stream at a time, on its way between two buffers or from and to MRAM */
#define STAGE	512u

static uint8_t stage[STAGE] __attribute__((aligned(8)));

/* some bytes of a part's stream, met run by run */
struct walk {
	uint64_t skip, left;
	uint8_t *run;		/* the other side; NULL: none */
	bool to_part;
	bool checks, bad;	/* whether all that is met is memory */
	bool reads;		/* constants will do */
	uint8_t *marks;		/* a bit for each byte from `first` on */
	uint8_t *first;
	bool twice;
};

static bool within(uint64_t at, uint64_t bytes, uint64_t base, uint64_t size)
{
	return at >= base && at - base <= size && bytes <= size - (at - base);
}

/* whether a PE has all of these bytes */
static bool is_memory(uint64_t at, uint64_t bytes, bool reads)
{
	return within(at, bytes, PE_WRAM_BASE, PE_WRAM_BYTES) ||
	       within(at, bytes, PE_MRAM_BASE, PE_SELF->mram_bytes) ||
	       within(at, bytes, PE_STACK_BASE, PE_SERVICES - PE_STACK_BASE) ||
	       (reads && within(at, bytes, PE_TEXT_BASE, PE_TEXT_MAX));
}

static void mark(struct walk *w, const uint8_t *at, uint64_t bytes)
{
	for (uint64_t i = (uint64_t)(at - w->first); bytes--; i++) {
		w->twice |= w->marks[i / 8] >> i % 8 & 1;
		w->marks[i / 8] |= (uint8_t)(1u << i % 8);
	}
}

/* a run of bytes, of which the first `skip` are not wanted */
static void walk_run(struct walk *w, uint8_t *at, uint64_t bytes)
{
	at += w->skip;
	bytes -= w->skip;
	w->skip = 0;
	if (bytes > w->left)
		bytes = w->left;
	w->left -= bytes;
	if (w->checks)
		w->bad |= !is_memory((uint64_t)at, bytes, w->reads);
	if (w->marks)
		mark(w, at, bytes);
	if (!w->run)
		return;
	if (w->to_part)
		mpi_copy(at, w->run, bytes);
	else
		mpi_copy(w->run, at, bytes);
	w->run += bytes;
}

/* a multiplication takes as long as all the rest of a short message's walk */
static uint64_t bytes_of(uint64_t count, const struct mpi_type *type)
{
	return count == 1 ? type->size : mpi_product((uint32_t)count, (uint32_t)type->size);
}

static void walk_many(struct walk *w, const struct mpi_type *type, uint64_t count,
		      uint8_t *base);

static void walk_one(struct walk *w, const struct mpi_type *type, uint8_t *base)
{
	bool loop = type->kind == MPI_KIND_LOOP;
	uint64_t i = 0, size;

	if (type->dense) {
		walk_run(w, base + type->true_lb, type->size);
		return;
	}
	/* to the place in a loop at once */
	if (loop && w->skip) {
		size = type->size / type->n;
		i = w->skip / size;
		w->skip %= size;
	}
	for (; i < type->n && w->left; i++) {
		const struct mpi_block *b = &type->blocks[loop ? 0 : i];

		walk_many(w, b->child, b->count,
			  base + b->at + (loop ? (int64_t)i * type->stride : 0));
	}
}

static void walk_many(struct walk *w, const struct mpi_type *type, uint64_t count,
		      uint8_t *base)
{
	uint64_t size = type->size, all = bytes_of(count, type), i = 0;

	if (w->skip >= all) {
		w->skip -= all;
		return;
	}
	if (type->dense && (count == 1 || mpi_extent(type) == (int64_t)size)) {
		walk_run(w, base + type->true_lb, all);
		return;
	}
	if (w->skip) {
		i = w->skip / size;
		w->skip %= size;
	}
	for (; i < count && w->left; i++)
		walk_one(w, type, base + (int64_t)i * mpi_extent(type));
}

bool mpi_is_dense(const struct mpi_part *part)
{
	return part->type->dense &&
	       (part->count <= 1 || mpi_extent(part->type) == (int64_t)part->type->size);
}

void mpi_stream(const struct mpi_part *part, uint64_t at, void *run, uint64_t bytes,
		bool to_part)
{
	struct walk w = { .to_part = to_part };
	uint8_t *p = run;
	uint64_t n;

	/* small runs are put together in WRAM */
	while (bytes) {
		bool staged = mpi_in_mram(p) && !mpi_is_dense(part);

		n = staged && bytes > STAGE ? STAGE : bytes;
		w.skip = at;
		w.left = n;
		w.run = staged ? stage : p;
		if (staged && to_part)
			mpi_copy(stage, p, n);
		walk_many(&w, part->type, part->count, part->base);
		if (staged && !to_part)
			mpi_copy(p, stage, n);
		at += n;
		p += n;
		bytes -= n;
	}
}

void mpi_stream_aboard(const struct mpi_part *part, uint64_t at, uint32_t bytes)
{
	uint32_t done = 0, n;

	if (mpi_is_dense(part)) {
		parcel_unload(part->base + part->type->true_lb + at, 0, bytes);
		return;
	}
	for (; done < bytes; done += n) {
		n = bytes - done < STAGE ? bytes - done : STAGE;
		parcel_unload(stage, done, n);
		mpi_stream(part, at + done, stage, n, true);
	}
}

void mpi_copy_part(const struct mpi_part *to, const struct mpi_part *from)
{
	uint64_t bytes = from->count * from->type->size;

	if (mpi_is_dense(to)) {
		mpi_stream(from, 0, to->base + to->type->true_lb, bytes, false);
		return;
	}
	if (mpi_is_dense(from)) {
		mpi_stream(to, 0, from->base + from->type->true_lb, bytes, true);
		return;
	}
	for (uint64_t at = 0; at < bytes; at += STAGE) {
		uint64_t n = bytes - at < STAGE ? bytes - at : STAGE;

		mpi_stream(from, at, stage, n, false);
		mpi_stream(to, at, stage, n, true);
	}
}

/* inside: by a bit for each byte that lies between its first and its last one */
static enum mpi_apart look_apart(const struct mpi_part *part)
{
	const struct mpi_type *t = part->type;
	int64_t last = (int64_t)(part->count - 1) * mpi_extent(t);
	int64_t lo = t->true_lb + (last < 0 ? last : 0);
	int64_t hi = t->true_ub + (last > 0 ? last : 0);
	uint32_t bytes = (uint32_t)((hi - lo + 7) / 8);
	struct walk w = { .left = part->count * t->size, .first = part->base + lo };

	w.marks = mpi_alloc(bytes);
	if (!w.marks)
		return MPI_APART_UNKNOWN;
	memset(w.marks, 0, bytes);
	if (mpi_in_mram(w.marks))
		mpi_charge_mram((uintptr_t)w.marks, bytes, true);
	walk_many(&w, t, part->count, part->base);
	mpi_free(w.marks, bytes);
	return w.twice ? MPI_APART_NO : MPI_APART_YES;
}

static enum mpi_apart is_apart(const struct mpi_part *part)
{
	struct mpi_type *t = (struct mpi_type *)(uintptr_t)part->type;
	struct mpi_part one = { part->base, 1, t };
	int64_t span = t->true_ub - t->true_lb, extent = mpi_extent(t);

	if (t->apart == MPI_APART_UNKNOWN)
		t->apart = look_apart(&one);
	if (t->apart != MPI_APART_YES || part->count == 1 || extent >= span || extent <= -span)
		return t->apart;
	return look_apart(part);
}

static int check_apart(const struct mpi_call *call, const struct mpi_part *part)
{
	enum mpi_apart apart;

	pe_enter();
	apart = is_apart(part);
	pe_leave();
	if (apart == MPI_APART_YES)
		return MPI_SUCCESS;
	return apart == MPI_APART_NO ?
		mpi_fail(call, MPI_ERR_TYPE, "MPI_ERR_TYPE: what is received has a byte twice",
			 (uintptr_t)part->base) :
		mpi_fail(call, MPI_ERR_NO_MEM,
			 "MPI_ERR_NO_MEM: no memory to see whether what is received has a byte twice: MPIX_POOL_INIT gives more",
			 (uintptr_t)part->base);
}

__attribute__((noinline))
static bool is_too_much(int64_t count, const struct mpi_type *type)
{
	if (count > INT32_MAX)
		return true;
	/* as a rule their lengths say it, and no product of 64 bits is needed */
	if (__builtin_clz((uint32_t)count | 1) + __builtin_clz((uint32_t)type->size | 1) > 32)
		return false;
	return (uint64_t)count * type->size > UINT64_C(1) << 31;
}

int mpi_check_part(const struct mpi_call *call, const void *buf, int64_t count,
		   const struct mpi_type *type, bool receives)
{
	struct mpi_part part = { (uint8_t *)(uintptr_t)buf, (uint64_t)count, type };
	struct walk w = { .checks = true, .reads = !receives };
	int error;

	if (count < 0)
		return mpi_fail(call, MPI_ERR_COUNT, "MPI_ERR_COUNT: count is negative",
				(uint64_t)count);
	error = mpi_check_type(call, type);
	if (error)
		return error;
	if (!type->committed)
		return mpi_fail(call, MPI_ERR_TYPE,
				"MPI_ERR_TYPE: the datatype is not committed", (uintptr_t)type);
	if (count != 1 && is_too_much(count, type))
		return mpi_fail(call, MPI_ERR_COUNT,
				"MPI_ERR_COUNT: more data than any memory has", (uint64_t)count);
	w.left = bytes_of(part.count, type);
	if (!w.left)
		return MPI_SUCCESS;
	walk_many(&w, type, part.count, part.base);
	if (w.bad)
		return mpi_fail(call, MPI_ERR_BUFFER,
				"MPI_ERR_BUFFER: the buffer is not in WRAM, and not in MRAM",
				(uintptr_t)buf);
	return receives ? check_apart(call, &part) : MPI_SUCCESS;
}

/* what the words of a buffer are */
enum {
	WORD_BASE,
	WORD_COUNT,
	WORD_TYPE,
};

uint64_t mpi_signature(const struct mpi_part *part)
{
	return mpi_sig_hash(mpi_sig_repeat(part->type->sig, part->count));
}

struct me_buffer mpi_buffer_of(const void *buf, uint64_t count, const struct mpi_type *type)
{
	return (struct me_buffer){
		.bytes = bytes_of(count, type),
		.signature = mpi_sig_hash(mpi_sig_repeat(type->sig, count)),
		.words = {
			[WORD_BASE] = (uintptr_t)buf,
			[WORD_COUNT] = count,
			[WORD_TYPE] = (uintptr_t)mpi_type_get(type),
		},
	};
}

struct mpi_part mpi_part_of(const struct me_buffer *buffer)
{
	return (struct mpi_part){
		.base = (uint8_t *)(uintptr_t)buffer->words[WORD_BASE],
		.count = buffer->words[WORD_COUNT],
		.type = (const struct mpi_type *)(uintptr_t)buffer->words[WORD_TYPE],
	};
}

void mpi_buffer_release(struct me_buffer *buffer)
{
	if (buffer->words[WORD_TYPE])
		mpi_type_put((const struct mpi_type *)(uintptr_t)buffer->words[WORD_TYPE]);
	buffer->words[WORD_TYPE] = 0;
}
