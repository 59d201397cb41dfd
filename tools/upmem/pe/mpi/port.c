// SPDX-License-Identifier: MIT
/* The port of the engine of messages to PEs: what it lends a node. */
#include "juggle.h"
#include "shares.h"

/* peers whose state lies in WRAM */
#define NEAR_PEERS	64u

static struct mpi_peer_state near_peers[NEAR_PEERS];
static struct mpi_peer_state *far_peers MPI_BOOT;

extern const uint32_t mpi_pool_bytes;

static struct mpi_peer_state *peer_at(uint32_t node)
{
	return far_peers ? &far_peers[node] : &near_peers[node];
}

struct mpi_peer_state mpi_peer_load(uint32_t node)
{
	struct mpi_peer_state peer;

	mpi_copy(&peer, peer_at(node), sizeof(peer));
	return peer;
}

void mpi_peer_store(uint32_t node, const struct mpi_peer_state *peer)
{
	mpi_copy(peer_at(node), peer, sizeof(*peer));
}

void mpi_peers_open(uint32_t size)
{
	if (size <= NEAR_PEERS)
		return;
	far_peers = mpi_alloc_mram(size * (uint32_t)sizeof(*far_peers));
	if (!far_peers)
		PE_SVC->fault(PE_FAULT_RUNTIME, size,
			      "no memory for MPI's peers: MPIX_POOL_INIT gives more");
}

/* what short data has behind its header; longer data lies in the pool */
static uint32_t near_bytes(uint64_t bytes)
{
	return bytes > MPI_NEAR_BYTES ? 0 : (uint32_t)bytes;
}

struct mpi_parcel *mpi_parcel_new(uint64_t bytes)
{
	const uint32_t near = near_bytes(bytes);
	struct mpi_parcel *p = mpi_alloc((uint32_t)sizeof(*p) + near);

	if (!p)
		return NULL;
	*p = (struct mpi_parcel){ .data = (uint8_t *)(p + 1), .bytes = (uint32_t)bytes };
	if (bytes == near)
		return p;
	p->data = bytes < mpi_pool_bytes ? mpi_alloc_mram((uint32_t)bytes) : NULL;
	if (p->data)
		return p;
	mpi_parcel_free(p);
	return NULL;
}

void mpi_parcel_free(struct mpi_parcel *p)
{
	const uint32_t near = near_bytes(p->bytes);

	if (p->bytes != near)
		mpi_free(p->data, p->bytes);
	mpi_free(p, (uint32_t)sizeof(*p) + near);
}

static void *port_alloc(struct me_node *node, uint64_t bytes)
{
	(void)node;
	return bytes < mpi_pool_bytes ? mpi_alloc((uint32_t)bytes) : NULL;
}

static void port_free(struct me_node *node, void *memory, uint64_t bytes)
{
	(void)node;
	mpi_free(memory, (uint32_t)bytes);
}

static struct me_parcel *port_parcel(struct me_node *node, uint64_t bytes)
{
	struct mpi_parcel *p = mpi_parcel_new(bytes);

	(void)node;
	return p ? &p->parcel : NULL;
}

static void port_drop(struct me_node *node, struct me_parcel *parcel)
{
	struct mpi_parcel *p = (struct mpi_parcel *)parcel;

	(void)node;
	if (p->gone)
		*p->gone = true;
	mpi_parcel_free(p);
}

static void port_travel(struct me_node *node, uint32_t to, struct me_parcel *parcel)
{
	struct me_frame *frame = &parcel->frame;

	(void)node;
	if (frame->kind == ME_CLAIM)
		frame->reserved = frame->flags & ME_DROP ? 0 : mpi_room_lend(to, frame->bytes);
	mpi_depart(to, (struct mpi_parcel *)parcel);
}

static bool port_reserve(struct me_node *node, uint32_t whose, uint64_t bytes)
{
	(void)node;
	return mpi_room_take(whose, bytes);
}

static void port_unreserve(struct me_node *node, uint32_t whose, uint32_t by, uint64_t bytes)
{
	struct mpi_peer_state peer;

	if (by != node->id) {
		mpi_room_free(by, bytes);
		return;
	}
	peer = mpi_peer_load(whose);
	me_credit_untake(&peer.credit, bytes);
	mpi_peer_store(whose, &peer);
}

static int port_gather(struct me_node *node, const struct me_buffer *from,
		       struct me_parcel *parcel)
{
	struct mpi_part part = mpi_part_of(from);

	(void)node;
	mpi_stream(&part, 0, ((struct mpi_parcel *)parcel)->data, from->bytes, false);
	return 0;
}

static int port_scatter(struct me_node *node, const struct me_buffer *to,
			const struct me_parcel *parcel)
{
	const struct mpi_parcel *p = (const struct mpi_parcel *)parcel;
	struct mpi_part part = mpi_part_of(to);
	uint64_t at = parcel->frame.kind == ME_DATA ? parcel->frame.there[0] : 0;

	(void)node;
	if (at > to->bytes || p->bytes > to->bytes - at)
		return -ME_EBADMSG;
	if (p->aboard && p->bytes)
		mpi_stream_aboard(&part, at, p->bytes);
	else
		mpi_stream(&part, at, (void *)(uintptr_t)(p->lent ? p->lent : p->data), p->bytes,
			   true);
	return 0;
}

/* as it leaves, its data goes before it */
static int port_put(struct me_node *node, struct me_request *request,
		    struct me_parcel **parcel, uint32_t to)
{
	struct mpi_parcel *p = (struct mpi_parcel *)*parcel;

	(void)node;
	if (MPI_JUGGLES) {
		/* by whoever calls next */
		mpi_event();
		return ME_LATER;
	}
	p->job = request;
	mpi_depart(to, p);
	return ME_LATER;
}

static bool port_agree(struct me_node *node, const struct me_buffer *to, uint64_t bytes,
		       uint64_t signature)
{
	struct mpi_part part = mpi_part_of(to);
	struct mpi_sig sig;

	(void)node;
	if (!bytes || !signature || !to->signature)
		return true;
	if (bytes == to->bytes)
		return signature == to->signature;
	return mpi_sig_of_begin(part.type, part.count, bytes, &sig) &&
	       mpi_sig_hash(sig) == signature;
}

static void port_done(struct me_node *node, struct me_request *request)
{
	(void)node;
	mpi_buffer_release(&request->buffer);
	if (request->orphan)
		mpi_comm_put(request->user);
	mpi_event();
}

static void port_wake(struct me_node *node, void *waiter)
{
	(void)node;
	(void)waiter;
	mpi_event();
}

static void port_lock(struct me_node *node)
{
	(void)node;
	mpi_node_enter();
}

static void port_unlock(struct me_node *node)
{
	(void)node;
	mpi_node_leave();
}

const struct me_port mpi_port = {
	.alloc = port_alloc,
	.free = port_free,
	.lock = port_lock,
	.unlock = port_unlock,
	.parcel = port_parcel,
	.drop = port_drop,
	.travel = port_travel,
	.reserve = port_reserve,
	.unreserve = port_unreserve,
	.gather = port_gather,
	.scatter = port_scatter,
	.put = port_put,
	.agree = port_agree,
	.done = port_done,
	.wake = port_wake,
};
