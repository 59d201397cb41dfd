// SPDX-License-Identifier: MIT
/* Parcels: threads on other PEs, and words that one waits for until they are full. */
#define TASKLETS 3
#include "tests/unit/pe/programs/pe.h"

HOST uint32_t act;
HOST uint32_t nr_pes;
HOST uint64_t hops;		/* of the ring */
HOST volatile uint64_t token;
HOST volatile uint32_t full;
HOST uint32_t odd;
HOST uint64_t sum;
HOST uint32_t got;
HOST uint64_t seen[4];

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
	sum += value;
	got++;
	PE_SVC->yield();
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

static void flood(void)
{
	for (;;)
		send(0, add, 1);
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
		for_ever, flood, faulty,
	};

	if (me())
		return;
	boot();
	acts[act]();
}
