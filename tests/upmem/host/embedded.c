// SPDX-License-Identifier: MIT
/* A program within the host program, and from memory; symbols looked up. */
#include <string.h>

#include "check.h"

DPU_INCBIN(embedded_program, "jobs.dpu")

static void run(struct dpu_set_t set, struct dpu_program_t *program)
{
	struct dpu_symbol_t word, fault;
	struct dpu_set_t dpu;
	uint64_t value = 4, never = 0xdead, back;

	OK(dpu_get_symbol(program, "word", &word));
	OK(dpu_get_symbol(program, "fault_if", &fault));
	CHECK(word.address >= 0x08000000 && word.size == 8);
	CHECK(fault.address < 0x10000 && fault.size == 8);
	OK(dpu_copy_to_symbol(set, fault, 0, &never, 8));
	OK(dpu_broadcast_to_symbol(set, word, 0, &value, 8, DPU_XFER_DEFAULT));
	OK(dpu_launch(set, DPU_SYNCHRONOUS));
	DPU_FOREACH(set, dpu) {
		OK(dpu_copy_from_symbol(dpu, word, 0, &back, 8));
		CHECK(back == 41);
		OK(dpu_prepare_xfer(dpu, &value));
	}
	OK(dpu_push_xfer_symbol(set, DPU_XFER_TO_DPU, word, 0, 8,
				DPU_XFER_DEFAULT));
}

int main(void)
{
	struct dpu_program_t *program;
	struct dpu_set_t set;
	uint8_t *copy;

	CHECK(!strcmp(embedded_program.path, "jobs.dpu"));
	CHECK(embedded_program.size > 1000);
	OK(dpu_alloc(3, NULL, &set));
	OK(dpu_load_from_incbin(set, &embedded_program, &program));
	run(set, program);
	copy = malloc(embedded_program.size);
	memcpy(copy, embedded_program.buffer, embedded_program.size);
	OK(dpu_load_from_memory(set, copy, embedded_program.size, &program));
	/* not needed once it is loaded */
	free(copy);
	run(set, program);
	OK(dpu_free(set));
	return check_result();
}
