/* SPDX-License-Identifier: MIT */
/* Where MRAM comes from: a backend for each scheme of URIs. */
#ifndef PD_BACKEND_H
#define PD_BACKEND_H

#include <stdbool.h>
#include <stdint.h>

struct pimdimm;
struct pd_uri;

/* nothing else in the library knows */
struct pd_backend {
	const char *name;
	/* while an export lives a rank cannot be handed to its PEs */
	bool export_holds;
	/* fill geometry and ranks; on failure nothing is left behind */
	int (*open)(struct pimdimm *sys, const struct pd_uri *uri);
	/* undo it */
	void (*close)(struct pimdimm *sys);
	int (*export)(struct pimdimm *sys, uint32_t rank, uint64_t off,
		      uint64_t bytes);
	/* with strict=1: hand a rank to its PEs, or back to the host */
	int (*hand)(struct pimdimm *sys, uint32_t rank, bool to_pes);
};

extern const struct pd_backend pd_backend_mem;
extern const struct pd_backend pd_backend_dev;

#endif /* PD_BACKEND_H */
