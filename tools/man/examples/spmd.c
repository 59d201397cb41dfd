// SPDX-License-Identifier: MIT
/*
 * Examples of the manual pages of <pimdimm/spmd.h>, as in pimdimm.c: a token that goes
 * round all PEs by migration and by parcels, and tasklets that hand words to each other.
 */
#include <stdio.h>
#include <stdlib.h>

#include <pimdimm/spmd.h>

static void check(int ret)
{
	if (ret < 0) {
		fprintf(stderr, "%s\n", pimdimm_errmsg());
		exit(EXIT_FAILURE);
	}
}

/* example of pimdimm_migrate: A ring: one thread visits all PEs and adds their numbers */
static void ring(struct pimdimm_pe *pe, void *arg)
{
	uint64_t *sum = arg;

	if (pimdimm_pe_id(pe) != 0)
		return;
	for (uint32_t to = 1; to <= 64; to++) {
		check(pimdimm_migrate(pe, to % 64));
		*sum += pimdimm_pe_id(pe);
	}
}
/* end of example */

/* example of pimdimm_parcel, pimdimm_yield: Each PE counts what the others send it */
static void count(struct pimdimm_pe *pe, void *frame)
{
	uint64_t *counter = pimdimm_wram(pe);

	*counter += *(uint64_t *)frame;
}

static void send(struct pimdimm_pe *pe, void *arg)
{
	uint64_t *counter = pimdimm_wram(pe), one = 1;

	(void)arg;
	for (uint32_t to = 0; to < 64; to++)
		check(pimdimm_parcel(pe, to, count, &one, sizeof(one)));
	while (*(volatile uint64_t *)counter < 64)
		pimdimm_yield(pe);
}
/* end of example */

/* example of pimdimm_wide, pimdimm_wide_write_ef, pimdimm_wide_read_fe: Tasklet 0 hands words to tasklet 1 */
static void hand_over(struct pimdimm_pe *pe, void *arg)
{
	struct pimdimm_wide *shared = pimdimm_wram(pe), mine = { { 0 } };

	(void)arg;
	for (uint64_t i = 0; i < 10; i++) {
		mine.word[0] = i;
		if (pimdimm_tasklet_id(pe) == 0)
			check(pimdimm_wide_write_ef(pe, shared, &mine));
		else
			check(pimdimm_wide_read_fe(pe, shared, &mine));
	}
}
/* end of example */

/* example of pimdimm_wide_write_xf, pimdimm_wide_read_ff, pimdimm_wide_set_empty, pimdimm_wide_is_full: One word tells all tasklets */
static void tell_all(struct pimdimm_pe *pe, void *arg)
{
	struct pimdimm_wide *shared = pimdimm_wram(pe), word = { { 42 } };

	(void)arg;
	if (pimdimm_tasklet_id(pe) == 0)
		check(pimdimm_wide_write_xf(pe, shared, &word));
	else
		check(pimdimm_wide_read_ff(pe, shared, &word));
	pimdimm_barrier(pe);
	if (pimdimm_wide_is_full(pe, shared))
		check(pimdimm_wide_set_empty(pe, shared));
}
/* end of example */

int main(void)
{
	struct pimdimm *sys;
	uint64_t sum = 0;

	check(pimdimm_open("mem:ranks=1,mram=64K", &sys));
	/* example of pimdimm_spmd: Run the ring, and tell how often the thread went on */
	struct pimdimm_spmd how = { .size = sizeof(how), .nr_tasklets = 1 };

	check(pimdimm_spmd(sys, 0, 64, ring, &sum, &how));
	printf("%llu hops, sum %llu\n", (unsigned long long)how.hops,
	       (unsigned long long)sum);
	/* end of example */
	check(pimdimm_spmd(sys, 0, 64, send, NULL, &how));
	how.nr_tasklets = 2;
	check(pimdimm_spmd(sys, 0, 64, hand_over, NULL, &how));
	check(pimdimm_spmd(sys, 0, 64, tell_all, NULL, &how));
	pimdimm_close(sys);
	return sum == 64 * 63 / 2 ? EXIT_SUCCESS : EXIT_FAILURE;
}
