// SPDX-License-Identifier: MIT
/* An arena's memory: made, looked through for what PEs have touched, and wiped. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/error.h"
#include "runtime/base/signals.h"
#include "runtime/base/zeros.h"
#include "runtime/pe/process/arena.h"

static int map_arena(struct pd_arena *arena, uint64_t window_bytes)
{
	void *map;

	arena->fd = memfd_create("pimdimm-arena", MFD_CLOEXEC);
	if (arena->fd < 0 ||
	    pd_set_file_size(arena->fd,
			     (off_t)(PE_ARENA_WINDOW + window_bytes)))
		return -1;
	map = mmap(NULL, PE_ARENA_BYTES, PROT_READ | PROT_WRITE,
		   MAP_SHARED | MAP_NORESERVE, arena->fd, 0);
	if (map == MAP_FAILED)
		return -1;
	/* so that its pages can be counted */
	madvise(map, PE_ARENA_BYTES, MADV_NOHUGEPAGE);
	arena->base = map;
	arena->shared = map;
	arena->wram = arena->base + PE_ARENA_WRAM;
	return 0;
}

static void unmap_arena(struct pd_arena *arena)
{
	if (arena->base)
		munmap(arena->base, PE_ARENA_BYTES);
	if (arena->fd >= 0)
		close(arena->fd);
}

int pd_arena_create(struct pd_arena *arena, struct pimdimm *sys)
{
	int ret = 0;

	*arena = (struct pd_arena){ .fd = -1 };
	if (map_arena(arena, sys->geometry.mram_size))
		ret = pd_error(ENOMEM,
			       "no memory that a worker process could share: %s",
			       strerror(errno));
	if (!ret)
		ret = pd_window_create(&arena->window, sys, arena->fd,
				       PE_ARENA_WINDOW);
	if (ret)
		unmap_arena(arena);
	else
		arena->window.flags = arena->shared->pages;
	return ret;
}

void pd_arena_destroy(struct pd_arena *arena)
{
	pd_window_destroy(&arena->window);
	unmap_arena(arena);
}

static void punch_arena(const struct pd_arena *arena, uint32_t begin, uint32_t end)
{
	/* it cannot fail on a memfd of ours */
	fallocate(arena->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		  begin, end - begin);
}

/* without those of the window that are known to it */
static uint64_t count_blocks(const struct pd_arena *arena)
{
	struct stat st;

	if (fstat(arena->fd, &st))
		return 0;
	return (uint64_t)st.st_blocks -
	       arena->window.nr_filled * (PE_PAGE / 512ull);
}

/* The first span of pages that are there, from `begin` on; false: none. */
static bool next_span(const struct pd_arena *arena, uint32_t begin, uint32_t end,
		      struct pd_stack_span *span)
{
	off_t from = lseek(arena->fd, begin, SEEK_DATA);
	off_t to;

	if (from < 0 && errno == ENXIO)
		return false;
	to = from < 0 ? from : lseek(arena->fd, from, SEEK_HOLE);
	/* whoever cannot tell has all of them */
	*span = (struct pd_stack_span){
		.begin = from < 0 ? begin : (uint32_t)from,
		.end = to < 0 || to > end ? end : (uint32_t)to,
	};
	return span->begin < end;
}

/* The end of what a span of one tasklet's stack may lie in. */
static uint32_t slot_end(uint32_t at)
{
	if (at < PE_ARENA_STACKS)
		return PE_ARENA_STACKS;
	return at - (at - PE_ARENA_STACKS) % PE_STACK_SLOT + PE_STACK_SLOT;
}

/* Remember the spans of [begin, end), none of two tasklets'; false: too many. */
static bool find_stacks(const struct pd_arena *arena, struct pd_touched *t,
			uint32_t begin, uint32_t end)
{
	struct pd_stack_span span = { begin, begin };

	while (next_span(arena, span.end, end, &span)) {
		if (t->nr_stacks == PD_MAX_SPANS)
			return false;
		if (span.end > slot_end(span.begin))
			span.end = slot_end(span.begin);
		t->stacks[t->nr_stacks++] = span;
	}
	return true;
}

static void find_wram(const struct pd_arena *arena, struct pd_touched *t)
{
	struct pd_stack_span span = { PE_ARENA_WRAM, PE_ARENA_WRAM };

	t->wram_bytes = 0;
	while (next_span(arena, span.end, PE_ARENA_STACKS, &span))
		t->wram_bytes = span.end - PE_ARENA_WRAM;
}

/* Pages of struct pe_shared and of the control stack that have no use. */
static void punch_unused(const struct pd_arena *arena)
{
	uint32_t flags = offsetof(struct pe_shared, pages);

	punch_arena(arena, (flags + arena->window.nr_pages + PE_PAGE - 1) &
		    ~(PE_PAGE - 1), PE_CONTROL_USED - PE_SHARED);
}

/* Find out what is there; false: stacks are in too many pieces. */
static bool find_touched(struct pd_arena *arena)
{
	struct pd_touched *t = &arena->touched;
	bool all;

	punch_unused(arena);
	/* what goes later would hide as many new pages from count_blocks() */
	pd_window_punch_strange(&arena->window);
	t->nr_stacks = 0;
	all = find_stacks(arena, t, PE_ARENA_SIGNAL, PE_ARENA_WRAM) &&
	      find_stacks(arena, t, PE_ARENA_STACKS, PE_ARENA_BYTES);
	find_wram(arena, t);
	/* they are looked for again */
	t->blocks = all ? count_blocks(arena) : 0;
	return all;
}

bool pd_arena_look(struct pd_arena *arena)
{
	uint64_t now = count_blocks(arena);

	return (now && now == arena->touched.blocks) || find_touched(arena);
}

static void give_back_stacks(struct pd_arena *arena)
{
	punch_arena(arena, PE_ARENA_SIGNAL, PE_ARENA_WRAM);
	punch_arena(arena, PE_ARENA_STACKS, PE_ARENA_BYTES);
	arena->touched.nr_stacks = 0;
	arena->touched.blocks = count_blocks(arena);
}

/*
 * Most of a stack's page is as it was. To look is cheaper than to write: what
 * nobody wrote is in the caches of both processors, the host's and the worker's.
 */
static void clear_stack(uint8_t *p, size_t bytes)
{
	while (bytes) {
		size_t at = pd_zeros_before(p, bytes), end = at;

		while (end < bytes && !pd_zero_block(p + end))
			end += PD_ZEROS_BYTES;
		memset(p + at, 0, end - at);
		p += end;
		bytes -= end;
	}
}

/* Where in a block the first word lies that is not zero. */
static size_t zeros_in_block(const uint8_t *p)
{
	size_t at = 0;
	uint64_t word;

	for (; at < PD_ZEROS_BYTES; at += sizeof(word)) {
		memcpy(&word, p + at, sizeof(word));
		if (word)
			break;
	}
	return at;
}

/* Note how much of a stack was used, of which `block` is the first that is not zero. */
static void note_used(struct pd_arena *arena, uint32_t block)
{
	uint32_t t = (block - PE_ARENA_STACKS) / PE_STACK_SLOT;
	uint32_t top = PE_ARENA_STACKS + (PE_STACK_TOP(t) - PE_STACK_BASE);
	uint32_t at = block + (uint32_t)zeros_in_block(arena->base + block);

	/* the lowest span comes first; above the stack lies what a signal left */
	if (!arena->stack_used[t] && at < top)
		arena->stack_used[t] = top - at;
}

/* A piece of a span that begins and ends anywhere in it, or an empty one. */
static void clear_piece(struct pd_arena *arena, uint32_t begin, uint32_t end)
{
	uint32_t whole = (begin + PD_ZEROS_BYTES - 1) / PD_ZEROS_BYTES * PD_ZEROS_BYTES;

	if (begin >= end)
		return;
	if (whole > end)
		whole = end;
	memset(arena->base + begin, 0, whole - begin);
	begin = whole;
	whole = end - (end - begin) % PD_ZEROS_BYTES;
	clear_stack(arena->base + begin, whole - begin);
	memset(arena->base + whole, 0, end - whole);
}

/* Clear what is not within a tasklet's live bytes. */
static void clear_dead(struct pd_arena *arena, uint32_t at, uint32_t end,
		       const uint32_t live[PE_PLACES])
{
	uint32_t t, top, from;

	if (at >= end)
		return;
	t = (at - PE_ARENA_STACKS) / PE_STACK_SLOT;
	top = PE_ARENA_STACKS + (PE_STACK_TOP(t) - PE_STACK_BASE);
	from = top - live[t];
	clear_piece(arena, at, from < end ? from : end);
	clear_piece(arena, at > top ? at : top, end);
}

static void wipe_span(struct pd_arena *arena, const struct pd_stack_span *span,
		      const uint32_t live[PE_PLACES])
{
	uint8_t *p = arena->base + span->begin;
	uint32_t bytes = span->end - span->begin;
	uint32_t at = (uint32_t)pd_zeros_before(p, bytes);

	if (span->begin < PE_ARENA_STACKS) {
		clear_stack(p + at, bytes - at);
		return;
	}
	if (at < bytes)
		note_used(arena, span->begin + at);
	clear_dead(arena, span->begin + at, span->end, live);
}

void pd_arena_wipe_but(struct pd_arena *arena, const uint32_t live[PE_PLACES])
{
	struct pd_touched *t = &arena->touched;

	memset(arena->stack_used, 0, sizeof(arena->stack_used));
	for (uint32_t i = 0; i < t->nr_stacks; i++)
		wipe_span(arena, &t->stacks[i], live);
}

void pd_arena_wipe(struct pd_arena *arena)
{
	static const uint32_t none[PE_PLACES];

	if (!pd_arena_look(arena))
		give_back_stacks(arena);
	pd_arena_wipe_but(arena, none);
}

uint8_t *pd_arena_at(const struct pd_arena *arena, uint64_t address, uint64_t bytes)
{
	static const struct {
		uint32_t address, offset, bytes;
	} parts[] = {
		{ PE_SHARED, 0, PE_ARENA_WRAM },
		{ PE_WRAM_BASE, PE_ARENA_WRAM, PE_WRAM_BYTES },
		{ PE_STACK_BASE, PE_ARENA_STACKS, PE_STACKS_BYTES },
	};

	for (unsigned int i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		uint64_t off = address - parts[i].address;

		if (off < parts[i].bytes && bytes <= parts[i].bytes - off)
			return arena->base + parts[i].offset + off;
	}
	return NULL;
}

void pd_arena_empty(struct pd_arena *arena)
{
	memset(arena->base, 0, PE_SHARED_BYTES);
	punch_arena(arena, PE_ARENA_CONTROL, PE_ARENA_BYTES);
	arena->touched = (struct pd_touched){ 0 };
	arena->wram_used = 0;
	pd_window_empty(&arena->window);
}
