// SPDX-License-Identifier: MIT
/* The MRAM window: checked copies, and pages that a program dereferences. */
#include <sys/mman.h>

#include "runtime/pe/worker/worker.h"

#define DMA_MAX		2048u
#define MAX_OPEN	64u
#define STRAIGHT	64u	/* transfers until others have a turn, who may be waited for */

struct dma {
	uint32_t mram;		/* an offset, once checked */
	uint64_t wram;
	uint32_t bytes;
	uint32_t write;
	uint64_t pc;
};

static void refuse(const struct dma *d, enum pe_dma_rule rule)
{
	struct pe_report *r = &PE_STATE->report;

	r->rule = rule;
	r->write = d->write;
	r->mram = d->mram;
	r->wram = d->wram;
	r->bytes = d->bytes;
	pe_fail(PE_FAULT_DMA, rule == PE_DMA_WRAM_RANGE ||
		rule == PE_DMA_WRAM_ALIGNED ? d->wram : d->mram, d->pc);
}

static int within(const struct dma *d, uint32_t base, uint32_t bytes)
{
	return d->wram >= base && d->wram - base < bytes &&
	       d->bytes <= bytes - (d->wram - base);
}

/* What a transfer may touch besides MRAM: WRAM, stacks, constants to read. */
static void check_range(struct dma *d)
{
	uint64_t mram_bytes = (uint64_t)PE_STATE->mram_pages * PE_PAGE;
	uint32_t given = d->mram;

	if (d->mram >= PE_MRAM_BASE)
		d->mram -= PE_MRAM_BASE;
	if (d->mram > mram_bytes || d->bytes > mram_bytes - d->mram) {
		d->mram = given;
		refuse(d, PE_DMA_MRAM_RANGE);
	}
	if (!within(d, PE_WRAM_BASE, PE_WRAM_BYTES) &&
	    !within(d, PE_STACK_BASE, PE_STACKS_BYTES) &&
	    !(d->write && within(d, PE_TEXT_BASE, PE_STATE->text_bytes)))
		refuse(d, PE_DMA_WRAM_RANGE);
}

static void check_rules(struct dma *d)
{
	if (d->mram % 8)
		refuse(d, PE_DMA_MRAM_ALIGNED);
	if (d->wram % 8)
		refuse(d, PE_DMA_WRAM_ALIGNED);
	if (!d->bytes || d->bytes > DMA_MAX || d->bytes % 8)
		refuse(d, PE_DMA_BYTES);
}

/* What hardware makes of a transfer out of its rules: it counts words in 8 bits. */
static void bend_rules(struct dma *d)
{
	d->mram &= ~7u;
	d->wram &= ~7ull;
	d->bytes = 8 * ((((d->bytes >> 3) - 1) & 255) + 1);
}

static void bring_in(uint32_t page, uint32_t blank)
{
	PE_STATE->page = page;
	PE_STATE->blank = blank;
	pe_call(PE_CALL_FILL);
}

void pe_need_page(uint32_t page, uint8_t flags)
{
	struct pe_shared *s = PE_STATE;

	if (!(s->pages[page] & PE_PAGE_RESIDENT))
		bring_in(page, 0);
	s->pages[page] |= flags;
}

/* The quarters of its page that a piece covers, as flags; 0: not whole ones. */
static uint8_t quarters(uint32_t at, uint32_t n)
{
	uint32_t first = at % PE_PAGE / PE_QUARTER_BYTES;

	if (at % PE_QUARTER_BYTES || n % PE_QUARTER_BYTES)
		return 0;
	return (uint8_t)(((1u << n / PE_QUARTER_BYTES) - 1) << first) *
	       PE_PAGE_QUARTER;
}

/* Have the page that a piece of a transfer is in, or one to write it to. */
static void need_piece(const struct dma *d, uint32_t at, uint32_t n,
		       uint8_t flags)
{
	volatile uint8_t *page = &PE_STATE->pages[at / PE_PAGE];
	uint8_t whole = d->write ? quarters(at, n) : 0;

	if (!whole || *page & PE_PAGE_RESIDENT) {
		pe_need_page(at / PE_PAGE, flags);
		return;
	}
	if (!(*page & PE_PAGE_BLANK))
		bring_in(at / PE_PAGE, 1);
	*page |= whole | PE_PAGE_TOUCHED | PE_PAGE_DIRTY;
	if ((*page & PE_PAGE_QUARTERS) == PE_PAGE_QUARTERS)
		*page |= PE_PAGE_RESIDENT;
}

static inline void copy_piece(const struct dma *d, uint32_t done, uint32_t n)
{
	void *mram = (void *)(uintptr_t)(PE_MRAM_DMA + d->mram + done);
	void *wram = (void *)(uintptr_t)(d->wram + done);

	if (d->write)
		pe_copy(mram, wram, n);
	else
		pe_copy(wram, mram, n);
}

/* page by page: to bring one in may drop the others */
static void copy(const struct dma *d)
{
	uint8_t flags = d->write ? PE_PAGE_RESIDENT | PE_PAGE_TOUCHED |
				   PE_PAGE_DIRTY :
				   PE_PAGE_RESIDENT | PE_PAGE_TOUCHED;
	uint32_t done = 0;

	while (done < d->bytes) {
		uint32_t at = d->mram + done;
		uint32_t n = PE_PAGE - at % PE_PAGE;

		if (n > d->bytes - done)
			n = d->bytes - done;
		if ((PE_STATE->pages[at / PE_PAGE] & flags) != flags)
			need_piece(d, at, n, flags);
		copy_piece(d, done, n);
		done += n;
	}
}

/*
 * Wait for the end of a transfer, which is when its bytes are copied. One that may
 * not be switched from takes as long, but has others begin later than it does.
 */
static void await(const struct dma *d)
{
	struct pe_shared *s = PE_STATE;
	uint32_t me = s->self.tasklet;
	const struct pe_work *w = &s->clock.work[me];

	if (s->shuffle)
		return;
	if (s->self.critical || (s->straight && (w->reads + w->writes) % STRAIGHT)) {
		pe_clock_pass(&s->clock, &s->cost, me, d->bytes, (int)d->write);
		return;
	}
	pe_clock_dma(&s->clock, me, d->bytes, (int)d->write);
	pe_tell(PE_GOAL_DMA);
	pe_next();
	pe_waited(PE_WAIT_DMA);
	s->caller = d->pc;
}

static void transfer(struct dma *d)
{
	struct pe_shared *s = PE_STATE;

	pe_service_enter();
	s->caller = d->pc;
	if (s->compat)
		bend_rules(d);
	else
		check_rules(d);
	check_range(d);
	await(d);
	copy(d);
}

static void leave_dma(void)
{
	if (PE_STATE->shuffle && !PE_STATE->self.critical)
		pe_next();
	pe_service_leave();
}

void pe_mram_read(uint32_t mram, void *wram, uint32_t bytes)
{
	struct dma d = { mram, (uintptr_t)wram, bytes, 0, PE_CALLER() };
	struct pe_work *w = &PE_STATE->clock.work[PE_STATE->self.tasklet];

	transfer(&d);
	w->reads++;
	w->read_bytes += d.bytes;
	leave_dma();
}

void pe_mram_write(uint32_t mram, const void *wram, uint32_t bytes)
{
	struct dma d = { mram, (uintptr_t)wram, bytes, 1, PE_CALLER() };
	struct pe_work *w = &PE_STATE->clock.work[PE_STATE->self.tasklet];

	transfer(&d);
	w->writes++;
	w->write_bytes += d.bytes;
	leave_dma();
}

void pe_mram_pass(uint32_t bytes, uint32_t write)
{
	struct dma d = { .write = write != 0, .pc = PE_CALLER() };
	struct pe_work *w = &PE_STATE->clock.work[PE_STATE->self.tasklet];

	d.bytes = bytes > DMA_MAX ? DMA_MAX : (bytes + 7) & ~7u;
	pe_service_enter();
	PE_STATE->caller = d.pc;
	await(&d);
	if (d.write) {
		w->writes++;
		w->write_bytes += d.bytes;
	} else {
		w->reads++;
		w->read_bytes += d.bytes;
	}
	leave_dma();
}

void pe_mram_copy_in(uint32_t mram, void *wram, uint32_t bytes)
{
	struct dma d = { mram, (uintptr_t)wram, bytes, 0, PE_CALLER() };

	pe_service_enter();
	PE_STATE->caller = d.pc;
	check_range(&d);
	copy(&d);
	pe_service_leave();
}

void pe_mram_copy_out(uint32_t mram, const void *wram, uint32_t bytes)
{
	struct dma d = { mram, (uintptr_t)wram, bytes, 1, PE_CALLER() };

	pe_service_enter();
	PE_STATE->caller = d.pc;
	check_range(&d);
	copy(&d);
	pe_service_leave();
}

/* Whether some bytes of a PE's memory lie in MRAM: what is no other is checked as such. */
static int is_mram(uint64_t address)
{
	return address - PE_MRAM_BASE < PE_MRAM_MAX;
}

/* Copy between an address of the PE that is no MRAM's and the worker's own memory. */
static void copy_wram(uint64_t pe, uint64_t own, uint32_t bytes, uint32_t write)
{
	struct dma d = { 0, pe, bytes, write, PE_STATE->caller };

	if (!within(&d, PE_WRAM_BASE, PE_WRAM_BYTES) &&
	    !within(&d, PE_STACK_BASE, PE_STACKS_BYTES) &&
	    !(write && within(&d, PE_TEXT_BASE, PE_STATE->text_bytes)))
		pe_fail(PE_FAULT_ACCESS, pe, d.pc);
	if (write)
		pe_copy((void *)(uintptr_t)own, (const void *)(uintptr_t)pe, bytes);
	else
		pe_copy((void *)(uintptr_t)pe, (const void *)(uintptr_t)own, bytes);
}

/* MRAM: the same, with the worker's memory in place of WRAM. */
static void copy_mram(uint64_t pe, uint64_t own, uint32_t bytes, uint32_t write)
{
	struct dma d = { (uint32_t)(pe - PE_MRAM_BASE), own, bytes, write,
			 PE_STATE->caller };
	uint64_t mram_bytes = (uint64_t)PE_STATE->mram_pages * PE_PAGE;

	if (d.mram > mram_bytes || bytes > mram_bytes - d.mram)
		pe_fail(PE_FAULT_ACCESS, pe, d.pc);
	copy(&d);
}

void pe_copy_from_pe(void *to, uint64_t from, uint32_t bytes)
{
	if (is_mram(from))
		copy_mram(from, (uint64_t)(uintptr_t)to, bytes, 0);
	else
		copy_wram(from, (uint64_t)(uintptr_t)to, bytes, 1);
}

void pe_copy_to_pe(uint64_t to, const void *from, uint32_t bytes)
{
	if (is_mram(to))
		copy_mram(to, (uint64_t)(uintptr_t)from, bytes, 1);
	else
		copy_wram(to, (uint64_t)(uintptr_t)from, bytes, 0);
}

/*
 * Pages from this one on that can be opened at once for reading: those that are
 * here, up to one that is open for writing already.
 */
static uint32_t readable(uint32_t page)
{
	struct pe_shared *s = PE_STATE;
	uint32_t n = 1;

	while (n < MAX_OPEN && page + n < s->mram_pages &&
	       (s->pages[page + n] & (PE_PAGE_RESIDENT | PE_PAGE_DIRTY)) ==
		       PE_PAGE_RESIDENT)
		s->pages[page + n++] |= PE_PAGE_TOUCHED;
	return n;
}

/*
 * Takes no time on the PE's clock: the program's code says itself what it dereferences,
 * which is a transfer each time.
 */
void pe_open_page(uint32_t page, int write)
{
	uint8_t flags = PE_PAGE_RESIDENT | PE_PAGE_TOUCHED;
	uint32_t n = 1;

	if (write)
		flags |= PE_PAGE_DIRTY;
	pe_need_page(page, flags);
	if (!write)
		n = readable(page);
	pe_syscall(SYS_mprotect, PE_MRAM_BASE + (long)page * PE_PAGE,
		   (long)n * PE_PAGE,
		   write ? PROT_READ | PROT_WRITE : PROT_READ, 0, 0, 0);
}
