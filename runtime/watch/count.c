// SPDX-License-Identifier: MIT
/* Whose access an address is, and the tally of each thread and job. */
#include <pimdimm/pimdimm_layout.h>

#include "runtime/watch/count.h"

_Atomic unsigned int pd_counters;

static _Thread_local struct pd_counting self;

void pd_counter_init(struct pd_counter *counter, const struct pd_range *mram,
		     uint32_t nr_mram)
{
	*counter = (struct pd_counter){ .mram = mram, .nr_mram = nr_mram };
}

struct pd_counting pd_counting_enter(struct pd_counter *counter,
				     const void *frame)
{
	struct pd_counting before = self;

	self = (struct pd_counting){ .counter = counter, .frame = frame };
	if (counter)
		atomic_fetch_add(&pd_counters, 1);
	return before;
}

/* the tally goes to the counter at the end alone: atomics are slow */
void pd_counting_leave(struct pd_counting before)
{
	struct pd_counter *c = self.counter;

	if (c) {
		atomic_fetch_add(&c->blocks_read, self.counts.blocks_read);
		atomic_fetch_add(&c->blocks_written,
				 self.counts.blocks_written);
		atomic_fetch_add(&c->transfers, self.counts.transfers);
		atomic_fetch_add(&c->host_read, self.counts.host_read);
		atomic_fetch_add(&c->host_written, self.counts.host_written);
		atomic_fetch_add(&c->pe_moved, self.counts.pe_moved);
		atomic_fetch_add(&c->around, self.counts.around);
		atomic_fetch_sub(&pd_counters, 1);
	}
	self = before;
}

struct pd_counter *pd_counting_for(void)
{
	return self.counter;
}

struct pd_counts pd_counter_counts(const struct pd_counter *counter)
{
	return (struct pd_counts){
		.blocks_read = counter->blocks_read,
		.blocks_written = counter->blocks_written,
		.transfers = counter->transfers,
		.host_read = counter->host_read,
		.host_written = counter->host_written,
		.pe_moved = counter->pe_moved,
		.around = counter->around,
	};
}

/* Stacks grow downwards: what the job has of it lies between the two frames. */
static bool on_stack(uintptr_t p)
{
	return p < (uintptr_t)self.frame &&
	       p >= (uintptr_t)__builtin_frame_address(0);
}

static bool in_mram(uintptr_t p)
{
	const struct pd_counter *c = self.counter;

	for (uint32_t i = 0; i < c->nr_mram; i++) {
		uint32_t at = (self.range + i) % c->nr_mram;
		const struct pd_range *range = &c->mram[at];

		if (p - (uintptr_t)range->base < range->bytes) {
			self.range = at;
			return true;
		}
	}
	return false;
}

static void count_access(const void *ptr, size_t bytes, uint64_t *blocks,
			 uint64_t *host)
{
	uintptr_t p = (uintptr_t)ptr;

	if (!self.counter || !bytes || on_stack(p))
		return;
	if (in_mram(p))		/* each of the blocks that it lies in */
		*blocks += (p + bytes - 1) / PIMDIMM_BLOCK_BYTES -
			   p / PIMDIMM_BLOCK_BYTES + 1;
	else
		*host += bytes;
}

void pd_count_read(const void *p, size_t bytes)
{
	count_access(p, bytes, &self.counts.blocks_read,
		     &self.counts.host_read);
}

void pd_count_write(const void *p, size_t bytes)
{
	count_access(p, bytes, &self.counts.blocks_written,
		     &self.counts.host_written);
}

void pd_count_transfer(void)
{
	self.counts.transfers++;
}

void pd_count_around(void)
{
	self.counts.around++;
}

void pd_count_pe(size_t bytes)
{
	self.counts.pe_moved += bytes;
}
