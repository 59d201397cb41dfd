/* SPDX-License-Identifier: MIT */
/* What a rank is made of and how it was asked to behave. */
#ifndef DPU_DESCRIPTION_H
#define DPU_DESCRIPTION_H

#include <dpu_hw_description.h>
#include <dpu_target.h>
#include <dpu_types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct _dpu_description_t {
	struct dpu_hw_description_t hw;
	dpu_type_t type;
	struct {
		bool mram_access_by_dpu_only;
		bool api_must_switch_mram_mux;
		bool init_mram_mux;
		bool do_iram_repair;
		bool do_wram_repair;
		bool ignore_vpd;
		bool enable_cycle_accurate_behavior;
		bool disable_api_safe_checks;
		bool disable_reset_on_alloc;
		bool ila_control_refresh;
	} configuration;
	uint32_t refcount;
} *dpu_description_t;

/**
 * dpu_acquire_description() - hold on to a description
 * @description: the description; dpu_free_description() is due once more
 */
void dpu_acquire_description(dpu_description_t description);

/**
 * dpu_free_description() - let go of a description
 * @description: the description
 */
void dpu_free_description(dpu_description_t description);

#ifdef __cplusplus
}
#endif

#endif /* DPU_DESCRIPTION_H */
