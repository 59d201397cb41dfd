/* SPDX-License-Identifier: MIT */
/*
 * The clock of a PE: when, on hardware, what its tasklets do would have happened.
 *
 * Tasklets run natively from one event to their next: a transfer, a wait, a wake. At
 * each they tell how many instructions they have executed since, and the clock says
 * whose event is due first; that one goes on. No measured time enters it, so that the
 * same program and data take the same cycles, in the same order, everywhere.
 *
 * The pipeline issues an instruction a cycle, and one of a tasklet each issue_cycles.
 * So all that compute, or spin on a mutex, come on alike: at each moment by an
 * instruction in max(issue_cycles, their number) cycles; less while the DMA engine,
 * which takes transfers in the order of their coming, has a share of the WRAM.
 */
#ifndef PE_CLOCK_H
#define PE_CLOCK_H

#include <stdint.h>

#include "runtime/pe/shared/abi.h"

/* parameters; cost.c has their sources */
struct pe_cost {
	uint32_t clock_hz;
	/* what a DMA takes: cycles, and thousandths of a cycle a byte */
	uint32_t read_cycles, read_byte_millicycles;
	uint32_t write_cycles, write_byte_millicycles;
	/* how long the engine is taken by it, which begins the next one earlier than
	 * the tasklet sees this one's end */
	uint32_t engine_cycles, engine_byte_millicycles;
	/* cycles in which the pipeline issues nothing, in the course of it */
	uint32_t issue_byte_millicycles;
	/* cycles from one instruction of a tasklet to its next */
	uint32_t issue_cycles;
	/* of the host, before and after the PEs run */
	uint32_t launch_us;
};

/* what one tasklet did; times in units of the clock */
struct pe_work {
	uint64_t reads, read_bytes;
	uint64_t writes, write_bytes;
	uint64_t dma_wait;	/* from a transfer's issue to its end */
	uint64_t stop_wait;	/* at barriers, handshakes, semaphores, wide words */
	uint64_t spin_wait;	/* at mutexes */
	uint64_t spun;		/* issue slots taken there */
};

/* cycles that transfers take one after the other */
static inline uint64_t pe_dma_cycles(const struct pe_cost *c, const struct pe_work *w)
{
	return c->read_cycles * w->reads + c->write_cycles * w->writes +
	       (c->read_byte_millicycles * w->read_bytes +
		c->write_byte_millicycles * w->write_bytes) / 1000;
}

/* Times are in units of 1/65536 cycle, what is issued in 1/65536 instruction. */
#define PE_CLOCK_SHIFT	16
#define PE_CLOCK_END	(1ull << 59)	/* it does not go further */

/* So many instructions after its last event a tasklet that reads or writes what is
 * volatile waits for its turn; and so many before it calls a function. */
#define PE_PACE		64u
#define PE_PACE_CALLS	4096u

/* what a tasklet does when it has executed its burst */
enum pe_goal {
	PE_GOAL_ON = 0,		/* goes on */
	PE_GOAL_DMA,
	PE_GOAL_STOP,		/* until it is woken */
	PE_GOAL_SPIN,		/* the same, but takes issue slots */
	PE_GOAL_END,
};

#define PE_EVENTS	32u

/* in order of time; of equal ones those first that came first */
struct pe_events {
	uint32_t first, nr;
	struct pe_event {
		uint64_t due;
		uint32_t what;
	} ring[PE_EVENTS];
};

struct pe_transfer {
	uint64_t latency, taken, lost;
	uint32_t bytes;		/* 0: none */
	uint32_t open;		/* of 1024 slots, while the engine has it */
};

struct pe_clock {
	uint64_t now;
	uint64_t issued;	/* by each that computes or spins */
	uint64_t engine_free;
	/* sets of tasklets */
	uint32_t running;	/* natively; what comes then is not known */
	uint32_t spinning;
	uint32_t stopped;
	uint32_t forced;	/* one was stopped where it knew of no event */
	uint64_t steps;		/* that the clock itself took, from event to event */
	struct pe_events bursts;	/* of those that compute: by what is issued */
	struct pe_events transfers;	/* of those that wait for one: by time */
	struct pe_events engine;	/* its transfers' ends, and slots open till then */
	struct pe_transfer last[2];	/* made: one that reads, one that writes */
	struct pe_clock_tasklet {
		uint64_t seen;		/* its instructions at its last event */
		uint64_t begun;		/* issued then */
		uint64_t since, since_issued;	/* it waits */
		uint64_t burst;		/* to execute after a transfer, */
		uint32_t owes;		/* if not 0 */
		uint32_t goal;
		uint32_t bytes, write;	/* of the transfer to begin then */
		struct pe_transfer passed;	/* that it did not wait for */
	} tasklets[PE_PLACES];
	struct pe_work work[PE_PLACES];
	/* issue slots: all that were used, those of them by spinning, those that were
	 * not open since the engine was busy */
	uint64_t slots, spun, lost;
	/* and, times issue_cycles, those that were idle since tasklets waited for DMA,
	 * or at barriers and the like */
	uint64_t idle_dma, idle_stop;
};

/* Tasklet @t starts, its counter being at @count. */
void pe_clock_start(struct pe_clock *c, uint32_t t, uint64_t count);

/* Tasklet @t, which runs, has come to its next event, its counter being at @count. */
void pe_clock_tell(struct pe_clock *c, uint32_t t, uint64_t count, enum pe_goal goal);

/* The transfer of its next event, for PE_GOAL_DMA: told before. */
void pe_clock_dma(struct pe_clock *c, uint32_t t, uint32_t bytes, int write);

/*
 * A transfer that tasklet @t sees the end of without giving way: it takes its time
 * as if it had been issued at the tasklet's last event.
 */
void pe_clock_pass(struct pe_clock *c, const struct pe_cost *cost, uint32_t t,
		   uint32_t bytes, int write);

/* Tasklet @t, which was to stop or spin, goes on. */
void pe_clock_wake(struct pe_clock *c, uint32_t t);

/*
 * Lets time go on, unless tasklets run, until one does; returns that of the lowest
 * number above @last, else the lowest; PE_PLACES: all have stopped or ended.
 */
uint32_t pe_clock_next(struct pe_clock *c, const struct pe_cost *cost, uint32_t last);

/* The same, but tasklet @last, which runs, is not to be the one if there are others. */
uint32_t pe_clock_force(struct pe_clock *c, const struct pe_cost *cost, uint32_t last);

#endif /* PE_CLOCK_H */
