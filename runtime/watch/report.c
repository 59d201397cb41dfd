// SPDX-License-Identifier: MIT
/* The rows of a report: calls added up by phase, kind and name. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <pimdimm/pimdimm_layout.h>

#include "runtime/base/error.h"
#include "runtime/base/threads.h"
#include "runtime/watch/report.h"
#include "runtime/watch/report_parts.h"

/* whoever makes up more names than this has their calls counted as lost */
#define MAX_ROWS	4096

_Atomic bool pd_report_running;

static struct {
	pthread_mutex_t lock;	/* of what follows */
	struct pimdimm_report_row *rows;
	struct pd_tasklet (*tasklets)[PD_TASKLETS];	/* of each row */
	uint32_t nr_rows, room;
	uint32_t last;		/* row that was added to */
	char phase[sizeof(((struct pimdimm_report_row *)0)->phase)];
	uint64_t window_ns, clock_hz, lost;
	bool forked;
} report = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* a call of the calling thread that is made of several */
static _Thread_local struct {
	unsigned int depth;
	uint64_t start;		/* 0: nobody asked when it began */
	bool any;		/* of its kind was one at least */
	struct pd_report_call call;
	struct pd_tasklet tasklets[PD_TASKLETS];
} whole;

static int lock_report(void)
{
	int cancel = pd_cancel_off();

	pthread_mutex_lock(&report.lock);
	return cancel;
}

static void unlock_report(int cancel)
{
	pthread_mutex_unlock(&report.lock);
	pd_cancel_restore(cancel);
}

static void before_fork(void)
{
	pthread_mutex_lock(&report.lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&report.lock);
}

/* A child reports what it does itself. */
static void in_child(void)
{
	report.nr_rows = 0;
	pd_report_parts_forget();
	report.window_ns = 0;
	report.lost = 0;
	report.forked |= pd_report_running;
	pthread_mutex_unlock(&report.lock);
}

/* from the beginning: phases may change before there is a report */
__attribute__((constructor))
static void watch_forks(void)
{
	pthread_atfork(before_fork, after_fork, in_child);
}

void pimdimm_report_start(void)
{
	pd_report_running = true;
}

void pd_report_text(char *field, size_t room, const char *text)
{
	size_t n = strnlen(text, room - 1);

	memcpy(field, text, n);
	memset(field + n, 0, room - n);
}

void pimdimm_report_phase(const char *name)
{
	int cancel = lock_report();

	pd_report_text(report.phase, sizeof(report.phase), name ? name : "");
	unlock_report(cancel);
}

/* lock held */
static bool is_row_of(const struct pimdimm_report_row *row,
		      const struct pimdimm_report_row *call)
{
	return row->kind == call->kind && !strcmp(row->name, call->name) &&
	       !strcmp(row->axes, call->axes) &&
	       !strcmp(row->algorithm, call->algorithm) &&
	       !strcmp(row->phase, report.phase);
}

/* lock held; false: no memory */
static bool make_room(void)
{
	uint32_t room = report.room ? 2 * report.room : 16;
	struct pd_tasklet (*tasklets)[PD_TASKLETS];
	struct pimdimm_report_row *rows;

	if (report.nr_rows < report.room)
		return true;
	rows = realloc(report.rows, room * sizeof(*rows));
	if (!rows)
		return false;
	report.rows = rows;
	tasklets = realloc(report.tasklets, room * sizeof(*tasklets));
	if (!tasklets)
		return false;
	report.tasklets = tasklets;
	report.room = room;
	return true;
}

/* lock held; NULL: no room */
static struct pimdimm_report_row *
make_row(const struct pimdimm_report_row *call)
{
	struct pimdimm_report_row *row;

	if (report.nr_rows == MAX_ROWS || !make_room())
		return NULL;
	report.last = report.nr_rows++;
	memset(report.tasklets[report.last], 0, sizeof(*report.tasklets));
	row = &report.rows[report.last];
	*row = (struct pimdimm_report_row){
		.size = sizeof(*row),
		.kind = call->kind,
	};
	memcpy(row->phase, report.phase, sizeof(row->phase));
	memcpy(row->name, call->name, sizeof(row->name));
	memcpy(row->axes, call->axes, sizeof(row->axes));
	memcpy(row->algorithm, call->algorithm, sizeof(row->algorithm));
	return row;
}

/* lock held; NULL: no room for a new one. Most calls are as the last one was. */
static struct pimdimm_report_row *
row_of(const struct pimdimm_report_row *call)
{
	if (report.last < report.nr_rows &&
	    is_row_of(&report.rows[report.last], call))
		return &report.rows[report.last];
	for (uint32_t i = 0; i < report.nr_rows; i++) {
		if (is_row_of(&report.rows[i], call)) {
			report.last = i;
			return &report.rows[i];
		}
	}
	return make_row(call);
}

void pd_report_sum(struct pimdimm_report_row *sum,
		   const struct pimdimm_report_row *row)
{
#define SUM_UP(member)	sum->member += row->member;
	PD_REPORT_SUMS(SUM_UP)
	/* the stack that came nearest to its end */
	if (!sum->stack_room ||
	    (uint64_t)row->stack_used * sum->stack_room >
		    (uint64_t)sum->stack_used * row->stack_room) {
		sum->stack_used = row->stack_used;
		sum->stack_room = row->stack_room;
	}
	if (row->longest_cycles > sum->longest_cycles ||
	    (row->longest_cycles && row->longest_cycles == sum->longest_cycles &&
	     row->slowest_pe < sum->slowest_pe)) {
		sum->longest_cycles = row->longest_cycles;
		sum->slowest_pe = row->slowest_pe;
	}
}

void pd_tasklets_add(struct pd_tasklet *sum, const struct pd_tasklet *t, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
#define SUM_UP_TASKLET(member)	sum[i].member += t[i].member;
		PD_TASKLET_MEMBERS(SUM_UP_TASKLET)
	}
}

/* lock held; NULL: no room. Parts of a launch go to the row of the first of them. */
static struct pimdimm_report_row *
row_of_part(struct pd_report_call *call, struct pd_tasklet tasklets[PD_TASKLETS])
{
	struct pd_report_parts *parts = pd_report_parts_find(call->parts);
	struct pimdimm_report_row *row;

	if (parts) {
		pd_report_parts_add(parts, call, tasklets);
		return &report.rows[pd_report_parts_row(parts)];
	}
	row = row_of(&call->row);
	if (row && call->parts)
		pd_report_parts_begin(call->parts, (uint32_t)(row - report.rows), call);
	return row;
}

static void add_call(struct pd_report_call *call)
{
	struct pd_tasklet tasklets[PD_TASKLETS];
	struct pimdimm_report_row *row;
	int cancel = lock_report();

	row = row_of_part(call, tasklets);
	if (row) {
		pd_report_sum(row, &call->row);
		pd_tasklets_add(report.tasklets[row - report.rows], call->tasklets,
				call->nr_tasklets);
		row->bus_ns += call->bus.call_ns + call->bus.move_ns;
		report.window_ns += call->window_ns;
		report.clock_hz = call->clock_hz ? call->clock_hz :
						   report.clock_hz;
	} else {
		report.lost += call->row.calls;
	}
	unlock_report(cancel);
}

/* The calling thread's whole call has the name of the last of its parts. */
static void add_part(const struct pd_report_call *call)
{
	struct pd_report_call *all = &whole.call;

	if (call->row.kind != all->row.kind)
		return;
	whole.any = true;
	memcpy(all->row.name, call->row.name, sizeof(all->row.name));
	memcpy(all->row.axes, call->row.axes, sizeof(all->row.axes));
	memcpy(all->row.algorithm, call->row.algorithm,
	       sizeof(all->row.algorithm));
	pd_report_sum(&all->row, &call->row);
	if (call->bus.call_ns > all->bus.call_ns)
		all->bus.call_ns = call->bus.call_ns;
	all->bus.move_ns += call->bus.move_ns;
	pd_tasklets_add(whole.tasklets, call->tasklets, call->nr_tasklets);
	all->window_ns += call->window_ns;
	all->clock_hz = call->clock_hz;
}

void pd_report_add(const struct pd_report_call *call)
{
	struct pd_report_call own = *call;

	if (whole.depth)
		add_part(call);
	else
		add_call(&own);
}

void pd_report_transfer(uint64_t start, const char *name,
			const struct pd_bus_call *transfer)
{
	bool out = transfer->kind == PD_BUS_PULL ||
		   transfer->kind == PD_BUS_WRAM_READ;
	bool wram = transfer->kind == PD_BUS_WRAM_WRITE ||
		    transfer->kind == PD_BUS_WRAM_READ;
	uint64_t bytes = transfer->bytes * transfer->pes;
	struct pd_report_call call = {
		.row = {
			.kind = out ? PIMDIMM_REPORT_FROM_PES :
				      PIMDIMM_REPORT_TO_PES,
			.calls = 1,
			.mram_bytes = wram ? 0 : bytes,
			.host_bytes = transfer->kind == PD_BUS_BROADCAST ?
					      transfer->bytes : bytes,
			.bus_bytes = wram ? bytes :
				     (transfer->bytes + PIMDIMM_WORD_BYTES - 1) /
				     PIMDIMM_WORD_BYTES * PIMDIMM_BLOCK_BYTES *
				     transfer->egs,
			.host_ns = pd_now_ns() - start,
		},
		.bus = pd_bus_time(transfer),
	};

	pd_report_text(call.row.name, sizeof(call.row.name), name);
	pd_report_add(&call);
}

void pimdimm_report_enter(enum pimdimm_report_kind kind)
{
	if (whole.depth++)
		return;
	whole.any = false;
	whole.call = (struct pd_report_call){
		.row.kind = kind,
		.tasklets = whole.tasklets,
		.nr_tasklets = PD_TASKLETS,
	};
	memset(whole.tasklets, 0, sizeof(whole.tasklets));
	whole.start = pd_report_begin();
}

void pimdimm_report_leave(void)
{
	struct pimdimm_report_row *row = &whole.call.row;

	if (!whole.depth || --whole.depth || !whole.any || !whole.start)
		return;
	row->calls = 1;
	row->uncounted = row->uncounted != 0;
	/* what no hardware has is emulation's, whoever asked for it */
	if (row->kind != PIMDIMM_REPORT_PROGRAM &&
	    row->kind != PIMDIMM_REPORT_KERNEL)
		row->host_ns = pd_now_ns() - whole.start - row->emulation_ns;
	add_call(&whole.call);
}

/* A text that ends inside of its field. */
static bool text_ends(const char *field, size_t room)
{
	return strnlen(field, room) < room;
}

static int check_row(const struct pimdimm_report_row *row)
{
	if (!row || row->size != sizeof(*row))
		return row ? pd_error(EINVAL, "row->size=%u, expected %zu",
				      row->size, sizeof(*row)) :
			     pd_error(EINVAL, "row is NULL");
	if (row->kind > PIMDIMM_REPORT_KERNEL)
		return pd_error(EINVAL, "row->kind=%u, expected at most %d",
				row->kind, PIMDIMM_REPORT_KERNEL);
	if (!*row->name || !text_ends(row->name, sizeof(row->name)))
		return pd_error(EINVAL, "row->name is %s, expected 1 to %zu bytes",
				*row->name ? "longer" : "empty",
				sizeof(row->name) - 1);
	if (!text_ends(row->axes, sizeof(row->axes)) ||
	    !text_ends(row->algorithm, sizeof(row->algorithm)))
		return pd_error(EINVAL,
				"row->axes or row->algorithm does not end, expected at most %zu and %zu bytes",
				sizeof(row->axes) - 1, sizeof(row->algorithm) - 1);
	return 0;
}

int pimdimm_report_add(const struct pimdimm_report_row *row)
{
	struct pd_report_call call = { 0 };
	int ret = check_row(row);

	if (ret || !pd_report_on())
		return ret;
	call.row = *row;
	if (row->kind == PIMDIMM_REPORT_COLLECTIVE && !row->bus_ns)
		call.row.bus_ns = pd_bus_collective_ns(row->bus_bytes);
	pd_report_add(&call);
	return 0;
}

int pimdimm_report_read(uint32_t index, struct pimdimm_report_row *row)
{
	int ret = 0, cancel;

	if (!row || row->size != sizeof(*row))
		return row ? pd_error(EINVAL, "row->size=%u, expected %zu",
				      row->size, sizeof(*row)) :
			     pd_error(EINVAL, "row is NULL");
	cancel = lock_report();
	if (index < report.nr_rows)
		*row = report.rows[index];
	else
		ret = pd_error(ENOENT, "index=%u, expected below %u rows",
			       index, report.nr_rows);
	unlock_report(cancel);
	return ret;
}

int pd_report_copy(struct pd_report_all *all)
{
	int cancel = lock_report();

	*all = (struct pd_report_all){
		.rows = malloc((report.nr_rows + 1) * sizeof(*all->rows)),
		.tasklets = malloc((report.nr_rows + 1) * sizeof(*all->tasklets)),
		.nr_rows = report.nr_rows,
		.window_ns = report.window_ns,
		.clock_hz = report.clock_hz,
		.lost = report.lost,
		.forked = report.forked,
	};
	if (all->rows && all->tasklets && report.nr_rows) {
		memcpy(all->rows, report.rows,
		       report.nr_rows * sizeof(*all->rows));
		memcpy(all->tasklets, report.tasklets,
		       report.nr_rows * sizeof(*all->tasklets));
	}
	unlock_report(cancel);
	if (all->rows && all->tasklets)
		return 0;
	pd_report_free(all);
	return pd_error(ENOMEM, "no memory for a report of %u rows", all->nr_rows);
}

void pd_report_free(struct pd_report_all *all)
{
	free(all->rows);
	free(all->tasklets);
}
