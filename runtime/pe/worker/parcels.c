// SPDX-License-Identifier: MIT
/*
 * Parcels: those that this PE's threads send lie in shared memory until the host takes
 * them, all at once; those that have come become travellers, threads at places of their
 * own behind the tasklets', of which each takes one parcel after the other.
 */
#include "runtime/pe/worker/worker.h"

#define MAIL	((struct pe_mail *)(uintptr_t)PE_MAIL)

static void refuse(enum pe_refusal why, uint32_t pe, uint64_t pc)
{
	PE_STATE->report.rule = why;
	pe_fail(PE_FAULT_RUNTIME, pe, pc);
}

static void check(const struct pe_sending *what)
{
	if (what->bytes > PE_FRAME_MAX || what->payload > PE_PAYLOAD_MAX)
		refuse(PE_REFUSED_BYTES, what->pe, PE_STATE->caller);
}

/* Have the host take what is sent; where it does not, the caller waits until it may. */
static void make_room(void)
{
	struct pe_shared *s = PE_STATE;
	uint64_t pc = s->caller;

	pe_call(PE_CALL_PARCELS);
	if (s->refused) {
		const struct pe_parcel *p = &MAIL->out[s->refused_parcel % PE_OUTBOX];

		s->report.rule = s->refused;
		s->nr_out = 0;
		s->self.tasklet = p->tasklet;
		pe_fail(PE_FAULT_RUNTIME, p->pe, p->pc);
	}
	if (s->taken) {
		s->nr_out = 0;
		s->out_bytes = 0;
		/* whoever waits has waited for this, too */
		pe_wake_kind(PE_WAIT_ROOM);
		return;
	}
	pe_wait_inside(PE_WAIT_ROOM, s->refused_parcel);
	s->caller = pc;
}

/* Where the payload of a parcel begins, at a multiple of what is copied fast. */
static uint32_t place_payload(uint32_t bytes)
{
	struct pe_shared *s = PE_STATE;
	uint32_t at = s->out_bytes;

	s->out_bytes += (bytes + 63) & ~63u;
	return at;
}

static void put(const struct pe_sending *what, uint64_t pc)
{
	struct pe_shared *s = PE_STATE;
	struct pe_parcel *p = &MAIL->out[s->nr_out % PE_OUTBOX];
	uint32_t at = place_payload(what->payload);

	/* a page that the payload is in may have to come first */
	if (what->payload)
		pe_copy_from_pe((void *)(uintptr_t)(PE_OUT + at), what->from,
				what->payload);
	p->entry = what->entry;
	p->arg = what->arg;
	p->pc = pc;
	p->tasklet = s->self.tasklet;
	p->pe = what->pe;
	p->bytes = what->bytes;
	p->payload = what->payload;
	p->at = at;
	p->to_mram = what->to_mram;
	pe_copy_from_pe(p->frame, what->frame, what->bytes);
	s->nr_out++;
}

/* Inside a service. */
static void send(const struct pe_sending *what, uint64_t pc)
{
	struct pe_shared *s = PE_STATE;

	s->caller = pc;
	check(what);
	pe_be_on_time();
	s->caller = pc;
	while (s->nr_out >= PE_OUTBOX || s->out_bytes > PE_OUT_BYTES - PE_PAYLOAD_MAX)
		make_room();
	put(what, pc);
}

void pe_parcel(uint32_t pe, void (*entry)(uint64_t), uint64_t arg)
{
	struct pe_sending what = {
		.entry = (uint64_t)(uintptr_t)entry,
		.arg = arg,
		.pe = pe,
		.frame = PE_STACK_BASE,
	};
	uint64_t pc = PE_CALLER();

	pe_service_enter();
	send(&what, pc);
	pe_service_leave();
}

void pe_send(const struct pe_sending *what)
{
	struct pe_sending copy;
	uint64_t pc = PE_CALLER();

	pe_service_enter();
	PE_STATE->caller = pc;
	pe_copy_from_pe(&copy, (uint64_t)(uintptr_t)what, sizeof(copy));
	if (!copy.bytes)
		copy.frame = PE_STACK_BASE;
	send(&copy, pc);
	pe_service_leave();
}

/* what the traveller that runs has aboard */
static volatile uint32_t *aboard(void)
{
	return &PE_STATE->self.aboard[PE_STATE->self.tasklet % PE_TRAVELLERS];
}

/* and whose it is */
static volatile uint32_t *sender(void)
{
	return &PE_STATE->self.sender[PE_STATE->self.tasklet % PE_TRAVELLERS];
}

void pe_unload(void *to, uint32_t at, uint32_t bytes)
{
	struct pe_shared *s = PE_STATE;
	uint32_t me = s->self.tasklet;
	uint64_t pc = PE_CALLER(), from;

	pe_service_enter();
	s->caller = pc;
	pe_be_on_time();
	s->caller = pc;
	if (!pe_is_traveller(me) || at > *aboard() || bytes > *aboard() - at)
		refuse(PE_REFUSED_BYTES, s->self.pe, pc);
	from = PE_HOLD + (uint64_t)s->tasklets[me].hold % PE_HOLD_BYTES + at;
	pe_copy_to_pe((uint64_t)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
	pe_service_leave();
}

/* The next one that has come; inside a service. */
static const struct pe_parcel *take_parcel(void)
{
	struct pe_shared *s = PE_STATE;

	if (s->next_in >= s->nr_in || s->nr_in > PE_INBOX)
		return 0;
	return &MAIL->in[s->next_in++];
}

/* A traveller: its frame lies where its stack begins. */
static void traveller_steps(void)
{
	_Alignas(32) uint8_t frame[PE_FRAME_MAX];
	struct pe_shared *s = PE_STATE;
	const struct pe_parcel *p;

	while ((p = take_parcel())) {
		uint64_t entry = p->entry;
		uint64_t arg = p->bytes ? (uint64_t)(uintptr_t)frame : p->arg;

		pe_copy(frame, p->frame, PE_FRAME_MAX);
		s->tasklets[s->self.tasklet % PE_PLACES].hold = p->at;
		*aboard() = p->payload;
		*sender() = p->pe;
		pe_service_leave();
		((void (*)(uint64_t))(uintptr_t)entry)(arg);
		pe_service_enter();
		*aboard() = 0;
		*sender() = PE_NOBODY;
	}
	pe_end_tasklet();
}

void pe_start_travellers(void)
{
	uint32_t left = PE_STATE->nr_in;

	for (uint32_t t = PE_MAX_TASKLETS; t < PE_PLACES && left; t++) {
		if (PE_STATE->alive & 1u << t)
			continue;
		pe_start_tasklet(t, traveller_steps);
		left--;
	}
}
