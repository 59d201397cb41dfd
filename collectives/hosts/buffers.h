/* SPDX-License-Identifier: MIT */
/*
 * Collectives on buffers of hosts: a call as its algorithm sees it, what algorithms are
 * made of, and their table. Everything that loads or stores counts it.
 */
#ifndef PC_HOSTS_BUFFERS_H
#define PC_HOSTS_BUFFERS_H

#include <stdbool.h>
#include <stdint.h>

#include "collectives/call/fold.h"
#include "collectives/hosts/machine.h"

/* how bytes that are not read again in the call are stored */
enum pc_hosts_stores {
	PC_HOSTS_ADAPTIVE,	/* around the caches where they hold less than the call touches */
	PC_HOSTS_T_COPY,	/* through the caches */
	PC_HOSTS_NT_COPY,	/* around them */
	PC_HOSTS_MEMMOVE,	/* as the C library does */
	PC_HOSTS_NR_STORES,
};

struct pc_buffers_algorithm;

struct pc_buffers_call {
	struct pimdimm_hosts *h;
	const struct pc_buffers_algorithm *algorithm;	/* NULL: it has moved nothing */
	enum pc_hosts_kind kind;
	uint32_t root;
	const uint8_t *src;
	uint8_t *dst;
	uint64_t bytes;		/* of the vector that is folded, or of a host's of the others */
	/* part x of the vector, which host x folds, is [begins[x], begins[x + 1]) */
	uint64_t begins[PC_HOSTS_MOST + 1];
	/* what this host receives of the result; dst is where it begins */
	uint64_t out_begin, out_end;
	struct pc_fold fold;
	enum pidcomm_type type;
	pidcomm_op op;
	unsigned int element;
	unsigned int wide;	/* an accumulator's bytes for each of the elements' */
	bool exact;		/* in whatever order it is folded */
	/* for those whose buffers all hosts map; else NULL */
	const uint8_t *srcs[PC_HOSTS_MOST];
	uint8_t *dsts[PC_HOSTS_MOST];
	bool around;		/* stores of results */
	bool in_around;		/* stores of what is copied into shared memory */
	bool memmoves;
	bool tries;		/* how to copy in is for trials to say, see trials.h */
	bool one_pass;		/* copying results is no time of its own */
	uint64_t spreading;	/* since when results are copied; 0: something else is done */
	int err;
};

/* what a call must be for an algorithm */
enum pc_buffers_needs {
	PC_NEEDS_EXACT = 1,	/* it folds in other orders than the hosts' */
	PC_NEEDS_MAPPED = 2,	/* all buffers are of pimdimm_hosts_alloc() */
	PC_NEEDS_CELL = 4,	/* no more than comes with the arrival */
	PC_NEEDS_MACHINES = 8,	/* hosts of several; those without it need hosts of one */
	PC_AUTO_IF_EXACT = 16,	/* it folds in another order, where somebody asks for it */
};

struct pc_buffers_algorithm {
	const char *name;
	const char *desc;
	unsigned int kinds;	/* 1 << enum pc_hosts_kind */
	unsigned int needs;
	/*
	 * Takes the memory that this host needs for the call, before any host has begun: 0, or
	 * -ENOMEM and a sentence. NULL: none.
	 */
	int (*reserve)(struct pc_buffers_call *call);
	void (*run)(struct pc_buffers_call *call);
};

extern const struct pc_buffers_algorithm pc_buffers_flat, pc_buffers_direct, pc_buffers_ma,
	pc_buffers_wave, pc_buffers_pipelined, pc_buffers_dpml,
	pc_buffers_dpml2, pc_buffers_ma_socket, pc_buffers_ring, pc_buffers_rabenseifner,
	pc_buffers_rg,
	/* between machines */
	pc_buffers_leaders, pc_buffers_leader, pc_buffers_chain;

/* in the order in which auto prefers them */
extern const struct pc_buffers_algorithm *const pc_buffers_algorithms[];
extern const unsigned int pc_buffers_nr_algorithms;

/*
 * Whether results are stored around caches of so many bytes, by a call that touches
 * `work`: the paper's algorithm 1, with its branches the right way round.
 */
static inline bool pc_buffers_around(uint64_t work, uint64_t cache)
{
	return work > cache;
}

/* Bytes that a call of this kind touches, with slices of so many bytes and m sockets. */
uint64_t pc_buffers_work_set(enum pc_hosts_kind kind, uint64_t bytes, uint64_t p, uint64_t m,
			     uint64_t slice);

/* A slice for vectors that are cut for p hosts: whole lines, at most `most`. */
uint64_t pc_buffers_slice(const struct pc_buffers_call *call, uint64_t most);

/* Tell all that this host has come `step` far, and wait for one, or all. Once something
 * has broken they return false at once, and call->err says what. */
void pc_buffers_post(struct pc_buffers_call *call, uint32_t step);
bool pc_buffers_wait(struct pc_buffers_call *call, uint32_t host, uint32_t step);
bool pc_buffers_wait_all(struct pc_buffers_call *call, uint32_t step);

/* acc is `wide` times as long as bytes. acc = in; acc = acc op in; out = acc op in;
 * out = acc; acc = acc op acc2, whose hosts are the later ones */
void pc_buffers_first(struct pc_buffers_call *call, uint8_t *acc, const uint8_t *in,
		      uint64_t bytes);
void pc_buffers_next(struct pc_buffers_call *call, uint8_t *acc, const uint8_t *in,
		     uint64_t bytes);
void pc_buffers_into(struct pc_buffers_call *call, uint8_t *out, const uint8_t *acc,
		     const uint8_t *in, uint64_t bytes);
void pc_buffers_last(struct pc_buffers_call *call, uint8_t *out, const uint8_t *acc,
		     uint64_t bytes);
void pc_buffers_merge(struct pc_buffers_call *call, uint8_t *acc, const uint8_t *acc2,
		      uint64_t bytes);
/* bytes as they are; `result`: not read again in this call */
void pc_buffers_copy(struct pc_buffers_call *call, uint8_t *to, const uint8_t *from,
		     uint64_t bytes, bool result);
/* a result that is read again: others get it from this host */
void pc_buffers_hand_on(struct pc_buffers_call *call, uint8_t *to, const uint8_t *from,
			uint64_t bytes);
/* What was copied last were results: their time ends here. Steps and folds do so, too. */
void pc_buffers_spread_over(struct pc_buffers_call *call);
/* This host has bytes of its part of the result, and may do something else for a moment. */
void pc_buffers_folded(struct pc_buffers_call *call, uint64_t begin, uint64_t end);
/* a result that is this host's own source */
void pc_buffers_keep(struct pc_buffers_call *call, uint8_t *to, const uint8_t *from,
		     uint64_t bytes);
/* The part of [begin, begin + bytes) of the result that this host receives, of what is
 * accumulated at acc. */
void pc_buffers_receive(struct pc_buffers_call *call, const uint8_t *acc, uint64_t begin,
			uint64_t bytes);

#endif /* PC_HOSTS_BUFFERS_H */
