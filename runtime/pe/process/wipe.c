/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/pe/process/slot.h"
#include "runtime/base/zeros.h"

static void punch(const struct pd_slot *slot, uint32_t begin, uint32_t end)
{
	/* it cannot fail on a memfd of ours */
	fallocate(slot->arena_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		  begin, end - begin);
}

/* without those of the window that are known to it */
static uint64_t blocks(const struct pd_slot *slot)
{
	struct stat st;

	if (fstat(slot->arena_fd, &st))
		return 0;
	return (uint64_t)st.st_blocks -
	       slot->window.nr_filled * (PE_PAGE / 512ull);
}

/* The first span of pages that are there, from `begin` on; false: none. */
static bool next_span(const struct pd_slot *slot, uint32_t begin, uint32_t end,
		      struct pd_stack_span *span)
{
	off_t from = lseek(slot->arena_fd, begin, SEEK_DATA);
	off_t to;

	if (from < 0 && errno == ENXIO)
		return false;
	to = from < 0 ? from : lseek(slot->arena_fd, from, SEEK_HOLE);
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
static bool find_stacks(const struct pd_slot *slot, struct pd_touched *t,
			uint32_t begin, uint32_t end)
{
	struct pd_stack_span span = { begin, begin };

	while (next_span(slot, span.end, end, &span)) {
		if (t->nr_stacks == PD_MAX_SPANS)
			return false;
		if (span.end > slot_end(span.begin))
			span.end = slot_end(span.begin);
		t->stacks[t->nr_stacks++] = span;
	}
	return true;
}

static void find_wram(const struct pd_slot *slot, struct pd_touched *t)
{
	struct pd_stack_span span = { PE_ARENA_WRAM, PE_ARENA_WRAM };

	t->wram_bytes = 0;
	while (next_span(slot, span.end, PE_ARENA_STACKS, &span))
		t->wram_bytes = span.end - PE_ARENA_WRAM;
}

/* Pages of struct pe_shared and of the control stack that have no use. */
static void punch_unused(const struct pd_slot *slot)
{
	uint32_t flags = offsetof(struct pe_shared, pages);

	punch(slot, (flags + slot->window.nr_pages + PE_PAGE - 1) &
		    ~(PE_PAGE - 1), PE_CONTROL_USED - PE_SHARED);
}

/* Find out what is there; stacks in too many pieces are given back. */
static void look(struct pd_slot *slot)
{
	struct pd_touched *t = &slot->touched;

	punch_unused(slot);
	/* what goes later would hide as many new pages from blocks() */
	pd_window_punch_strange(&slot->window);
	t->nr_stacks = 0;
	if (!find_stacks(slot, t, PE_ARENA_SIGNAL, PE_ARENA_WRAM) ||
	    !find_stacks(slot, t, PE_ARENA_STACKS, PE_ARENA_BYTES)) {
		punch(slot, PE_ARENA_SIGNAL, PE_ARENA_WRAM);
		punch(slot, PE_ARENA_STACKS, PE_ARENA_BYTES);
		t->nr_stacks = 0;
	}
	find_wram(slot, t);
	t->blocks = blocks(slot);
}

/*
 * Most of a stack's page is as it was. To look is cheaper than to write: what
 * nobody wrote is in the caches of both processors, the host's and the worker's.
 */
static void clear(uint8_t *p, size_t bytes)
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

/* Of a span of a stack, this block is the first that is not zero. */
static void note_used(struct pd_slot *slot, uint32_t block)
{
	uint32_t t = (block - PE_ARENA_STACKS) / PE_STACK_SLOT;
	uint32_t top = PE_ARENA_STACKS + (PE_STACK_TOP(t) - PE_STACK_BASE);
	uint32_t at = block + (uint32_t)zeros_in_block(slot->arena + block);

	/* the lowest span comes first; above the stack lies what a signal left */
	if (!slot->stack_used[t] && at < top)
		slot->stack_used[t] = top - at;
}

static void wipe_span(struct pd_slot *slot, const struct pd_stack_span *span)
{
	uint8_t *p = slot->arena + span->begin;
	uint32_t bytes = span->end - span->begin;
	uint32_t at = (uint32_t)pd_zeros_before(p, bytes);

	if (at < bytes && span->begin >= PE_ARENA_STACKS)
		note_used(slot, span->begin + at);
	clear(p + at, bytes - at);
}

void pd_wipe(struct pd_slot *slot)
{
	struct pd_touched *t = &slot->touched;
	uint64_t now = blocks(slot);

	if (!now || now != t->blocks)
		look(slot);
	memset(slot->stack_used, 0, sizeof(slot->stack_used));
	for (uint32_t i = 0; i < t->nr_stacks; i++)
		wipe_span(slot, &t->stacks[i]);
}

void pd_wipe_all(struct pd_slot *slot)
{
	memset(slot->arena, 0, PE_SHARED_BYTES);
	punch(slot, PE_ARENA_CONTROL, PE_ARENA_BYTES);
	slot->touched = (struct pd_touched){ 0 };
	slot->wram_used = 0;
}
