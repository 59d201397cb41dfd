/* SPDX-License-Identifier: MIT */
/* PID-Comm's hypercubes and one call of a collective on them. */
#ifndef HYPERCUBE_H
#define HYPERCUBE_H

#include <pimdimm/pidcomm.h>

#include "tools/upmem/host/core/queue.h"

/* as <pidcomm.h> has it, whose macros would rename what is used here */
typedef struct {
	struct dpu_set_t dpu_set;
	uint32_t dimension;
	uint32_t *axis_len;
} hypercube_manager;

struct call {
	struct op op;
	const char *name;
	const hypercube_manager *manager;
	const char *axes;
	uint64_t bytes;		/* of a DPU on the larger side */
	uint64_t src, dst;	/* offsets in MRAM */
	uint64_t in, out;	/* bytes read and written of a DPU's MRAM */
	enum pidcomm_type type;
	pidcomm_op reduction;
	void **bufs;
	int (*collective)(struct pidcomm *hc, const struct call *call,
			  uint64_t src, uint64_t dst);
};

/* do it, when its turn has come in the queues of the set's ranks */
dpu_error_t hypercube_do(struct call *call);

#endif /* HYPERCUBE_H */
