// SPDX-License-Identifier: MIT
/*
 * Messages of calls on hypercubes. A slot is memory and what is under way of it; each message
 * goes in segments, those of a way between two hosts in their order.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/error.h"
#include "runtime/base/util.h"
#include "collectives/across/letters.h"
#include "collectives/across/network.h"
#include "collectives/hosts/agree.h"

/* a segment on its way */
struct mail_request {
	void *request;
	uint32_t host;
	enum pc_mail_way way;
	bool comes;
};

struct mail_slot {
	uint8_t *memory;
	uint64_t bytes;
	struct mail_request *requests;
	uint32_t count, room;
};

struct pc_letters {
	struct pc_mail mail;		/* first: what calls know of it */
	struct pc_world *w;
	struct mail_slot slots[PC_MAIL_SLOTS];
};

static struct pc_letters *box_of(struct pc_mail *mail)
{
	return (struct pc_letters *)mail;
}

/* What a call needs is reckoned before it begins: this one needs more. */
static int outgrown(struct pc_letters *box, uint64_t need, uint64_t have)
{
	struct pc_world *w = box->w;

	return pc_hosts_break(w->machine, EIO, "host %u (pid %d) has taken too little for %s: %llu, it needs %llu",
			      w->all->host, (int)w->all->pids[w->all->host],
			      pc_hosts_kind_name(w->all->kind), (unsigned long long)have,
			      (unsigned long long)need);
}

/* Wait for a slot's segments: of a way those that come, or all there are. */
static int slot_wait(struct pc_world *w, struct mail_slot *s, enum pc_mail_way way)
{
	int ret = 0;

	for (uint32_t i = 0; !ret && i < s->count; i++) {
		struct mail_request *r = &s->requests[i];

		if (r->request && (way == PC_MAIL_WAYS || (r->comes && r->way == way)))
			ret = pc_net_wait(w, &r->request, r->host);
	}
	return ret;
}

static int slot_reserve(struct mail_slot *s, uint64_t bytes, uint32_t segments)
{
	struct mail_request *requests = s->requests;

	if (s->room < segments) {
		requests = realloc(requests, segments * sizeof(*requests));
		if (!requests)
			return -ENOMEM;
		s->requests = requests;
		s->room = segments;
	}
	if (s->memory && bytes <= s->bytes)
		return 0;
	free(s->memory);
	bytes = pd_round_up(bytes + 1, 4096);
	s->memory = aligned_alloc(64, bytes);
	s->bytes = s->memory ? bytes : 0;
	return s->memory ? 0 : -ENOMEM;
}

static int mail_reserve(struct pc_mail *mail, unsigned int slots, uint64_t bytes)
{
	struct pc_letters *box = box_of(mail);
	/* with each host, of each way, to and from it there may be a short segment */
	const uint32_t segments = (uint32_t)(bytes / PC_NET_MAIL) +
				  2 * PC_MAIL_WAYS * box->w->all->hosts;
	/* what a call that broke off has under way may still come into that memory */
	int ret = pc_hosts_repeat(box->w->machine);

	for (unsigned int i = 0; !ret && i < slots; i++) {
		box->slots[i].count = 0;
		ret = slot_reserve(&box->slots[i], bytes, segments);
	}
	return ret;
}

static int mail_room(struct pc_mail *mail, unsigned int slot, uint64_t bytes, uint8_t **at)
{
	struct mail_slot *s = &box_of(mail)->slots[slot];
	int ret = slot_wait(box_of(mail)->w, s, PC_MAIL_WAYS);

	if (ret)
		return ret;
	s->count = 0;
	*at = s->memory;
	return bytes <= s->bytes ? 0 : outgrown(box_of(mail), bytes, s->bytes);
}

static void count_segment(struct pc_world *w, uint32_t to, uint64_t bytes)
{
	if (w->of[to] == w->me) {
		w->all->stats.peer_bytes += bytes;
		return;
	}
	w->all->stats.sent_bytes += bytes;
	w->all->stats.messages++;
}

static int begin_segment(struct pc_letters *box, struct mail_slot *s,
			 const struct mail_request *like, uint8_t *at, uint64_t bytes)
{
	struct mail_request *r = &s->requests[s->count];
	struct pc_world *w = box->w;
	int ret;

	if (s->count == s->room)
		return outgrown(box, s->count + 1ull, s->room);
	*r = *like;
	ret = r->comes ? pc_world_irecv(w, at, bytes, r->host, r->way, &r->request) :
			 pc_world_isend(w, at, bytes, r->host, r->way, &r->request);
	if (ret)
		return pc_net_unreachable(w, r->host);
	s->count++;
	if (!r->comes)
		count_segment(w, r->host, bytes);
	return 0;
}

static int begin_segments(struct pc_mail *mail, unsigned int slot, const struct mail_request *like,
			  uint8_t *at, uint64_t bytes)
{
	struct pc_letters *box = box_of(mail);
	const struct pc_net_turn turn = pc_net_begin(box->w);
	int ret = 0;

	for (uint64_t done = 0; !ret && done < bytes; done += PC_NET_MAIL) {
		uint64_t left = bytes - done;

		ret = begin_segment(box, &box->slots[slot], like, at + done,
				    left < PC_NET_MAIL ? left : PC_NET_MAIL);
	}
	pc_net_end(box->w, &turn);
	return ret;
}

static int mail_send(struct pc_mail *mail, unsigned int slot, enum pc_mail_way way, uint32_t to,
		     const uint8_t *at, uint64_t bytes)
{
	return begin_segments(mail, slot, &(struct mail_request){ .host = to, .way = way },
			      (uint8_t *)(uintptr_t)at, bytes);
}

static int mail_expect(struct pc_mail *mail, unsigned int slot, enum pc_mail_way way,
		       uint32_t from, uint8_t *at, uint64_t bytes)
{
	return begin_segments(mail, slot,
			      &(struct mail_request){ .host = from, .way = way, .comes = true },
			      at, bytes);
}

static int mail_arrived(struct pc_mail *mail, unsigned int slot, enum pc_mail_way way)
{
	return slot_wait(box_of(mail)->w, &box_of(mail)->slots[slot], way);
}

static int mail_flush(struct pc_mail *mail)
{
	struct pc_letters *box = box_of(mail);
	int ret = 0;

	for (unsigned int i = 0; !ret && i < PC_MAIL_SLOTS; i++)
		ret = slot_wait(box->w, &box->slots[i], PC_MAIL_WAYS);
	return ret;
}

struct pc_letters *pc_letters_new(struct pc_world *w)
{
	struct pc_letters *box = calloc(1, sizeof(*box));

	if (!box)
		return NULL;
	box->w = w;
	box->mail = (struct pc_mail){
		.machines = w->of,
		.any_thread = w->t.mine(w->t.ctx),
		.reserve = mail_reserve,
		.room = mail_room,
		.send = mail_send,
		.expect = mail_expect,
		.arrived = mail_arrived,
		.flush = mail_flush,
	};
	return box;
}

static void slot_free(struct mail_slot *s, const struct pimdimm_transport *t)
{
	void **requests = NULL;
	size_t count = 0;

	if (!t)
		s->count = 0;
	if (s->count)
		requests = calloc(s->count, sizeof(*requests));
	for (uint32_t i = 0; requests && i < s->count; i++) {
		if (s->requests[i].request)
			requests[count++] = s->requests[i].request;
	}
	if (count)
		t->forget(t->ctx, requests, count, s->memory);
	else if (!s->count || requests)
		free(s->memory);
	/* without memory for the list, what the transport may write to is never given back */
	free(requests);
	free(s->requests);
}

void pc_letters_free(struct pc_letters *box, const struct pimdimm_transport *t)
{
	for (unsigned int i = 0; box && i < PC_MAIL_SLOTS; i++)
		slot_free(&box->slots[i], t);
	free(box);
}

struct pc_mail *pc_letters_mail(struct pc_letters *box)
{
	return &box->mail;
}
