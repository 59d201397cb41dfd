/* SPDX-License-Identifier: MIT */
/*
 * The hosts of a machine as one of them sees the others: who they are, whether they
 * live, how far they are, and what has broken.
 */
#ifndef PC_HOSTS_MACHINE_H
#define PC_HOSTS_MACHINE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <pimdimm/hosts.h>

#include "runtime/base/clock.h"
#include "runtime/base/env.h"
#include "collectives/call/collective.h"
#include "collectives/hosts/page.h"
#include "collectives/loops/loops.h"

enum pc_hosts_kind {
	PC_HOSTS_NONE,		/* between calls */
	PC_HOSTS_JOIN,
	PC_HOSTS_BARRIER,
	PC_HOSTS_SPLIT,
	PC_HOSTS_ALLOC,
	PC_HOSTS_CREATE,	/* a hypercube; then its collectives, as pc_traits has them */
	PC_HOSTS_ON_CUBES,
	PC_HOSTS_ON_CUBES_LAST = PC_HOSTS_ON_CUBES + PC_NR_COLLECTIVES - 1,
	PC_HOSTS_ALLREDUCE,
	PC_HOSTS_REDUCE_SCATTER,
	PC_HOSTS_REDUCE,
	PC_HOSTS_BROADCAST,
	PC_HOSTS_ALLGATHER,
	PC_HOSTS_ACROSS,	/* a machine's part of a call of hosts on several */
	PC_HOSTS_KINDS,
};

/* what a host does in a call: as many as its statistics have times, and MRAM to MRAM */
enum pc_hosts_phase {
	PC_HOSTS_ARRIVING,
	PC_HOSTS_HANDING,
	PC_HOSTS_FOLDING,
	PC_HOSTS_TO_HOST,
	PC_HOSTS_NETWORK,
	PC_HOSTS_TO_MRAM,
	PC_HOSTS_REGISTERS,
	PC_HOSTS_SPREADING,
	PC_HOSTS_LEAVING,
	PC_HOSTS_PHASES,
};

/* memory of pimdimm_hosts_alloc(): a part for each host, all mapped by all */
struct pc_hosts_segment {
	struct pc_hosts_segment *next;
	uint64_t number;	/* of the call that made it */
	uint8_t *base;
	uint64_t stride, bytes;	/* of a host, and of all */
	bool freed;		/* by this host; others may use theirs */
};

struct pc_mail;

/* what calls of hosts on several machines do instead, as functions here do of one */
struct pc_hosts_beyond {
	int (*arrive)(struct pimdimm_hosts *h, const struct pc_hosts_said *mine, int refused);
	int (*over)(struct pimdimm_hosts *h, int ret);
	int (*leave_call)(struct pimdimm_hosts *h, int ret);
	int (*split)(struct pimdimm_hosts *h, const struct pc_hosts_said *said, int refused,
		     struct pimdimm_hosts **part);
	/* messages between them, of calls on hypercubes */
	struct pc_mail *(*mail)(const struct pimdimm_hosts *h);
	void (*abort)(struct pimdimm_hosts *h, const char *words);
	/* what other machines tell comes into the page, where this thread may ask for it */
	void (*hear)(const struct pimdimm_hosts *h);
	void (*info)(const struct pimdimm_hosts *h, struct pimdimm_hosts_info *info);
	void (*name)(const struct pimdimm_hosts *h, uint32_t peer, char *text, size_t bytes);
	void (*drop)(struct pimdimm_hosts *h);
};

struct pimdimm_hosts {
	uint32_t host, hosts;
	pid_t pid;		/* who joined; a child of fork() has not */
	uint32_t timeout_ms;	/* 0: none */
	uint32_t sockets;
	uint64_t cache;		/* bytes of all hosts' caches; the same everywhere */
	uint32_t pus;		/* that the hosts may run on, together */
	bool spins;		/* every host has a processor of its own */
	struct pd_affinity share;	/* of cores that others may use as well; to which systems keep */
	bool logs;		/* who waits long for whom */

	struct pc_hosts_page *page;
	uint64_t page_bytes;
	uint8_t *scratch;
	uint64_t scratch_bytes;

	/* each host's process, to be told of its end; then connections: from the keeper to
	 * every other host, or from another one to the keeper alone; -1 is none */
	uint32_t keeper;
	int lives[PC_HOSTS_MOST];
	int links[PC_HOSTS_MOST];
	pid_t pids[PC_HOSTS_MOST];
	uint32_t names[PC_HOSTS_MOST];	/* numbers that sentences give the hosts */

	/* of hosts on several machines: those of this one, which have the page; else NULL */
	struct pimdimm_hosts *machine;
	const struct pc_hosts_beyond *beyond;
	void *world;
	/* of a machine's among several: the larger call, and what else waits look after */
	enum pc_hosts_kind as;
	void (*look)(void *at);
	void *look_at;

	/*
	 * The same, of a reduction: about where each part's fold begins, and NULL, or told what
	 * of its own part a host has by now: from `begin` to `end`, counted from its beginning.
	 */
	uint64_t folds_first;
	void (*folded)(void *ctx, uint64_t begin, uint64_t end);
	void *folded_ctx;

	uint64_t number;	/* of the call */
	/* the call is over when all have arrived: no clock is read unless somebody sleeps */
	bool brief;
	uint64_t deadline;	/* of its waits, by pd_now_ns(); 0: from its first sleep on */
	uint64_t arrived;	/* when all were there */
	enum pc_hosts_kind kind;
	struct pc_hosts_said peers[PC_HOSTS_MOST];	/* as they arrived */

	/* this host has had page faults in the call that is on; any host, in the one before */
	bool faulted;

	_Atomic uint64_t breaking;	/* since when the page has been seen to be so; 0: not */
	int broken;		/* an errno: what every later call returns */
	char words[2 * PC_HOSTS_WORDS];

	/* parts that an abort of these hosts is to reach, and whose part this one is */
	struct pimdimm_hosts *parts, *next_part, *whole;

	struct pc_hosts_segment *segments;
	uint32_t algorithms[PC_HOSTS_KINDS];
	uint8_t stores[PC_HOSTS_KINDS];
	const struct pc_folds *folds;
	uint64_t piece;		/* bytes of a copy that are copied at once */
	struct pimdimm_hosts_stats stats;
};

/* "allreduce" */
const char *pc_hosts_kind_name(enum pc_hosts_kind kind);
/* "folding"; "?" where there is no such */
const char *pc_hosts_phase_name(uint32_t phase);

/*
 * Map the page behind a descriptor, which must be a file of the right size that cannot
 * shrink, and check its head. Returns 0, -EIO or -ENOMEM; the descriptor stays open.
 */
int pc_hosts_map(struct pimdimm_hosts *h, int fd);
/* A new page for so many hosts: a descriptor, or a negative errno. */
int pc_hosts_make_page(uint32_t hosts);
/* Everything that the structure holds, and itself; NULL is nothing. */
void pc_hosts_drop(struct pimdimm_hosts *h);

/* An abort of `whole` is one of `part`, until either is dropped. */
void pc_hosts_attach(struct pimdimm_hosts *whole, struct pimdimm_hosts *part);
/* Do something with each part that is attached. */
void pc_hosts_break_parts(struct pimdimm_hosts *whole, int err, const char *words);
/* Whose part these hosts are, or NULL; it is not left until it is released. */
const struct pimdimm_hosts *pc_hosts_hold_whole(const struct pimdimm_hosts *part);
void pc_hosts_release_whole(void);

/* The deadline of what begins now, or has begun at a time. */
uint64_t pc_hosts_deadline(uint32_t timeout_ms);
uint64_t pc_hosts_deadline_from(uint64_t begin, uint32_t timeout_ms);

/* Whether this process is a child of fork() of the one that has joined. */
bool pc_hosts_is_child(const struct pimdimm_hosts *h);

/* What this host is doing, for those who ask after its end. */
void pc_hosts_doing(struct pimdimm_hosts *h, enum pc_hosts_phase phase);
/* What it has said so, which a hostile host may have changed. */
uint32_t pc_hosts_does(const struct pimdimm_hosts *h);
/* Tell all that this host has come so far in its call. */
void pc_hosts_post(struct pimdimm_hosts *h, uint32_t step);
/*
 * What there is to say while this host waits for another one, which may be any: 0 to
 * go on waiting, else as pc_hosts_wait(). `peer` = PC_HOSTS_MOST: nobody in particular.
 */
int pc_hosts_trouble(struct pimdimm_hosts *h, uint32_t peer);
/* The error that every call returns once something broke, or 0. */
int pc_hosts_repeat(struct pimdimm_hosts *h);
/*
 * Something broke: for all hosts and for good, unless something else has before. Returns
 * what is then everybody's error, its sentence kept.
 */
__attribute__((format(printf, 3, 4)))
int pc_hosts_break(struct pimdimm_hosts *h, int err, const char *format, ...);
/* The same for a thread beside the one that makes calls, which touches the page alone. */
void pc_hosts_break_page(const struct pimdimm_hosts *h, int err, const char *words);
/*
 * What the page says: 0 or an errno, and the sentence. Who is just writing that is waited for,
 * or is not: then it is 0 yet.
 */
int pc_hosts_broken(const struct pimdimm_hosts *h, char words[2 * PC_HOSTS_WORDS]);
int pc_hosts_broken_yet(const struct pimdimm_hosts *h, char words[2 * PC_HOSTS_WORDS]);
/* A host whose process has ended without leaving; PC_HOSTS_MOST: none. */
uint32_t pc_hosts_dead(const struct pimdimm_hosts *h);
/* Words that others wrote, as text that ends and can be printed. */
void pc_hosts_words(char *to, const char *from, size_t bytes);
/* Whether a host has left. */
bool pc_hosts_left(const struct pimdimm_hosts *h, uint32_t peer);
/* Who it is and what it did last, as "host 3 (pid 77), in allreduce, folding". */
void pc_hosts_name(const struct pimdimm_hosts *h, uint32_t peer, char *text, size_t bytes);

#endif /* PC_HOSTS_MACHINE_H */
