/* SPDX-License-Identifier: MIT */
/*
 * Rails: hosts of all machines with one local number, which exchange their part of a
 * vector. Each machine has as many rails as the one with the fewest hosts has hosts, or one.
 */
#ifndef PC_ACROSS_RAILS_H
#define PC_ACROSS_RAILS_H

#include "collectives/across/network.h"
#include "collectives/hosts/buffers.h"

/* Bytes of a vector, which need not lie one after the other. */
struct pc_piece {
	uint64_t bytes;
	uint32_t ranges;
	struct pc_range {
		uint64_t begin, end;
	} range[PC_HOSTS_MOST];
};

/* A way along pieces of the vector. */
struct pc_rail_way {
	struct pc_rails *r;
	struct pc_piece out, in;
	struct pc_net_exchange x;
};

struct pc_rails {
	struct pc_buffers_call *call;
	struct pc_world *w;
	uint32_t rails;
	/* rail x has the bytes from cuts[x] to cuts[x + 1] of a reduction's vector */
	uint64_t cuts[PC_HOSTS_MOST + 1];
	/* where this host keeps what its rail exchanges: the byte `base` of the vector */
	uint8_t *vector;
	uint64_t base;
	/*
	 * What of it the machine has folded: from where it begins to do so to the end, then from
	 * the beginning on. Steps of the ring go on meanwhile, as far as they can.
	 */
	bool whole;
	uint64_t folds_from, folded_up, folded_low;
	uint32_t step;
	bool in_step;
	struct pc_rail_way way;
};

/* What a machine has in the end of a rail's part, or brings. */
void pc_rails_piece(const struct pc_rails *r, uint32_t rail, uint32_t machine,
		    struct pc_piece *piece);
/* Where the machine is to begin its own fold, from the beginning of each rail's part on. */
uint64_t pc_rails_first(const struct pc_rails *r);
/* A host on a rail has some more of its machine's fold: what can go to others goes. */
void pc_rails_folded(struct pc_rails *r, uint64_t begin, uint64_t end);
/* Each machine folds its pieces of all; then all get all pieces; or one machine does. Of a
 * host on a rail. Errors are the call's. */
void pc_rails_fold(struct pc_rails *r);
void pc_rails_gather(struct pc_rails *r);
void pc_rails_gather_at(struct pc_rails *r, uint32_t machine);
/* All machines get what one has, from one to the next. */
void pc_rails_broadcast(struct pc_rails *r, uint32_t machine);

/* What a host of the machine has, to all of it that receive it. */
struct pc_spread {
	struct pc_buffers_call call;	/* of the machine's hosts */
	uint64_t turn;
};

/* The machine's hosts begin to do so together; then pieces, then the end. */
void pc_spread_begin(struct pc_spread *s, struct pc_rails *r);
void pc_spread_piece(struct pc_spread *s, const struct pc_rails *r, uint32_t local,
		     const struct pc_piece *piece);
void pc_spread_end(struct pc_spread *s, struct pc_rails *r);

#endif /* PC_ACROSS_RAILS_H */
