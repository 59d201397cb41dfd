// SPDX-License-Identifier: MIT
/* Probes: there is no meter, so no energy; time is that between start and stop. */
#include <string.h>

#include <dpu_probe.h>

#include "tools/upmem/host/core/error.h"
#include "tools/upmem/host/inside.h"

static double probe_now(void)
{
	return (double)pd_now_ns() * 1e-9;
}

DPU_API dpu_error_t dpu_probe_init(__attribute__((unused)) const char *name,
				   struct dpu_probe_t *probe)
{
	memset(probe, 0, sizeof(*probe));
	return DPU_OK;
}

DPU_API dpu_error_t dpu_probe_start(struct dpu_probe_t *probe)
{
	if (probe->running)
		return host_fail(DPU_ERR_SYSTEM, "the probe runs already");
	probe->running = 1;
	probe->started = probe_now();
	return DPU_OK;
}

DPU_API dpu_error_t dpu_probe_stop(struct dpu_probe_t *probe)
{
	if (!probe->running)
		return host_fail(DPU_ERR_SYSTEM, "the probe does not run");
	probe->running = 0;
	probe->seconds += probe_now() - probe->started;
	probe->runs++;
	return DPU_OK;
}

DPU_API dpu_error_t dpu_probe_get(struct dpu_probe_t *probe,
				  enum dpu_probe_quantity quantity,
				  enum dpu_probe_form form, double *value)
{
	double runs = form == DPU_AVERAGE && probe->runs ?
			      (double)probe->runs :
			      1;

	switch (quantity) {
	case DPU_ENERGY:
		*value = 0;
		return DPU_OK;
	case DPU_TIME:
		*value = probe->seconds / runs;
		return DPU_OK;
	default:
		return host_fail(DPU_ERR_SYSTEM,
				 "quantity=%d: expected DPU_ENERGY or DPU_TIME",
				 (int)quantity);
	}
}

DPU_API dpu_error_t dpu_probe_deinit(__attribute__((unused))
				     struct dpu_probe_t *probe)
{
	return DPU_OK;
}
