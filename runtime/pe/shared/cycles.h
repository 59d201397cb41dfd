/* SPDX-License-Identifier: MIT */
/*
 * Cycles of a PE by the cost model, computed alike by the host for its reports
 * and by the worker for perfcounter_get().
 */
#ifndef PE_CYCLES_H
#define PE_CYCLES_H

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
	/* cycles from one instruction of a tasklet to its next */
	uint32_t issue_cycles;
};

/* what one tasklet did */
struct pe_work {
	uint64_t reads, read_bytes;
	uint64_t writes, write_bytes;
};

static inline uint64_t pe_dma_cycles(const struct pe_cost *c,
				     const struct pe_work *w)
{
	return c->read_cycles * w->reads + c->write_cycles * w->writes +
	       (c->read_byte_millicycles * w->read_bytes +
		c->write_byte_millicycles * w->write_bytes) / 1000;
}

/* What these transfers take of the engine; never more than one after the other. */
static inline uint64_t pe_engine_cycles(const struct pe_cost *c,
					const struct pe_work *w)
{
	uint64_t taken = c->engine_cycles * (w->reads + w->writes) +
			 c->engine_byte_millicycles *
			 (w->read_bytes + w->write_bytes) / 1000;
	uint64_t dma = pe_dma_cycles(c, w);

	return taken < dma ? taken : dma;
}

/*
 * The slowest of three: the pipeline, which issues one instruction a cycle; the
 * DMA engine, which is taken by one transfer at a time; and the slowest tasklet, which
 * issues one instruction in issue_cycles and waits for its own transfers.
 */
static inline uint64_t pe_cycles(const struct pe_cost *c,
				 const struct pe_work work[PE_MAX_TASKLETS],
				 const volatile uint64_t issued[PE_MAX_TASKLETS])
{
	uint64_t pipeline = 0, engine = 0, slowest = 0;

	for (unsigned int t = 0; t < PE_MAX_TASKLETS; t++) {
		uint64_t instructions = issued[t];
		uint64_t dma = pe_dma_cycles(c, &work[t]);
		uint64_t alone = c->issue_cycles * instructions + dma;

		pipeline += instructions;
		engine += pe_engine_cycles(c, &work[t]);
		if (alone > slowest)
			slowest = alone;
	}
	if (pipeline < engine)
		pipeline = engine;
	return pipeline > slowest ? pipeline : slowest;
}

#endif /* PE_CYCLES_H */
