/* SPDX-License-Identifier: MIT */
/*
 * Messages between two processes, each with its own node of the engine. What travels goes
 * through a ring in memory that the sender made and both map; descriptors and bells that
 * wake go over the socket. Nothing that the other process writes is believed: numbers are
 * read once, and no size, place or layout is used unchecked.
 */
#ifndef PM_PAIR_H
#define PM_PAIR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collectives/messages/payload.h"
#include "collectives/messages/waits.h"
#include "runtime/base/env.h"

#define PAIR_MAGIC	UINT64_C(0x7269617070696d70)	/* "pmippair" */
#define PAIR_VERSION	1u

#define PAIR_RING	(UINT64_C(1) << 20)
#define PAIR_LINE	64u
/* the most that a message of the ring takes along, and of long ones at a time */
#define PAIR_MOST	(UINT64_C(128) << 10)
#define PAIR_BLOCK	(UINT64_C(32) << 10)
/* rendezvous that a receiver has under way at once */
#define PAIR_SLOTS	64u

/* parts of a rendezvous, of both ends' memory mapped: who takes them, and how many are done */
struct pair_slot {
	_Alignas(64) _Atomic uint64_t next;
	_Atomic uint64_t done;
};

/* what a process shows the other one: counters only grow */
struct pair_page {
	_Alignas(128) _Atomic uint64_t written;	/* bytes put into its ring */
	_Alignas(128) _Atomic uint64_t taken;	/* bytes taken from the other's */
	_Atomic uint64_t returned;	/* bytes of its pool that are free again */
	_Alignas(128) _Atomic uint32_t sleeps;
	struct pair_slot slots[PAIR_SLOTS];	/* of what it receives */
	_Alignas(4096) uint8_t ring[PAIR_RING];
};

enum pair_kind {
	PAIR_PAD = 1,	/* nothing up to the end of the ring */
	PAIR_PARCEL,	/* a traveller of the engine's */
	PAIR_DATA,	/* bytes of a long message, packed */
	PAIR_KINDS,
};

/* how a rendezvous gets from one end to the other */
enum pair_way {
	PAIR_PACKED,	/* through the ring, packed and unpacked */
	PAIR_WAYS,
};

/* begins every message of a ring; as many bytes follow, up to a whole line */
struct pair_head {
	uint32_t length;	/* with what follows, whole lines */
	uint16_t kind, way;
	uint32_t bytes;		/* what follows */
	uint32_t slot;
	uint64_t at, more;
	struct me_frame frame;
};

_Static_assert(sizeof(struct pair_head) % 16 == 0, "data behind it is aligned");

/* a traveller, or whatever else has no room in the ring yet */
struct pair_parcel {
	struct me_parcel parcel;	/* first */
	struct pair_parcel *next;
	uint32_t to;
	struct pair_head head;
	uint8_t *data;		/* in a ring, or memory of its own */
	uint64_t room;		/* of its own, 0: none */
};

/* a rendezvous with the other process; `request` is NULL in one that is not used */
struct pair_transfer {
	struct me_request *request;	/* its own end's */
	bool used, ended;
	uint16_t way;
	uint64_t total, at;
	int error;
};

struct pair {
	struct pm_world world;		/* first */
	struct pimmsg_end end;
	int socket, pidfd;
	pid_t pid;			/* the other process */
	uint32_t me, other;
	struct pair_page *mine, *theirs;

	uint64_t written, taken;	/* as in the page, but believed */
	uint64_t room_there;		/* of the other's pool */
	/* bytes of eager data: to there, to oneself, from there, and from there and received */
	uint64_t sent, held, arrived, returned;
	uint8_t *reserved;		/* in the own ring: what is being made */
	uint64_t reserved_bytes;
	bool spins;			/* there is more than one CPU */
	bool did;			/* something, since it was last looked */

	struct pair_parcel *arriving;	/* its data is in the other's ring */
	struct pair_parcel *backlog, *last_backlog;	/* without room in the ring */
	struct pair_parcel *inbox, *last_inbox;		/* to oneself */
	struct pair_parcel *claims, *last_claims;	/* without a slot */
	struct pair_parcel *spare;
	uint32_t nr_spare;

	struct pair_transfer in[PAIR_SLOTS], out[PAIR_SLOTS];
	uint32_t nr_in, nr_out;
	uint32_t nr_packed;		/* of `out`, that wait for room in the ring */

	bool gone;			/* the other process: what is in its ring is left */
	bool starved;			/* no memory for what has come */
	int broken;			/* an errno: nothing comes and goes any more */
	char why[160];
	uint32_t calls;
	struct pimmsg_stats stats;
};

static inline struct pair *pair_of(struct pm_world *world)
{
	return (struct pair *)world;
}

static inline struct me_node *pair_node(struct pair *p)
{
	return &p->world.nodes[0].node;
}

/* pair_join.c */
extern const struct pm_apart pm_pair_apart;

/* pair_socket.c: messages of one size, of which some bring a descriptor */
struct pair_note {
	uint64_t magic;
	uint32_t version, kind;
	uint32_t rank, reserved;
	uint64_t bytes, number;
	uint64_t pool;
};

enum pair_note_kind {
	PAIR_HELLO = 1,
	PAIR_BELL,
};

/* 0; -EAGAIN where the other one takes no more now; else a negative errno; without words */
int pm_pair_note_send(int socket, const struct pair_note *note, int fd);
/*
 * One that has come; *fd is -1 or the caller's, *pid and *uid are the sender's where these
 * were asked for. -EAGAIN: none; -EPIPE: the other one is gone; -EBADMSG: it makes no sense.
 */
int pm_pair_note_take(int socket, struct pair_note *note, int *fd, pid_t *pid, uid_t *uid);
/* whether a descriptor is readable within so many milliseconds, -1: for ever */
bool pm_pair_sleep(int socket, int pidfd, int ms);

/* pair_ring.c */
/* room for a message of so many bytes, for what follows its head; NULL: not now */
uint8_t *pm_pair_reserve(struct pair *p, uint64_t bytes);
/* what was reserved is there; head->bytes may be fewer */
void pm_pair_commit(struct pair *p, struct pair_head *head);
void pm_pair_cancel(struct pair *p);
/* a parcel for the other process: into the ring, or behind those that wait; it is given up */
void pm_pair_post(struct pair *p, struct pair_parcel *parcel);
/* what waits, as far as there is room */
void pm_pair_flush(struct pair *p);
/* the next message of the other's ring; its data is valid until pm_pair_taken() */
bool pm_pair_next(struct pair *p, struct pair_head *head, uint8_t **data);
void pm_pair_taken(struct pair *p, const struct pair_head *head);
/* whether something has come, or gone out of a full ring */
bool pm_pair_has_news(const struct pair *p);
void pm_pair_ring_bell(struct pair *p);

/* pair_port.c */
extern const struct me_port pm_pair_port;
struct pair_parcel *pm_pair_parcel_new(struct pair *p, uint64_t bytes);
void pm_pair_parcel_drop(struct pair *p, struct pair_parcel *parcel);
/* a message of the ring; 0, -ENOMEM: it is to stay there; -EBADMSG after pm_pair_lied() */
int pm_pair_arrive(struct pair *p, const struct pair_head *head, uint8_t *data);
/* travellers to oneself; the node is locked */
void pm_pair_drain_inbox(struct pair *p);

/* pair_transfer.c */
/* a receive claims a message; the parcel becomes the transfer's */
void pm_pair_claim(struct pair *p, struct pair_parcel *claim);
/* a send was claimed: ME_LATER, or a negative errno */
int pm_pair_put(struct pair *p, struct me_request *send, struct pair_parcel *claim);
int pm_pair_arrive_data(struct pair *p, const struct pair_head *head, const uint8_t *data);
/* the sender is through; -EBADMSG */
int pm_pair_arrive_end(struct pair *p, const struct pair_head *head);
/* whatever can be moved now */
void pm_pair_move(struct pair *p);
/* all transfers are given up */
void pm_pair_transfers_drop(struct pair *p);

/* pair_progress.c */
void pm_pair_progress(struct pm_world *world);
int pm_pair_wait(struct pm_wait *wait);
/* the other process says what makes no sense; -EBADMSG */
__attribute__((format(printf, 2, 3)))
int pm_pair_lied(struct pair *p, const char *format, ...);
int pm_pair_reaches(struct pm_world *world, uint32_t to);

#endif /* PM_PAIR_H */
