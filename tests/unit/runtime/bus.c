// SPDX-License-Identifier: MIT
/*
 * The model of host transfers: by its parameters it gives the published bandwidths of
 * two servers, is sublinear in PEs, and bears whatever parameters there may be.
 */
#include "runtime/watch/bus.h"

#include <pimdimm/pimdimm_layout.h>

#include "tests/unit/unit.h"

#define MIB	(1u << 20)

/* as UPMEM's SDK takes them: the PEs of one entangled group after the other */
static struct pd_bus_call call_of(enum pd_bus_kind kind, uint64_t bytes,
				  uint32_t pes)
{
	struct pd_bus_call call = { .kind = kind, .bytes = bytes };

	for (uint32_t pe = 0; pe < pes; pe++)
		pd_bus_add_pe(&call, pe / PIMDIMM_CHIPS);
	return call;
}

static uint64_t ns_of(enum pd_bus_kind kind, uint64_t bytes, uint32_t pes)
{
	const struct pd_bus_call call = call_of(kind, bytes, pes);

	return pd_bus_ns(&call);
}

static double rate(enum pd_bus_kind kind, uint64_t bytes, uint32_t pes)
{
	return (double)bytes * pes / (double)ns_of(kind, bytes, pes);
}

/* within a share of what was published */
#define NEAR(value, published, share) do {				       \
		double v_ = (value), p_ = (published);			       \
									       \
		if (v_ < p_ * (1 - (share)) || v_ > p_ * (1 + (share)))	       \
			fail_msg("%s is %g, published %g", #value, v_, p_);    \
	} while (0)

/* GB/s of 32 MiB to and from each DPU: Gomez-Luna et al., arXiv 2105.03814 */
static void test_prim_host(void **state)
{
	const struct pd_bus_parameters before = pd_bus;

	(void)state;
	pd_bus.xfer_threads = 8;
	pd_bus.xfer_push_group_ps = 2930;
	pd_bus.xfer_push_host_ps = 104;
	pd_bus.xfer_push_miss_ps = 0;
	pd_bus.xfer_broadcast_host_ps = 13;
	pd_bus.xfer_pull_group_ps = 8250;
	pd_bus.xfer_pull_host_ps = 82;
	NEAR(rate(PD_BUS_PUSH, 32 * MIB, 1), 0.33, 0.02);
	NEAR(rate(PD_BUS_PUSH, 32 * MIB, 64), 6.68, 0.02);
	NEAR(rate(PD_BUS_PULL, 32 * MIB, 1), 0.12, 0.02);
	NEAR(rate(PD_BUS_PULL, 32 * MIB, 64), 4.74, 0.02);
	NEAR(rate(PD_BUS_BROADCAST, 32 * MIB, 64), 16.88, 0.02);
	pd_bus = before;
}

/*
 * Milliseconds of hardware, by the repository VIA-Research/uPIMulator: transfers of
 * PrIM's TRNS, VA, SCAN-SSA, HST-L and RED, one call each.
 */
static void test_measured(void **state)
{
	static const struct {
		enum pd_bus_kind kind;
		uint64_t bytes;
		uint32_t pes;
		double ms, share;
	} all[] = {
		{ PD_BUS_PUSH, 64, 64, 30.5866 / 512, 0.1 },
		{ PD_BUS_PUSH, 64, 1, 1763.0 / 32768, 0.15 },
		{ PD_BUS_PUSH, 1048576, 16, 11.3472, 0.25 },
		{ PD_BUS_PULL, 8388608, 1, 76.8558, 0.1 },
		{ PD_BUS_PULL, 2097152, 4, 20.9388, 0.1 },
		{ PD_BUS_PULL, 524288, 16, 12.6267, 0.1 },
		{ PD_BUS_PULL, 131072, 64, 6.3256, 0.1 },
		{ PD_BUS_PULL, 1024, 4, 0.138, 0.15 },
		{ PD_BUS_WRAM_READ, 256, 64, 1.10749, 0.05 },
		{ PD_BUS_WRAM_READ, 256, 16, 0.32196, 0.05 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		NEAR((double)ns_of(all[i].kind, all[i].bytes, all[i].pes) * 1e-6,
		     all[i].ms, all[i].share);
}

/* More PEs of a rank never take less, and less than as many alone would. */
static void test_sublinear(void **state)
{
	(void)state;
	for (enum pd_bus_kind kind = PD_BUS_PUSH; kind <= PD_BUS_PULL; kind++) {
		for (uint32_t pes = 2; pes <= 64; pes++) {
			uint64_t ns = ns_of(kind, MIB, pes);

			assert_true(ns >= ns_of(kind, MIB, pes - 1));
			assert_true(ns <= pes * ns_of(kind, MIB, 1));
		}
	}
	assert_true(ns_of(PD_BUS_BROADCAST, MIB, 64) <
		    ns_of(PD_BUS_PUSH, MIB, 64));
}

static uint64_t groups_ns(const uint32_t egs[], unsigned int nr)
{
	struct pd_bus_call call = { .kind = PD_BUS_PULL, .bytes = MIB };

	for (unsigned int i = 0; i < nr; i++)
		pd_bus_add_pe(&call, egs[i]);
	assert_int_equal(call.pes, nr);
	return pd_bus_ns(&call) - pd_bus.xfer_pull_call_ns -
	       (uint64_t)nr * MIB * pd_bus.xfer_pull_host_ps / 1000;
}

/* Four threads serve two neighbours each of a rank's groups, and all ranks' in turn. */
static void test_side_by_side(void **state)
{
	static const uint32_t all[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
					12, 13, 14, 15 };
	const uint64_t one = groups_ns(all, 1);

	(void)state;
	assert_in_range(groups_ns(all, 2), 2 * one - 9, 2 * one + 9);
	assert_in_range(groups_ns((uint32_t[]){ 0, 2, 4, 6 }, 4), one - 9,
			one + 9);
	assert_in_range(groups_ns(all, 8), 2 * one - 9, 2 * one + 9);
	assert_in_range(groups_ns(all, 16), 4 * one - 9, 4 * one + 9);
	/* one of each of four ranks, and of eight */
	assert_in_range(groups_ns((uint32_t[]){ 0, 8, 16, 24 }, 4), one - 9,
			one + 9);
	assert_in_range(groups_ns((uint32_t[]){ 0, 8, 16, 24, 32, 40, 48, 56 },
				  8), 2 * one - 9, 2 * one + 9);
}

static void test_extremes(void **state)
{
	const struct pd_bus_parameters before = pd_bus;

	(void)state;
	for (enum pd_bus_kind kind = PD_BUS_PUSH; kind <= PD_BUS_WRAM_READ;
	     kind++) {
		assert_true(ns_of(kind, 0, 0) < 1000000);
		assert_true(ns_of(kind, 0, 64) < 1000000);
	}
	memset(&pd_bus, 0xff, sizeof(pd_bus));
	pd_bus.xfer_threads = 1;
	pd_bus.bus_mb_per_s = 1;
	assert_true(ns_of(PD_BUS_PULL, 64ull * MIB, 2560) > 100000000000000000);
	assert_int_equal(pd_bus_collective_ns(UINT64_MAX), UINT64_MAX);
	pd_bus = before;
	/* 76.8 GB/s */
	assert_int_equal(pd_bus_collective_ns(768), 10);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_prim_host),
	cmocka_unit_test(test_measured),
	cmocka_unit_test(test_sublinear),
	cmocka_unit_test(test_side_by_side),
	cmocka_unit_test(test_extremes),
};

int main(void)
{
	unit_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
