/* SPDX-License-Identifier: MIT */
/*
 * Segments between machines. Everything waits by asking again and again, and looks between
 * for the deadline, for what has broken, and for this machine's other processes.
 */
#ifndef PC_ACROSS_NETWORK_H
#define PC_ACROSS_NETWORK_H

#include "collectives/across/machines.h"

/*
 * How long messages are. MPI libraries send short ones at once; of longer ones they ask the
 * receiver first, and the question waits behind what is under way already, the answer behind
 * what goes the other way, so that links idle. Open MPI asks from 64 KiB on over TCP, headers
 * included; MPICH over UCX where that reckons it to be faster. What goes in both directions for
 * long at once idles most:
 *
 * - Hypercubes' mail goes both ways in all of a call, many messages at a time: 16 KiB.
 * - Exchanges of leaders go in segments of 60 KiB: as fast at 1 Gb/s by Open MPI as ones of
 *   16 KiB, and faster at 10 Gb/s, where each message costs a processor time.
 * - The chain waits for each segment by itself, so that where processors are few what a wait
 *   costs is more than what links idle: 256 KiB, which every transport carries.
 */
#define PC_NET_MAIL	(UINT32_C(16) << 10)
#define PC_NET_EXCHANGE	(UINT32_C(60) << 10)
#define PC_NET_LONGEST	(UINT32_C(256) << 10)

/* Cut all channels' memory into segments of so many bytes; nothing is under way. */
void pc_net_cut(struct pc_world *w, uint32_t segment);

/* When a host began to send or to wait, and what it did before: it goes on with that. */
struct pc_net_turn {
	uint64_t begun;
	enum pc_hosts_phase before;
};

/* It does so, and no longer: those who ask after its end are told, and the time is counted. */
struct pc_net_turn pc_net_begin(struct pc_world *w);
void pc_net_end(struct pc_world *w, const struct pc_net_turn *turn);

/* Ask after a request until it has ended: 0, or what broke. host: whom it waits for. */
int pc_net_wait(struct pc_world *w, void **request, uint32_t host);

/*
 * Room for a channel's next segment, once there is some; NULL: something broke. Then the
 * segment is sent.
 */
uint8_t *pc_net_room(struct pc_world *w, uint32_t channel, uint32_t to);
int pc_net_send(struct pc_world *w, uint32_t channel, uint32_t to, uint32_t bytes);
/* Begin to receive a channel's next segment; as many as w->depth may be under way. */
int pc_net_expect(struct pc_world *w, uint32_t channel, uint32_t from, uint32_t bytes);
/* The oldest one that is expected, once it is there; NULL: something broke. It stays until
 * w->depth later ones are expected. */
const uint8_t *pc_net_take(struct pc_world *w, uint32_t channel, uint32_t from);
/* How many are expected and not taken. */
uint32_t pc_net_expected(const struct pc_world *w, uint32_t channel);
/* All that was sent by a channel has left; 0, or what broke. */
int pc_net_flush(struct pc_world *w, uint32_t channel, uint32_t to);

/* A way in both directions at once. */
struct pc_net_way {
	uint32_t to, from;
	uint64_t out, in;	/* bytes that are sent to one host and received from another */
	/* the next bytes to send, and bytes that have come */
	void (*give)(void *ctx, uint8_t *segment, uint64_t at, uint32_t bytes);
	void (*take)(void *ctx, const uint8_t *segment, uint64_t at, uint32_t bytes);
	/* NULL, or whether the next bytes can be given or taken by now */
	bool (*may_give)(void *ctx, uint64_t at, uint32_t bytes);
	bool (*may_take)(void *ctx, uint64_t at, uint32_t bytes);
	void *ctx;
	uint32_t unit;		/* segments are a multiple of so many bytes */
	bool relay;		/* what is sent is what has come */
};

/* How far it is. */
struct pc_net_exchange {
	struct pc_world *w;
	struct pc_net_way way;
	uint32_t segment;
	uint64_t sent, expected, taken;
};

/* Begin to send and receive, by channels 0 and 1: 0, or what broke. */
int pc_net_exchange_begin(struct pc_net_exchange *x, struct pc_world *w,
			  const struct pc_net_way *way);
/* Send and receive what is possible at once: 1 when that was the last of it, else 0; or what
 * broke. */
int pc_net_exchange_go_on(struct pc_net_exchange *x);
/* All of the rest: 0, or what broke. */
int pc_net_exchange_end(struct pc_net_exchange *x);

/* What there is to say of a host that cannot be reached any more. */
int pc_net_unreachable(struct pc_world *w, uint32_t host);
/* Begin to hear what breaks elsewhere. */
void pc_net_await_breaks(struct pc_world *w);
/* A break that came from another machine is one of this machine. Any wait does so. */
void pc_net_hear_breaks(struct pc_world *w);
/* Tell the other machines what has broken on this one, if anything, once. */
void pc_net_tell_break(struct pc_world *w);
/* The same, or else that this host leaves. */
void pc_net_tell_left(struct pc_world *w);
/* 0, or -EBUSY: a host of another machine has left before this call, so that nobody makes it. */
int pc_net_gone(const struct pc_world *w);

#endif /* PC_ACROSS_NETWORK_H */
