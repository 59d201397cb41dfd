// SPDX-License-Identifier: MIT
/* PIMDIMM_REPORT: what the DPUs took, told when the program ends. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

/* A program that counts, on two DPUs. */
static int work_counted(void)
{
	struct dpu_set_t set;

	DPU_ASSERT(dpu_alloc(2, NULL, &set));
	DPU_ASSERT(dpu_load(set, "counting.dpu", NULL));
	DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
	return 0;
}

DPU_INCBIN(embedded, "./counting.dpu")

/* One that is part of this program, and one that came from nowhere. */
static int work_embedded(void)
{
	struct dpu_set_t set;

	DPU_ASSERT(dpu_alloc(1, NULL, &set));
	DPU_ASSERT(dpu_load_from_incbin(set, &embedded, NULL));
	DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
	embedded.path = NULL;
	DPU_ASSERT(dpu_load_from_incbin(set, &embedded, NULL));
	DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
	return 0;
}

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
	for (unsigned int run = 0; run < 2; run++) {
		DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
		DPU_FOREACH(set, dpu, i)
			DPU_ASSERT(dpu_prepare_xfer(dpu, buffer[i]));
		DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "cycles", 0, 8,
					 DPU_XFER_DEFAULT));
	}
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
	int status = -1, left = 10000;
	pid_t pid;

	/* whoever it leaves behind is this process's child then */
	CHECK(!prctl(PR_SET_CHILD_SUBREAPER, 1));
	pid = fork();

	if (!pid) {
		setenv("PIMDIMM_REPORT", "secret.out", 1);
		if (setresuid(65534, 0, 0))
			exit(1);
		execl("/proc/self/exe", "report", "work", NULL);
		exit(1);
	}
	waitpid(pid, &status, 0);
	while (waitpid(-1, NULL, WNOHANG) >= 0 && left--)
		usleep(1000);
	/* workers end with their host */
	CHECK(left >= 0);
	return status;
}

static void run_with(const char *file, int (*run)(void))
{
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		setenv("PIMDIMM_REPORT", file, 1);
		exit(run());
	}
	waitpid(pid, &status, 0);
	CHECK(status == 0);
}

static void read_text(const char *name, char *text, size_t bytes)
{
	FILE *file = fopen(name, "r");

	CHECK(file);
	memset(text, 0, bytes);
	if (file) {
		CHECK(fread(text, 1, bytes - 1, file) > 0);
		fclose(file);
	}
}

/* What is one call of UPMEM's is one, whatever the library makes of it. */
static void check_csv(void)
{
	char text[8192];
	unsigned long long n[4] = { 0 };
	const char *row;

	read_text("report.csv", text, sizeof(text));
	/* calls, uncounted, bytes of MRAM and host */
	row = strstr(text, "to PEs,\"push\",\"\",\"\",");
	CHECK(row && sscanf(row, "to PEs,\"push\",\"\",\"\",%llu,%llu,%llu,%llu", &n[0], &n[1],
			    &n[2], &n[3]) == 4);
	CHECK(n[0] == 1 && !n[1] && n[2] == 64 * 4096 && n[3] == 64 * 4096);
	/* 64 DPUs of a symbol of 8 bytes in WRAM, twice */
	row = strstr(text, "from PEs,\"read from WRAM\",\"\",\"\",");
	CHECK(row && sscanf(row, "from PEs,\"read from WRAM\",\"\",\"\",%llu,%llu,%llu,%llu",
			    &n[0], &n[1], &n[2], &n[3]) == 4);
	CHECK(n[0] == 2 && !n[2] && n[3] == 2 * 64 * 8);
	row = strstr(text, "program,\"clocks.dpu\",\"\",\"\",");
	CHECK(row && sscanf(row, "program,\"clocks.dpu\",\"\",\"\",%llu,%llu,%llu,%llu", &n[0],
			    &n[1], &n[2], &n[3]) == 4);
	/* it does not count */
	CHECK(n[0] == 2 && n[1] == 2 && n[2] == 2ull * 64 * 65536 && !n[3]);
	CHECK(strstr(text, "load,\"clocks.dpu\",\"\",\"\",1,0,0,"));
}

/* Modelled time of PEs is that of the cycles and of the launch, and is composed. */
static void check_counted(void)
{
	double composed, host, pes, launch = 0, cycles = 0;
	char text[8192];
	const char *at;

	run_with("counted.out", work_counted);
	read_text("counted.out", text, sizeof(text));
	at = strstr(text, "\ncomposed: ");
	CHECK(at && sscanf(at, "\ncomposed: %lf ms = host %lf (measured) + PEs %lf (modelled)",
			   &composed, &host, &pes) == 3);
	at = strstr(text, "  modelled, of launches");
	CHECK(at && sscanf(at, "  modelled, of launches %lf ms", &launch) == 1);
	at = strstr(text, "  modelled  ");
	CHECK(at && sscanf(at, "  modelled %*f MHz %*u cycles %lf ms", &cycles) == 1);
	CHECK(launch > 0 && cycles > 0);
	CHECK(pes > launch + cycles - 0.002 && pes < launch + cycles + 0.002);
	CHECK(composed > host + pes - 0.002 && composed < host + pes + 0.002);
	at = strstr(text, "cycles of slowest PEs, modelled");
	CHECK(at && strstr(at, "\ncounting.dpu ") && strstr(at, "%\n"));
}

/* A program is called by its file, wherever it was read. */
static void check_embedded(void)
{
	char text[8192];

	run_with("embedded.csv", work_embedded);
	read_text("embedded.csv", text, sizeof(text));
	CHECK(strstr(text, "load,\"counting.dpu\","));
	CHECK(strstr(text, "program,\"counting.dpu\",\"\",\"\",1,0,"));
	CHECK(strstr(text, "program,\"(memory)\",\"\",\"\",1,0,"));
}

int main(int argc, char **argv)
{
	char text[8192];

	if (argc > 1)
		return !getauxval(AT_SECURE) || strcmp(argv[1], "work") ||
		       work();
	run_with("report.out", work);
	run_with("report.csv", work);
	run_with("report.json", work);
	read_text("report.out", text, sizeof(text));
	CHECK(number(text, "loads", " %llu calls") == 1);
	CHECK(number(text, "transfers to DPUs", " %*u calls %llu bytes") ==
	      64 * 4096);
	CHECK(number(text, "transfers from DPUs", " %llu calls") == 2);
	CHECK(number(text, "transfers from DPUs", " %*u calls %llu bytes") ==
	      2 * 64 * 8);
	CHECK(strstr(text, "composed: none: 2 of the launches were not counted"));
	CHECK(number(text, "launches, measured", " %llu calls") == 2);
	/* 64 KiB of each DPU, twice */
	CHECK(number(text, "launches, measured", " %*u calls %llu bytes") ==
	      2ull * 64 * 65536);
	CHECK(number(text, "modelled", " %*u MHz %llu cycles") > 2 * 32768);
	/* a stack of 1,024 bytes */
	CHECK(number(text, "fullest stack", " %llu of") >= 64);
	CHECK(number(text, "fullest stack", " %*u of %llu bytes") == 3072);
	check_csv();
	check_counted();
	check_embedded();
	CHECK(!system("python3 -m json.tool report.json >report.tidy"));
	if (!geteuid()) {
		CHECK(start_privileged() == 0);
		CHECK(access("secret.out", F_OK));
	}
	return check_result();
}
