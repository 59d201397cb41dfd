// SPDX-License-Identifier: MIT
/*
 * Tasklets of a program that counts have their turns in the clock's order, after each
 * transfer; those of one that does not go on until they have to wait.
 */
#include "check.h"

#define TASKLETS 4
#define TURNS (16 * TASKLETS)

/* How often the tasklet that comes next is another one. */
static unsigned int changes(const char *program)
{
	struct dpu_set_t set, dpu;
	uint8_t turns[TURNS];
	uint32_t taken = 0;
	unsigned int n = 0;

	OK(dpu_alloc(1, NULL, &set));
	OK(dpu_load(set, program, NULL));
	OK(dpu_launch(set, DPU_SYNCHRONOUS));
	DPU_FOREACH(set, dpu) {
		OK(dpu_copy_from(dpu, "turns", 0, turns, sizeof(turns)));
		OK(dpu_copy_from(dpu, "taken", 0, &taken, sizeof(taken)));
	}
	OK(dpu_free(set));
	CHECK(taken == TURNS);
	for (unsigned int i = 1; i < TURNS; i++)
		n += turns[i] != turns[i - 1];
	return n;
}

int main(void)
{
	CHECK(changes("turns_plain.dpu") == TASKLETS - 1);
	CHECK(changes("turns.dpu") > TURNS / 2);
	return check_result();
}
