/* SPDX-License-Identifier: MIT */
/* Functions done at their turn in the queues of a set's ranks. */
#ifndef HOST_CALLBACK_H
#define HOST_CALLBACK_H

#include "tools/upmem/host/core/api.h"

struct callback {
	dpu_error_t (*function)(struct dpu_set_t set, uint32_t index,
				void *args);
	void *args;
	/* for each call to be made, and when it was made or never will be */
	void (*hold)(void *args);
	void (*release)(void *args);
};

dpu_error_t host_callback(struct dpu_set_t set, const struct callback *callback,
			  unsigned int flags);

#endif /* HOST_CALLBACK_H */
