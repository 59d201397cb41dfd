// SPDX-License-Identifier: MIT
/* What a user of the installed library writes. */
#include <stdio.h>
#include <string.h>

#include <pimdimm/pidcomm.h>
#include <pimdimm/pimdimm.h>

int main(void)
{
	const uint32_t dims[] = { 4, 16 };
	struct pimdimm *sys;
	struct pidcomm *hc;
	uint64_t sum = 0;

	if (pimdimm_open("mem:ranks=1,mram=64K", &sys) ||
	    pidcomm_create(sys, 2, dims, &hc))
		goto failed;
	for (uint64_t pe = 0; pe < 64; pe++)
		if (pimdimm_write(sys, (uint32_t)pe, 0, &pe, sizeof(pe)))
			goto failed;
	if (pidcomm_allreduce(hc, "11", 8, 0, 0, PIDCOMM_U64, PIDCOMM_SUM) ||
	    pimdimm_read(sys, 63, 0, &sum, sizeof(sum)))
		goto failed;
	pidcomm_destroy(hc);
	pimdimm_close(sys);
	printf("%s %s %llu\n", PIMDIMM_VERSION, pimdimm_version(),
	       (unsigned long long)sum);
	return sum != 63 * 64 / 2 || strcmp(PIMDIMM_VERSION, pimdimm_version());

failed:
	fprintf(stderr, "%s\n", pimdimm_errmsg());
	return 1;
}
