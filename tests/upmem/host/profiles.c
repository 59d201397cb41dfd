// SPDX-License-Identifier: MIT
/* Profiles: which are taken and which refused, and where they come from. */
#include "check.h"

static void good(const char *profile)
{
	struct dpu_set_t set;

	OK(dpu_alloc(1, profile, &set));
	OK(dpu_free(set));
}

static void bad(const char *profile)
{
	struct dpu_set_t set;

	FAILS(DPU_ERR_INVALID_PROFILE, dpu_alloc(1, profile, &set));
	FAILS(DPU_ERR_INVALID_PROFILE, dpu_alloc_ranks(1, profile, &set));
}

static void disabled(void)
{
	struct dpu_set_t set;
	uint32_t nr;

	OK(dpu_alloc_ranks(1, "disabledMask=0xff00000000000003", &set));
	OK(dpu_get_nr_dpus(set, &nr));
	CHECK(nr == 54);
	OK(dpu_free(set));
}

static void spread(void)
{
	struct dpu_set_t set;
	uint32_t nr;

	OK(dpu_alloc(3, "dispatchOnAllRanks=true", &set));
	OK(dpu_get_nr_ranks(set, &nr));
	CHECK(nr == 3);
	OK(dpu_get_nr_dpus(set, &nr));
	CHECK(nr == 3);
	OK(dpu_free(set));
}

static void environment(void)
{
	setenv("UPMEM_PROFILE_BASE", "nrJobsPerRank=x", 1);
	bad(NULL);
	setenv("UPMEM_PROFILE_BASE", "backend=simulator", 1);
	setenv("UPMEM_PROFILE", "nonsense", 1);
	bad("backend=hw");
	setenv("UPMEM_PROFILE", "clockDivision=4", 1);
	good("clockDivision=2");
	unsetenv("UPMEM_PROFILE");
	unsetenv("UPMEM_PROFILE_BASE");
}

int main(void)
{
	good(NULL);
	good("");
	good("backend=simulator");
	good("backend=hw");
	good("nrThreadPerPool=8");
	good("nrThreadsPerRank=1");
	good("nrJobsPerRank=256,sgXferEnable=true");
	good("cycleAccurate=true,nrJobsPerRank=64");
	good("nrJobPerRank=64,dispatchOnAllRanks=true,cycleAccurate=true");
	good("backend=hw, sgXferEnable=true");
	good("regionMode=safe&chipId=1");
	good("someKeyNobodyKnows=12");
	bad("backend=magic");
	bad("backend");
	bad("nrJobsPerRank=many");
	bad("nrJobsPerRank=0");
	bad("nrJobsPerRank=99999999999");
	bad("dispatchOnAllRanks=perhaps");
	disabled();
	spread();
	environment();
	return check_result();
}
