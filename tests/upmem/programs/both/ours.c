// SPDX-License-Identifier: MIT
/* The part that uses <pimdimm/pidcomm.h>. */
#include <stdint.h>

#include <pimdimm/pidcomm.h>

int ours(void);

int ours(void)
{
	struct pimdimm *sys;
	struct pidcomm *hc;
	uint64_t sum = 0;

	if (pimdimm_open("mem:ranks=1,mram=64K", &sys) ||
	    pidcomm_create(sys, 2, (const uint32_t[]){ 8, 8 }, &hc))
		return 1;
	for (uint64_t pe = 0; pe < 64; pe++)
		pimdimm_write(sys, (uint32_t)pe, 0, &pe, sizeof(pe));
	if (pidcomm_allreduce(hc, "11", 8, 0, 8, PIDCOMM_U64, PIDCOMM_SUM) ||
	    pidcomm_alltoall(hc, "10", 64, 0, 1024))
		return 1;
	pimdimm_read(sys, 5, 8, &sum, sizeof(sum));
	pidcomm_destroy(hc);
	pimdimm_close(sys);
	return sum != 64 * 63 / 2;
}
