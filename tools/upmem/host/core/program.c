// SPDX-License-Identifier: MIT
/* Programs: loading them into the DPUs of a set, finding their objects. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/upmem/host/core/program.h"
#include "tools/upmem/host/core/queue.h"
#include "tools/upmem/host/core/range.h"

/* a program that dpu_load() gave to its caller */
struct lent_program {
	struct dpu_program_t *program;
	struct lent_program *next;
};

struct load_op {
	struct op op;
	struct dpu_program_t *program;
};

static void program_put(struct dpu_program_t *program)
{
	if (!program || atomic_fetch_sub(&program->users, 1) != 1)
		return;
	pimdimm_program_close(program->program);
	free(program);
}

void program_forget(struct dpu_rank_t *rank)
{
	struct lent_program *lent;

	for (unsigned int i = 0; i < RANK_DPUS; i++) {
		program_put(rank->dpus[i].program);
		rank->dpus[i].program = NULL;
	}
	while ((lent = rank->state->lent)) {
		rank->state->lent = lent->next;
		program_put(lent->program);
		free(lent);
	}
}

/* what: the program's name where libpimdimm's sentence does not have it */
static dpu_error_t fail_open(int ret, const char *what)
{
	const char *colon = what[0] ? ": " : "";

	switch (-ret) {
	case ENOENT:
	case ENOTDIR:
	case EACCES:
		return host_fail(DPU_ERR_ELF_NO_SUCH_FILE, "%s%s%s", what,
				 colon, pimdimm_errmsg());
	case ENOMEM:
	case EMFILE:
	case ENFILE:
		return host_fail(DPU_ERR_SYSTEM, "%s%s%s", what,
				 colon, pimdimm_errmsg());
	default:
		return host_fail(DPU_ERR_ELF_INVALID_FILE, "%s%s%s", what,
				 colon, pimdimm_errmsg());
	}
}

static dpu_error_t program_wrap(struct pimdimm_program *program,
				struct dpu_program_t **out)
{
	*out = calloc(1, sizeof(**out));
	if (!*out) {
		pimdimm_program_close(program);
		return host_fail(DPU_ERR_SYSTEM, "no memory for a program");
	}
	(*out)->program = program;
	atomic_init(&(*out)->users, 1);
	return DPU_OK;
}

static void set_program(const struct members *on, struct dpu_program_t *program)
{
	for (uint32_t r = 0; r < on->nr_ranks; r++)
		for (unsigned int i = 0; i < RANK_DPUS; i++) {
			struct dpu_t *dpu = &on->ranks[r]->dpus[i];

			if (!dpu->enabled || (on->dpu && on->dpu != dpu))
				continue;
			atomic_fetch_add(&program->users, 1);
			program_put(dpu->program);
			dpu->program = program;
			on->ranks[r]->state->faulted &= ~(1ULL << dpu_place(dpu));
		}
}

static dpu_error_t run_load(struct op *op)
{
	struct load_op *load = (struct load_op *)op;
	uint32_t *pes = malloc(op->on.nr_ranks * RANK_DPUS * sizeof(*pes));
	int ret;

	if (!pes)
		return host_fail(DPU_ERR_SYSTEM, "no memory for a load");
	ret = pimdimm_load(members_system(&op->on), pes, members_pes(&op->on, pes),
			   load->program->program);
	free(pes);
	if (ret == -E2BIG)
		return host_fail(DPU_ERR_INVALID_MRAM_ACCESS, "%s",
				 pimdimm_errmsg());
	if (ret)
		return host_fail_errno(ret, "load");
	set_program(&op->on, load->program);
	return DPU_OK;
}

/* keep it for as long as its caller may look at it: until dpu_free() */
static dpu_error_t program_lend(const struct members *on, struct dpu_program_t *program)
{
	struct lent_program *lent = malloc(sizeof(*lent));

	if (!lent)
		return host_fail(DPU_ERR_SYSTEM, "no memory for a program");
	atomic_fetch_add(&program->users, 1);
	*lent = (struct lent_program){
		.program = program,
		.next = on->ranks[0]->state->lent,
	};
	on->ranks[0]->state->lent = lent;
	return DPU_OK;
}

/* takes the program over */
static dpu_error_t program_load(const struct dpu_set_t *set,
				struct pimdimm_program *opened,
				struct dpu_program_t **program)
{
	struct load_op job = { .op.type = JOB_LOAD, .op.run = run_load };
	dpu_error_t status = program_wrap(opened, &job.program);

	if (status != DPU_OK)
		return status;
	status = members_of(set, &job.op.on);
	if (status == DPU_OK)
		job.program->mram_bytes = pimdimm_geometry(members_system(&job.op.on))->mram_size;
	if (status == DPU_OK && job.op.on.dpu && !job.op.on.dpu->enabled)
		status = host_fail(DPU_ERR_DPU_DISABLED,
				   "a program cannot be loaded into DPU %#x",
				   dpu_get_id(job.op.on.dpu));
	if (status == DPU_OK)
		status = op_do(&job.op);
	if (status == DPU_OK && program) {
		status = program_lend(&job.op.on, job.program);
		*program = job.program;
	}
	program_put(job.program);
	return status;
}

DPU_API dpu_error_t dpu_load(struct dpu_set_t dpu_set, const char *binary_path,
			     struct dpu_program_t **program)
{
	struct pimdimm_program *opened;
	int ret;

	if (!binary_path)
		return host_fail(DPU_ERR_ELF_NO_SUCH_FILE,
				 "binary_path is NULL: expected a file's name");
	ret = pimdimm_program_open(binary_path, &opened);
	if (ret)
		return fail_open(ret, "");
	return program_load(&dpu_set, opened, program);
}

DPU_API dpu_error_t dpu_load_from_memory(struct dpu_set_t dpu_set,
					 uint8_t *buffer, size_t buffer_size,
					 struct dpu_program_t **program)
{
	struct pimdimm_program *opened;
	int ret = pimdimm_program_open_memory(buffer, buffer_size, &opened);

	if (ret)
		return fail_open(ret, "program in memory");
	return program_load(&dpu_set, opened, program);
}

DPU_API dpu_error_t dpu_load_from_incbin(struct dpu_set_t dpu_set,
					 struct dpu_incbin_t *incbin,
					 struct dpu_program_t **program)
{
	struct pimdimm_program *opened;
	int ret = pimdimm_program_open_memory(incbin->buffer, incbin->size,
					      &opened);

	if (ret)
		return fail_open(ret, incbin->path ? incbin->path : "incbin");
	/* as one that is read from that file */
	if (incbin->path)
		pimdimm_program_set_name(opened, basename(incbin->path));
	return program_load(&dpu_set, opened, program);
}

DPU_API dpu_error_t dpu_get_symbol(struct dpu_program_t *program,
				   const char *symbol_name,
				   struct dpu_symbol_t *symbol)
{
	struct pimdimm_symbol found;

	if (pimdimm_program_symbol(program->program, symbol_name, &found))
		return host_fail(DPU_ERR_UNKNOWN_SYMBOL,
				 "the program has no symbol '%s'", symbol_name);
	symbol->address = found.address;
	symbol->size = found.bytes;
	if (found.space == PIMDIMM_MRAM)
		symbol->address |= MRAM_TAG;
	else if (found.space == PIMDIMM_TEXT)
		symbol->address |= IRAM_TAG;
	/* the heap is what is left, however large the ranks are */
	if (!strcmp(symbol_name, DPU_MRAM_HEAP_POINTER_NAME))
		symbol->size = (uint32_t)(program->mram_bytes - found.address);
	return DPU_OK;
}

static dpu_error_t common_of_rank(struct dpu_rank_t *rank,
				  struct dpu_program_t **program)
{
	for (unsigned int i = 0; i < RANK_DPUS; i++) {
		struct dpu_t *dpu = &rank->dpus[i];

		if (!dpu->enabled)
			continue;
		if (!*program)
			*program = dpu->program;
		if (*program != dpu->program)
			return host_fail(DPU_ERR_DIFFERENT_DPU_PROGRAMS,
					 "DPU %#x has a different program loaded",
					 dpu_get_id(dpu));
	}
	return DPU_OK;
}

/* the program that all DPUs have */
static dpu_error_t program_common(const struct members *on,
				  struct dpu_program_t **program)
{
	dpu_error_t status = DPU_OK;

	*program = on->dpu ? on->dpu->program : NULL;
	for (uint32_t r = 0; r < on->nr_ranks && !on->dpu; r++) {
		status = common_of_rank(on->ranks[r], program);
		if (status != DPU_OK)
			return status;
	}
	if (*program)
		return DPU_OK;
	return host_fail(DPU_ERR_NO_PROGRAM_LOADED,
			 "no program is loaded: expected a dpu_load() before");
}

dpu_error_t program_symbol(const struct members *on, const char *name,
			   struct dpu_symbol_t *symbol)
{
	struct dpu_program_t *program;
	dpu_error_t status = program_common(on, &program);

	if (status != DPU_OK)
		return status;
	return dpu_get_symbol(program, name, symbol);
}
