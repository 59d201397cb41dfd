/* SPDX-License-Identifier: MIT */
/* Travellers: what a parcel is on its way and while it waits, and what peers know. */
#ifndef MPI_TRAVEL_H
#define MPI_TRAVEL_H

#include "collectives/messages/engine/hop.h"
#include "inside.h"

/* data that lies behind its parcel's header */
#define MPI_NEAR_BYTES	256u

struct mpi_parcel {
	struct me_parcel parcel;	/* first */
	struct mpi_parcel *next;	/* among those that leave */
	struct me_request *job;		/* its data goes before it, a chunk at a time */
	bool *gone;			/* of one that arrives: it is the engine's no more */
	uint8_t *data;
	const uint8_t *lent;		/* of one that arrives: where its data is as yet */
	bool aboard;			/* or it is aboard the traveller that runs */
	uint32_t bytes;			/* of data: behind the header, or in the pool */
	uint32_t to;
};

/* what me_room() says it takes */
_Static_assert(sizeof(struct mpi_parcel) + ME_ROOM_WITHIN <= ME_ROOM_GRAINS * ME_GRAIN,
	       "a message that waits");

/* what a node knows of another one */
struct mpi_peer_state {
	uint16_t sent, came;	/* travellers, either way */
	struct me_credit credit;
	uint32_t unused;	/* a multiple of 8 bytes, as MRAM is read */
};

/* of so many nodes, not yet set */
void mpi_peers_open(uint32_t size);
struct mpi_peer_state mpi_peer_load(uint32_t node);
void mpi_peer_store(uint32_t node, const struct mpi_peer_state *peer);

/* with room for so many bytes of data, or NULL */
struct mpi_parcel *mpi_parcel_new(uint64_t bytes);
void mpi_parcel_free(struct mpi_parcel *parcel);
/* it leaves once the node is left */
void mpi_depart(uint32_t to, struct mpi_parcel *parcel);

#endif /* MPI_TRAVEL_H */
