/* SPDX-License-Identifier: MIT */
/* What programs read of ranks and DPUs; the rest is the library's. */
#ifndef DPU_RANK_H
#define DPU_RANK_H

#include <dpu_description.h>
#include <dpu_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dpu_t {
	struct dpu_rank_t *rank;
	dpu_slice_id_t slice_id;
	dpu_member_id_t dpu_id;
	bool enabled;
	struct dpu_program_t *program;
};

struct dpu_rank_t {
	dpu_type_t type;
	dpu_rank_id_t rank_id;
	dpu_description_t description;
	struct dpu_t *dpus;	/* by 8 * slice + member */
	struct dpu_rank_state *state;
};

#define DPU_GET_UNSAFE(rank, ci, dpu) \
	((rank)->dpus + DPU_MAX_NR_DPUS_PER_CI * (ci) + (dpu))

#ifdef __cplusplus
}
#endif

#endif /* DPU_RANK_H */
