/* SPDX-License-Identifier: MIT */
/*
 * Hosts of several machines as one of them sees them: who is where, what its machine is,
 * and what it has of the others.
 */
#ifndef PC_ACROSS_MACHINES_H
#define PC_ACROSS_MACHINES_H

#include <pthread.h>
#include <stdatomic.h>

#include <pimdimm/transport.h>

#include "collectives/hosts/machine.h"

/* a channel's memory, and segments of it that are under way at once */
#define PC_NET_ROOM	(UINT32_C(1) << 20)
#define PC_NET_MOST	16
/* channels of data: of those with even numbers what goes out comes in by the next one */
#define PC_NET_CHANNELS	4
/* tags: of a channel half its number; then */
#define PC_NET_CONTROL	(PC_NET_CHANNELS + 0)
#define PC_NET_BREAKS	(PC_NET_CHANNELS + 1)
#define PC_NET_TAGS	8
/* worlds of a transport: each has so many of its tags, which are fewer than 32768 */
#define PC_NET_BASES	4096

/* A transport and the worlds at this host that use it. */
struct pc_net_shared {
	struct pimdimm_transport t;
	uint32_t users;
	uint8_t used[PC_NET_BASES / 8];
};

/*
 * Something has broken on another machine: the code, and what happened. EBUSY: the host has
 * left after so many calls.
 */
struct pc_net_break {
	uint64_t world;		/* which one: tags may have been another's before */
	uint64_t calls;
	int32_t code;
	uint32_t host;
	char words[2 * PC_HOSTS_WORDS];
};

/* what a machine says of its hosts as they arrive at a call: verdict.c */
struct pc_net_summary {
	struct pc_hosts_args args, other_args;
	uint64_t number;
	/* PC_HOSTS_MOST: none */
	uint32_t first, other, refuser;
	int32_t code;
	char words[PC_HOSTS_WORDS];
};

/* All memory that a transport may still write to when hosts leave. */
struct pc_net_memory {
	uint8_t rooms[PC_NET_CHANNELS][PC_NET_ROOM];
	struct pc_net_break breaks_in, breaks_out;
	struct pc_net_summary mine, theirs[PC_HOSTS_MOST];
};

/* Segments to others or from others, in their order. */
struct pc_channel {
	uint64_t begun, ended;		/* segments */
	void *requests[PC_NET_MOST];
	uint32_t bytes[PC_NET_MOST];
};

struct pc_letters;

/* the last word of a machine that its hosts have come to a call, or to its end */
struct pc_heard {
	uint64_t number;	/* of the call; 0: none yet */
	enum pc_hosts_kind kind;
	bool leaving;
};

struct pc_world {
	struct pimdimm_hosts *all;	/* whose this is */
	struct pimdimm_hosts *machine;	/* those of this machine */
	struct pimdimm_transport t;
	struct pc_net_shared *shared;
	uint32_t base;			/* of its tags */
	uint64_t number;		/* that no other world of these tags has */
	uint32_t net[PC_HOSTS_MOST];	/* each host's number in the transport */
	struct pc_letters *mail;
	bool leaving;			/* an arrival is the end of a call */
	bool arriving;			/* other machines' hosts may have left before the call */
	struct pc_net_memory *memory;
	struct pc_channel channels[PC_NET_CHANNELS];
	uint32_t segment, depth;	/* how this call cuts their memory */
	void *break_in, *breaks_out[PC_HOSTS_MOST];
	atomic_bool hearing;		/* a thread asks after break_in */
	void *summaries_in[PC_HOSTS_MOST], *summaries_out[PC_HOSTS_MOST];
	atomic_bool told;		/* the others, of what broke, or that this host leaves */
	/* hosts of other machines, as this machine's first host hears: 0, or 1 and the calls
	 * after which they have left */
	_Atomic uint64_t left[PC_HOSTS_MOST];
	struct pc_heard heard[PC_HOSTS_MOST];	/* of each machine */

	uint32_t me, machines;		/* this machine's number */
	uint32_t of[PC_HOSTS_MOST];	/* each host's machine */
	uint32_t local[PC_HOSTS_MOST];	/* its number there */
	uint32_t locals[PC_HOSTS_MOST];	/* hosts of each machine */
	uint32_t first[PC_HOSTS_MOST];	/* number of its first host */
	uint8_t *vector;		/* what leaders exchange; kept for the next call */
	uint64_t vector_bytes;
	uint64_t grace_ms;		/* that a wait for others' words takes beyond the deadline */
	_Atomic pthread_t thread;	/* who made the last call */
};

static inline struct pc_world *pc_world_of(const struct pimdimm_hosts *h)
{
	return (struct pc_world *)h->world;
}

/* As the transport has them, of this world's hosts and tags. */
static inline int pc_world_isend(struct pc_world *w, const void *buf, size_t bytes, uint32_t to,
				 uint32_t tag, void **request)
{
	return w->t.isend(w->t.ctx, buf, bytes, w->net[to], PC_NET_TAGS * w->base + tag, request);
}

static inline int pc_world_irecv(struct pc_world *w, void *buf, size_t bytes, uint32_t from,
				 uint32_t tag, void **request)
{
	return w->t.irecv(w->t.ctx, buf, bytes, from == PIMDIMM_ANY_HOST ? from : w->net[from],
			  PC_NET_TAGS * w->base + tag, request);
}

/* The host of a machine with a local number; PC_HOSTS_MOST: none. */
uint32_t pc_world_host(const struct pc_world *w, uint32_t machine, uint32_t local);
/* A machine has come to where this host is in the call that is on. */
void pc_world_hears(struct pc_world *w, uint32_t machine);
/* As pc_hosts_name(): of a host of another machine, what was last heard of it. */
void pc_world_name(const struct pimdimm_hosts *h, uint32_t peer, char *text, size_t bytes);
/* What the machine's hosts did in a call of their own counts for the whole. */
void pc_world_add_stats(struct pc_world *w);

#endif /* PC_ACROSS_MACHINES_H */
