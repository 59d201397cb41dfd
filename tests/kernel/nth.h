/* SPDX-License-Identifier: MIT */
/*
 * Operations with each allocation and each copy from or to user memory that they
 * make failing, one after the other, by the kernel's own fault injection
 * (fail-nth).
 */
#ifndef NTH_H
#define NTH_H

#include "tests/kernel/rank.h"

/**
 * struct operation - what is made to fail
 * @run: does it, by as few system calls as can be; returns 0 or -errno
 * @undo: takes back what succeeded, NULL where there is nothing
 * @check: expects all to be as before @run, NULL where there is nothing to see
 * @errors: what @run may return beside 0, ended by 0; NULL for ENOMEM and EFAULT
 */
struct operation {
	int (*run)(void *scene);
	void (*undo)(void *scene);
	void (*check)(void *scene);
	const int *errors;
};

/*
 * Skips the test where the kernel cannot fail on demand: before it makes anything
 * that outlives its process.
 */
void need_failures(void);

/*
 * Runs it again and again, a later failure each time, until it meets none. Each
 * time the process has as many descriptors as before, and the module as many
 * users. Skips the test as need_failures() does.
 */
void fail_each(const struct operation *op, void *scene);
/*
 * The same from the @first failure on; on a slow machine, where this would take
 * long, of so many failures one, which PIMDIMM_TEST_SEED draws.
 */
void fail_from(unsigned int first, const struct operation *op, void *scene);

/* How many failures @run can meet: it runs once, and meets none. */
unsigned int count_failures(int (*run)(void *), void *scene);

/* A rank, and what an operation makes of it. */
struct scene {
	struct rank rank;
	long pinned; /* bytes of it that stay pinned */
	int fd;
	uint8_t *map;
	size_t mapped;
};

/* What @run returns, of a system call's result. */
int as_result(long value);

/* The rank of a scene is the host's, pinned as it should be, and does its work. */
void check_rank(void *scene);

/* Maps what a scene then has in @map, by the rank's node or any descriptor. */
int map_scene(struct scene *scene, int fd, uint64_t offset, size_t bytes);
void undo_map(void *scene);

/* As rank_open_map(); skips the test where the module lacks the feature. */
void open_scene(struct scene *scene, uint64_t feature);

#endif /* NTH_H */
