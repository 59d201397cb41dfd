// SPDX-License-Identifier: MIT
/*
 * What is done with a PE that stops in the midst of its run: at a fault by what
 * PIMDIMM_ON_FAULT says, for the first of a launch, and wherever a debugger has it stop.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/clock.h"
#include "runtime/pe/collect.h"
#include "runtime/pe/debug/core.h"
#include "runtime/pe/debug/debugger.h"
#include "runtime/pe/stops.h"

/* a PE that is to stop has so long to come to a place where it can */
#define ASK_NS	PD_NS_PER_S

bool pd_stops_wanted(const struct pd_order *order)
{
	return order->debugger || order->on_fault != PD_ON_FAULT_END;
}

uint32_t pd_stops_begin(struct pd_slot *slot, const struct pd_order *order)
{
	uint32_t stops = order->on_fault == PD_ON_FAULT_END ? 0 : PE_STOPS_FAULTS;

	if (order->debugger)
		stops |= pd_debugger_begin(order->debugger, slot, order->pe);
	return stops;
}

void pd_stops_end(struct pd_slot *slot, const struct pd_order *order)
{
	const struct pd_scene scene = { .slot = slot, .pe = order->pe };

	if (order->debugger)
		pd_debugger_end(order->debugger, &scene);
}

/* The fault in words, as the launch's report will have it. */
static void tell_fault(struct pd_slot *slot, const struct pd_order *order, uint32_t late,
		       const struct pd_outcome *so_far, struct pimdimm_fault *fault)
{
	struct pd_outcome *out = malloc(sizeof(*out));

	snprintf(fault->text, sizeof(fault->text), "a fault");
	if (!out)
		return;
	*out = *so_far;
	pd_collect(slot, PE_FAULT_NONE, order, out);
	if (late)
		out->end.report.kind = late;
	pd_fault_tell(&out->end, slot->program, fault);
	free(out);
}

struct notice {
	const struct pd_order *order;
	struct pimdimm_fault fault;
};

static void tell_kept(void *ctx, const char *folder)
{
	const struct notice *n = ctx;

	fprintf(stderr, "pimdimm: PE %u, %s: %s; it is kept for a debugger: pimdimm debug --attach %s\n",
		n->fault.pe, pd_tasklet_name(n->fault.tasklet).text, n->fault.text, folder);
}

static void keep_for_gdb(const struct pd_scene *scene, struct notice *n, char *told,
			 size_t bytes)
{
	int err = pd_debugger_wait(scene, n->fault.kind, tell_kept, n);

	if (err)
		snprintf(told, bytes, "it could not be kept for a debugger: %s",
			 strerror(err));
}

static void write_core(const struct pd_scene *scene, const struct pd_order *order,
		       uint32_t fault, char *told, size_t bytes)
{
	char path[128];
	int err = pd_core_write(scene, fault, order->core_folder, path, sizeof(path));

	if (err)
		snprintf(told, bytes, "no core file in %s: %s", order->core_folder,
			 strerror(err));
	else
		snprintf(told, bytes, "its core file is %s", path);
}

/* late: PE_FAULT_TIMEOUT where that is why */
static void attend_fault(struct pd_slot *slot, const struct pd_order *order, uint32_t late,
			 struct pd_outcome *out)
{
	const struct pd_scene scene = { .slot = slot, .pe = order->pe, .begun = true };
	struct notice *n = calloc(1, sizeof(*n));

	if (!n)
		return;
	n->order = order;
	tell_fault(slot, order, late, out, &n->fault);
	/* others of the launch do what they do without it */
	if (order->on_fault != PD_ON_FAULT_END && !atomic_exchange(order->caught, true)) {
		if (order->on_fault == PD_ON_FAULT_CORE)
			write_core(&scene, order, n->fault.kind, out->end.told,
				   sizeof(out->end.told));
		else
			keep_for_gdb(&scene, n, out->end.told, sizeof(out->end.told));
	}
	if (order->debugger && !late)
		pd_debugger_stopped(order->debugger, &scene, n->fault.kind, n->fault.text);
	free(n);
}

uint64_t pd_stops_attend(struct pd_slot *slot, const struct pd_order *order,
			 struct pd_outcome *out)
{
	const struct pd_scene scene = { .slot = slot, .pe = order->pe, .begun = true };
	struct pe_shared *s = slot->arena.shared;
	uint64_t start = pd_now_ns();

	s->close = 0;
	s->ours = 0;
	if (s->stopped == PE_STOPPED_FAULT)
		attend_fault(slot, order, PE_FAULT_NONE, out);
	else if (order->debugger)
		pd_debugger_stopped(order->debugger, &scene, PE_FAULT_NONE, NULL);
	pd_slot_reply(slot);
	return pd_now_ns() - start;
}

void pd_stops_late(struct pd_slot *slot, const struct pd_order *order,
		   struct pd_outcome *out)
{
	struct pe_shared *s = slot->arena.shared;

	if (order->on_fault == PD_ON_FAULT_END)
		return;
	s->ask = 1;
	if (pd_slot_wait(slot, pd_now_ns() + ASK_NS) == PD_WAIT_CALLED &&
	    __atomic_load_n(&s->what, __ATOMIC_RELAXED) == PE_CALL_STOPPED)
		attend_fault(slot, order, PE_FAULT_TIMEOUT, out);
}

int pd_stops_take_debugger(struct pd_slot *slot, struct pimdimm_program *program,
			   struct pd_order *order)
{
	int ret;

	order->debugger = pd_debugger_take(order->pe, program, &slot->text_fd);
	if (!order->debugger)
		return 0;
	pd_slot_end_worker(slot);
	ret = pd_slot_take(slot, program);
	if (ret) {
		pd_debugger_give(order->debugger);
		slot->text_fd = 0;
	}
	return ret;
}

void pd_stops_give_debugger(struct pd_slot *slot, const struct pd_order *order)
{
	if (!order->debugger)
		return;
	slot->text_fd = 0;
	pd_slot_end_worker(slot);
	pd_debugger_give(order->debugger);
}
