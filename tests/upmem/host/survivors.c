// SPDX-License-Identifier: MIT
/* Which DPUs dpu_alloc() leaves, and the order of DPU_FOREACH. */
#include <dpu_management.h>

#include "check.h"

static uint32_t ids(struct dpu_set_t set, uint32_t out[])
{
	struct dpu_set_t dpu;
	uint32_t i, nr = 0;

	DPU_FOREACH(set, dpu, i) {
		out[i] = dpu_get_id(dpu_from_set(dpu));
		CHECK(i == nr);
		nr++;
	}
	return nr;
}

/* n DPUs are the first n chips of line 0 */
static void first_chips(uint32_t n)
{
	struct dpu_set_t set;
	uint32_t id[64], nr;

	OK(dpu_alloc(n, NULL, &set));
	OK(dpu_get_nr_dpus(set, &nr));
	CHECK(nr == n && ids(set, id) == n);
	for (uint32_t i = 0; i < n; i++)
		CHECK((id[i] & 0xffff) == i << 8);
	OK(dpu_free(set));
}

static void whole_rank(void)
{
	struct dpu_set_t set;
	uint32_t id[64];

	OK(dpu_alloc(64, "", &set));
	CHECK(ids(set, id) == 64);
	for (uint32_t i = 0; i < 64; i++)
		CHECK((id[i] & 0xffff) == (i / 8 << 8 | i % 8));
	OK(dpu_free(set));
}

/* a started line is emptied first: 60 lack chips 7 to 4 of line 7 */
static void started_line(void)
{
	struct dpu_set_t set, dpu;
	uint32_t left = 0;

	OK(dpu_alloc(60, NULL, &set));
	DPU_FOREACH(set, dpu) {
		struct dpu_t *d = dpu_from_set(dpu);

		CHECK(dpu_get_member_id(d) < 7 || dpu_get_slice_id(d) < 4);
		left++;
	}
	CHECK(left == 60);
	OK(dpu_free(set));
}

static void balanced(uint32_t n, uint32_t nr_ranks, const uint32_t each[])
{
	struct dpu_set_t set, rank, dpu;
	uint32_t r, i, nr, total = 0;

	OK(dpu_alloc(n, NULL, &set));
	OK(dpu_get_nr_ranks(set, &nr));
	CHECK(nr == nr_ranks);
	DPU_RANK_FOREACH(set, rank, r) {
		OK(dpu_get_nr_dpus(rank, &nr));
		CHECK(nr == each[r]);
		DPU_FOREACH(rank, dpu, i) {
			CHECK(dpu_get_rank_id(dpu_get_rank(dpu.dpu)) ==
			      dpu_get_rank_id(dpu_rank_from_set(rank)));
			total++;
		}
		CHECK(i == nr);
	}
	CHECK(total == n);
	OK(dpu_free(set));
}

static void single(void)
{
	struct dpu_set_t set, dpu, again;
	uint32_t nr = 0, i, loops = 0;

	OK(dpu_alloc(3, NULL, &set));
	DPU_FOREACH(set, dpu) {
		OK(dpu_get_nr_dpus(dpu, &nr));
		CHECK(nr == 1);
		OK(dpu_get_nr_ranks(dpu, &nr));
		CHECK(nr == 1);
		DPU_FOREACH(dpu, again, i) {
			CHECK(i == 0 && again.kind == DPU_SET_DPU);
			CHECK(again.dpu == dpu.dpu);
			loops++;
		}
	}
	CHECK(loops == 3);
	OK(dpu_free(set));
}

static void all(void)
{
	struct dpu_set_t set, none;
	uint32_t nr;

	OK(dpu_alloc(DPU_ALLOCATE_ALL, NULL, &set));
	OK(dpu_get_nr_dpus(set, &nr));
	CHECK(nr && nr % 64 == 0);
	FAILS(DPU_ERR_ALLOCATION, dpu_alloc(1, NULL, &none));
	FAILS(DPU_ERR_ALLOCATION, dpu_alloc(DPU_ALLOCATE_ALL, NULL, &none));
	OK(dpu_free(set));
	FAILS(DPU_ERR_ALLOCATION, dpu_alloc(nr + 1, NULL, &none));
	FAILS(DPU_ERR_ALLOCATION, dpu_alloc_ranks(nr / 64 + 1, NULL, &none));
	OK(dpu_alloc_ranks(DPU_ALLOCATE_ALL, NULL, &set));
	OK(dpu_free(set));
	OK(dpu_alloc_ranks(2, NULL, &set));
	OK(dpu_get_nr_dpus(set, &nr));
	CHECK(nr == 128);
	OK(dpu_free(set));
}

int main(void)
{
	for (uint32_t n = 1; n <= 8; n++)
		first_chips(n);
	whole_rank();
	started_line();
	balanced(65, 2, (uint32_t[]){ 33, 32 });
	balanced(128, 2, (uint32_t[]){ 64, 64 });
	balanced(100, 2, (uint32_t[]){ 52, 48 });
	single();
	all();
	return check_result();
}
