// SPDX-License-Identifier: MIT
/* What surrounds every run of PE kernels, and the faults of their tasklets. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <pimdimm/spmd.h>

#include "runtime/base/error.h"
#include "runtime/base/threads.h"
#include "runtime/pe/kernels/kernel.h"
#include "runtime/ranks/inject.h"
#include "runtime/ranks/owner.h"
#include "runtime/ranks/system.h"
#include "runtime/watch/report.h"
#include "runtime/watch/timeline.h"

static int check_call(const struct pd_kernel_call *call)
{
	const struct pimdimm_geometry *g = pimdimm_geometry(call->sys);

	if (!g)
		return pd_error(EINVAL, "sys is NULL");
	if (call->first_pe > g->nr_pes ||
	    call->nr_pes > g->nr_pes - call->first_pe)
		return pd_error(EINVAL,
				"first_pe=%u and nr_pes=%u, expected PEs below %u",
				call->first_pe, call->nr_pes, g->nr_pes);
	if (!call->nr_tasklets || call->nr_tasklets > g->max_tasklets)
		return pd_error(EINVAL, "nr_tasklets=%u, expected 1 to %u",
				call->nr_tasklets, g->max_tasklets);
	if (!call->kernel)
		return pd_error(EINVAL, "kernel is NULL");
	return 0;
}

/* Run it in the PEs' hands. */
static int run_owned(struct pd_kernel_call *call)
{
	char name[32];
	struct pd_pes_launch owned = { .kind = "a kernel of", .name = name,
				       .first_pe = call->first_pe, .nr_pes = call->nr_pes };
	int ret, taken_back;

	snprintf(name, sizeof(name), "pimdimm_%s()", call->name);
	pd_ranks_of_range(&owned.ranks, call->first_pe, call->nr_pes);
	ret = pd_pes_begin(call->sys, &owned);
	if (ret)
		return ret;
	ret = call->run(call);
	taken_back = pd_pes_end(call->sys, &owned);
	return ret ? ret : taken_back;
}

/* PE kernels are code of the host, whose instructions say nothing of hardware's. */
static void report_call(const char *name, uint64_t start)
{
	struct pd_report_call call = {
		.row = {
			.kind = PIMDIMM_REPORT_KERNEL,
			.calls = 1,
			.uncounted = 1,
			.emulation_ns = pd_now_ns() - start,
		},
	};

	pd_report_text(call.row.name, sizeof(call.row.name), name);
	pd_report_add(&call);
}

static int tell_fault(const struct pd_kernel_faults *faults)
{
	char who[32];

	pd_kernel_who(faults->tasklet, who);
	return pd_error(EFAULT, "PE %u, %s: %s", faults->pe, who, faults->text);
}

/* Run what was checked, and tell of it. */
static int tell_call(struct pd_kernel_call *call)
{
	struct pd_span span = pd_timeline_begin(call->name);
	uint64_t start = pd_report_begin();
	int ret = run_owned(call);

	if (!ret && call->faults.faulted)
		ret = tell_fault(&call->faults);
	pd_timeline_end(&span,
			"\"first_pe\":%u,\"nr_pes\":%u,\"tasklets\":%u,\"ret\":%d",
			call->first_pe, call->nr_pes, call->nr_tasklets, ret);
	if (start && !ret)
		report_call(call->name, start);
	return ret;
}

int pd_kernel_call(struct pd_kernel_call *call)
{
	int ret = check_call(call);
	int cancel = pd_cancel_off();

	pthread_mutex_init(&call->faults.lock, NULL);
	if (!ret && call->nr_pes)
		ret = pd_check_host(call->sys);
	if (!ret)
		ret = pd_present(call->sys, call->first_pe, call->nr_pes);
	if (!ret && call->nr_pes) {
		ret = tell_call(call);
		if (!ret)
			ret = pd_present(call->sys, call->first_pe,
					 call->nr_pes);
	}
	pthread_mutex_destroy(&call->faults.lock);
	pd_cancel_restore(cancel);
	return ret;
}

int pd_kernel_check_resident(const struct pimdimm_pe *pe, const char *what)
{
	if (pe->place->resident)
		return 0;
	return pd_error(EOPNOTSUPP,
			"%s in a kernel of pimdimm_launch(), expected one of pimdimm_spmd()",
			what);
}

void pd_kernel_who(unsigned int tasklet, char text[32])
{
	if (tasklet == PIMDIMM_TRAVELLER)
		memcpy(text, "a parcel's thread", sizeof("a parcel's thread"));
	else
		snprintf(text, 32, "tasklet %u", tasklet);
}

int pd_kernel_fault(struct pimdimm_pe *pe, const char *format, ...)
{
	struct pd_kernel_faults *f = pe->place->faults;
	uint32_t id = pe->place->pe;
	char text[sizeof(f->text)], who[32];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	pthread_mutex_lock(&f->lock);
	if (!f->faulted || id < f->pe ||
	    (id == f->pe && pe->tasklet < f->tasklet)) {
		f->faulted = true;
		f->pe = id;
		f->tasklet = pe->tasklet;
		memcpy(f->text, text, strlen(text) + 1);
	}
	pthread_mutex_unlock(&f->lock);
	pd_kernel_who(pe->tasklet, who);
	return pd_error(EINVAL, "PE %u, %s: %s", id, who, text);
}
