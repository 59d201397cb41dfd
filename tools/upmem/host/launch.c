// SPDX-License-Identifier: MIT
/* Launches, waiting for them, how they went. */
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dpu_runner.h>

#include "tools/upmem/host/core/queue.h"

/* what a launch hands to libpimdimm */
struct launch {
	uint32_t *pes;
	uint8_t *faulted;
	uint32_t nr;
	uint32_t *over;		/* of all its parts, or NULL */
};

/* what the parts of an asynchronous launch have in common */
struct parts {
	uint32_t over;		/* one did not end in time */
	uint32_t left;		/* parts that are not freed */
};

/* ... each of which is a rank's */
struct part {
	struct op op;
	struct parts *parts;
};

static dpu_error_t check_programs(const struct members *on)
{
	if (on->dpu && !on->dpu->enabled)
		return host_fail(DPU_ERR_DPU_DISABLED, "DPU %#x is disabled",
				 dpu_get_id(on->dpu));
	for (uint32_t r = 0; r < on->nr_ranks; r++)
		for (unsigned int i = 0; i < RANK_DPUS; i++) {
			struct dpu_t *dpu = &on->ranks[r]->dpus[i];

			if (!dpu->enabled || (on->dpu && on->dpu != dpu))
				continue;
			if (!dpu->program)
				return host_fail(DPU_ERR_NO_PROGRAM_LOADED,
						 "DPU %#x has no program: expected a dpu_load() before",
						 dpu_get_id(dpu));
		}
	return DPU_OK;
}

static void note_faults(const struct members *on, const struct launch *launch)
{
	uint32_t at = 0;

	for (uint32_t r = 0; r < on->nr_ranks; r++) {
		struct dpu_rank_state *state = on->ranks[r]->state;

		for (unsigned int p = 0; p < RANK_DPUS; p++) {
			if (at == launch->nr ||
			    launch->pes[at] != state->first_pe + p)
				continue;
			state->faulted &= ~(1ULL << p);
			state->faulted |= (uint64_t)launch->faulted[at++] << p;
		}
	}
}

static const char *id_of(const struct members *on, uint32_t pe, char *buf,
			 size_t bytes)
{
	for (uint32_t r = 0; r < on->nr_ranks; r++) {
		uint32_t place = pe - on->ranks[r]->state->first_pe;

		if (place >= RANK_DPUS)
			continue;
		snprintf(buf, bytes, "DPU#0x%x",
			 dpu_get_id(dpu_at(on->ranks[r], place)));
		return buf;
	}
	return "DPU";
}

static dpu_error_t fail_launch(int ret, const struct members *on,
			       const struct pimdimm_run *run)
{
	char id[32];

	if (ret == -EBUSY)
		return host_fail(DPU_ERR_DPU_ALREADY_RUNNING, "launch: %s",
				 pimdimm_errmsg());
	if (ret != -EFAULT)
		return host_fail_errno(ret, "launch");
	return host_fail(DPU_ERR_DPU_FAULT, "%s tasklet %u: %s (%u in fault)",
			 id_of(on, run->first.pe, id, sizeof(id)),
			 run->first.tasklet, run->first.text, run->nr_faulted);
}

/* Whoever measures 0 cycles is told why, the first time. */
static void tell_uncounted(void)
{
	static atomic_flag told = ATOMIC_FLAG_INIT;

	if (!atomic_flag_test_and_set(&told))
		fprintf(stderr, "libdpu: a DPU program measures 0 cycles where nothing but DMA is counted: it was compiled with -fno-pimdimm-count or PIMDIMM_COUNT=0, which leave instructions out\n");
}

static dpu_error_t launch_members(const struct members *on,
				  struct launch *launch, bool *aftermath)
{
	struct pimdimm_run run = {
		.size = sizeof(run),
		.compat = !on->ranks[0]->state->profile.strict,
		.faulted = launch->faulted,
		.over = launch->over,
	};
	int ret;

	launch->nr = members_pes(on, launch->pes);
	if (!launch->nr)
		return DPU_OK;
	ret = pimdimm_run(members_system(on), launch->pes, launch->nr, &run);
	note_faults(on, launch);
	if (run.uncounted)
		tell_uncounted();
	*aftermath = ret == -EFAULT && !run.first.kind;
	return ret ? fail_launch(ret, on, &run) : DPU_OK;
}

static dpu_error_t launch_op(struct op *op, uint32_t *over)
{
	size_t room = (size_t)op->on.nr_ranks * RANK_DPUS;
	struct launch launch = {
		.pes = malloc(room * sizeof(*launch.pes)),
		.faulted = calloc(room, sizeof(*launch.faulted)),
		.over = over,
	};
	dpu_error_t status = check_programs(&op->on);

	if (!launch.pes || !launch.faulted)
		status = host_fail(DPU_ERR_SYSTEM, "no memory for a launch");
	if (status == DPU_OK)
		status = launch_members(&op->on, &launch, &op->aftermath);
	free(launch.pes);
	free(launch.faulted);
	return status;
}

static dpu_error_t run_launch(struct op *op)
{
	return launch_op(op, NULL);
}

static struct part *part_of(struct op *op)
{
	return (struct part *)((char *)op - offsetof(struct part, op));
}

static dpu_error_t run_part(struct op *op)
{
	return launch_op(op, &part_of(op)->parts->over);
}

static void drop_parts(struct parts *parts)
{
	if (__atomic_sub_fetch(&parts->left, 1, __ATOMIC_ACQ_REL) == 0)
		free(parts);
}

static void free_part(struct op *op)
{
	drop_parts(part_of(op)->parts);
	free(part_of(op));
}

static dpu_error_t queue_part(const struct op *launch, uint32_t r,
			      struct parts *parts)
{
	struct part *part = malloc(sizeof(*part));

	if (!part)
		return host_fail(DPU_ERR_SYSTEM, "no memory for a launch");
	*part = (struct part){ .op = *launch, .parts = parts };
	part->op.async = true;
	part->op.run = run_part;
	part->op.free = free_part;
	part->op.on.nr_ranks = 1;
	part->op.on.one = launch->on.ranks[r];
	part->op.on.ranks = &part->op.on.one;
	__atomic_add_fetch(&parts->left, 1, __ATOMIC_RELAXED);
	return op_queue(&part->op);
}

/* Ranks do not wait for each other; but a DPU that loops ends the whole launch. */
static dpu_error_t queue_launches(const struct op *launch)
{
	struct parts *parts = calloc(1, sizeof(*parts));
	dpu_error_t status = DPU_OK;

	if (!parts)
		return host_fail(DPU_ERR_SYSTEM, "no memory for a launch");
	parts->left = 1;
	for (uint32_t r = 0; r < launch->on.nr_ranks && status == DPU_OK; r++)
		status = queue_part(launch, r, parts);
	drop_parts(parts);
	return status;
}

DPU_API dpu_error_t dpu_launch(struct dpu_set_t dpu_set,
			       dpu_launch_policy_t policy)
{
	struct op op = { .run = run_launch };
	dpu_error_t status = members_of(&dpu_set, &op.on);

	if (status != DPU_OK)
		return status;
	op.type = op.on.dpu ? JOB_LAUNCH_DPU : JOB_LAUNCH_RANK;
	switch (policy) {
	case DPU_SYNCHRONOUS:
		return op_do(&op);
	case DPU_ASYNCHRONOUS:
		return queue_launches(&op);
	default:
		return host_fail(DPU_ERR_INVALID_LAUNCH_POLICY,
				 "policy=%d: expected DPU_ASYNCHRONOUS or DPU_SYNCHRONOUS",
				 (int)policy);
	}
}

DPU_API dpu_error_t dpu_sync(struct dpu_set_t dpu_set)
{
	struct members on;
	dpu_error_t status = members_of(&dpu_set, &on);

	return status == DPU_OK ? op_sync(&on) : status;
}

DPU_API dpu_error_t dpu_status_rank(struct dpu_rank_t *rank, bool *done,
				    bool *fault)
{
	*done = true;
	*fault = (rank->state->faulted & rank->state->enabled) != 0;
	return DPU_OK;
}

DPU_API dpu_error_t dpu_status_dpu(struct dpu_t *dpu, bool *done, bool *fault)
{
	if (!dpu->enabled)
		return host_fail(DPU_ERR_DPU_DISABLED, "DPU %#x is disabled",
				 dpu_get_id(dpu));
	*done = true;
	*fault = dpu->rank->state->faulted >> dpu_place(dpu) & 1;
	return DPU_OK;
}

DPU_API dpu_error_t dpu_status(struct dpu_set_t dpu_set, bool *done,
			       bool *fault)
{
	struct members on;
	dpu_error_t status = members_of(&dpu_set, &on);
	bool rank_fault;

	if (status != DPU_OK)
		return status;
	/* as UPMEM's does: so nothing runs any more. Its error is in *fault */
	op_sync(&on);
	if (on.dpu)
		return dpu_status_dpu(on.dpu, done, fault);
	*done = true;
	*fault = false;
	for (uint32_t r = 0; r < on.nr_ranks; r++) {
		dpu_status_rank(on.ranks[r], done, &rank_fault);
		*fault |= rank_fault;
	}
	return DPU_OK;
}
