// SPDX-License-Identifier: MIT
/* Tasklets: a barrier, a queue, spinning, waiting for nobody. */
#define TASKLETS 24
#include "tests/unit/pe/programs/pe.h"
#include "runtime/pe/shared/shared.h"
#include "runtime/pe/shared/syscall.h"

#define SHARED	((volatile struct pe_shared *)(uintptr_t)PE_SHARED)

HOST uint32_t act;		/* what to do */
HOST uint32_t tasklets = TASKLETS;	/* how many of them take part */
HOST volatile uint32_t phase[TASKLETS];
HOST volatile uint32_t torn;
HOST volatile uint32_t arrived, round_number;
HOST volatile uint32_t order[TASKLETS], next;
HOST volatile uint32_t flag;
HOST uint32_t mxcsr[TASKLETS];
HOST uint64_t buffer[TASKLETS];

static void barrier(void)
{
	uint32_t round = round_number;

	if (++arrived == tasklets) {
		arrived = 0;
		round_number++;
		PE_SVC->wake(&arrived, ~0u);
		return;
	}
	while (round == round_number)
		PE_SVC->wait(PE_WAIT_BARRIER, &arrived);
}

/* Nobody is ever more than a phase ahead of another. */
static void phases(void)
{
	for (uint32_t i = 1; i <= 50; i++) {
		phase[me()] = i;
		if (me() % 3 == 0)
			PE_SVC->mram_read(64 * me(), &buffer[me()], 8);
		barrier();
		for (uint32_t t = 0; t < tasklets; t++)
			torn += phase[t] != i;
		barrier();
	}
}

/* All wait for one object, tasklet 0 wakes them one by one: in order. */
static void queue(void)
{
	if (me()) {
		PE_SVC->wait(PE_WAIT_SEMAPHORE, &flag);
		order[next++] = me();
		return;
	}
	for (uint32_t t = 1; t < tasklets; t++)
		PE_SVC->yield();
	for (uint32_t t = 1; t < tasklets; t++) {
		PE_SVC->wake(&flag, 1);
		PE_SVC->yield();
	}
}

/* Each spins until the one before it has had its turn; no service is called. */
static void spin(void)
{
	uint32_t before = tasklets - 1 - me();

	while (flag != before)
		;
	flag = before + 1;
}

/* A tasklet's rounding mode is its own, over waits and over preemption. */
static void rounding(void)
{
	uint32_t mine = 0x1f80 | (me() % 4) << 13;

#ifdef __aarch64__
	__asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)me() % 4 << 22));
#else
	__asm__ volatile("ldmxcsr %0" : : "m"(mine));
#endif
	for (int i = 0; i < 20; i++)
		PE_SVC->yield();
	spin();
#ifdef __aarch64__
	uint64_t fpcr;

	__asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
	mxcsr[me()] = (mine & 0x1fff) | (uint32_t)(fpcr >> 22 & 3) << 13;
#else
	__asm__ volatile("stmxcsr %0" : "=m"(mxcsr[me()]));
#endif
}

static void nothing(void)
{
}

/* Tasklet 1 waits at a barrier, 2 for a mutex, the others end. */
static void deadlock(void)
{
	if (me() == 1)
		PE_SVC->wait(PE_WAIT_BARRIER, &arrived);
	if (me() == 2)
		PE_SVC->wait(PE_WAIT_MUTEX, &flag);
}

NOINLINE static void hang(void)
{
	next = 1;
	if (me() == 1)
		PE_SVC->wait(PE_WAIT_HANDSHAKE, &arrived);
	while (me() == 3)
		__asm__ volatile("");
}

/*
 * A tick comes when the PE has hardly begun, from a timer that was set before.
 * Tasklet 1 has its turn by a tick alone, and tells how many there were by then.
 */
static void tick(void)
{
	uint64_t soon[4] = { 0, 0, 0, 1 };

	if (me()) {
		next = SHARED->ticks;
		flag = 1;
		return;
	}
	pe_syscall(SYS_setitimer, 0, (long)(uintptr_t)soon, 0, 0, 0, 0);
	while (!flag)
		;
}

/*
 * What hardware loses of 24 tasklets that count without a lock; and atomically,
 * with a critical section, with transfers in between.
 */
static void count(void)
{
	for (uint32_t i = 0; i < 200; i++)
		next++;
	for (uint32_t i = 0; i < 200; i++)
		__atomic_fetch_add(&flag, 1, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < 50; i++) {
		PE_SELF->critical = 1;
		arrived++;
		PE_SELF->critical = 0;
	}
	for (uint32_t i = 0; i < 50; i++) {
		uint32_t seen = torn;

		PE_SVC->mram_read(64 * me(), &buffer[me()], 8);
		torn = seen + 1;
	}
	order[me()] = round_number++;
}

/* Transfers, barriers and a mutex, between what its own number makes it count. */
static void timed(void)
{
	for (uint32_t i = 1; i <= 50; i++) {
		PE_SELF->instructions[me()] += 10 * ((i * 7 + me()) % 13);
		PE_SVC->mram_read(64 * me(), &buffer[me()], 8);
		barrier();
		PE_SELF->instructions[me()] += me();
		PE_SVC->sync();
		while (flag)
			PE_SVC->wait(PE_WAIT_MUTEX, &flag);
		flag = 1;
		PE_SELF->instructions[me()] += 5;
		PE_SVC->sync();
		flag = 0;
		PE_SVC->wake(&flag, 1);
	}
}

/*
 * Alone for more instructions than a PE has steps in a random order; then counting, of which
 * updates are lost all the same.
 */
static void alone(void)
{
	uint32_t put_off;

	PE_SELF->critical = 1;
	for (volatile uint32_t i = 0; i < 10000; i++)
		;
	put_off = PE_SELF->critical & PE_PUT_OFF;
	PE_SELF->critical = 0;
	if (put_off)
		PE_SVC->sync();
	for (uint32_t i = 0; i < 200; i++)
		next++;
}

static void early_exit(void)
{
	next++;
	PE_SVC->exit();
}

void pe_start(void)
{
	static void (*const acts[])(void) = {
		nothing, phases, queue, spin, rounding, deadlock, hang,
		early_exit, tick, count, timed, alone,
	};

	if (!me())
		boot();
	if (me() < tasklets)
		acts[act]();
}
