/* SPDX-License-Identifier: MIT */
/*
 * Programs for the unit tests stand on the services alone: no start-up code, no
 * run-time library. pe_start() is every tasklet's entry.
 */
#ifndef TESTS_PE_H
#define TESTS_PE_H

#include "runtime/pe/shared/abi.h"

/* a name in faults */
#define NOINLINE __attribute__((noinline))
#define HOST	__attribute__((used, section(".dpu_host"), aligned(8)))
#define MRAM	((volatile uint8_t *)(uintptr_t)PE_MRAM_BASE)

#ifndef TASKLETS
#define TASKLETS 1
#endif

#ifndef STACK_BYTES
#define STACK_BYTES 1024
#endif

#ifndef NOTE_FLAGS
#define NOTE_FLAGS 0
#endif

struct test_note {
	uint32_t name_bytes, bytes, type;
	char name[8];
	struct pe_note note;
};

__attribute__((used, section(".note.pimdimm"), aligned(4)))
static const struct test_note test_note = {
	.name_bytes = sizeof(PE_NOTE_NAME),
	.bytes = sizeof(struct pe_note),
	.type = PE_NOTE_TYPE,
	.name = PE_NOTE_NAME,
	.note = {
		.abi = PE_ABI_VERSION,
		.flags = NOTE_FLAGS,
		.nr_tasklets = TASKLETS,
		.stack_bytes = { [0 ... TASKLETS - 1] = STACK_BYTES },
	},
};

/* frames.c: a function that is told in a register where to go on, and how to go there */
#ifdef __aarch64__
#define STORE_AND_GO	".cfi_def_cfa sp, 0\n\t.cfi_register 30, 16\n\t"	\
			"mov	x17, xzr\n\tstr	wzr, [x17]\n\tbr	x16"
#define GO_BACK_TO_1	"adr	x16, 1f\n\tbr	%0\n"
#define GO_CLOBBERS	"x16", "x17", "x30"
#else
#define STORE_AND_GO	".cfi_def_cfa rsp, 0\n\t.cfi_register 16, rax\n\t"	\
			"movl	$1, 0\n\tjmp	*%rax"
#define GO_BACK_TO_1	"leaq	1f(%%rip), %%rax\n\tjmp	*%0\n"
#define GO_CLOBBERS	"rax"
#endif

/* A boot that clears nothing: from here on tasklets are switched. */
static inline void boot(void)
{
	PE_SELF->critical = 0;
}

static inline uint32_t me(void)
{
	return PE_SELF->tasklet;
}

void pe_start(void);

#endif /* TESTS_PE_H */
