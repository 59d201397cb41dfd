// SPDX-License-Identifier: MIT
/*
 * The process's one system of ranks, which all its sets share, and who has
 * which rank.
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

static struct pimdimm *sys;
static struct dpu_rank_t *ranks;
static uint32_t nr_ranks;

static int open_uri(const char *uri)
{
	int ret = pimdimm_open(uri, &sys);

	if (ret)
		host_fail(DPU_ERR_ALLOCATION, "%s: %s",
			  uri ? uri : secure_getenv("PIMDIMM_URI"), pimdimm_errmsg());
	return ret;
}

static int open_system(void)
{
	if (secure_getenv("PIMDIMM_URI"))
		return open_uri(NULL);
	if (!pimdimm_open("dev:", &sys))
		return 0;
	host_note("no /dev/pimdimm node opens (%s): emulating %s",
		  pimdimm_errmsg(), DEFAULT_URI);
	return open_uri(DEFAULT_URI);
}

static int make_rank(struct dpu_rank_t *rank, uint32_t number)
{
	rank->type = FUNCTIONAL_SIMULATOR;
	rank->rank_id = (dpu_rank_id_t)number;
	rank->description = calloc(1, sizeof(*rank->description));
	rank->dpus = calloc(RANK_DPUS, sizeof(*rank->dpus));
	rank->state = calloc(1, sizeof(*rank->state));
	if (!rank->description || !rank->dpus || !rank->state)
		return -1;
	rank->description->refcount = 1;
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

static void free_ranks(void)
{
	for (uint32_t i = 0; ranks && i < nr_ranks; i++) {
		free(ranks[i].description);
		free(ranks[i].dpus);
		free(ranks[i].state);
	}
	free(ranks);
	ranks = NULL;
}

static int make_ranks(void)
{
	nr_ranks = pimdimm_geometry(sys)->nr_pes / RANK_DPUS;
	ranks = calloc(nr_ranks, sizeof(*ranks));
	for (uint32_t i = 0; ranks && i < nr_ranks; i++)
		if (make_rank(&ranks[i], i)) {
			free_ranks();
			break;
		}
	if (ranks)
		return 0;
	pimdimm_close(sys);
	sys = NULL;
	host_fail(DPU_ERR_SYSTEM, "no memory for %u ranks", nr_ranks);
	return -1;
}

struct pimdimm *host_system(void)
{
	pthread_mutex_lock(&lock);
	if (!sys && !open_system())
		make_ranks();
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
		(mram_size_t)pimdimm_geometry(sys)->mram_size;
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
	for (uint32_t i = 0; i < nr_ranks && !rank; i++)
		if (!ranks[i].state->taken)
			rank = &ranks[i];
	if (rank) {
		rank->state->taken = true;
		reset_rank(rank, profile);
	} else {
		host_fail(DPU_ERR_ALLOCATION,
			  "all %u ranks of %u DPUs are taken: PIMDIMM_URI says how many there are",
			  nr_ranks, RANK_DPUS);
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

void host_each_rank(void (*act)(struct dpu_rank_t *rank))
{
	for (uint32_t i = 0; ranks && i < nr_ranks; i++)
		act(&ranks[i]);
}

uint32_t host_count(const struct dpu_rank_t *rank)
{
	return (uint32_t)__builtin_popcountll(rank->state->enabled);
}
