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
	uint32_t bytes;			/* of data */
	uint32_t room;			/* for data, behind the header */
	uint32_t apart;			/* bytes of the pool at `data` */
	uint32_t to;
};

/* what a node knows of another one */
struct mpi_peer_state {
	uint16_t sent, came;	/* travellers, either way */
	uint32_t used;		/* of its pool, by messages that it has not received */
	uint32_t owed;		/* of our pool, that it does not know to be free again */
	uint32_t unused;
};

void mpi_peers_open(uint32_t size);
struct mpi_peer_state mpi_peer_load(uint32_t node);
void mpi_peer_store(uint32_t node, const struct mpi_peer_state *peer);
/* of each node in any other's pool */
uint32_t mpi_share(void);
/* inside: the host is told of it, and where travellers begin */
void mpi_greet_host(void);

/* with room for so many bytes of data, or NULL */
struct mpi_parcel *mpi_parcel_new(uint64_t bytes);
void mpi_parcel_free(struct mpi_parcel *parcel);
/* it leaves once the node is left */
void mpi_depart(uint32_t to, struct mpi_parcel *parcel);

#endif /* MPI_TRAVEL_H */
