/* SPDX-License-Identifier: MIT */
/*
 * Injected faults: what befalls transfers, by the module's knobs for ranks of
 * "dev:" and by those of the URI or PIMDIMM_INJECT for all. A transfer is one
 * public call as one rank sees it.
 */
#ifndef PD_INJECT_H
#define PD_INJECT_H

#include "runtime/ranks/owner.h"
#include "runtime/ranks/room.h"
#include "runtime/ranks/system.h"

struct pimdimm_fate;

/* bytes that a call moves into or out of MRAM */
struct pd_touch {
	uint32_t first_pe, nr_pes;
	void *const *bufs;	/* NULL, or by PE: those without one take no part */
	/* NULL, or those of these PEs that take part: the others have no bufs */
	const struct pd_rank_set *ranks;
	uint64_t off, bytes;	/* of each PE, in part words too */
	const char *call;	/* its name in sentences, or NULL */
	bool to_mram;
	bool helped;		/* PEs of its ranks do part of it */
};

/*
 * text: what the URI says, NULL for PIMDIMM_INJECT. Knobs are set as
 * "fail_nth:3@0+seed:7": of rank 0, of all. -EINVAL and a sentence.
 */
int pd_inject_create(struct pimdimm *sys, const char *text);
void pd_inject_destroy(struct pimdimm *sys);

/*
 * Before and after a call moves its bytes: 0, or -EIO or -ENODEV and a sentence
 * that names the rank. After a failure of begin nothing is to be moved, and end
 * not called. `fates` is end's, whatever it is.
 */
int pd_inject_begin(struct pimdimm *sys, const struct pd_touch *touch,
		    struct pimdimm_fate **fates);
int pd_inject_end(struct pimdimm *sys, const struct pd_touch *touch,
		  struct pimdimm_fate *fates);

/* -ENODEV and a sentence if a rank of these PEs is gone */
int pd_inject_present(struct pimdimm *sys, uint32_t first_pe, uint32_t nr_pes);
int pd_present_list(struct pimdimm *sys, const uint32_t pes[], uint32_t nr_pes);

/* the ranks of the PEs that take part, as far as a call tells them apart */
static inline void pd_touch_ranks(const struct pd_touch *touch,
				  struct pd_rank_set *ranks)
{
	if (touch->ranks)
		*ranks = *touch->ranks;
	else
		pd_ranks_of_range(ranks, touch->first_pe, touch->nr_pes);
}

static inline void pd_touch_leave(struct pimdimm *sys,
				  const struct pd_touch *touch)
{
	struct pd_rank_set ranks;

	if (!sys->owners)
		return;
	pd_touch_ranks(touch, &ranks);
	if (touch->helped)
		pd_host_leave_alone(sys, &ranks);
	else
		pd_host_leave(sys, &ranks);
}

static inline int pd_touch_enter(struct pimdimm *sys, const struct pd_touch *touch)
{
	const struct pd_host_call call = { touch->call, touch->first_pe, touch->nr_pes,
					   touch->off, touch->bytes };
	struct pd_rank_set ranks;

	if (!sys->owners)
		return 0;
	pd_touch_ranks(touch, &ranks);
	return touch->helped ? pd_host_enter_alone(sys, &ranks, &call) :
			       pd_host_enter(sys, &ranks, &call);
}

static inline int pd_touch_claim(struct pimdimm *sys,
				 const struct pd_touch *touch)
{
	const struct pd_room room = {
		.first_pe = touch->first_pe,
		.nr_pes = touch->nr_pes,
		.bufs = touch->bufs,
		.off = touch->off,
		.bytes = touch->bytes,
		.to_mram = touch->to_mram,
	};

	return pd_room_claim(sys, &room);
}

/* pd_inject_begin() of what PEs do, whose ranks are theirs; pd_pes_touch_end() follows */
static inline int pd_pes_touch_begin(struct pimdimm *sys,
				     const struct pd_touch *touch,
				     struct pimdimm_fate **fates)
{
	int ret;

	*fates = NULL;
	if (!sys->injector && !sys->file)
		return 0;
	ret = pd_touch_claim(sys, touch);
	if (!ret && sys->injector)
		ret = pd_inject_begin(sys, touch, fates);
	return ret;
}

static inline int pd_pes_touch_end(struct pimdimm *sys,
				   const struct pd_touch *touch,
				   struct pimdimm_fate *fates)
{
	return sys->injector ? pd_inject_end(sys, touch, fates) : 0;
}

/*
 * pd_inject_begin() and pd_inject_end() of a call between which the ranks are the
 * host's: see owner.h.
 */
static inline int pd_touch_begin(struct pimdimm *sys,
				 const struct pd_touch *touch,
				 struct pimdimm_fate **fates)
{
	int ret = pd_touch_enter(sys, touch);

	*fates = NULL;
	if (ret)
		return ret;
	ret = pd_pes_touch_begin(sys, touch, fates);
	if (ret)
		pd_touch_leave(sys, touch);
	return ret;
}

static inline int pd_touch_end(struct pimdimm *sys, const struct pd_touch *touch,
			       struct pimdimm_fate *fates)
{
	int ret = pd_pes_touch_end(sys, touch, fates);

	pd_touch_leave(sys, touch);
	return ret;
}

static inline int pd_present(struct pimdimm *sys, uint32_t first_pe,
			     uint32_t nr_pes)
{
	return sys->injector ? pd_inject_present(sys, first_pe, nr_pes) : 0;
}

#endif /* PD_INJECT_H */
