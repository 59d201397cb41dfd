/* SPDX-License-Identifier: MIT */
/*
 * Measuring the energy of a run. Nothing here has a meter: energies are 0 J,
 * times are those between start and stop.
 */
#ifndef DPU_PROBE_H
#define DPU_PROBE_H

#include <stdint.h>

#include <dpu_error.h>

#ifdef __cplusplus
extern "C" {
#endif

enum dpu_probe_quantity {
	DPU_ENERGY,	/* joules */
	DPU_TIME,	/* seconds */
};

enum dpu_probe_form {
	DPU_AVERAGE,	/* over the runs */
	DPU_ACCUMULATE,	/* all runs together */
};

struct dpu_probe_t {
	uint64_t runs;
	double seconds;
	double started;
	int running;
};
typedef struct dpu_probe_t dpu_probe_t;

/**
 * dpu_probe_init() - make a probe
 * @name: "energy_probe"
 * @probe: the probe
 *
 * Return: DPU_OK or DPU_ERR_SYSTEM.
 */
dpu_error_t dpu_probe_init(const char *name, struct dpu_probe_t *probe);

/**
 * dpu_probe_start() - a run begins
 * @probe: the probe
 *
 * Return: DPU_OK; DPU_ERR_SYSTEM when one runs.
 */
dpu_error_t dpu_probe_start(struct dpu_probe_t *probe);

/**
 * dpu_probe_stop() - a run ends
 * @probe: the probe
 *
 * Return: DPU_OK; DPU_ERR_SYSTEM when none runs.
 */
dpu_error_t dpu_probe_stop(struct dpu_probe_t *probe);

/**
 * dpu_probe_get() - what the runs took
 * @probe: the probe
 * @quantity: what of them
 * @form: their average or sum
 * @value: receives it
 *
 * Return: DPU_OK or DPU_ERR_SYSTEM.
 */
dpu_error_t dpu_probe_get(struct dpu_probe_t *probe,
			  enum dpu_probe_quantity quantity,
			  enum dpu_probe_form form, double *value);

/**
 * dpu_probe_deinit() - end a probe
 * @probe: the probe
 *
 * Return: DPU_OK.
 */
dpu_error_t dpu_probe_deinit(struct dpu_probe_t *probe);

#ifdef __cplusplus
}
#endif

#endif /* DPU_PROBE_H */
