/* SPDX-License-Identifier: MIT */
/* Where figures between machines are measured: emulated ones, in whose network MPI starts hosts. */
#ifndef PIMDIMM_PERF_HOSTS_EMULATED_H
#define PIMDIMM_PERF_HOSTS_EMULATED_H

#include "tools/perf/suites/hosts/rows.h"

/*
 * Whether there are such machines, and an MPI library whose processes end there; else the
 * report says why the figure is not measured.
 */
bool hosts_emulated(struct perf_suite *suite, const struct perf_figure *figure);
/* What goes before the tool to have as many hosts as these on each of so many machines. */
void hosts_emulated_before(char *text, size_t bytes, unsigned int machines,
			   unsigned int on_each, const char *rate);
/*
 * The rate of such machines' network, and what MPI's own streams get there, of which a row
 * tells; suite->status after a failure.
 */
struct hosts_rate hosts_emulated_rate(struct perf_suite *suite, const struct hosts_scene *scene,
				      const char *before, const char *rate);

/* Open MPI's collectives for several machines, which give way to others unless one asks */
#define HOSTS_HAN	"Open MPI coll/han"
/* What goes before that which goes before the tool; NULL: it is not there, says the report. */
const char *hosts_emulated_han(struct perf_suite *suite);

#endif /* PIMDIMM_PERF_HOSTS_EMULATED_H */
