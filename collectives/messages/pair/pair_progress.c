// SPDX-License-Identifier: MIT
/* What is done in every call: what has come arrives, what can go goes, until it is woken. */
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>

#include "collectives/messages/pair/pair.h"
#include "runtime/base/clock.h"
#include "runtime/base/error.h"

/* calls between two looks whether the other process lives */
#define CALLS_TO_LISTEN	4096
/* who waits looks so often before he asks what time it is, and so long before he sleeps */
#define LOOKS_AT_ONCE	64
/* after each of these so often for the next message alone */
#define LOOKS_ALONE	8
/* calls that may be somebody's who asks again and again */
#define VAIN_CALLS	64
/* calls in a row that begin something, in which data may wait in the ring for its receive */
#define PATIENT_CALLS	64
/* looks between two at where it is */
#define LOOKS_TO_ASK	16
#define SPIN_NS		50000
/* the same while a long message is under way, which is nearly there */
#define SPIN_LONG_NS	500000
#define SLEEP_MS	1000

int pm_pair_lied(struct pair *p, const char *format, ...)
{
	va_list ap;

	if (!p->broken) {
		va_start(ap, format);
		vsnprintf(p->why, sizeof(p->why), format, ap);
		va_end(ap);
		p->broken = EBADMSG;
	}
	return -EBADMSG;
}

static int progress_error(const struct pair *p)
{
	if (p->broken == EPIPE)
		return pd_error(EPIPE, "the other process, %d, has gone", (int)p->pid);
	return pd_error(p->broken, "the other process, %d, says what makes no sense: %s",
			(int)p->pid, p->why);
}

int pm_pair_reaches(struct pm_world *world, uint32_t to)
{
	struct pair *p = pair_of(world);

	return to != p->me && p->broken ? progress_error(p) : 0;
}

void pm_pair_listen(struct pair *p)
{
	struct pair_note note;
	int fd = -1, ret = 0;

	while (!ret && !p->gone && !p->broken) {
		ret = pm_pair_note_take(p->socket, &note, &fd, NULL, NULL);
		if (!ret && (note.kind == PAIR_SEGMENT || note.kind == PAIR_RANK)) {
			pm_pair_segment_come(p, &note, fd);
			continue;
		}
		if (!ret && fd >= 0)
			pm_pair_close(fd);
		if (!ret && (note.kind != PAIR_BELL || fd >= 0))
			pm_pair_lied(p, "a note of kind %u", note.kind);
		else if (ret == -EBADMSG)
			pm_pair_lied(p, "a note of another form");
		else if (ret && ret != -EAGAIN)
			p->gone = true;
	}
	pm_pair_ring_check(p);
	/* somebody else may have kept its end of the socket */
	if (p->pidfd >= 0 && pm_pair_sleep(p->pidfd, -1, 0))
		p->gone = true;
}

/*
 * Data for which no receive is posted would be copied out of the ring, and once more to its
 * receive, which the next call may well begin.
 */
static bool progress_is_early(struct pair *p, const struct pair_head *head)
{
	return head->kind == PAIR_PARCEL && head->frame.kind == ME_ENVELOPE && head->bytes &&
	       !pair_node(p)->posted.all.first;
}

static void progress_take(struct pair *p, bool patient)
{
	const uint64_t before = p->taken;
	struct pair_head head;
	uint8_t *data;
	int ret = 0;

	while (!p->broken && !ret && pm_pair_next(p, &head, &data)) {
		if (patient && progress_is_early(p, &head)) {
			p->patient = p->taken == before ? p->patient + 1 : 0;
			return;
		}
		ret = pm_pair_arrive(p, &head, data);
		if (!ret)
			pm_pair_taken(p, &head);
	}
	p->starved = ret == -ENOMEM;
	p->patient = 0;
}

static bool progress_is_own(const struct pair *p, const struct me_request *r)
{
	return r->kind == ME_SEND ? r->peer == p->me :
				    r->entry.key.source == (int32_t)p->me;
}

static void progress_end(struct pair *p, struct me_request *r)
{
	struct me_node *node = pair_node(p);

	if (r->kind == ME_RECEIVE && r->state == ME_ACTIVE)
		me_queue_remove(&node->posted, &r->entry);
	if (r->kind == ME_RECEIVE && r->state == ME_ACTIVE)
		r->status.source = r->entry.key.source == ME_ANY ? (int32_t)p->other :
								   r->entry.key.source;
	if (r->kind == ME_SEND && r->parcel)
		pm_pair_parcel_drop(p, (struct pair_parcel *)r->parcel);
	r->parcel = NULL;
	me_request_end(node, r, -p->broken);
}

/* the other process is no more: what it had a part in ends */
static void progress_break(struct pair *p)
{
	struct me_request *r;

	pm_pair_transfers_drop(p);
	for (uint32_t i = 0; (r = me_request_at(pair_node(p), i)); i++) {
		if ((r->state == ME_ACTIVE || r->state == ME_CLAIMED) &&
		    !progress_is_own(p, r))
			progress_end(p, r);
	}
}

bool pm_pair_listens_next(const struct pair *p)
{
	return (p->calls + 1) % CALLS_TO_LISTEN == 0;
}

static void progress_all(struct pair *p, bool patient)
{
	if (p->gone || pm_pair_listens_next(p))
		pm_pair_listen(p);
	p->calls++;
	/* of a process that has gone all is taken */
	progress_take(p, patient && !p->gone);
	if (!p->broken) {
		pm_pair_flush(p);
		if (p->nr_lists || p->nr_parts || p->nr_out)
			pm_pair_move(p);
	}
	/* what had come before it went is there still */
	if (p->gone && !p->broken && !p->starved)
		p->broken = EPIPE;
}

static void progress_once(struct pair *p, bool patient)
{
	p->vain++;
	me_lock(pair_node(p));
	if (!p->broken)
		progress_all(p, patient);
	if (p->broken)
		progress_break(p);
	me_unlock(pair_node(p));
	if (p->did)
		p->vain = 0;
	pm_pair_ring_bell(p);
}

/*
 * Where both are on one CPU nothing comes while one looks: the other one is to run. As none of
 * them sleeps then, the scheduler sees two who want to run, and moves one where it can. Whoever
 * else runs instead may take long: true where it is to be seen how late it is.
 */
static bool progress_pause(struct pair *p, uint32_t looks)
{
	uint32_t cpu = atomic_load_explicit(&p->mine->cpu, memory_order_relaxed);

	/* written where it is another one alone: the other process reads this line with each message */
	if (looks % LOOKS_TO_ASK == 1 && cpu != (uint32_t)sched_getcpu()) {
		cpu = (uint32_t)sched_getcpu();
		atomic_store_explicit(&p->mine->cpu, cpu, memory_order_relaxed);
	}
	if (atomic_load_explicit(&p->theirs->cpu, memory_order_relaxed) == cpu) {
		sched_yield();
		return true;
	}
	pd_relax();
	return looks % LOOKS_AT_ONCE == 0;
}

/* in a call; of many in a row in which nothing has come, each pauses */
static void progress_in_call(struct pair *p, bool patient)
{
	progress_once(p, patient);
	if (p->vain >= VAIN_CALLS && p->spins && !p->broken)
		progress_pause(p, p->vain);
}

void pm_pair_progress(struct pm_world *world)
{
	progress_in_call(pair_of(world), false);
}

void pm_pair_begun(struct pm_world *world)
{
	struct pair *p = pair_of(world);

	progress_in_call(p, p->patient < PATIENT_CALLS);
}

static void progress_sleep(struct pair *p)
{
	atomic_store(&p->mine->sleeps, 1);
	if (!pm_pair_has_news(p))
		pm_pair_sleep(p->socket, p->pidfd, SLEEP_MS);
	atomic_store(&p->mine->sleeps, 0);
	pm_pair_listen(p);
}

/* For a moment nothing is done but to look for the next message, so that it is seen at once. */
static void progress_look(const struct pair *p)
{
	for (unsigned int i = 0; i < LOOKS_ALONE && !pm_pair_is_next(p) &&
				 !(p->nr_parts && pm_pair_has_ended_parts(p)); i++)
		pd_relax();
}

int pm_pair_wait(struct pm_wait *wait)
{
	struct pair *p = pair_of(wait->end->world);
	uint64_t until = 0;

	for (uint32_t looks = 1;; looks++) {
		progress_once(p, false);
		if (wait->woken)
			return 0;
		if (p->broken)
			return progress_error(p);
		if (p->starved)
			return pd_error(ENOMEM, "no memory for a message that has come");
		if (p->spins && !progress_pause(p, looks)) {
			progress_look(p);
			continue;
		}
		if (!until)
			until = pd_now_ns() + (p->nr_in + p->nr_out ? SPIN_LONG_NS : SPIN_NS);
		if (!p->spins || pd_now_ns() > until) {
			progress_sleep(p);
			until = 0;
		}
	}
}
