// SPDX-License-Identifier: MIT
/*
 * Hosts on emulated machines with links of a rate: what goes over them in which time. The
 * rate that MPI itself reaches there is measured in the same processes.
 */
#include <math.h>
#include <string.h>

#include "tools/perf/suites/hosts/between.h"
#include "tools/perf/suites/hosts/opponents.h"
#include "tools/perf/suites/hosts/runs.h"
#include "tools/tool.h"

#define PES_A_MACHINE	256u
/* bytes that each machine sends to measure the rate: many times what a bucket holds */
#define STREAM_BYTES	(UINT64_C(32) << 20)
#define CALLS		3u

static bool machines_work(void)
{
	return hosts_run_works("%s machines -n 2 --rate 1gbit -- true", hosts_run_tool());
}

bool hosts_between_works(struct perf_suite *suite)
{
	const char *why = NULL;

	if (!hosts_launcher())
		why = "no MPI library is installed";
	else if (!machines_work())
		why = "the kernel refuses namespaces, see pimdimm machines";
	if (why)
		perf_report_absent(&suite->report, "between machines", why);
	return !why;
}

/* A launcher on machines, as many hosts as these. */
static void put_launcher(char *text, size_t bytes, unsigned int machines, const char *rate)
{
	const char *launcher = strrchr(hosts_launcher(), ' ') + 1;

	snprintf(text, bytes,
		 "%s machines -n %u --rate %s -- %s -n %u",
		 hosts_run_tool(), machines, rate, launcher, machines);
}

/* Of one group of all PEs: what each host has for the others, or an accumulator's way. */
static double bytes_sent(const char *collective, unsigned int machines, uint64_t bytes)
{
	double n = machines, all = (double)bytes * PES_A_MACHINE;

	if (!strcmp(collective, "alltoall"))
		return all * (n - 1) / n;
	/* to the next host, and from the last one to the others */
	return (double)bytes;
}

int hosts_between_measure(struct perf_suite *suite, unsigned int machines, const char *rate,
			  const char *collective, uint64_t bytes, struct hosts_between *b)
{
	const struct hosts_run_row *row;
	static struct hosts_run run;
	char before[512];
	int ret;

	(void)suite;
	*b = (struct hosts_between){ NAN, NAN, NAN, bytes_sent(collective, machines, bytes) };
	put_launcher(before, sizeof(before), machines, rate);
	ret = hosts_run(&run, before, "--host-buffers -a stream -n %u -b %llu allgather", CALLS,
			(unsigned long long)STREAM_BYTES);
	if (ret)
		return ret;
	row = hosts_run_find(&run, "allgather", STREAM_BYTES, "stream");
	if (row)
		b->rate = (double)STREAM_BYTES / row->ns;
	ret = hosts_run(&run, before,
			"--hosts %u --no-baseline -a auto,conventional -s %u -x 1 -n %u -b %llu %s",
			machines, machines * PES_A_MACHINE, CALLS, (unsigned long long)bytes,
			collective);
	if (ret)
		return ret;
	row = hosts_run_find(&run, collective, bytes, "auto");
	b->ours = row ? row->ns : NAN;
	row = hosts_run_find(&run, collective, bytes, "conventional");
	b->conventional = row ? row->ns : NAN;
	return TOOL_OK;
}

static void put_between(struct perf_suite *suite, unsigned int machines, const char *rate,
			const char *collective, uint64_t bytes, const struct hosts_between *b)
{
	struct perf_report *r = &suite->report;

	hosts_beside_put(r, &(struct hosts_beside){ collective, "machines", "conventional", bytes,
						    machines, b->ours, b->conventional,
						    { hosts_rate_of(rate).nominal, b->rate * 8 } });
	if (r->format == PERF_TEXT)
		fprintf(r->out, "# nominal %s, measured %.2f Gb/s of MPI's streams; a machine sends %.0f bytes, %.2f of the rate\n",
			rate, b->rate * 8, b->sent, b->sent / b->rate / b->ours);
}

/* NAN where either was not measured */
static double less_of(double a, double b)
{
	return isnan(a) || isnan(b) ? NAN : fmin(a, b);
}

/* The least over 2 and 4 machines; NAN where not both were measured. */
static void over_machines(struct perf_targets *t, const char *rate, const char *collective,
			  uint64_t bytes, double *share, double *speedup)
{
	*share = *speedup = INFINITY;
	for (unsigned int machines = 2; machines <= 4; machines *= 2) {
		struct hosts_between b;

		t->suite->status = hosts_between_measure(t->suite, machines, rate, collective,
							 bytes, &b);
		if (t->suite->status) {
			*share = *speedup = NAN;
			return;
		}
		put_between(t->suite, machines, rate, collective, bytes, &b);
		*share = less_of(*share, b.sent / b.rate / b.ours);
		*speedup = less_of(*speedup, b.conventional / b.ours);
	}
}

/* Of vectors so long a machine's own fold copies nothing: all comes with the arrival. */
#define STAGED_BYTES	(UINT64_C(4) << 10)
#define SENT_BYTES	(UINT64_C(1) << 20)

/* What the one that sends or stages most does so by leaders, by what it does by a leader. */
struct leaders_shares {
	double sent, staged;
};

static double counted_share(uint64_t leaders, uint64_t leader)
{
	return leader ? (double)leaders / (double)leader : NAN;
}

static struct leaders_shares leaders_shares(struct perf_suite *suite, uint64_t bytes)
{
	const struct hosts_run_row *leader, *leaders;
	static struct hosts_run run;
	char before[768];

	snprintf(before, sizeof(before),
		 "%s -n 4 sh -c 'PIMDIMM_MACHINE=m$((${OMPI_COMM_WORLD_RANK-$PMI_RANK} / 2)); export PIMDIMM_MACHINE; exec \"$@\"' sh",
		 hosts_launcher());
	suite->status = hosts_run(&run, before,
				  "--host-buffers -a leader,leaders -n 1 -b %llu allreduce",
				  (unsigned long long)bytes);
	leader = hosts_run_find(&run, "allreduce", bytes, "leader");
	leaders = hosts_run_find(&run, "allreduce", bytes, "leaders");
	if (suite->status || !leader || !leaders)
		return (struct leaders_shares){ NAN, NAN };
	return (struct leaders_shares){ counted_share(leaders->sent, leader->sent),
					counted_share(leaders->staged, leader->staged) };
}

static void leaders_targets(struct perf_targets *t)
{
	double sent = NAN, staged = NAN;

	if (!t->suite->status && hosts_launcher()) {
		sent = leaders_shares(t->suite, SENT_BYTES).sent;
		if (!t->suite->status)
			staged = leaders_shares(t->suite, STAGED_BYTES).staged;
	}
	perf_target_add(t, 0.5, sent, "2 x 2 hosts: bytes sent by each of leaders, counted");
	perf_target_at_most(t);
	perf_target_add(t, 0.5, staged, "2 x 2 hosts: bytes staged by each of leaders, counted");
	perf_target_at_most(t);
}

void hosts_between_targets(struct perf_targets *t)
{
	const struct perf_args *args = t->suite->args;
	uint64_t bytes = args->given_sizes && args->end < 512 << 10 ? args->end : 512 << 10;
	double share = NAN, speedup = NAN, unused;

	/* a word for each of the PEs that there are at most */
	bytes = bytes < 8 * 4 * PES_A_MACHINE ? 8 * 4 * PES_A_MACHINE : bytes;
	if (hosts_between_works(t->suite)) {
		over_machines(t, "1gbit", "alltoall", bytes, &share, &unused);
		if (!t->suite->status)
			over_machines(t, "10gbit", "allreduce", bytes, &unused, &speedup);
	}
	perf_target_add(t, 0.80, share, "alltoall, 2 and 4 machines, 1 Gb/s: share of the rate");
	perf_target_add(t, 2.0, speedup, "allreduce, 2 and 4 machines, 10 Gb/s: by conventional");
	leaders_targets(t);
}
