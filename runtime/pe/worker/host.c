// SPDX-License-Identifier: MIT
/* Calls to the broker, and the table of services for programs. */
#include <linux/futex.h>
#include <sys/mman.h>

#include "runtime/pe/worker/worker.h"

static void say_to_broker(uint32_t what)
{
	struct pe_shared *s = PE_STATE;

	s->what = what;
	__atomic_store_n(&s->call, s->call + 1, __ATOMIC_SEQ_CST);
	/* where a PE is done soon the host has not even begun to wait */
	if (__atomic_load_n(&s->asleep, __ATOMIC_SEQ_CST))
		pe_syscall(SYS_futex, PE_SHARED_CALL, FUTEX_WAKE, 1, 0, 0, 0);
}

void pe_call(uint32_t what)
{
	struct pe_shared *s = PE_STATE;
	uint32_t seen;

	say_to_broker(what);
	if (what == PE_CALL_READY)
		return;
	while ((seen = __atomic_load_n(&s->reply, __ATOMIC_ACQUIRE)) != s->call)
		pe_syscall(SYS_futex, PE_SHARED_REPLY, FUTEX_WAIT, seen, 0, 0,
			   0);
	if (s->close)
		pe_close_window();
}

void pe_stop(uint32_t why)
{
	PE_STATE->stopped = why;
	pe_call(PE_CALL_STOPPED);
}

void pe_leave(uint32_t what)
{
	struct pe_shared *s = PE_STATE;

	s->inside = 1;
	s->running = 0;
	/* nothing wakes a worker that is parked */
	if (s->ticks)
		pe_next_tick(0);
	say_to_broker(what);
	pe_park();
}

void pe_end(void)
{
	pe_leave(PE_CALL_END);
}

void pe_failed(uint32_t kind, uint64_t address, uint64_t pc)
{
	struct pe_report *r = &PE_STATE->report;

	PE_STATE->inside = 1;
	r->kind = kind;
	r->tasklet = PE_STATE->self.tasklet;
	r->address = address;
	r->pc = pc;
	if (PE_STATE->stops)
		pe_stop(PE_STOPPED_FAULT);
	pe_end();
}

void pe_close_window(void)
{
	pe_syscall(SYS_mprotect, PE_MRAM_BASE, PE_STATE->mram_pages * PE_PAGE,
		   PROT_NONE, 0, 0, 0);
}

__attribute__((noreturn))
static void fault(uint32_t kind, uint64_t address, const char *text)
{
	PE_STATE->inside = 1;
	PE_STATE->report.text = (uint64_t)(uintptr_t)text;
	pe_fail(kind, address, PE_CALLER());
}

static uint64_t count(uint32_t what)
{
	struct pe_shared *s = PE_STATE;
	uint64_t sum = 0;

	pe_service_enter();
	pe_keep_time();
	pe_service_leave();
	/* there is no clock in a random order; but something that moves there is */
	if (!what && !s->shuffle)
		return s->clock.now >> PE_CLOCK_SHIFT;
	for (unsigned int t = 0; t < PE_PLACES; t++)
		sum += s->self.instructions[t];
	return sum;
}

__attribute__((section(".services"), used))
static const struct pe_services services = {
	.abi = PE_ABI_VERSION,
	.size = sizeof(services),
	.yield = pe_yield,
	.wait = pe_wait,
	.wake = pe_wake,
	.mram_read = pe_mram_read,
	.mram_write = pe_mram_write,
	.mram_copy_in = pe_mram_copy_in,
	.mram_copy_out = pe_mram_copy_out,
	.fault = fault,
	.exit = pe_exit,
	.count = count,
	.parcel = pe_parcel,
	.mram_pass = pe_mram_pass,
	.sync = pe_sync,
	.turn = pe_turn,
	.send = pe_send,
	.unload = pe_unload,
};
