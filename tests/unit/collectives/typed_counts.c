// SPDX-License-Identifier: MIT
/*
 * What collectives on derived datatypes cost: blocks of MRAM, as they say and as they are
 * counted, and no memory once they are planned.
 */
#include "runtime/ranks/system.h"
#include "runtime/watch/count.h"

#include "tests/unit/allocations.h"
#include "tests/unit/collectives/typed_cube.h"

/* blocks that a call says it moved, and those it was seen to move */
static void check_counted(const struct cube *c, const char *what,
			  uint64_t read, uint64_t written,
			  const struct pd_counts *counts)
{
	struct pidcomm_stats stats;

	assert_ok(pidcomm_stats(c->hc, &stats));
	if (stats.mram_blocks_read != read ||
	    stats.mram_blocks_written != written ||
	    counts->blocks_read != read || counts->blocks_written != written)
		fail_msg("%s, axes %s: %llu and %llu blocks, said %llu and %llu, counted %llu and %llu",
			 what, c->axes, (unsigned long long)read,
			 (unsigned long long)written,
			 (unsigned long long)stats.mram_blocks_read,
			 (unsigned long long)stats.mram_blocks_written,
			 (unsigned long long)counts->blocks_read,
			 (unsigned long long)counts->blocks_written);
}

static struct pd_counts count_call(struct pimdimm *sys, const struct cube *c,
				   const struct pimtype_part send[],
				   const struct pimtype_part recv[],
				   const struct pidcomm_face faces[])
{
	struct pd_counter counter;
	struct pd_counting before;

	pd_counter_init(&counter, sys->windows, sys->nr_ranks);
	before = pd_counting_enter(&counter, __builtin_frame_address(0));
	if (faces)
		assert_ok(pidcomm_halo(c->hc, c->axes, 0xff >> (8 - c->ndims),
				       faces));
	else
		assert_ok(pidcomm_alltoallw(c->hc, c->axes, send, recv));
	pd_counting_leave(before);
	return pd_counter_counts(&counter);
}

#define PIECE	256u	/* bytes, strided words of 8 */

/* Each byte is read and written once with those of the other lanes, not eight times. */
static void rows_at_once(void **state)
{
	static struct cube c;
	struct pimtype_part send[NR_PES], recv[NR_PES];
	struct pidcomm_face faces[4];
	struct pimtype *type;
	struct pimdimm *sys;
	struct pd_counts counts;
	uint64_t blocks;

	(void)state;
	setenv("PIMDIMM_ISA", "count", 1);
	sys = unit_open(cube_uris[0]);
	cube_make(&c, sys, 1);
	assert_ok(pimtype_hvector(PIECE / 8, 8, 16, pimtype_basic(PIMTYPE_BYTE),
				  &type));
	for (uint32_t bits = 1; bits < 4; bits++) {
		cube_axes(&c, bits);
		for (uint32_t m = 0; m < c.members; m++) {
			send[m] = (struct pimtype_part){ m * 2 * PIECE, 1, type };
			recv[m] = (struct pimtype_part){ HALF + m * 2 * PIECE, 1,
							 type };
		}
		counts = count_call(sys, &c, send, recv, NULL);
		blocks = c.nr_pes * c.members * PIECE / 64;
		check_counted(&c, "alltoallw", blocks, blocks, &counts);
	}
	for (uint32_t bits = 1; bits < 3; bits++) {
		cube_axes(&c, bits);
		for (uint32_t i = 0; i < 2; i++)
			faces[i] = (struct pidcomm_face){ send[i], recv[i] };
		counts = count_call(sys, &c, NULL, NULL, faces);
		blocks = c.nr_pes * 2 * PIECE / 64;
		check_counted(&c, "halo", blocks, blocks, &counts);
	}
	pimtype_free(type);
	pidcomm_destroy(c.hc);
	pimdimm_close(sys);
	unsetenv("PIMDIMM_ISA");
}

/* A plan has all that it needs. */
static void plans_allocate_nothing(void **state)
{
	static struct cube c;
	struct pimdimm *sys = unit_open(cube_uris[0]);
	const struct pimtype *byte = pimtype_basic(PIMTYPE_BYTE);
	struct pimtype_part send[8], recv[8];
	struct pidcomm_face faces[2];
	struct pidcomm_plan *plans[2];
	unsigned long requests;

	(void)state;
	cube_make(&c, sys, 1);
	for (uint32_t m = 0; m < 8; m++) {
		send[m] = (struct pimtype_part){ 101 * m, 100, byte };
		recv[m] = (struct pimtype_part){ HALF + 101 * m, 100, byte };
	}
	for (uint32_t i = 0; i < 2; i++)
		faces[i] = (struct pidcomm_face){ send[i], recv[i] };
	assert_ok(pidcomm_plan_alltoallw(c.hc, "10", send, recv, &plans[0]));
	assert_ok(pidcomm_plan_halo(c.hc, "10", 0, faces, &plans[1]));
	allocations_start();
	for (uint32_t i = 0; i < 4; i++)
		assert_ok(pidcomm_plan_run(plans[i % 2]));
	requests = allocations_stop();
	assert_int_equal(requests, 0);
	pidcomm_plan_free(plans[0]);
	pidcomm_plan_free(plans[1]);
	pidcomm_destroy(c.hc);
	pimdimm_close(sys);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_at_once),
		cmocka_unit_test(plans_allocate_nothing),
	};

	unit_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
