// SPDX-License-Identifier: MIT
/* Parcels: threads on other PEs, and words that one waits for until they are full. */
#define TASKLETS 3
#include <stdbool.h>

#include "runtime/pe/shared/shared.h"
#include "tests/unit/pe/programs/pe.h"

HOST uint32_t act;
HOST uint32_t nr_pes;
HOST uint64_t hops;		/* of the ring */
HOST volatile uint64_t token;
HOST volatile uint32_t full;
HOST uint32_t odd;
HOST uint64_t sum;
HOST uint64_t order;	/* in which parcels have come, as a number */
HOST uint32_t got;
HOST uint64_t seen[4];

static void post(uint32_t to, void (*entry)(void *), const void *frame, uint32_t bytes)
{
	const struct pe_sending what = {
		.entry = (uint64_t)(uintptr_t)entry,
		.frame = (uint64_t)(uintptr_t)frame,
		.bytes = bytes,
		.pe = to,
	};

	PE_SVC->send(&what);
}

/* on the PE that is sent to */
static void deliver(uint64_t value)
{
	token = value;
	full = 1;
	PE_SVC->wake(&token, 1);
}

static uint64_t read_full(void)
{
	while (!full)
		PE_SVC->wait(PE_WAIT_FULL, &token);
	full = 0;
	return token;
}

static void send(uint32_t to, void (*entry)(uint64_t), uint64_t arg)
{
	PE_SVC->parcel(to, entry, arg);
}

/* A token goes round; what lies on the stack meanwhile stays there. */
static void ring(void)
{
	volatile uint64_t kept[50];
	uint32_t next = (PE_SELF->pe + 1) % nr_pes;
	uint64_t value;

	for (unsigned int i = 0; i < 50; i++)
		kept[i] = PE_SELF->pe * 100 + i;
	if (!PE_SELF->pe)
		send(next, deliver, 1);
	do {
		value = read_full();
		sum += value;
		for (unsigned int i = 0; i < 50; i++)
			odd += kept[i] != PE_SELF->pe * 100 + i;
		if (value < hops)
			send(next, deliver, value + 1);
	} while (value + nr_pes <= hops);
}

static void add(uint64_t value)
{
	PE_SVC->yield();
	order = order * 31 + value;
	__atomic_fetch_add(&sum, value, __ATOMIC_RELAXED);
	__atomic_fetch_add(&got, 1, __ATOMIC_RELAXED);
}

/* More than a PE has tasklets, or is given at a time, from all to all. */
static void all_to_all(void)
{
	for (uint32_t pe = 0; pe < nr_pes; pe++)
		for (uint64_t i = 0; i < 10; i++)
			send(pe, add, 1000 * PE_SELF->pe + i);
}

static void wait_for_nobody(void)
{
	read_full();
}

static void wrong_pe(void)
{
	send(nr_pes, deliver, 0);
}

static void wrong_entry(void)
{
	send(0, (void (*)(uint64_t))(uintptr_t)0x1234, 0);
}

/* for ever, to oneself */
static void again(uint64_t n)
{
	send(PE_SELF->pe, again, n + 1);
}

static void for_ever(void)
{
	again(0);
}

/* they come in the order in which they were sent, however many */
static void count(uint64_t n)
{
	odd += n != got++;
}

static void flood(void)
{
	for (uint64_t i = 0; i < hops; i++)
		send(0, count, i);
}

/* to those whose places are all taken for ever */
static void stay(uint64_t value)
{
	(void)value;
	got++;
	for (;;)
		PE_SVC->wait(PE_WAIT_FULL, &token);
}

static void no_room(void)
{
	for (uint64_t i = 0; i < 2000; i++)
		send(5, stay, i);
}

/* frames of all sizes, whose receivers change them */
static void check_frame(void *frame)
{
	uint8_t *f = frame;

	odd += (uintptr_t)f % 32 || me() < PE_MAX_TASKLETS || me() >= PE_PLACES;
	for (uint32_t i = 1; i < f[0]; i++)
		odd += f[i] != (uint8_t)(f[0] * 3 + i);
	for (uint32_t i = 0; i < PE_FRAME_MAX; i++)
		f[i] = 0xee;
	got++;
}

static void no_frame(void *frame)
{
	odd += frame != 0;
	got++;
}

static void frames(void)
{
	uint8_t frame[PE_FRAME_MAX];

	for (uint32_t pe = 0; pe < nr_pes; pe++) {
		for (uint32_t n = 1; n <= PE_FRAME_MAX; n++) {
			frame[0] = (uint8_t)n;
			for (uint32_t i = 1; i < n; i++)
				frame[i] = (uint8_t)(n * 3 + i);
			post(pe, check_frame, frame, n);
		}
		post(pe, no_frame, frame, 0);
	}
}

/* so many are on their way at a time as there are places, no more */
static void meet(uint64_t value)
{
	static uint32_t now;

	(void)value;
	now++;
	if (now > got)
		got = now;
	for (int i = 0; i < 20; i++)
		PE_SVC->yield();
	sum++;
	now--;
}

static void places(void)
{
	for (uint32_t i = 0; i < 40; i++)
		send((PE_SELF->pe + 1) % nr_pes, meet, 0);
}

#define PART	1024u

/* Payloads: a pattern of their sender's and their size's, at odd places. */
struct letter {
	uint32_t bytes, at, seed;
};

static uint8_t letter_byte(const struct letter *l, uint32_t i)
{
	return (uint8_t)(l->seed * 31 + i * 7 + (i >> 8));
}

static void check_aboard(void *frame)
{
	const struct letter *l = frame;

	odd += PE_SELF->aboard[me() - PE_MAX_TASKLETS] != l->bytes;
	for (uint32_t at = 0; at < l->bytes; at += PART) {
		uint32_t n = l->bytes - at < PART ?
				     l->bytes - at : PART;
		uint8_t part[PART];

		/* others' are theirs while this one waits */
		PE_SVC->yield();
		PE_SVC->unload(part, at, n);
		for (uint32_t i = 0; i < n; i++)
			odd += part[i] != letter_byte(l, at + i);
	}
	if (l->bytes <= 4000)
		PE_SVC->unload((void *)(uintptr_t)(PE_MRAM_BASE + 0x9000 + 1), 0, l->bytes);
	got++;
}

static void check_landed(void *frame)
{
	const struct letter *l = frame;

	odd += PE_SELF->aboard[me() - PE_MAX_TASKLETS] != 0;
	for (uint32_t i = 0; i < l->bytes; i++)
		odd += MRAM[l->at + i] != letter_byte(l, i);
	got++;
}

static void send_letter(uint32_t to, const struct letter *l, bool aboard)
{
	const uint64_t from = PE_MRAM_BASE + 0xa000 + 3;
	const struct pe_sending what = {
		.entry = (uint64_t)(uintptr_t)(aboard ? check_aboard : check_landed),
		.frame = (uint64_t)(uintptr_t)l,
		.bytes = sizeof(*l),
		.pe = to,
		.from = from,
		.payload = l->bytes,
		.to_mram = aboard ? PE_ABOARD : l->at,
	};

	for (uint32_t i = 0; i < l->bytes; i++)
		((volatile uint8_t *)(uintptr_t)from)[i] = letter_byte(l, i);
	PE_SVC->send(&what);
}

static const uint32_t sizes[] = { 1, 7, 8, 64, 100, 3000, 4096, 8191 };

/* Where they land differs for each; there are gaps, which the host looks at. */
static void letters(void)
{
	uint32_t to = (PE_SELF->pe + 1) % nr_pes, at = 0x1001;

	for (uint32_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct letter l = { sizes[i], at, PE_SELF->pe + i };

		send_letter(to, &l, false);
		send_letter(to, &l, true);
		at += sizes[i] + 3;
	}
}

/* of all that can be aboard, held while they wait: the PE is given up meanwhile */
static void hold(void *frame)
{
	struct letter l = *(const struct letter *)frame;

	while (!full)
		PE_SVC->wait(PE_WAIT_FULL, &token);
	check_aboard(&l);
	if (--full)
		PE_SVC->wake(&token, 1);
}

static void let_go(uint64_t n)
{
	full = (uint32_t)n;
	PE_SVC->wake(&token, 1);
}

/* where PE 1 has waited by then */
static void relay(uint64_t n)
{
	send(1, let_go, n);
}

static void holds(void)
{
	static uint8_t text[PE_PAYLOAD_MAX / 2];
	struct letter l = { sizeof(text), 0, 0 };

	if (PE_SELF->pe)
		return;
	for (uint32_t i = 0; i < 7; i++) {
		struct pe_sending what = {
			.entry = (uint64_t)(uintptr_t)hold,
			.frame = (uint64_t)(uintptr_t)&l,
			.bytes = sizeof(l),
			.pe = 1,
			.from = (uint64_t)(uintptr_t)text,
			.payload = sizeof(text),
			.to_mram = PE_ABOARD,
		};

		l.seed = i;
		for (uint32_t k = 0; k < sizeof(text); k++)
			text[k] = letter_byte(&l, k);
		PE_SVC->send(&what);
	}
	send(2, relay, 7);
}

/* what no host takes: arg tells which */
static void wrong(void)
{
	struct pe_sending what = {
		.entry = (uint64_t)(uintptr_t)no_frame,
		.frame = PE_STACK_TOP(0) - 512,
		.from = PE_MRAM_BASE,
		.payload = 8,
		.to_mram = 0,
	};

	if (hops == 0)
		what.bytes = PE_FRAME_MAX + 1;
	else if (hops == 1)
		what.payload = PE_PAYLOAD_MAX + 1;
	else if (hops == 2)
		what.to_mram = PE_SELF->mram_bytes - 7;
	else if (hops == 3)
		what.from = PE_MRAM_BASE + PE_SELF->mram_bytes - 7;
	else if (hops == 4)
		what.from = PE_WRAM_BASE + PE_WRAM_BYTES - 7;
	else if (hops == 5)
		what.frame = PE_SHARED, what.bytes = 8;
	PE_SVC->send(&what);
}

/* Forged parcels, which no service has put there; hops tells what is odd. */
static void forge(void)
{
	struct pe_shared *s = (void *)(uintptr_t)PE_SHARED;
	struct pe_mail *mail = (void *)(uintptr_t)PE_MAIL;

	for (uint32_t i = 0; i < PE_OUTBOX; i++) {
		uint64_t *words = (uint64_t *)&mail->out[i];

		for (uint32_t k = 0; k < sizeof(mail->out[i]) / 8; k++)
			words[k] = 0x9e3779b97f4a7c15ull * (i * 100 + k + 1);
		mail->out[i].pe = hops & 1 ? 0 : mail->out[i].pe;
		if (hops & 2)
			mail->out[i].entry = (uint64_t)(uintptr_t)no_frame;
		if (hops & 4)
			mail->out[i].bytes = 0, mail->out[i].payload = 8;
		if (hops & 8)
			mail->out[i].at = 0;
	}
	s->nr_out = hops & 16 ? ~0u : PE_OUTBOX;
	s->nr_in = ~0u;
	s->next_in = ~0u;
	s->out_bytes = ~0u;
}

/* the stack of a traveller has an end */
NOINLINE static uint32_t deeper(uint32_t n)
{
	volatile uint8_t much[256];

	much[n % 256] = 1;
	return n ? deeper(n - 1) + much[n % 256] : 0;
}

static void too_deep(uint64_t value)
{
	odd = deeper((uint32_t)value);
}

static void overflow(void)
{
	send(PE_SELF->pe, too_deep, 1000);
}

/* a fault in a thread that a parcel started */
static void fault(uint64_t value)
{
	PE_SVC->fault(PE_FAULT_ASSERT, value, 0);
}

static void faulty(void)
{
	if (!PE_SELF->pe)
		send(5, fault, 7);
}

void pe_start(void)
{
	static void (*const acts[])(void) = {
		ring, all_to_all, wait_for_nobody, wrong_pe, wrong_entry,
		for_ever, flood, faulty, no_room, frames, places, letters,
		holds, wrong, forge, overflow,
	};

	if (me())
		return;
	boot();
	acts[act]();
}
