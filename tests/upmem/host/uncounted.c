// SPDX-License-Identifier: MIT
/* Who measures 0 cycles for want of counting is told so, once. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static int launch(const char *program)
{
	struct dpu_set_t set;

	DPU_ASSERT(dpu_alloc(3, NULL, &set));
	DPU_ASSERT(dpu_load(set, program, NULL));
	DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
	DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
	DPU_ASSERT(dpu_free(set));
	return 0;
}

/* How often it is told of a program's launches. */
static int told(const char *program)
{
	char text[4096] = "";
	int status = -1, times = 0;
	FILE *file;
	pid_t pid = fork();

	if (!pid) {
		if (!freopen("told.out", "w", stderr))
			exit(1);
		exit(launch(program));
	}
	waitpid(pid, &status, 0);
	CHECK(status == 0);
	file = fopen("told.out", "r");
	CHECK(file && fread(text, 1, sizeof(text) - 1, file) < sizeof(text) - 1);
	fclose(file);
	for (const char *p = text; (p = strstr(p, "measures 0 cycles")); p++)
		times++;
	CHECK(!times || strstr(text, "-fno-pimdimm-count"));
	return times;
}

int main(void)
{
	CHECK(told("counts.dpu") == 1);
	/* DMA is counted; nor does this one ask */
	CHECK(told("clocks.dpu") == 0);
	CHECK(told("state.dpu") == 0);
	CHECK(told("counting.dpu") == 0);
	return check_result();
}
