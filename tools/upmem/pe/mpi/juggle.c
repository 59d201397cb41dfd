// SPDX-License-Identifier: MIT
/*
 * One thread does it all, and goes from one outstanding request to the next one to advance
 * each: what Rodrigues et al. (CLUSTER 2003) call juggling, as LAM and MPICH do it.
 */
#include "collectives/messages/engine/receive.h"
#include "juggle.h"

static struct {
	struct mpi_parcel *first, *last;
} inbox MPI_BOOT;

void mpi_deposit(struct mpi_parcel *p)
{
	p->next = NULL;
	if (inbox.first)
		inbox.last->next = p;
	else
		inbox.first = p;
	inbox.last = p;
	mpi_event();
}

static bool poll_inbox(void)
{
	struct mpi_parcel *p = inbox.first;
	bool any = p;

	for (; p; p = inbox.first) {
		inbox.first = p->next;
		/* what has become void since it came */
		if (me_arrive(&mpi_node, &p->parcel))
			mpi_parcel_free(p);
	}
	return any;
}

/* a send whose data was claimed begins to send it; others wait for what comes */
static bool advance_one(struct me_request *r)
{
	struct mpi_parcel *p = (struct mpi_parcel *)r->parcel;

	switch (r->state) {
	case ME_ACTIVE:
		if (r->kind != ME_SEND || !p || p->job)
			return false;
		p->job = r;
		mpi_depart(p->parcel.frame.home, p);
		return true;
	default:
		return false;
	}
}

/* of all slots of requests; stops where `visit` has said so */
static bool walk(bool (*visit)(struct me_request *r), bool all)
{
	bool any = false;

	for (uint32_t k = 0; k < mpi_node.nr_slabs; k++) {
		for (uint32_t i = 0; i < ME_SLAB_FIRST << k; i++) {
			any |= visit(&mpi_node.slabs[k][i]);
			if (any && !all)
				return true;
		}
	}
	return any;
}

bool mpi_advance(void)
{
	bool came = poll_inbox();

	return walk(advance_one, true) || came;
}

static bool send_runs(struct me_request *r)
{
	return r->kind == ME_SEND && (r->state == ME_ACTIVE || r->state == ME_CLAIMED);
}

bool mpi_sends_run(void)
{
	return walk(send_runs, false);
}
