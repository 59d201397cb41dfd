// SPDX-License-Identifier: MIT
/*
 * The process's one system of ranks, which all its sets share, and who has which rank. A
 * child after fork() opens one of its own when it takes a rank: those of its parent's, which
 * the sets that it inherits are of, are its parent's to take.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/upmem/host/core/system.h"
#include "tools/upmem/host/core/error.h"
#include "tools/upmem/host/inside.h"

#define DEFAULT_URI	"mem:channels=5,ranks=8,mram=64M"
#define CHIP_WORDS	16384	/* of WRAM */
#define CHIP_THREADS	24
#define CHIP_BITS	256

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Those of the library below are taken after it: its handlers were there first. */
PD_FORK_SAFE(&lock);

struct opened {
	struct pimdimm *sys;
	struct dpu_rank_t *ranks;
	uint32_t nr_ranks;
	struct opened *before;		/* what was open when the process was forked */
};

static struct opened *own, *inherited;

/* the child's; no other thread of it runs yet */
static void leave_to_parent(void)
{
	if (!own)
		return;
	own->before = inherited;
	inherited = own;
	own = NULL;
}

__attribute__((constructor))
static void watch_forks(void)
{
	pthread_atfork(NULL, NULL, leave_to_parent);
}

static int open_uri(const char *uri, struct pimdimm **sys)
{
	int ret = pimdimm_open(uri, sys);

	if (ret)
		host_fail(DPU_ERR_ALLOCATION, "%s: %s",
			  uri ? uri : secure_getenv("PIMDIMM_URI"), pimdimm_errmsg());
	return ret;
}

static int open_system(struct pimdimm **sys)
{
	if (secure_getenv("PIMDIMM_URI"))
		return open_uri(NULL, sys);
	if (!pimdimm_open("dev:", sys))
		return 0;
	host_note("no /dev/pimdimm node opens (%s): emulating %s",
		  pimdimm_errmsg(), DEFAULT_URI);
	return open_uri(DEFAULT_URI, sys);
}

static int make_rank(struct dpu_rank_t *rank, struct pimdimm *sys, uint32_t number)
{
	rank->type = FUNCTIONAL_SIMULATOR;
	rank->rank_id = (dpu_rank_id_t)number;
	rank->description = calloc(1, sizeof(*rank->description));
	rank->dpus = calloc(RANK_DPUS, sizeof(*rank->dpus));
	rank->state = calloc(1, sizeof(*rank->state));
	if (!rank->description || !rank->dpus || !rank->state)
		return -1;
	rank->description->refcount = 1;
	rank->state->sys = sys;
	rank->state->first_pe = number * RANK_DPUS;
	rank->state->tail = &rank->state->head;
	pthread_cond_init(&rank->state->room, NULL);
	for (unsigned int i = 0; i < RANK_DPUS; i++) {
		rank->dpus[i].rank = rank;
		rank->dpus[i].slice_id = (dpu_slice_id_t)(i / RANK_LINES);
		rank->dpus[i].dpu_id = (dpu_member_id_t)(i % RANK_LINES);
	}
	return 0;
}

static void free_ranks(struct dpu_rank_t *ranks, uint32_t nr)
{
	for (uint32_t i = 0; ranks && i < nr; i++) {
		free(ranks[i].description);
		free(ranks[i].dpus);
		free(ranks[i].state);
	}
	free(ranks);
}

/* false: no memory */
static bool make_ranks(struct opened *o)
{
	o->nr_ranks = pimdimm_geometry(o->sys)->nr_pes / RANK_DPUS;
	o->ranks = calloc(o->nr_ranks, sizeof(*o->ranks));
	for (uint32_t i = 0; o->ranks && i < o->nr_ranks; i++) {
		if (make_rank(&o->ranks[i], o->sys, i))
			return false;
	}
	return o->ranks;
}

/* with the lock held */
static void open_own(void)
{
	struct opened *o = calloc(1, sizeof(*o));

	if (!o) {
		host_fail(DPU_ERR_SYSTEM, "no memory for a system of ranks");
		return;
	}
	if (open_system(&o->sys)) {
		free(o);
		return;
	}
	if (make_ranks(o)) {
		own = o;
		return;
	}
	host_fail(DPU_ERR_SYSTEM, "no memory for %u ranks", o->nr_ranks);
	free_ranks(o->ranks, o->nr_ranks);
	pimdimm_close(o->sys);
	free(o);
}

struct pimdimm *host_system(void)
{
	struct pimdimm *sys;

	pthread_mutex_lock(&lock);
	if (!own)
		open_own();
	sys = own ? own->sys : NULL;
	pthread_mutex_unlock(&lock);
	return sys;
}

void host_fill_description(struct _dpu_description_t *description,
			   const struct profile *profile)
{
	struct dpu_hw_description_t *hw = &description->hw;

	description->type = FUNCTIONAL_SIMULATOR;
	hw->signature.chip_id = vD_fun;
	hw->timings.fck_frequency_in_mhz = profile->fck_mhz;
	hw->timings.clock_division = (uint8_t)profile->clock_division;
	hw->topology.nr_of_control_interfaces = DPU_MAX_NR_CIS;
	hw->topology.nr_of_dpus_per_control_interface = DPU_MAX_NR_DPUS_PER_CI;
	hw->memories.mram_size =
		(mram_size_t)pimdimm_geometry(own->sys)->mram_size;
	hw->memories.wram_size = CHIP_WORDS;
	hw->memories.iram_size = 4096;
	hw->dpu.nr_of_threads = CHIP_THREADS;
	hw->dpu.nr_of_atomic_bits = CHIP_BITS;
	hw->dpu.nr_of_notify_bits = 40;
	hw->dpu.nr_of_work_registers_per_thread = 24;
}

/* bits of rank->dpus[] to places: the transpose of an 8x8 bit matrix */
static uint64_t places_of(uint64_t indices)
{
	uint64_t places = 0;

	for (unsigned int i = 0; i < RANK_DPUS; i++)
		if (indices >> i & 1)
			places |= 1ULL << (RANK_CHIPS * (i % RANK_LINES) +
					   i / RANK_LINES);
	return places;
}

static void reset_rank(struct dpu_rank_t *rank, const struct profile *profile)
{
	struct dpu_rank_state *state = rank->state;

	state->profile = *profile;
	state->enabled = ~places_of(profile->disabled);
	state->faulted = 0;
	state->job_error = DPU_OK;
	state->dpus_before = 0;
	memset(state->matrix, 0, sizeof(state->matrix));
	memset(state->callback_matrix, 0, sizeof(state->callback_matrix));
	host_fill_description(rank->description, profile);
}

struct dpu_rank_t *host_take_rank(const struct profile *profile)
{
	struct dpu_rank_t *rank = NULL;

	if (!host_system())
		return NULL;
	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; i < own->nr_ranks && !rank; i++)
		if (!own->ranks[i].state->taken)
			rank = &own->ranks[i];
	if (rank) {
		rank->state->taken = true;
		reset_rank(rank, profile);
	} else {
		host_fail(DPU_ERR_ALLOCATION,
			  "all %u ranks of %u DPUs are taken: PIMDIMM_URI says how many there are",
			  own->nr_ranks, RANK_DPUS);
	}
	pthread_mutex_unlock(&lock);
	return rank;
}

void host_give_rank(struct dpu_rank_t *rank)
{
	pthread_mutex_lock(&lock);
	free(rank->state->job_text);
	rank->state->job_text = NULL;
	rank->state->taken = false;
	pthread_mutex_unlock(&lock);
}

static void each_rank(const struct opened *o, void (*act)(struct dpu_rank_t *rank))
{
	for (uint32_t i = 0; i < o->nr_ranks; i++)
		act(&o->ranks[i]);
}

void host_each_rank(void (*act)(struct dpu_rank_t *rank))
{
	if (own)
		each_rank(own, act);
	for (const struct opened *o = inherited; o; o = o->before)
		each_rank(o, act);
}

uint32_t host_count(const struct dpu_rank_t *rank)
{
	return (uint32_t)__builtin_popcountll(rank->state->enabled);
}
