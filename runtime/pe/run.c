/* SPDX-License-Identifier: MIT */
/*
 * pimdimm_run(): PEs sorted into entangled groups, which the system's threads
 * take one by one, each with a worker process.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "pe/broker.h"
#include "pe/cost.h"

#define DEFAULT_TIMEOUT_MS	60000

struct entry {
	uint32_t pe;
	uint32_t index;		/* of the caller's array */
	struct pimdimm_program *program;
};

/* PEs of one entangled group that run the same program */
struct task {
	uint32_t first, count;
	uint8_t lanes;
};

struct launch {
	struct pimdimm *sys;
	struct entry *entries;
	uint32_t nr_entries;
	struct task *tasks;
	uint32_t nr_tasks;
	uint32_t timeout_ms;
	bool compat;
	uint8_t *faulted;

	pthread_mutex_t lock;	/* of what follows */
	struct pimdimm_run report;
	uint64_t busy_ns;	/* of all threads */
	uint64_t emulation_ns;
	int error;
	char why[256];
};

static int by_group(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->pe / 8 != y->pe / 8)
		return x->pe < y->pe ? -1 : 1;
	if (x->program->id != y->program->id)
		return x->program->id < y->program->id ? -1 : 1;
	return x->pe < y->pe ? -1 : x->pe > y->pe;
}

static void make_tasks(struct launch *l)
{
	const struct entry *e = l->entries;

	qsort(l->entries, l->nr_entries, sizeof(*l->entries), by_group);
	for (uint32_t i = 0; i < l->nr_entries; i++) {
		struct task *t = l->nr_tasks ? &l->tasks[l->nr_tasks - 1] : NULL;

		if (!t || e[i].pe / 8 != e[t->first].pe / 8 ||
		    e[i].program->id != e[t->first].program->id) {
			t = &l->tasks[l->nr_tasks++];
			*t = (struct task){ .first = i };
		}
		t->count++;
		t->lanes |= (uint8_t)(1u << e[i].pe % 8);
	}
}

/* Keep the fault if it is of the lowest PE so far. */
static void note_fault(struct launch *l, const struct entry *e,
		       const struct pd_outcome *out)
{
	struct pimdimm_run *r = &l->report;

	if (!r->nr_faulted++ || e->pe < r->first.pe)
		pd_fault_tell(&out->end, e->program, &r->first);
	if (l->faulted)
		l->faulted[e->index] = 1;
}

static void note(struct launch *l, const struct entry *e,
		 const struct pd_outcome *out)
{
	struct pimdimm_run *r = &l->report;

	pthread_mutex_lock(&l->lock);
	r->dma_bytes += out->dma_bytes;
	if (out->cycles > r->cycles)
		r->cycles = out->cycles;
	if (out->instructions > r->instructions)
		r->instructions = out->instructions;
	if (out->end.report.kind)
		note_fault(l, e, out);
	pthread_mutex_unlock(&l->lock);
}

/* Run the PEs of a task; a worker that went is replaced for the next PE. */
static int run_pes(struct launch *l, struct pd_slot *slot,
		   const struct task *task, uint64_t *emulation_ns)
{
	struct pd_outcome out;
	int ret = 0;

	for (uint32_t i = 0; i < task->count && !ret; i++) {
		const struct entry *e = &l->entries[task->first + i];
		struct pd_order order = {
			.pe = e->pe,
			.timeout_ms = l->timeout_ms,
			.compat = l->compat,
		};

		ret = pd_slot_take(slot, e->program);
		if (ret)
			break;
		pd_broker_run(slot, &l->sys->pe->pes[e->pe], &order, &out,
			      emulation_ns);
		note(l, e, &out);
	}
	return ret;
}

static int run_task(struct launch *l, const struct task *task,
		    uint64_t *emulation_ns)
{
	const struct entry *e = &l->entries[task->first];
	struct pd_slot *slot;
	uint64_t start;
	int ret = pd_slot_borrow(l->sys, e->program, &slot);

	if (ret)
		return ret;
	pd_window_take_eg(&slot->window, e->pe / 8, task->lanes);
	ret = run_pes(l, slot, task, emulation_ns);
	start = pd_now();
	pd_window_leave_eg(&slot->window);
	*emulation_ns += pd_now() - start;
	pd_slot_return(l->sys, slot);
	return ret;
}

static bool given_up(struct launch *l)
{
	bool up;

	pthread_mutex_lock(&l->lock);
	up = l->error;
	pthread_mutex_unlock(&l->lock);
	return up;
}

static void run_tasks(void *ctx, uint64_t first, uint64_t count)
{
	struct launch *l = ctx;
	uint64_t start = pd_now(), emulation_ns = 0;
	int ret = 0;

	for (uint64_t i = first; i < first + count && !given_up(l) && !ret; i++)
		ret = run_task(l, &l->tasks[i], &emulation_ns);
	pthread_mutex_lock(&l->lock);
	l->emulation_ns += emulation_ns;
	l->busy_ns += pd_now() - start;
	if (ret && !l->error) {
		l->error = ret;
		snprintf(l->why, sizeof(l->why), "%s", pimdimm_errmsg());
	}
	pthread_mutex_unlock(&l->lock);
}

/* Called with the state's lock held: claim the PEs for this launch. */
static int claim(struct launch *l, const uint32_t pes[], uint32_t nr_pes)
{
	for (; l->nr_entries < nr_pes; l->nr_entries++) {
		uint32_t i = l->nr_entries;
		struct pd_pe *pe = &l->sys->pe->pes[pes[i]];

		if (pe->run == l)
			return pd_error(EINVAL, "pes[%u]=%u is there twice", i,
					pes[i]);
		if (pe->run)
			return pd_error(EBUSY, "PE %u runs", pes[i]);
		if (!pe->program)
			return pd_error(ENOEXEC, "PE %u has no program loaded",
					pes[i]);
		pe->run = l;
		l->entries[i] = (struct entry){
			.pe = pes[i],
			.index = i,
			.program = pe->program,
		};
	}
	return 0;
}

static void release(struct launch *l)
{
	struct pd_pe_state *st = l->sys->pe;

	pthread_mutex_lock(&st->lock);
	for (uint32_t i = 0; i < l->nr_entries; i++)
		st->pes[l->entries[i].pe].run = NULL;
	pthread_mutex_unlock(&st->lock);
}

static int run_claimed(struct launch *l, const uint32_t pes[], uint32_t nr_pes)
{
	struct pd_pe_state *st = l->sys->pe;
	int ret;

	pthread_mutex_lock(&st->lock);
	ret = claim(l, pes, nr_pes);
	pthread_mutex_unlock(&st->lock);
	if (!ret) {
		make_tasks(l);
		pd_workers_run(l->sys->workers, l->nr_tasks, 1, run_tasks, l);
	}
	release(l);
	if (!ret && l->error)
		ret = pd_error(-l->error, "%s", l->why);
	return ret;
}

static int default_timeout(uint32_t *ms)
{
	const char *text = getenv("PIMDIMM_WATCHDOG");
	uint64_t n;

	*ms = DEFAULT_TIMEOUT_MS;
	if (!text || !*text)
		return 0;
	if (!pd_parse_number(text, strlen(text), false, UINT32_MAX, &n) || !n)
		return pd_error(EINVAL,
				"PIMDIMM_WATCHDOG is \"%s\", expected milliseconds",
				text);
	*ms = (uint32_t)n;
	return 0;
}

static int check_run(struct pimdimm *sys, const uint32_t pes[], uint32_t nr_pes,
		     const struct pimdimm_run *run)
{
	if (!sys)
		return pd_error(EINVAL, "sys is NULL");
	if (!pes && nr_pes)
		return pd_error(EINVAL, "pes is NULL, expected %u PEs", nr_pes);
	if (run && run->size != sizeof(*run))
		return pd_error(EINVAL, "run->size=%u, expected %zu", run->size,
				sizeof(*run));
	for (uint32_t i = 0; i < nr_pes; i++) {
		if (pes[i] >= sys->geometry.nr_pes)
			return pd_error(EINVAL, "pes[%u]=%u, expected below %u",
					i, pes[i], sys->geometry.nr_pes);
	}
	if (!pd_pe_state(sys))
		return -ENOMEM;
	return pd_cost_check();
}

/* The threads' times laid side by side: their share of the whole call. */
static uint64_t share(uint64_t ns, uint64_t part, uint64_t whole)
{
	return whole ? (uint64_t)((double)ns * (double)part / (double)whole) : 0;
}

/* Hand the report to the caller, whose options stay. */
static int report(struct launch *l, struct pimdimm_run *run, uint64_t ns)
{
	struct pimdimm_run *r = &l->report;

	if (run) {
		r->size = run->size;
		r->compat = run->compat;
		r->timeout_ms = run->timeout_ms;
		r->faulted = run->faulted;
		r->ns = ns;
		r->emulation_ns = share(ns, l->emulation_ns, l->busy_ns);
		*run = *r;
	}
	if (!r->nr_faulted)
		return 0;
	return pd_error(EFAULT, "PE %u, tasklet %u: %s", r->first.pe,
			r->first.tasklet, r->first.text);
}

int pimdimm_run(struct pimdimm *sys, const uint32_t pes[], uint32_t nr_pes,
		struct pimdimm_run *run)
{
	struct launch l = {
		.sys = sys,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.compat = run && run->compat,
		.faulted = run ? run->faulted : NULL,
	};
	uint64_t start = pd_now();
	int ret = check_run(sys, pes, nr_pes, run);

	if (!ret)
		ret = default_timeout(&l.timeout_ms);
	if (ret || !nr_pes)
		return ret;
	if (run && run->timeout_ms)
		l.timeout_ms = run->timeout_ms;
	if (l.faulted)
		memset(l.faulted, 0, nr_pes);
	l.entries = calloc(nr_pes, sizeof(*l.entries));
	l.tasks = calloc(nr_pes, sizeof(*l.tasks));
	if (l.entries && l.tasks)
		ret = run_claimed(&l, pes, nr_pes);
	else
		ret = pd_error(ENOMEM, "no memory for a launch of %u PEs",
			       nr_pes);
	free(l.entries);
	free(l.tasks);
	pthread_mutex_destroy(&l.lock);
	return ret ? ret : report(&l, run, pd_now() - start);
}
