// SPDX-License-Identifier: MIT
/* What is learned of stores, by kinds of calls, and how calls or parts of them try. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "runtime/base/clock.h"
#include "runtime/base/threads.h"
#include "runtime/machine/trials.h"
#include "runtime/machine/workers.h"

/*
 * A block of parts, one for each thread, tries one way, the next one the other.
 * There are BLOCKS of a call, or as many as its parts make; of these one in TRYING
 * tries, four at least. With fewer than LEAST_BLOCKS none does.
 */
#define BLOCKS		64
#define LEAST_BLOCKS	8
#define TRYING		8
/* bytes of a call's work set in a part at least: some microseconds */
#define PART_BYTES	(32 << 10)

/* calls in a row that try, and those that are asked to where some cannot; later
 * ones try when there have been four times as many */
#define ENOUGH		3
#define PATIENCE	8
#define LATER		4

/*
 * A call that fits in the caches finds there what the one before it has left, so
 * that a part which stores otherwise than the rest does sees neither way as it is.
 * Of these kinds whole calls try, in rounds of steps: TIMED calls as the kind
 * stores so far, one the other way, which finds what the first way has left and
 * tells nothing, and TIMED more. The first rounds follow each other until two agree,
 * three at most.
 */
#define TIMED		2
#define STEPS		(2 * TIMED + 1)

/*
 * What goes through the caches is written to memory later, at the expense of
 * parts that come then: it is to be faster by so much.
 */
#define HANDICAP	1.05f

#define SETS		64
#define WAYS		8

/* what is known of a kind; speeds are those of through by those of around */
struct known {
	struct pd_kind kind;
	uint64_t used;		/* when; 0: the place is free */
	uint64_t calls, again;	/* calls so far, and the one that tries next */
	unsigned int rounds;	/* that have told a speed */
	float past[PD_TRIAL_ROUNDS];
	bool knows, through;	/* how to store */
	/* of a kind whose whole calls try */
	unsigned int step;
	unsigned int in_vain;	/* calls of this round that were not enough for it */
	uint64_t best_ns, other_ns;
};

static struct {
	pthread_mutex_t lock;
	uint64_t now;
	struct known at[SETS][WAYS];
} memory = { .lock = PTHREAD_MUTEX_INITIALIZER };

PD_FORK_SAFE(&memory.lock);

static void lock_memory(void)
{
	pthread_mutex_lock(&memory.lock);
}

static void unlock_memory(void)
{
	pthread_mutex_unlock(&memory.lock);
}

/* two steps an octave */
static unsigned int scale(uint64_t work_set)
{
	unsigned int log = work_set ? 63 - __builtin_clzll(work_set) : 0;

	return 2 * log + (log ? work_set >> (log - 1) & 1 : 0);
}

static bool same_kind(const struct pd_kind *a, const struct pd_kind *b)
{
	return a->what == b->what && a->traits == b->traits &&
	       a->fits == b->fits && scale(a->work_set) == scale(b->work_set);
}

/* every bit of x makes a difference to every bit of the result */
static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

/* where the kind is known, or takes the place of the one least recently used */
static struct known *known_of(const struct pd_kind *kind)
{
	uint64_t hash = mix(mix(mix((uintptr_t)kind->what) + kind->traits) +
			    scale(kind->work_set));
	struct known *set = memory.at[hash % SETS], *oldest = set;

	for (unsigned int i = 0; i < WAYS; i++) {
		if (set[i].used && same_kind(&set[i].kind, kind))
			return &set[i];
		if (set[i].used < oldest->used)
			oldest = &set[i];
	}
	*oldest = (struct known){ .kind = *kind };
	return oldest;
}

static int compare_times(const void *a, const void *b)
{
	const float *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The median of one time or more, which it sorts. */
static float median(float *x, unsigned int n)
{
	qsort(x, n, sizeof(*x), compare_times);
	return (x[(n - 1) / 2] + x[n / 2]) / 2;
}

/*
 * Of the speeds of several rounds the middle one counts, and of two the later: it
 * found the caches as a call of the kind leaves them.
 */
static bool through_wins(const float *past, unsigned int rounds)
{
	float x[PD_TRIAL_ROUNDS];

	if (rounds < 3)
		return past[rounds - 1] > HANDICAP;
	memcpy(x, past, rounds * sizeof(*x));
	return median(x, rounds) > HANDICAP;
}

/* the last one of all is kept */
static void add_round(float *past, unsigned int *rounds, float speed)
{
	if (*rounds == PD_TRIAL_ROUNDS)
		memmove(past, past + 1, --*rounds * sizeof(*past));
	past[(*rounds)++] = speed;
}

static enum pd_stores way_of(const struct pd_trial *t, bool through)
{
	return through ? t->through : PD_STORES_AROUND;
}

/* The first call has no other before it: its parts try, to serve itself. */
static void recall(struct pd_trial *t, struct known *k)
{
	bool tries = ++k->calls >= k->again;

	k->used = ++memory.now;
	t->whole = tries && t->kind.fits && k->calls > 1;
	t->open = tries && !t->whole;
	t->step = k->step;
	t->rounds = k->rounds;
	memcpy(t->past, k->past, sizeof(t->past));
	if (k->knows)
		t->stores = way_of(t, k->through);
	if (t->whole && t->step >= TIMED)
		t->stores = way_of(t, t->stores == PD_STORES_AROUND);
	t->tried = t->whole;
}

long pd_page_faults(int who)
{
	struct rusage usage;

	getrusage(who, &usage);
	return usage.ru_minflt + usage.ru_majflt;
}

static long own_faults(void)
{
	return pd_page_faults(RUSAGE_THREAD);
}

void pd_trials_begin(struct pd_trial *t, const struct pd_kind *kind,
		     enum pd_stores through, enum pd_stores guess)
{
	t->kind = *kind;
	t->through = through;
	t->stores = guess;
	t->around_times.count = t->through_times.count = 0;
	t->waited_for = 0;
	lock_memory();
	recall(t, known_of(kind));
	unlock_memory();
	if (t->whole) {
		t->faults = own_faults();
		t->start = pd_now_ns();
	}
}

/* the call of the kind that tries next */
static uint64_t next_of(const struct known *k)
{
	return k->rounds < ENOUGH && k->calls < PATIENCE ? k->calls + 1 :
							   LATER * k->calls;
}

/* Parts of the call have tried, or were to. */
static void learn_of_parts(struct known *k, const struct pd_trial *t)
{
	bool through = t->stores != PD_STORES_AROUND;

	if (k->kind.fits) {
		/* on memory as the first call finds it: where rounds begin */
		k->through = through;
		k->knows = true;
		return;
	}
	/* its own last one is what this call has added */
	if (t->tried && t->rounds) {
		add_round(k->past, &k->rounds, t->past[t->rounds - 1]);
		k->through = through_wins(k->past, k->rounds);
		k->knows = true;
	}
	k->again = next_of(k);
}

static void end_round(struct known *k)
{
	k->step = k->in_vain = 0;
	k->again = LATER * k->calls;
}

/* Two rounds in a row agree, or the middle one of three has decided. */
static bool sure(const struct known *k)
{
	const float *last = k->past + k->rounds - 1;

	return k->rounds == PD_TRIAL_ROUNDS ||
	       (k->rounds > 1 && (last[0] > HANDICAP) == (last[-1] > HANDICAP));
}

/* A neighbour may have disturbed all calls of a way: a round decides nothing alone. */
static void learn_of_round(struct known *k)
{
	uint64_t around = k->through ? k->other_ns : k->best_ns;
	uint64_t through = k->through ? k->best_ns : k->other_ns;

	add_round(k->past, &k->rounds,
		  (float)around / (float)(through ? through : 1));
	k->through = through_wins(k->past, k->rounds);
	end_round(k);
	if (!sure(k))
		k->again = k->calls + 1;
}

/*
 * Others disturb a call, and make it longer: the shortest of a way tells. Returns
 * whether the calls have become much shorter yet: the caches are not as this way
 * leaves them.
 */
static bool take_time(uint64_t *shortest, bool first, uint64_t ns)
{
	bool falling = !first && ns < *shortest - *shortest / 8;

	if (first || ns < *shortest)
		*shortest = ns;
	return falling;
}

/* Returns whether the kind's next call may take the next step. */
static bool take_step(struct known *k, uint64_t ns, bool faulted)
{
	if (faulted)
		return false;
	if (k->step < TIMED)
		return !take_time(&k->best_ns, !k->step, ns);
	return k->step == TIMED ||
	       !take_time(&k->other_ns, k->step == TIMED + 1, ns);
}

static void learn_of_call(struct known *k, const struct pd_trial *t,
			  uint64_t ns, bool faulted)
{
	/* another thread's call may have taken the step as well */
	if (t->step != k->step)
		return;
	if (!take_step(k, ns, faulted) && ++k->in_vain < PATIENCE)
		return;
	if (faulted)
		end_round(k);
	else if (++k->step == STEPS)
		learn_of_round(k);
}

void pd_trials_learn(struct pd_trial *t, uint64_t ns, bool faulted)
{
	struct known *k;

	lock_memory();
	k = known_of(&t->kind);
	k->used = memory.now;
	if (t->whole)
		learn_of_call(k, t, ns, faulted);
	else
		learn_of_parts(k, t);
	unlock_memory();
}

void pd_trials_end(struct pd_trial *t)
{
	if (t->whole)
		pd_trials_learn(t, pd_now_ns() - t->start,
				own_faults() != t->faults);
	else if (t->open)
		pd_trials_learn(t, 0, false);
}

void pd_trials_forget(void)
{
	lock_memory();
	memset(memory.at, 0, sizeof(memory.at));
	unlock_memory();
}

enum pd_stores pd_trial_way(const struct pd_trial *t, uint64_t part,
			    unsigned int threads)
{
	uint64_t block = part / threads;

	/* around, through, through, around: neither always comes first */
	return (block + 1) & 2 ? t->through : PD_STORES_AROUND;
}

void pd_trial_note(struct pd_trial *t, enum pd_stores stores, uint64_t ns,
		   uint64_t work)
{
	struct pd_times *times = stores == PD_STORES_AROUND ?
					 &t->around_times : &t->through_times;
	uint32_t at;

	if (!work)
		return;
	at = atomic_fetch_add(&times->count, 1);
	if (at < PD_TRIAL_TIMES)
		times->ns[at] = (float)ns / (float)work;
}

static unsigned int kept(const struct pd_times *times)
{
	return times->count < PD_TRIAL_TIMES ? times->count : PD_TRIAL_TIMES;
}

void pd_trial_decide(struct pd_trial *t)
{
	unsigned int around = kept(&t->around_times);
	unsigned int through = kept(&t->through_times);
	float ns;

	/* a time alone may be anything */
	if (around < 2 || through < 2)
		return;
	ns = median(t->through_times.ns, through);
	add_round(t->past, &t->rounds,
		  median(t->around_times.ns, around) / (ns > 0 ? ns : 1));
	t->tried = true;
	t->stores = way_of(t, through_wins(t->past, t->rounds));
}

/* items of which the first ones may try */
struct trial_run {
	struct pd_trial *trial;
	pd_part_fn fn;
	void *ctx;
	uint64_t items, grain;
	unsigned int threads;
	/* what each node has that items are dealt out over */
	uint64_t share;		/* items */
	unsigned int together;	/* threads */
	uint64_t trying;	/* parts, of `grain` items each */
	uint64_t end;		/* of all nodes' equal shares */
};

static void try_part(const struct trial_run *r, uint64_t part, uint64_t first,
		     uint64_t count)
{
	struct pd_trial *t = r->trial;
	enum pd_stores stores = pd_trial_way(t, part, r->together);
	long faults = own_faults();
	uint64_t start = pd_now_ns();
	uint64_t work = r->fn(r->ctx, first, count, stores);
	uint64_t ns = pd_now_ns() - start;

	if (own_faults() == faults)
		pd_trial_note(t, stores, ns, work);
	if (atomic_fetch_sub(&t->waited_for, 1) == 1)
		pd_trial_decide(t);
}

/* Whoever has all items works alone, though there are others: that is no measure
 * for calls which these help. */
static bool all_alone(const struct trial_run *r, uint64_t count)
{
	return count == r->items && r->threads > 1;
}

static void run_items(void *ctx, uint64_t first, uint64_t count)
{
	const struct trial_run *r = ctx;

	while (r->trying && !all_alone(r, count) && count) {
		uint64_t part = first % r->share / r->grain;
		uint64_t n = count < r->grain ? count : r->grain;

		if (part >= r->trying || first >= r->end)
			break;
		try_part(r, part, first, n);
		first += n;
		count -= n;
	}
	if (count)
		r->fn(r->ctx, first, count, r->trial->stores);
}

uint64_t pd_trial_items(const struct pd_trial *t, unsigned int threads)
{
	uint64_t most = t->kind.work_set / PART_BYTES;

	if (!t->open)
		return 1;
	return most < BLOCKS * threads ? most : BLOCKS * threads;
}

/* which parts try; none, if there would be too few others */
static void choose_parts(struct trial_run *r, unsigned int nodes)
{
	uint64_t wanted = pd_trial_items(r->trial, r->threads);
	uint64_t grain = r->items / wanted, blocks;

	if (!grain)
		grain = 1;
	if (grain > r->grain)
		grain = r->grain;
	r->share = r->items / nodes;
	r->end = r->share * nodes;
	r->together = (r->threads + nodes - 1) / nodes;
	blocks = r->share / (grain * r->together);
	if (blocks < LEAST_BLOCKS)
		return;
	r->grain = grain;
	blocks = blocks / TRYING / 4 * 4;
	r->trying = (blocks ? blocks : 4) * r->together;
	r->trial->waited_for = r->trying * nodes;
}

void pd_trial_run(struct pd_trial *t, struct pd_workers *workers,
		  uint64_t items, uint64_t grain, pd_part_fn fn, void *ctx)
{
	struct trial_run r = {
		.trial = t,
		.fn = fn,
		.ctx = ctx,
		.items = items,
		.grain = grain,
		.threads = pd_workers_threads(workers),
	};

	if (t->open && !t->tried)
		choose_parts(&r, pd_workers_nodes(workers));
	pd_workers_run(workers, items, r.grain, run_items, &r);
}
