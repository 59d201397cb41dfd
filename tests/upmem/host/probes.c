// SPDX-License-Identifier: MIT
/* The energy probe that programs start and stop: no joules, but seconds. */
#include <dpu_probe.h>
#include <time.h>

#include "check.h"

int main(void)
{
	struct timespec ten_ms = { .tv_nsec = 10000000 };
	struct dpu_probe_t probe;
	double value;

	OK(dpu_probe_init("energy_probe", &probe));
	for (int i = 0; i < 2; i++) {
		OK(dpu_probe_start(&probe));
		nanosleep(&ten_ms, NULL);
		OK(dpu_probe_stop(&probe));
	}
	FAILS(DPU_ERR_SYSTEM, dpu_probe_stop(&probe));
	OK(dpu_probe_get(&probe, DPU_ENERGY, DPU_AVERAGE, &value));
	CHECK(value == 0);
	OK(dpu_probe_get(&probe, DPU_ENERGY, DPU_ACCUMULATE, &value));
	CHECK(value == 0);
	OK(dpu_probe_get(&probe, DPU_TIME, DPU_AVERAGE, &value));
	CHECK(value >= 0.01 && value < 10);
	OK(dpu_probe_get(&probe, DPU_TIME, DPU_ACCUMULATE, &value));
	CHECK(value >= 0.02);
	OK(dpu_probe_deinit(&probe));
	return check_result();
}
