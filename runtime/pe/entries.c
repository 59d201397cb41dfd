// SPDX-License-Identifier: MIT
/* Sorts the PEs of a launch into those that one worker takes, an entangled group at most. */
#include <errno.h>
#include <stdlib.h>

#include "runtime/base/error.h"
#include "runtime/pe/entries.h"
#include "runtime/pe/state.h"
#include "runtime/pe/told.h"
#include "runtime/ranks/geometry.h"
#include "runtime/ranks/owner.h"

static int by_group(const void *a, const void *b)
{
	const struct pd_entry *x = a, *y = b;

	if (pd_eg_of(x->pe) != pd_eg_of(y->pe))
		return x->pe < y->pe ? -1 : 1;
	if (x->program->id != y->program->id)
		return x->program->id < y->program->id ? -1 : 1;
	return x->pe < y->pe ? -1 : x->pe > y->pe;
}

static bool of_one_task(const struct pd_entry *a, const struct pd_entry *b)
{
	return pd_eg_of(a->pe) == pd_eg_of(b->pe) && a->program->id == b->program->id;
}

uint32_t pd_tasks_make(struct pd_entry *entries, uint32_t nr_entries, struct pd_task *tasks)
{
	uint32_t nr = 0;

	qsort(entries, nr_entries, sizeof(*entries), by_group);
	for (uint32_t i = 0; i < nr_entries; i++) {
		if (!nr || !of_one_task(&entries[i], &entries[tasks[nr - 1].first]))
			tasks[nr++] = (struct pd_task){ .first = i };
		tasks[nr - 1].count++;
		tasks[nr - 1].lanes |= (uint8_t)(1u << pd_lane_of(entries[i].pe));
	}
	return nr;
}

uint32_t pd_entries_row(const struct pd_entry *entries, uint32_t nr_entries, uint32_t *first)
{
	uint32_t last = 0;

	*first = UINT32_MAX;
	for (uint32_t i = 0; i < nr_entries; i++) {
		*first = entries[i].pe < *first ? entries[i].pe : *first;
		last = entries[i].pe > last ? entries[i].pe : last;
	}
	return last - *first == nr_entries - 1 ? nr_entries : 0;
}

int pd_entries_check(struct pimdimm *sys, const uint32_t pes[], uint32_t nr_pes,
		     const struct pimdimm_run *run)
{
	if (!sys)
		return pd_error(EINVAL, "sys is NULL");
	if (!pes && nr_pes)
		return pd_error(EINVAL, "pes is NULL, expected %u PEs", nr_pes);
	if (run && !pd_run_size_known(run))
		return pd_error(EINVAL, "run->size=%u, expected %zu", run->size,
				sizeof(*run));
	for (uint32_t i = 0; i < nr_pes; i++) {
		if (pes[i] >= sys->geometry.nr_pes)
			return pd_error(EINVAL, "pes[%u]=%u, expected below %u",
					i, pes[i], sys->geometry.nr_pes);
	}
	if (!pd_pe_state(sys))
		return -ENOMEM;
	return nr_pes ? pd_check_host(sys) : 0;
}

bool pd_entries_alike(const struct pd_entry *entries, uint32_t nr_entries)
{
	for (uint32_t i = 1; i < nr_entries; i++)
		if (entries[i].program->id != entries[0].program->id)
			return false;
	return true;
}

bool pd_entries_wait(const struct pd_entry *entries, uint32_t nr_entries)
{
	for (uint32_t i = 0; i < nr_entries; i++)
		if (entries[i].stay)
			return true;
	return false;
}
