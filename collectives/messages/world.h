/* SPDX-License-Identifier: MIT */
/*
 * A world of messages: its nodes, one a PE and one of the host's, and the ends that threads
 * have got of them. Nodes are numbered by rank, the host's behind the last PE's.
 */
#ifndef PM_WORLD_H
#define PM_WORLD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <pimdimm/messages.h>

#include "collectives/messages/engine/node.h"
#include "runtime/pe/resident/resident.h"
#include "runtime/watch/timeline.h"

#define PM_LINE	64

/* a traveller, and behind it the data that it takes along */
struct pm_parcel {
	struct me_parcel parcel;	/* first */
	struct pm_parcel *next;
	struct pm_parcel *batch;	/* of spare ones, of which it is the first: the next batch */
	uint32_t to;
	uint64_t room;
	_Alignas(16) uint8_t data[];
};

/* in an inbox: nobody is in the node */
#define PM_NOBODY	((struct pm_parcel *)1)

/* lines: who is in the node writes the first ones, senders the last, and both that of the inbox */
struct pm_node {
	struct me_node node;		/* first */
	/* what leaves with whoever is in the node, and spare parcels */
	struct pm_parcel *leaving, *last_leaving;
	struct pm_parcel *spare;
	uint32_t nr_spare;
	/* who has put a parcel where nobody was has it in hand, and goes to these nodes in turn */
	struct pm_parcel *in_hand;
	struct pm_node *entered;
	struct pimmsg_end *ends;
	_Atomic uint64_t given;		/* bytes of its pool, back, since it was made */
	/* NULL: somebody is here, and nothing has come; the last that came is first */
	_Alignas(PM_LINE) _Atomic(struct pm_parcel *) inbox;
	_Alignas(PM_LINE) _Atomic uint64_t taken;	/* bytes of its pool */
	_Atomic uint64_t known_given;			/* by senders */
};

/* for what the library sends itself, beside what users do */
#define PM_OWN	1u
/* tags of these; a barrier's round adds its number */
#define PM_TAG_SPLIT	0
#define PM_TAG_GROUP	1
#define PM_TAG_NODES	2
#define PM_TAG_BARRIER	3

/* who has messages of its own: ranks of it as numbers of nodes */
struct pm_comm {
	uint32_t context;	/* and the next one, for what the library sends itself */
	uint32_t size;
	uint32_t *nodes;	/* NULL: each rank is its node */
};

/* a part's elements, and the number that is said of them: most parts are as one before */
struct pm_signature {
	uint64_t sum, power, count;	/* of its type, and how many of it */
	uint64_t signature;
	/* if that is a basic one, which is never freed, the type and the part's bytes; or NULL */
	const struct pimtype *basic;
	uint64_t bytes;
};

#define PM_SIGNATURE_BITS	3

struct pimmsg_end {
	struct pm_world *world;
	struct pm_node *node;
	struct pimdimm_pe *pe;	/* the thread that it serves; NULL: of the host's */
	struct pm_comm comm;
	int rank;
	int refused;		/* an errno: there are no messages, and why */
	uint8_t *wram;		/* of its PE */
	uint64_t wram_size;	/* 0: it is of no PE's */
	uint64_t first_serial, sends;	/* of its messages; how many it has sent */
	/* of a split that is on, whose thread may be given up where it waits: tables of rank 0,
	 * and the nodes of the group that comes of it */
	void *tables;
	uint32_t *group_nodes;
	/* the last ones that were made, by count; those with a count of 0: none */
	struct pm_signature signatures[1 << PM_SIGNATURE_BITS];
	struct pimmsg_end *next;	/* of its node */
};

/* an MRAM-to-MRAM copy that was collected */
struct pm_copy {
	struct pimtype_move move;
	struct me_request *send;
	struct me_node *node;	/* the sender's */
};

struct pm_segment;
struct pm_wait;
struct pm_world;

/* what a world whose other ranks are not of this process does in its own way */
struct pm_apart {
	/* at the end of a call: whatever can go on does */
	void (*progress)(struct pm_world *world);
	/* the same of a call that began a send or a receive; NULL: as of any */
	void (*begun)(struct pm_world *world);
	/* until it is woken, or a negative errno and a sentence */
	int (*wait)(struct pm_wait *wait);
	/* what a call waits for is done at once, without a request; false: not so. NULL: never */
	bool (*send_short)(struct pm_world *world, const struct me_send *send);
	bool (*receive_short)(struct pm_world *world, const struct me_receive *receive,
			      struct me_status *status);
	/* whether rank `to` can be sent to; else a negative errno and a sentence */
	int (*reaches)(struct pm_world *world, uint32_t to);
	/* from how many bytes on a send of this buffer is a rendezvous; NULL: as the node says */
	uint64_t (*eager_bytes)(struct pm_world *world, const struct me_buffer *buffer);
	/* new memory, which is a file's, and memory that goes */
	void (*share)(struct pm_world *world, struct pm_segment *segment);
	void (*unshare)(struct pm_world *world, struct pm_segment *segment);
	void (*add_stats)(struct pm_world *world, struct pimmsg_stats *stats);
	void (*close)(struct pm_world *world);
};

#define PM_NO_NODE	UINT32_MAX

struct pm_world {
	struct pimdimm *sys;
	const struct pm_apart *apart;	/* NULL: all ranks are of this process */
	uint32_t first_pe, nr_pes;
	uint32_t nr_nodes;		/* of this process */
	uint32_t host_node;		/* PM_NO_NODE: the world has no host */
	uint64_t room;			/* of each pool */
	struct pm_node *nodes;		/* nr_nodes */
	struct pm_segment *segments;
	uint64_t last_segment;
	/* of the timeline */
	struct pd_timeline_track track;	/* of the node that is no PE's */
	uint64_t arrows_seed;
	struct pimmsg_end host;
	_Atomic uint32_t next_context;
	struct pd_resident_hooks hooks;	/* of the system's runs */
	struct pm_world *next;		/* of all worlds of the process */

	pthread_mutex_t spares_lock;	/* of batches of spare parcels, which any node may take */
	struct pm_parcel *spares;
	_Atomic uint32_t nr_spares;	/* batches */

	pthread_mutex_t copies_lock;	/* of the copies that were collected */
	struct pm_copy *copies;
	uint32_t nr_copies, room_for_copies;
	_Atomic uint32_t waiting_copies, impatience;
	_Atomic uint64_t collected, batches;

	pthread_mutex_t lock;		/* of what follows */
	pthread_cond_t host_woken;
	struct pd_run *run;		/* under way */
	uint32_t runs;			/* with it, so many */
	pthread_t host_thread;
	_Atomic bool host_apart;	/* the host is not who started the run */
	bool held;			/* as PEs wait for what the host may send */
	bool host_waits;
	bool run_failed;		/* the run that the host waited for was a deadlock */
	uint32_t waiting;		/* threads of PEs */
};

/* the number of the node that a rank is; false: there is none */
bool pm_node_of_any(const struct pimmsg_end *end, int rank, uint32_t *node);
/* and back; PIMMSG_HOST for the host's */
int pm_rank_of(const struct pimmsg_end *end, uint32_t node);
/* a negative errno and a sentence: NULL, or no end of a world */
int pm_refuse_end(const struct pimmsg_end *end);
/* 0, or -EINVAL and a sentence: no system, no such PEs, nowhere for the host's end */
int pm_check_world(struct pimdimm *sys, uint32_t first_pe, uint32_t nr_pes,
		   struct pimmsg_end **host);
/* one more end of a thread, in another group; NULL: no memory. `nodes` becomes its own. */
struct pimmsg_end *pm_end_make(struct pimmsg_end *of, uint32_t context,
			       uint32_t size, uint32_t *nodes, int rank);
/* Free an end that is no more in its node's list, and what belongs to it. */
void pm_end_free(struct pimmsg_end *end);

/* where the signature of so many elements is kept */
static inline uint32_t pm_signature_place(uint64_t count)
{
	return (uint32_t)count * UINT32_C(0x9e3779b9) >> (32 - PM_SIGNATURE_BITS);
}

/* the same of whatever rank, most often one of a world's PEs */
static inline bool pm_node_of(const struct pimmsg_end *end, int rank, uint32_t *node)
{
	if ((uint32_t)rank >= end->comm.size || end->comm.nodes)
		return pm_node_of_any(end, rank, node);
	*node = (uint32_t)rank;
	return true;
}

/* 0, or a negative errno and a sentence */
static inline int pm_check_end(const struct pimmsg_end *end)
{
	return end && !end->refused ? 0 : pm_refuse_end(end);
}

#endif /* PM_WORLD_H */
