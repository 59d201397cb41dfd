/* SPDX-License-Identifier: MIT */
/* A storm of calls: what those who make them share. */
#ifndef STORM_H
#define STORM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/kernel/rank.h"

/* Small: with many mappings in it, each further one costs much time. */
#define STORM_ARENA (1ul << 20)
#define STORM_HOST  (1ul << 16)
#define STORM_OWN   (1ul << 17)
#define STORM_ROOM  (16ul << 30)

/*
 * Descriptors have numbers that nothing else gets, so that a thread may close
 * one under another one without hitting what is not ours: nodes from
 * STORM_NODES on, dma-bufs from STORM_BUFFERS on.
 */
#define STORM_NODES   200
#define STORM_BUFFERS 210
#define STORM_KEPT    6

/* Ranks that are there, and those of a system that comes and goes. */
#define STORM_RANKS	3
#define STORM_RANKS_MAX 5

#define STORM_KINDS  32
#define STORM_ERRORS 256

/**
 * struct tally - what was done, children included
 * @calls: how many calls were made
 * @ends: the same by their kind and by the errno that they ended with, or 0
 */
struct tally {
	atomic_ulong calls;
	atomic_ulong ends[STORM_KINDS][STORM_ERRORS];
};

/**
 * struct storm - what the threads share
 * @arena: all mappings lie in it: whoever unmaps hits nothing else
 * @host: memory that transfers read and write, shared with children
 * @own: the same of a process's own, which children have a copy of, and whose
 *       pages come and go
 * @tally: in memory that is shared with children, too
 * @is_ours: the module is: its knobs may be turned and systems be made
 * @drm: another driver's node, or -1
 */
struct storm {
	uint8_t *arena;
	uint8_t *host;
	uint8_t *own;
	struct tally *tally;
	bool is_ours;
	int drm;
};
extern struct storm storm;

struct thread {
	struct random random;
	bool is_child; /* single: forks no more, signals nobody */
	unsigned int kind; /* what it does right now */
};

/* What a thread may do; of a table that ends with a weight of 0. */
struct act {
	unsigned int weight;
	void (*act)(struct thread *t);
	const char *name;
};
extern const struct act storm_calls[];
extern const struct act storm_files[];
extern const struct act storm_memory[];

void storm_files_start(void);
/* Closes all there is, and undoes what was turned and made. */
void storm_files_end(void);
void storm_memory_start(void);
void storm_memory_end(void);

uint64_t any_of(struct thread *t, uint64_t n);
/* Near the borders of what is valid. */
uint64_t any_number(struct thread *t);
/* Usually good host memory, at times MRAM itself, a hole, or anywhere. */
uint64_t any_address(struct thread *t);
/*
 * A number that is no address of ours: transfers write to what we name, and
 * our own stacks and variables shall not be hit. Links of this program keep
 * small numbers free of it, and STORM_ROOM all that lies near good addresses.
 */
uint64_t any_wild(struct thread *t, uint64_t least);
int any_node(struct thread *t);
int any_buffer(struct thread *t);

/* Counts a call of the kind that the thread is at; below 0 comes with an errno. */
void tally(const struct thread *t, int result);
/* The same of the module's, whose errno must be a documented one. */
void count(const struct thread *t, int result);

#endif /* STORM_H */
