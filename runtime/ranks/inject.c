// SPDX-License-Identifier: MIT
/* Deciding what befalls a transfer, and doing it: failures, delays, flipped bits. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>

#include <linux/pimdimm.h>
#include <linux/pimdimm_inject.h>

#include "runtime/base/error.h"
#include "runtime/base/threads.h"
#include "runtime/ranks/inject.h"
#include "runtime/ranks/inject_knobs.h"

struct pd_injector {
	pthread_mutex_t lock;
	bool armed;		/* any knob of ours is set, or was */
	struct pimdimm_inject knobs[];
};

static uint32_t rank_of(uint32_t pe)
{
	return pe / PIMDIMM_RANK_PES;
}

static uint32_t module_flags(const struct pimdimm *sys, uint32_t rank)
{
	const volatile struct pimdimm_status *status = sys->ranks[rank].status;

	return status ? status->flags : 0;
}

static int gone(uint32_t rank)
{
	return pd_error(ENODEV,
			"rank %u is gone with all that it held: close the system",
			rank);
}

static int failed(const struct pd_touch *touch, uint32_t rank)
{
	return pd_error(EIO,
			"rank %u: injected fault: %s %llu bytes per PE failed",
			rank, touch->to_mram ? "writing" : "reading",
			(unsigned long long)touch->bytes);
}

/* The rank's PEs that take part, as bits. */
static uint64_t mask_of(const struct pd_touch *touch, uint32_t rank)
{
	uint64_t mask = 0;

	for (uint32_t i = 0; i < PIMDIMM_RANK_PES; i++) {
		uint32_t nth = rank * PIMDIMM_RANK_PES + i - touch->first_pe;

		if (nth < touch->nr_pes && (!touch->bufs || touch->bufs[nth]))
			mask |= UINT64_C(1) << i;
	}
	return mask;
}

static uint64_t first_word(const struct pd_touch *touch)
{
	return touch->off / PIMDIMM_WORD_BYTES;
}

/* words of a PE, those that are touched in part included */
static uint64_t words_of(const struct pd_touch *touch)
{
	return (touch->off + touch->bytes + PIMDIMM_WORD_BYTES - 1) /
		       PIMDIMM_WORD_BYTES - first_word(touch);
}

/* lock held; its mappings stay, without contents */
static void lose(struct pimdimm *sys, uint32_t rank)
{
	struct pd_rank *r = &sys->ranks[rank];

	sys->injector->knobs[rank].gone = 1;
	/* what the kernel refuses, pinned pages, keeps its bytes */
	madvise(r->window, r->bytes, MADV_REMOVE);
}

/* What the library's own knobs say of a transfer. */
static struct pimdimm_fate draw(struct pimdimm *sys, uint32_t rank,
				uint64_t words)
{
	struct pd_injector *ij = sys->injector;
	struct pimdimm_fate fate;
	uint32_t before;

	pthread_mutex_lock(&ij->lock);
	before = ij->knobs[rank].gone;
	fate = pimdimm_inject_draw(&ij->knobs[rank], words);
	if (fate.gone && !before)
		lose(sys, rank);
	pthread_mutex_unlock(&ij->lock);
	return fate;
}

/* What the module's say: 0, -ENODEV, or what the call says. */
static int ask(struct pimdimm *sys, uint32_t rank, uint64_t words,
	       struct pimdimm_fate *fate)
{
	struct pimdimm_touch arg = { .size = sizeof(arg), .words = words };

	if (!module_flags(sys, rank))
		return 0;
	if (ioctl(sys->ranks[rank].fd, PIMDIMM_IOC_TOUCH, &arg)) {
		if (errno == ENODEV)
			return gone(rank);
		return pd_error(errno, "rank %u: touch: %s", rank,
				strerror(errno));
	}
	*fate = (struct pimdimm_fate){
		.fails = arg.out_fails,
		.late = arg.out_late,
		.flips = arg.out_flips,
		.draw = arg.out_draw,
	};
	return 0;
}

static void flip(struct pimdimm *sys, const struct pd_touch *touch,
		 uint32_t rank, const struct pimdimm_fate *fate)
{
	uint64_t mask = mask_of(touch, rank);
	__u64 state = fate->draw;

	for (uint64_t i = 0; i < fate->flips; i++) {
		struct pimdimm_flip f =
			pimdimm_inject_pick(&state, mask, first_word(touch),
					    words_of(touch));
		uint8_t *block = pd_block(sys, rank * PIMDIMM_BANKS +
						       f.pe / PIMDIMM_CHIPS,
					  f.word);

		block[PIMDIMM_CHIPS * (f.bit / 8) + f.pe % PIMDIMM_CHIPS] ^=
			(uint8_t)(1u << f.bit % 8);
	}
}

static void inject_delay(uint32_t us)
{
	struct timespec left = {
		.tv_sec = us / 1000000,
		.tv_nsec = us % 1000000 * 1000L,
	};
	int cancel = pd_cancel_off();

	while (us && nanosleep(&left, &left) && errno == EINTR)
		;
	pd_cancel_restore(cancel);
}

/* One rank's part of the beginning; the two sources of faults add up. */
static int begin_rank(struct pimdimm *sys, const struct pd_touch *touch,
		      uint32_t rank, struct pimdimm_fate fates[2])
{
	uint64_t mask = mask_of(touch, rank);
	uint64_t words = (uint64_t)__builtin_popcountll(mask) * words_of(touch);
	int ret;

	if (!mask)
		return 0;
	ret = ask(sys, rank, words, &fates[0]);
	if (ret)
		return ret;
	if (sys->injector->armed)
		fates[1] = draw(sys, rank, words);
	if (fates[1].gone)
		return gone(rank);
	inject_delay(fates[1].delay_us);
	for (int i = 0; i < 2; i++) {
		if (fates[i].fails && !fates[i].late)
			return failed(touch, rank);
	}
	for (int i = 0; i < 2 && !touch->to_mram; i++)
		flip(sys, touch, rank, &fates[i]);
	return 0;
}

/* whether faults are to be expected on any of the ranks */
static bool expected(const struct pimdimm *sys, uint32_t first, uint32_t last)
{
	bool any = sys->injector->armed;

	for (uint32_t rank = first; rank <= last && !any; rank++)
		any = module_flags(sys, rank);
	return any;
}

int pd_inject_begin(struct pimdimm *sys, const struct pd_touch *touch,
		    struct pimdimm_fate **fates)
{
	uint32_t first = rank_of(touch->first_pe);
	uint32_t last = rank_of(touch->first_pe + touch->nr_pes - 1);
	int ret = 0;

	if (!touch->nr_pes || !touch->bytes || !expected(sys, first, last))
		return 0;
	*fates = calloc(2 * (last - first + 1), sizeof(**fates));
	if (!*fates)
		return pd_error(ENOMEM, "no memory for the faults of %u ranks",
				last - first + 1);
	for (uint32_t rank = first; rank <= last && !ret; rank++)
		ret = begin_rank(sys, touch, rank, &(*fates)[2 * (rank - first)]);
	if (ret) {
		free(*fates);
		*fates = NULL;
	}
	return ret;
}

static int rank_present(struct pimdimm *sys, uint32_t rank)
{
	struct pd_injector *ij = sys->injector;
	bool lost = false;

	if (ij->armed) {
		pthread_mutex_lock(&ij->lock);
		lost = ij->knobs[rank].gone;
		pthread_mutex_unlock(&ij->lock);
	}
	if (lost || module_flags(sys, rank) & PIMDIMM_STATUS_GONE)
		return gone(rank);
	return 0;
}

int pd_inject_present(struct pimdimm *sys, uint32_t first_pe, uint32_t nr_pes)
{
	uint32_t last = rank_of(first_pe + nr_pes - 1);
	int ret = 0;

	for (uint32_t rank = rank_of(first_pe); nr_pes && rank <= last && !ret; rank++)
		ret = rank_present(sys, rank);
	return ret;
}

/* Of a call that leaves ranks out, these may be gone. */
static int touch_present(struct pimdimm *sys, const struct pd_touch *touch)
{
	uint32_t last = rank_of(touch->first_pe + touch->nr_pes - 1);
	int ret = 0;

	if (!touch->ranks)
		return pd_inject_present(sys, touch->first_pe, touch->nr_pes);
	for (uint32_t rank = rank_of(touch->first_pe); rank <= last && !ret; rank++) {
		if (pd_ranks_have(touch->ranks, rank))
			ret = rank_present(sys, rank);
	}
	return ret;
}

int pd_present_list(struct pimdimm *sys, const uint32_t pes[], uint32_t nr_pes)
{
	int ret = 0;

	for (uint32_t i = 0; i < nr_pes && !ret && sys->injector; i++) {
		if (!i || rank_of(pes[i]) != rank_of(pes[i - 1]))
			ret = pd_inject_present(sys, pes[i], 1);
	}
	return ret;
}

int pd_inject_end(struct pimdimm *sys, const struct pd_touch *touch,
		  struct pimdimm_fate *fates)
{
	uint32_t first = rank_of(touch->first_pe);
	uint32_t ranks = rank_of(touch->first_pe + touch->nr_pes - 1) - first + 1;
	int ret = touch->bytes ? touch_present(sys, touch) : 0;

	for (uint32_t i = 0; fates && i < 2 * ranks && !ret; i++) {
		if (touch->to_mram)
			flip(sys, touch, first + i / 2, &fates[i]);
		if (fates[i].fails)
			ret = failed(touch, first + i / 2);
	}
	free(fates);
	return ret;
}

static bool module_can(const struct pimdimm *sys)
{
	for (uint32_t i = 0; i < sys->nr_ranks; i++) {
		if (sys->ranks[i].status)
			return true;
	}
	return false;
}

int pd_inject_create(struct pimdimm *sys, const char *text)
{
	struct pd_injector *ij;
	int ret = 0;

	if (!text)
		text = secure_getenv("PIMDIMM_INJECT");
	if (!(text && *text) && !module_can(sys))
		return 0;
	ij = calloc(1, sizeof(*ij) + sys->nr_ranks * sizeof(ij->knobs[0]));
	if (!ij)
		return pd_error(ENOMEM, "no memory for the faults of %u ranks",
				sys->nr_ranks);
	for (uint32_t i = 0; i < sys->nr_ranks; i++)
		pimdimm_inject_seed(&ij->knobs[i], 0, i);
	if (text && *text) {
		ij->armed = true;
		ret = pd_knobs_parse(text, ij->knobs, sys->nr_ranks);
	}
	if (ret) {
		free(ij);
		return ret;
	}
	pthread_mutex_init(&ij->lock, NULL);
	sys->injector = ij;
	return 0;
}

void pd_inject_destroy(struct pimdimm *sys)
{
	if (!sys->injector)
		return;
	pthread_mutex_destroy(&sys->injector->lock);
	free(sys->injector);
}
