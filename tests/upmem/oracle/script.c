// SPDX-License-Identifier: MIT
/*
 * Tasklets that do what the host has written to `script`, and log in which order locks and
 * semaphores were passed. Each slot has its own functions, which findings tell apart.
 */
#include <barrier.h>
#include <defs.h>
#include <handshake.h>
#include <mram.h>
#include <mutex.h>
#include <pe_abi.h>
#include <sem.h>

#include "script.h"

__mram_noinit struct step script[TASKLETS][STEPS];
__mram_noinit uint64_t far[FAR_WORDS], source;
__dma_aligned uint8_t slots[SLOTS][8];

/* tasklet * STEPS + step, in their order */
__host uint32_t log_entries[LOG_ENTRIES];
__host uint32_t log_nr;

BARRIER_INIT(all, TASKLETS);
MUTEX_INIT(mutex0);
MUTEX_INIT(mutex1);
SEMAPHORE_INIT(semaphore0, 0);
SEMAPHORE_INIT(semaphore1, 0);

/* one that the compiler neither moves nor leaves out */
#define USE(x)	__asm__ volatile("" : : "r"((uint32_t)(x)) : "memory")

__attribute__((noinline, no_sanitize("thread")))
static void note(uint32_t i)
{
	uint32_t at = __atomic_fetch_add(&log_nr, 1, __ATOMIC_RELAXED);

	log_entries[at] = me() * STEPS + i;
}

#define READS(n)								\
	__attribute__((noinline)) static void read##n(uint32_t at, uint32_t bytes)	\
	{									\
		uint8_t *p = &slots[n][at];					\
		switch (bytes) {						\
		case 1: USE(*p); break;						\
		case 2: USE(*(uint16_t *)p); break;				\
		case 4: USE(*(uint32_t *)p); break;				\
		default: USE(*(uint64_t *)p); break;				\
		}								\
	}
#define WRITES(n)								\
	__attribute__((noinline)) static void write##n(uint32_t at, uint32_t bytes)	\
	{									\
		uint8_t *p = &slots[n][at];					\
		switch (bytes) {						\
		case 1: *p = 1; break;						\
		case 2: *(uint16_t *)p = 1; break;				\
		case 4: *(uint32_t *)p = 1; break;				\
		default: *(uint64_t *)p = 1; break;				\
		}								\
		USE(0);								\
	}
#define FILLS(n)								\
	__attribute__((noinline)) static void fill##n(void)			\
	{									\
		mram_read(&source, slots[n], 8);				\
	}
#define FAR_READS(n)								\
	__attribute__((noinline)) static void far_read##n(uint32_t bytes)	\
	{									\
		__dma_aligned uint8_t buffer[FAR_WORDS * 8];			\
		mram_read(&far[n], buffer, bytes);				\
	}
#define FAR_WRITES(n)								\
	__attribute__((noinline)) static void far_write##n(uint32_t bytes)	\
	{									\
		__dma_aligned uint8_t buffer[FAR_WORDS * 8] = { 0 };		\
		mram_write(buffer, &far[n], bytes);				\
	}

READS(0)
READS(1)
READS(2)
READS(3)
WRITES(0)
WRITES(1)
WRITES(2)
WRITES(3)
FILLS(0)
FILLS(1)
FILLS(2)
FILLS(3)
FAR_READS(0)
FAR_READS(1)
FAR_READS(2)
FAR_READS(3)
FAR_WRITES(0)
FAR_WRITES(1)
FAR_WRITES(2)
FAR_WRITES(3)

#define CHOOSE(n, name, ...)							\
	do {									\
		switch (n) {							\
		case 0: name##0(__VA_ARGS__); break;				\
		case 1: name##1(__VA_ARGS__); break;				\
		case 2: name##2(__VA_ARGS__); break;				\
		default: name##3(__VA_ARGS__); break;				\
		}								\
	} while (0)

static void meet(const struct step *s, uint32_t i)
{
	switch (s->op) {
	case STEP_LOCK:
		mutex_lock(s->which ? mutex1 : mutex0);
		note(i);
		break;
	case STEP_UNLOCK:
		note(i);
		mutex_unlock(s->which ? mutex1 : mutex0);
		break;
	case STEP_MEET:
		barrier_wait(&all);
		break;
	case STEP_NOTIFY:
		handshake_notify();
		break;
	case STEP_AWAIT:
		handshake_wait_for(s->which);
		break;
	case STEP_GIVE:
		/* until sem_give() is over, nobody comes in between */
		PE_SELF->critical = 1;
		note(i);
		sem_give(s->which ? &semaphore1 : &semaphore0);
		break;
	default:
		sem_take(s->which ? &semaphore1 : &semaphore0);
		note(i);
		break;
	}
}

static void do_step(const struct step *s, uint32_t i)
{
	switch (s->op) {
	case STEP_READ:
		CHOOSE(s->which, read, s->at, s->bytes);
		break;
	case STEP_WRITE:
		CHOOSE(s->which, write, s->at, s->bytes);
		break;
	case STEP_FILL:
		CHOOSE(s->which, fill, );
		break;
	case STEP_FAR_READ:
		CHOOSE(s->which, far_read, s->bytes);
		break;
	case STEP_FAR_WRITE:
		CHOOSE(s->which, far_write, s->bytes);
		break;
	default:
		meet(s, i);
	}
}

int main(void)
{
	__dma_aligned struct step steps[STEPS];

	mram_read(script[me()], steps, sizeof(steps));
	for (uint32_t i = 0; i < STEPS && steps[i].op != STEP_END; i++)
		do_step(&steps[i], i);
	return 0;
}
