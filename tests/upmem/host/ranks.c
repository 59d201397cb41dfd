// SPDX-License-Identifier: MIT
/* Which ranks there are: PIMDIMM_URI, and ranks too small for a program. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <dpu_management.h>
#include <dpu_target_macros.h>

#include "check.h"

static void count(uint32_t expected)
{
	struct dpu_set_t set;
	uint32_t nr;

	OK(dpu_alloc(DPU_ALLOCATE_ALL, NULL, &set));
	OK(dpu_get_nr_dpus(set, &nr));
	CHECK(nr == expected);
	OK(dpu_free(set));
}

/* a printf alone takes 1 MiB of MRAM */
static void too_small(void)
{
	struct dpu_set_t set;
	struct dpu_symbol_t heap;
	struct dpu_program_t *program;

	count(64);
	OK(dpu_alloc(1, NULL, &set));
	FAILS(DPU_ERR_INVALID_MRAM_ACCESS, dpu_load(set, "prints.dpu", NULL));
	CHECK(strstr(dpu_error_detail(), "1048576"));
	OK(dpu_load(set, "prints_little.dpu", &program));
	OK(dpu_get_symbol(program, DPU_MRAM_HEAP_POINTER_NAME, &heap));
	CHECK(heap.size == 65536 - 4096);
	OK(dpu_free(set));
}

static void wrong_uri(void)
{
	struct dpu_set_t set;

	FAILS(DPU_ERR_ALLOCATION, dpu_alloc(1, NULL, &set));
	CHECK(strstr(dpu_error_detail(), "nonsense"));
}

static void by_default(void)
{
	count(2560);
}

static void described(void)
{
	dpu_description_t description;
	struct dpu_set_t set, rank;

	OK(dpu_get_profile_description("fckFrequency=800", &description));
	CHECK(description->hw.timings.fck_frequency_in_mhz == 800);
	CHECK(description->hw.timings.clock_division == 2);
	CHECK(description->hw.memories.mram_size == 65536);
	CHECK(description->hw.topology.nr_of_control_interfaces == 8);
	dpu_free_description(description);
	OK(dpu_alloc(1, NULL, &set));
	CHECK(DPU_TARGET_MASK == 0xfff);
	DPU_RANK_FOREACH(set, rank) {
		CHECK((dpu_get_rank_id(dpu_rank_from_set(rank)) &
		       DPU_TARGET_MASK) == 0);
		CHECK(dpu_get_description(dpu_rank_from_set(rank))
			      ->hw.dpu.nr_of_threads == 24);
	}
	OK(dpu_free(set));
}

/* programs make seconds of cycles by it */
static void clocked(void)
{
	char file[] = "/tmp/cost.XXXXXX";
	int fd = mkstemp(file);
	dpu_description_t description;

	CHECK(fd >= 0 && write(fd, "clock_hz = 400000000\n", 21) == 21);
	setenv("PIMDIMM_COST", file, 1);
	OK(dpu_get_profile_description(NULL, &description));
	CHECK(description->hw.timings.fck_frequency_in_mhz == 800);
	dpu_free_description(description);
	close(fd);
	unlink(file);
}

static void with_uri(const char *uri, void (*check)(void))
{
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		if (uri)
			setenv("PIMDIMM_URI", uri, 1);
		else
			unsetenv("PIMDIMM_URI");
		check();
		fflush(stdout);
		_exit(check_result());
	}
	waitpid(pid, &status, 0);
	CHECK(status == 0);
}

int main(void)
{
	with_uri("mem:ranks=1,mram=64K", too_small);
	with_uri("mem:ranks=1,mram=64K", described);
	with_uri("mem:ranks=1,mram=64K", clocked);
	with_uri("nonsense:", wrong_uri);
	/* without a node, as many and as large ones as programs expect */
	if (access("/dev/pimdimm0", F_OK))
		with_uri(NULL, by_default);
	return check_result();
}
