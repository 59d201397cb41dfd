/* SPDX-License-Identifier: MIT */
/* What tests of PE programs share: programs of tests/unit/pe, on some PEs. */
#ifndef TESTS_PE_UNIT_H
#define TESTS_PE_UNIT_H

#include <pimdimm/program.h>

#include "runtime/pe/shared/abi.h"
#include "tests/unit/unit.h"

#define PE_UNIT_MAX 128

struct pe_unit {
	struct pimdimm *sys;
	struct pimdimm_program *program;
	uint32_t pes[PE_UNIT_MAX];
	uint32_t nr_pes;
	struct pimdimm_run run;
	uint8_t faulted[PE_UNIT_MAX];
};

static inline struct pimdimm_program *pe_program(const char *name)
{
	struct pimdimm_program *program = NULL;
	char path[512];

	snprintf(path, sizeof(path), PE_PROGRAMS "/%s.elf", name);
	assert_ok(pimdimm_program_open(path, &program));
	return program;
}

/* Open a system and load a program into PEs 0 to nr_pes - 1. */
static inline void pe_unit_open(struct pe_unit *u, const char *uri,
				const char *name, uint32_t nr_pes)
{
	*u = (struct pe_unit){
		.sys = unit_open(uri),
		.program = pe_program(name),
		.nr_pes = nr_pes,
		.run = { .size = sizeof(u->run), .timeout_ms = 200000 },
	};
	u->run.faulted = u->faulted;
	for (uint32_t i = 0; i < nr_pes; i++)
		u->pes[i] = i;
	assert_ok(pimdimm_load(u->sys, u->pes, nr_pes, u->program));
}

static inline void pe_unit_close(struct pe_unit *u)
{
	pimdimm_program_close(u->program);
	pimdimm_close(u->sys);
}

static inline int pe_unit_run(struct pe_unit *u)
{
	return pimdimm_run(u->sys, u->pes, u->nr_pes, &u->run);
}

static inline struct pimdimm_symbol pe_symbol(const struct pe_unit *u,
					      const char *name)
{
	struct pimdimm_symbol s = { 0 };

	assert_ok(pimdimm_program_symbol(u->program, name, &s));
	return s;
}

/* a variable of a PE in WRAM */
static inline void pe_get(const struct pe_unit *u, uint32_t pe,
			  const char *name, void *value, size_t bytes)
{
	assert_ok(pimdimm_wram_read(u->sys, pe, pe_symbol(u, name).address,
				    value, bytes));
}

static inline void pe_set(const struct pe_unit *u, uint32_t pe,
			  const char *name, const void *value, size_t bytes)
{
	assert_ok(pimdimm_wram_write(u->sys, pe, pe_symbol(u, name).address,
				     value, bytes));
}

static inline void pe_set32(const struct pe_unit *u, uint32_t pe,
			    const char *name, uint32_t value)
{
	pe_set(u, pe, name, &value, sizeof(value));
}

static inline uint32_t pe_get32(const struct pe_unit *u, uint32_t pe,
				const char *name)
{
	uint32_t value;

	pe_get(u, pe, name, &value, sizeof(value));
	return value;
}

#endif /* TESTS_PE_UNIT_H */
