// SPDX-License-Identifier: MIT
/* PIMDIMM_REPORT: what the DPUs took, told when the program ends. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static int work(void)
{
	static char buffer[64][4096];
	struct dpu_set_t set, dpu;
	uint32_t i;

	DPU_ASSERT(dpu_alloc(64, NULL, &set));
	DPU_ASSERT(dpu_load(set, "clocks.dpu", NULL));
	DPU_FOREACH(set, dpu, i)
		DPU_ASSERT(dpu_prepare_xfer(dpu, buffer[i]));
	DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU,
				 DPU_MRAM_HEAP_POINTER_NAME, 0, 4096,
				 DPU_XFER_DEFAULT));
	DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
	DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
	return 0;
}

static unsigned long long number(const char *text, const char *line,
				 const char *format)
{
	const char *at = strstr(text, line);
	unsigned long long value = 0;

	if (!at || sscanf(at + strlen(line), format, &value) != 1)
		return 0;
	return value;
}

/*
 * What a setuid program is to the kernel: one that starts with an effective user
 * who is not its own. Whoever started it names no files for it to write.
 */
static int start_privileged(void)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		setenv("PIMDIMM_REPORT", "secret.out", 1);
		if (setresuid(65534, 0, 0))
			exit(1);
		execl("/proc/self/exe", "report", "work", NULL);
		exit(1);
	}
	waitpid(pid, &status, 0);
	return status;
}

int main(int argc, char **argv)
{
	char text[4096] = "";
	FILE *file;
	int status = -1;
	pid_t pid;

	if (argc > 1)
		return !getauxval(AT_SECURE) || strcmp(argv[1], "work") ||
		       work();
	pid = fork();
	if (!pid) {
		setenv("PIMDIMM_REPORT", "report.out", 1);
		exit(work());
	}
	waitpid(pid, &status, 0);
	CHECK(status == 0);
	file = fopen("report.out", "r");
	CHECK(file && fread(text, 1, sizeof(text) - 1, file) > 0);
	CHECK(number(text, "loads", " %llu calls") == 1);
	CHECK(number(text, "transfers to DPUs", " %*u calls %llu bytes") ==
	      64 * 4096);
	CHECK(number(text, "launches, measured", " %llu calls") == 2);
	/* 64 KiB of each DPU, twice */
	CHECK(number(text, "launches, measured", " %*u calls %llu bytes") ==
	      2ull * 64 * 65536);
	CHECK(number(text, "modelled", " %*u MHz %llu cycles") > 2 * 32768);
	/* a stack of 1,024 bytes */
	CHECK(number(text, "fullest stack", " %llu of") >= 64);
	CHECK(number(text, "fullest stack", " %*u of %llu bytes") == 3072);
	if (!geteuid()) {
		CHECK(start_privileged() == 0);
		CHECK(access("secret.out", F_OK));
	}
	return check_result();
}
