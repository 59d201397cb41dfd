/* SPDX-License-Identifier: MIT */
/*
 * Several processes, hosts, that make one call together: which of its items each does.
 * All of them cut the call into the same items. What they share is the memory that the
 * lines lie in; others write there too, so that nothing read from it is believed further
 * than that a ticket is one of the run's.
 */
#ifndef PC_CREW_H
#define PC_CREW_H

#include <stdbool.h>
#include <stdint.h>

#include "collectives/call/phases.h"
#include "runtime/machine/trials.h"

struct pc_mail;
struct pc_shape;
struct pimdimm;

/* who does which items of a run */
enum pc_share {
	/* who comes first, each beginning with its own part of them, of which some stay its own */
	PC_SHARE_ANY,
	PC_SHARE_ROOTS,	/* those of sets whose groups' buffers a host has */
	PC_SHARE_ALL,	/* every host goes through all, and leaves out what is not its own */
};

/* what a call is run by, how it stores, and why: of all hosts alike */
enum pc_way_algorithm {
	PC_WAY_DIRECT,
	PC_WAY_STAGED,
	PC_WAY_SHARED,	/* see algorithms/staged.h */
	PC_NR_WAYS,
};

enum pc_why {
	PC_WHY_FIRST,	/* the first one that serves */
	PC_WHY_TRIED,	/* each is tried in turn */
	PC_WHY_FASTEST,	/* the fastest of those that were */
	PC_NR_WHYS,
};

struct pc_way {
	uint8_t algorithm;	/* enum pc_way_algorithm */
	uint8_t stores;		/* enum pd_stores */
	uint8_t why;		/* enum pc_why */
	uint8_t reserved;
};

/* tickets that have been taken of a host's part: the run's tag << 32 | how many */
struct pc_crew_line {
	_Alignas(128) _Atomic uint64_t taken;
};

struct pc_crew {
	uint32_t host, hosts;
	uint32_t threads;		/* of all hosts together */
	uint32_t root;			/* of all groups, or PIDCOMM_HOME */
	const uint32_t *first_eg;	/* of each host in the hypercube; [hosts] is the end */
	bool at_once;			/* all threads of all hosts run at the same time */
	struct pimdimm *view;		/* the ranks of all hosts as one system */
	bool mapped;			/* it has windows of all; else of this one alone */
	struct pc_mail *mail;		/* hosts that share no memory; NULL: they do */
	struct pc_crew_line *lines;	/* of each host */
	/* the call that is on */
	uint32_t tag;			/* of its first run; runs count on from there */
	uint32_t runs;			/* begun so far */
	int err;			/* what broke; later runs do nothing */
	struct pc_way way;		/* how `auto` runs the call, and how any call stores */
	bool unstaged;			/* there was no memory for what passes through it */
	uint8_t *const *bufs;		/* all groups' buffers, where all hosts map them; or NULL */
	/* wait until all hosts have ended the runs before this one */
	int (*meet)(struct pc_crew *crew, uint32_t run);
	/* what this host is about to do, for those who ask after its end */
	void (*doing)(struct pc_crew *crew, enum pc_phase phase);
	/* memory of so many bytes that all hosts map, or NULL, its sentence kept */
	void *(*staging)(struct pc_crew *crew, uint64_t bytes);
};

/* a run of items */
struct pc_crew_items {
	struct pd_workers *workers;	/* of this host */
	const struct pc_shape *shape;
	enum pc_share share;
	uint64_t items, grain;
	enum pd_stores stores;		/* where there is no trial */
	struct pd_trial *trial;
	pd_part_fn fn;
	void *ctx;
};

/*
 * Do the items of a run, `grain` at a time: as pd_trial_run() where there is a trial, else
 * storing so. All hosts begin the same runs in the same order; each begins when all have
 * ended the one before.
 */
void pc_crew_run(struct pc_crew *crew, const struct pc_crew_items *items);

/* The sets [first, end) whose groups' buffers this host has, or another one. */
void pc_crew_sets(const struct pc_crew *crew, const struct pc_shape *shape, uint32_t *first,
		  uint32_t *end);
void pc_crew_sets_of(const struct pc_crew *crew, uint32_t host, const struct pc_shape *shape,
		     uint32_t *first, uint32_t *end);

/* Whether a host has more than twice its share of the groups' buffers. */
bool pc_crew_is_uneven(const struct pc_crew *crew, const struct pc_shape *shape);
/* The entangled groups [first, end) of a set that are this host's, or another one's. */
void pc_crew_egs(const struct pc_crew *crew, const struct pc_shape *shape, uint32_t set,
		 uint32_t *first, uint32_t *end);
void pc_crew_egs_of(const struct pc_crew *crew, uint32_t host, const struct pc_shape *shape,
		    uint32_t set, uint32_t *first, uint32_t *end);
/* Whose an entangled group is, as the hypercube numbers them. */
uint32_t pc_crew_owner(const struct pc_crew *crew, uint32_t eg);

/* Whether an entangled group, as the hypercube numbers them, is this host's. */
static inline int pc_crew_has(const struct pc_crew *crew, uint32_t eg)
{
	return eg >= crew->first_eg[crew->host] && eg < crew->first_eg[crew->host + 1];
}

#endif /* PC_CREW_H */
