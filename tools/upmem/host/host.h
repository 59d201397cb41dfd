/* SPDX-License-Identifier: MIT */
/* What the parts of libdpu share. */
#ifndef HOST_H
#define HOST_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <pimdimm/program.h>

#include <dpu.h>
#include <dpu_description.h>
#include <dpu_management.h>
#include <dpu_rank.h>

#define RANK_DPUS	64
#define RANK_LINES	8
#define RANK_CHIPS	8

/* the library exports what its headers declare and nothing else */
#define DPU_API __attribute__((visibility("default")))

/*
 * A DPU's place in its rank, as PEs are numbered: chip fastest. Transfer
 * matrices and masks go by it. rank->dpus[] goes by chips instead.
 */
static inline unsigned int dpu_place(const struct dpu_t *dpu)
{
	return RANK_CHIPS * dpu->dpu_id + dpu->slice_id;
}

static inline struct dpu_t *dpu_at(struct dpu_rank_t *rank, unsigned int place)
{
	return DPU_GET_UNSAFE(rank, place % RANK_CHIPS, place / RANK_CHIPS);
}

/* ---- error.c ---- */

#define HOST_ERROR_TEXT 1024

/* remember a sentence; returns status */
dpu_error_t host_fail(dpu_error_t status, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* the same for a failed call of libpimdimm: its sentence, its errno's status */
dpu_error_t host_fail_errno(int ret, const char *what);
/* say something that fails nothing, where UPMEM_VERBOSE wants it */
void host_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
bool host_verbose(void);
void host_set_detail(const char *text);

/* ---- profile.c ---- */

struct profile {
	uint32_t nr_jobs;		/* of each rank's queue */
	uint64_t disabled;		/* DPUs, by rank->dpus[] */
	uint32_t sg_blocks;		/* 0: as many as the set has DPUs */
	uint32_t fck_mhz;
	uint32_t clock_division;
	bool sg_enable;
	bool dispatch;			/* over as many ranks as there are */
	bool strict;			/* DMAs beyond the rules are faults */
};

dpu_error_t profile_read(const char *text, struct profile *profile);

/* ---- choose.c ---- */

/* disable DPUs of ranks, given by their masks of places, until nr are left */
void choose_by_line(uint64_t enabled[], uint32_t nr_ranks, uint32_t nr);
void choose_by_chip(uint64_t enabled[], uint32_t nr_ranks, uint32_t nr);

/* ---- system.c ---- */

struct op;
struct slot;
struct lent_program;

/* of a rank, what is not for programs to read */
struct dpu_rank_state {
	bool taken;
	uint32_t first_pe;
	uint64_t enabled;		/* places */
	uint64_t faulted;		/* places, in their last launch */
	struct profile profile;
	uint32_t dpus_before;		/* in the ranks before it of its set */
	struct lent_program *lent;	/* programs that the user may look at */
	void *matrix[RANK_DPUS];	/* prepared buffers, by place */
	void *callback_matrix[RANK_DPUS];

	/* the queue, under its lock */
	struct slot *head, **tail;
	uint32_t nr_jobs;
	uint32_t nr_detached;		/* callbacks that left it and run */
	dpu_error_t job_error;
	char *job_text;
	pthread_cond_t room;
};

/* the process's one system, opened at the first call; NULL: host_fail() said */
struct pimdimm *host_system(void);
/* take the free rank of the lowest number; NULL when all are taken */
struct dpu_rank_t *host_take_rank(const struct profile *profile);
void host_give_rank(struct dpu_rank_t *rank);
void host_fill_description(struct _dpu_description_t *description,
			   const struct profile *profile);
uint32_t host_count(const struct dpu_rank_t *rank);

/* ---- set.c ---- */

/* the ranks of a set, and the DPU that it is if it is one */
struct members {
	uint32_t nr_ranks;
	struct dpu_rank_t **ranks;
	struct dpu_rank_t *one;		/* what ranks may point to */
	struct dpu_t *dpu;
};

/* fills in, without allocating; members->ranks is as good as the set */
dpu_error_t members_of(const struct dpu_set_t *set, struct members *members);
/* the PEs of its enabled DPUs by number; room for RANK_DPUS * nr_ranks */
uint32_t members_pes(const struct members *members, uint32_t pes[]);

/* ---- queue.c ---- */

/* numbers are part of asynchronous errors */
enum job_type {
	JOB_LAUNCH_RANK,
	JOB_LAUNCH_DPU,
	JOB_SYNC,
	JOB_COPY_WRAM_TO_MATRIX,
	JOB_COPY_IRAM_TO_MATRIX,
	JOB_COPY_MRAM_TO_MATRIX,
	JOB_COPY_WRAM_FROM_MATRIX,
	JOB_COPY_IRAM_FROM_MATRIX,
	JOB_COPY_MRAM_FROM_MATRIX,
	JOB_COPY_WRAM_TO_RANK,
	JOB_COPY_IRAM_TO_RANK,
	JOB_COPY_MRAM_TO_RANK,
	JOB_CALLBACK,
	JOB_LOAD,
};

/*
 * Something to do with ranks when its turn has come in the queues of all of
 * them. It is embedded in what says the details.
 */
struct op {
	enum job_type type;
	dpu_error_t (*run)(struct op *op);
	void (*free)(struct op *op);	/* asynchronous ones, when done */
	struct members on;
	bool async;
	bool detached;		/* its queues do not wait for its end */
	bool callback;		/* runs a function of the user's */
	/* the queue's own */
	bool cancelled;
	uint32_t waiting;	/* ranks where it is not first */
	dpu_error_t status;
	struct slot *slots;
	struct op *next;
	pthread_cond_t turn;
};

/* wait for the op's turn, do it on this thread; op is the caller's */
dpu_error_t op_do(struct op *op);
/* leave it to a thread of the library, which frees it; frees it on failure */
dpu_error_t op_queue(struct op *op);
/* wait for all jobs; the first error of asynchronous ones, which is forgotten */
dpu_error_t op_sync(const struct members *on);
/* wait for callbacks that left the ranks' queues */
void op_wait_detached(const struct members *on);
/* whether this thread runs a callback that the rank's queue waits for */
bool op_owned(const struct dpu_rank_t *rank);

/* ---- callback.c ---- */

struct callback {
	dpu_error_t (*function)(struct dpu_set_t set, uint32_t index,
				void *args);
	void *args;
	/* for each call to be made, and when it was made or never will be */
	void (*hold)(void *args);
	void (*release)(void *args);
};

dpu_error_t host_callback(struct dpu_set_t set, const struct callback *callback,
			  unsigned int flags);

/* ---- program.c ---- */

struct dpu_program_t {
	struct pimdimm_program *program;
	_Atomic uint32_t users;
	uint64_t mram_bytes;	/* of a DPU */
};

void program_put(struct dpu_program_t *program);
void program_forget(struct dpu_rank_t *rank);
/* the program that all DPUs have */
dpu_error_t program_common(const struct members *on,
			   struct dpu_program_t **program);
dpu_error_t program_symbol(const struct members *on, const char *name,
			   struct dpu_symbol_t *symbol);

/* ---- range.c ---- */

enum memory { MEMORY_WRAM, MEMORY_MRAM, MEMORY_IRAM };

/* bytes of a memory of each DPU */
struct range {
	enum memory memory;
	uint32_t offset;
	uint32_t bytes;
};

/* the part of a symbol, checked against the symbol and its memory's rules */
dpu_error_t range_of(struct dpu_symbol_t symbol, uint32_t offset, size_t length,
		     struct range *range);
/* what is only checked when the transfer is done */
dpu_error_t range_check_mram(const struct range *range);

/* ---- report.c ---- */

enum report_kind {
	REPORT_LOAD,
	REPORT_TO_DPU,
	REPORT_FROM_DPU,
	REPORT_COLLECTIVE,
	REPORT_LAUNCH,
	REPORT_KINDS,
};

uint64_t report_now(void);
/* a call of so many bytes, all DPUs together, and nanoseconds */
void report_add(enum report_kind kind, uint64_t bytes, uint64_t ns);
void report_launch(const struct pimdimm_run *run);

#endif /* HOST_H */
