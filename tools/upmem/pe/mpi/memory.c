// SPDX-License-Identifier: MIT
/* Memory for messages: a little of WRAM, and a pool in MRAM. */
#include "inside.h"

#define WRAM_BYTES	6144u
#define GRAIN		16u
/* what is larger is not tried in WRAM */
#define SMALL		1024u

/* free memory, in the order of addresses */
struct span {
	uint32_t next, bytes;
};

struct arena {
	uint32_t first;
	bool mram;
};

extern __mram_ptr unsigned char mpi_pool[];
extern const uint32_t mpi_pool_bytes;

static uint8_t near_memory[WRAM_BYTES] __attribute__((aligned(GRAIN)));
static struct arena wram MPI_BOOT, mram MPI_BOOT;
/* what waits for memory: its name is told where it waits in vain */
static volatile uint64_t mpi_no_memory[4] __attribute__((aligned(32)));
static uint32_t waiting MPI_BOOT;

static struct span *span_at(uint32_t address)
{
	return (struct span *)(uintptr_t)address;
}

static uint32_t rounded(uint32_t bytes)
{
	return bytes ? (bytes + GRAIN - 1) & ~(GRAIN - 1) : GRAIN;
}

static void look_at(const struct arena *arena, uint32_t address, bool write)
{
	if (arena->mram)
		mpi_charge_mram(address, sizeof(struct span), write);
}

/* the place that says where the next one is */
static uint32_t *link_of(struct arena *arena, uint32_t before)
{
	return before ? &span_at(before)->next : &arena->first;
}

static void *take(struct arena *arena, uint32_t bytes)
{
	uint32_t before = 0, at = arena->first, rest;

	for (; at; before = at, at = span_at(at)->next) {
		look_at(arena, at, false);
		if (span_at(at)->bytes >= bytes)
			break;
	}
	if (!at)
		return NULL;
	/* its end, so that what is left stays where it is linked */
	rest = span_at(at)->bytes - bytes;
	if (rest)
		span_at(at)->bytes = rest;
	else
		*link_of(arena, before) = span_at(at)->next;
	look_at(arena, at, true);
	return (void *)(uintptr_t)(at + rest);
}

static void join(struct arena *arena, uint32_t at)
{
	struct span *span = span_at(at);

	if (!at || !span->next || at + span->bytes != span->next)
		return;
	span->bytes += span_at(span->next)->bytes;
	span->next = span_at(span->next)->next;
	look_at(arena, at, true);
}

static void give(struct arena *arena, uint32_t at, uint32_t bytes)
{
	uint32_t before = 0, after = arena->first;

	for (; after && after < at; before = after, after = span_at(after)->next)
		look_at(arena, after, false);
	*span_at(at) = (struct span){ after, bytes };
	*link_of(arena, before) = at;
	look_at(arena, at, true);
	join(arena, at);
	join(arena, before);
}

static void memory_open(void)
{
	uint32_t pool = ((uint32_t)(uintptr_t)mpi_pool + GRAIN - 1) & ~(GRAIN - 1);
	uint32_t end = (uint32_t)(uintptr_t)mpi_pool + mpi_pool_bytes;

	mram.mram = true;
	give(&wram, (uint32_t)(uintptr_t)near_memory, WRAM_BYTES);
	give(&mram, pool, (end - pool) & ~(GRAIN - 1));
}

void *mpi_alloc_wram(uint32_t bytes)
{
	if (!mram.mram)
		memory_open();
	return take(&wram, rounded(bytes));
}

void *mpi_alloc_mram(uint32_t bytes)
{
	if (!mram.mram)
		memory_open();
	return bytes > mpi_pool_bytes ? NULL : take(&mram, rounded(bytes));
}

void *mpi_alloc(uint32_t bytes)
{
	void *p = bytes <= SMALL ? mpi_alloc_wram(bytes) : NULL;

	return p ? p : mpi_alloc_mram(bytes);
}

void mpi_free(void *memory, uint32_t bytes)
{
	if (!memory)
		return;
	give(mpi_in_mram(memory) ? &mram : &wram, (uint32_t)(uintptr_t)memory,
	     rounded(bytes));
	if (waiting)
		PE_SVC->wake(mpi_no_memory, UINT32_MAX);
}

void mpi_wait_memory(void)
{
	waiting++;
	pe_wait(PE_WAIT_FULL, mpi_no_memory);
	waiting--;
}
