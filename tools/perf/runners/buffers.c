// SPDX-License-Identifier: MIT
/*
 * Times collectives on hosts' buffers. Algorithms take turns, repetition by repetition; a
 * call's time is the slowest host's, and what all hosts load and store is counted beside.
 * MPI, whose processes the hosts are, and a plain loop take turns with them, too.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/csv.h"
#include "tools/perf/machine.h"
#include "tools/inside.h"
#include "tools/hosts/launched.h"
#include "tools/hosts/team.h"
#include "tools/perf/runners/buffers.h"
#include "tools/perf/runners/buffers_roof.h"
#include "tools/tool.h"

#define USUAL_HOSTS	2
/* calls that are timed together are too short to be timed one by one */
#define SHORT_BYTES	4096u
#define SHORT_CALLS	100u
#define MPI		PERF_MPI
#define MPI_BLOCK	PERF_MPI_BLOCK
#define ROOFLINE	PERF_ROOFLINE
#define STREAM		PERF_STREAM

static const char *const kinds[] = { "allreduce", "reduce_scatter", "reduce", "broadcast",
				     "allgather" };

struct buffers_run {
	struct tool_team team;
	const struct perf_args *args;
	enum pidcomm_type type;	/* i32 or f32 */
	const char *kind;
	uint64_t bytes;		/* of a host's vector */
	uint64_t counts[128];
	uint32_t *src, *dst;	/* room for the largest vectors, and results */
	uint64_t held;
	uint64_t wrong;
	struct perf_buffers_row *rows;	/* as args->names; NULL: they are printed */
};

/* Element i of a host's vector: sums of all hosts' are exact in floats, too. */
static int32_t element_of(uint32_t host, uint64_t i)
{
	return (int32_t)(host * 7 + i % 1021);
}

/* A number as it stands in a vector. */
static uint32_t bits_of(const struct buffers_run *b, int32_t number)
{
	const float real = (float)number;
	uint32_t bits = (uint32_t)number;

	if (b->type == PIDCOMM_F32)
		memcpy(&bits, &real, sizeof(bits));
	return bits;
}

static uint64_t elements(const struct buffers_run *b)
{
	return b->bytes / sizeof(*b->src);
}

static bool kind_is(const struct buffers_run *b, const char *kind)
{
	return !strcmp(b->kind, kind);
}

static int buffers_failed(const struct buffers_run *b, const char *name)
{
	return tool_error("%s, %s: %s", b->kind, name, pimdimm_errmsg());
}

static bool by_mpi(const char *name)
{
	return !strcmp(name, MPI) || !strcmp(name, MPI_BLOCK);
}

/* What is not the library's: MPI's collectives, and a plain loop. */
static bool by_library(const char *name)
{
	return !by_mpi(name) && strcmp(name, STREAM) &&
	       strncmp(name, ROOFLINE, strlen(ROOFLINE));
}

/* Loops and streams have no result to compare. */
static bool has_result(const char *name)
{
	return by_library(name) || by_mpi(name);
}

/* All choose the same; what is not the library's chooses nothing. */
static int choose(const struct buffers_run *b, const char *name)
{
	return by_library(name) ? pimdimm_hosts_set_algorithm(b->team.hosts, b->kind, name) : 0;
}

static int foreign_call(const struct buffers_run *b, const char *name)
{
	char call[32];

	if (!strcmp(name, STREAM))
		return launched_call(STREAM, b->src, b->dst, elements(b), NULL);
	if (!by_mpi(name))
		return perf_buffers_roof(b->team.hosts, b->src, b->dst, b->bytes,
					 !strcmp(name, ROOFLINE ":nt-copy"));
	snprintf(call, sizeof(call), "%s%s:%s", b->kind, strcmp(name, MPI) ? "_block" : "",
		 pc_type_name(b->type));
	return launched_call(call, b->src,
			     kind_is(b, "broadcast") && !b->team.host ? b->src : b->dst,
			     elements(b), b->counts);
}

static int buffers_call(const struct buffers_run *b)
{
	struct pimdimm_hosts *h = b->team.hosts;

	if (kind_is(b, "allreduce"))
		return pimdimm_hosts_allreduce(h, b->src, b->dst, elements(b), b->type,
					       PIDCOMM_SUM);
	if (kind_is(b, "reduce_scatter"))
		return pimdimm_hosts_reduce_scatter(h, b->src, b->dst, b->counts, b->type,
						    PIDCOMM_SUM);
	if (kind_is(b, "reduce"))
		return pimdimm_hosts_reduce(h, b->src, b->dst, elements(b), b->type,
					    PIDCOMM_SUM, 0);
	if (kind_is(b, "broadcast"))
		return pimdimm_hosts_broadcast(h, b->team.host ? b->dst : b->src, b->bytes, 0);
	return pimdimm_hosts_allgather(h, b->src, b->dst, b->bytes);
}

static int any_call(const struct buffers_run *b, const char *name)
{
	if (!by_library(name))
		return foreign_call(b, name);
	return buffers_call(b) ? buffers_failed(b, name) : TOOL_OK;
}

/* What element i of the result is, of the elements that this host gets. */
static int32_t wanted(const struct buffers_run *b, uint64_t i)
{
	int32_t sum = 0;

	if (kind_is(b, "broadcast"))
		return element_of(0, i);
	if (kind_is(b, "allgather"))
		return element_of((uint32_t)(i / elements(b)), i % elements(b));
	for (uint32_t host = 0; host < b->team.host && kind_is(b, "reduce_scatter"); host++)
		i += b->counts[host];
	for (uint32_t host = 0; host < b->team.count; host++)
		sum += element_of(host, i);
	return sum;
}

static uint64_t received(const struct buffers_run *b)
{
	if (kind_is(b, "allgather"))
		return elements(b) * b->team.count;
	if (kind_is(b, "reduce_scatter"))
		return b->counts[b->team.host];
	if (kind_is(b, "reduce") && b->team.host)
		return 0;
	return kind_is(b, "broadcast") && !b->team.host ? 0 : elements(b);
}

/* One call, of results that were not there before; adds up what is wrong at all hosts. */
static int buffers_check(struct buffers_run *b, const char *name)
{
	uint64_t wrong = 0;

	for (uint64_t i = 0; i < elements(b); i++)
		b->src[i] = bits_of(b, element_of(b->team.host, i));
	memset(b->dst, 0xa5, received(b) * sizeof(*b->dst));
	if (any_call(b, name))
		return TOOL_FAILED;
	for (uint64_t i = 0; i < received(b); i++)
		wrong += b->dst[i] != bits_of(b, wanted(b, i));
	pimdimm_hosts_set_algorithm(b->team.hosts, "allreduce", "auto");
	if (tool_team_sum(&b->team, &wrong))
		return TOOL_FAILED;
	b->wrong += wrong;
	return TOOL_OK;
}

/*
 * Calls, one after the other, that all hosts begin together: this host's nanoseconds. One
 * before them finds the caches as another way's calls have left them, and is not timed.
 */
static int time_calls(const struct buffers_run *b, const char *name, unsigned int calls,
		      uint64_t *took)
{
	uint64_t start;

	if (choose(b, name) || any_call(b, name))
		return TOOL_FAILED;
	if (pimdimm_hosts_barrier(b->team.hosts))
		return buffers_failed(b, name);
	start = tool_now();
	for (unsigned int i = 0; i < calls; i++) {
		if (any_call(b, name))
			return TOOL_FAILED;
	}
	*took = (tool_now() - start) / calls;
	return TOOL_OK;
}

/* what a call counted, of all hosts, and of the one that staged or sent most */
struct buffers_counts {
	uint64_t touched, staged, sent;
};

/* Nanoseconds of a call, the slowest host's, and what was counted. */
static int buffers_time(const struct buffers_run *b, const char *name, double *ns,
			struct buffers_counts *counts)
{
	struct pimdimm_hosts_stats stats = { .size = sizeof(stats) };
	struct pimdimm_hosts *h = b->team.hosts;
	uint64_t most[3] = { 0 };

	if (time_calls(b, name, b->bytes <= SHORT_BYTES ? SHORT_CALLS : 1, &most[0]))
		return TOOL_FAILED;
	if (by_library(name))
		pimdimm_hosts_stats(h, &stats);
	counts->touched = stats.loaded + stats.stored;
	most[1] = stats.sent_bytes;
	most[2] = stats.copied_in;
	/* what is on the stack here is of no algorithm that asks for more */
	pimdimm_hosts_set_algorithm(h, "allreduce", "auto");
	if (tool_team_sum(&b->team, &counts->touched) ||
	    pimdimm_hosts_allreduce(h, most, most, 3, PIDCOMM_U64, PIDCOMM_MAX))
		return buffers_failed(b, name);
	*ns = (double)most[0];
	counts->sent = most[1];
	counts->staged = most[2];
	return TOOL_OK;
}

static void print_row(const struct buffers_run *b, const char *name, double *ns,
		      const struct buffers_counts *counts, uint64_t wrong)
{
	const unsigned int n = b->args->how.iters;
	const bool csv = b->args->format == PERF_CSV;

	perf_sort_times(ns, n);
	printf(csv ?
	       "%s,%" PRIu64 ",%u,%s,%s,%.0f,%.0f,%" PRIu64 ",%.2f,%" PRIu64 ",%" PRIu64 ",%s" :
	       " %-14s %10" PRIu64 " %5u %-8s %-13s %11.0f %11.0f %12" PRIu64 " %7.2f %6" PRIu64 " %11" PRIu64 " %4s",
	       b->kind, b->bytes, b->team.count, b->args->how.mapped ? "mapped" : "private", name,
	       perf_median(ns, n), ns[0], counts->touched,
	       (double)counts->touched / perf_median(ns, n), wrong, counts->sent,
	       pc_type_name(b->type));
	printf(csv ? ",%" PRIu64 "\n" : " %11" PRIu64 "\n", counts->staged);
	fflush(stdout);
}

static void keep_row(const struct buffers_run *b, const char *name, double *ns,
		     const struct buffers_counts *counts, uint64_t wrong)
{
	const unsigned int n = b->args->how.iters;
	unsigned int at = 0;

	while (strcmp(b->args->names[at], name))
		at++;
	perf_sort_times(ns, n);
	b->rows[at] = (struct perf_buffers_row){ perf_median(ns, n), ns[0], counts->touched, wrong };
}

static bool serves(const struct buffers_run *b, const char *name)
{
	if (!strcmp(name, MPI))
		return launched_by_mpi();
	if (!strcmp(name, MPI_BLOCK))
		return launched_by_mpi() && kind_is(b, "reduce_scatter") &&
		       !(elements(b) % b->team.count);
	if (!strcmp(name, STREAM))
		return launched_by_mpi() && kind_is(b, "allgather");
	if (!by_library(name))
		return b->args->how.mapped && kind_is(b, "allreduce") && b->bytes >= 64;
	return !choose(b, name) && (strcmp(name, "flat") || b->bytes <= 4096) &&
	       (strcmp(name, "direct") || b->args->how.mapped);
}

/* Algorithms that serve the collective and the size, all of the hosts alike. */
static unsigned int find_serving(struct buffers_run *b, const char *names[])
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < b->args->nr_names; i++) {
		if (serves(b, b->args->names[i]))
			names[n++] = b->args->names[i];
	}
	return n;
}

static int time_case(struct buffers_run *b, const char *names[], unsigned int n, double *times)
{
	const unsigned int iters = b->args->how.iters, warmup = b->args->how.warmup;
	struct buffers_counts counts[PERF_MAX_NAMES] = { 0 };
	uint64_t wrong[PERF_MAX_NAMES] = { 0 };

	for (unsigned int i = 0; i < n && b->args->how.check; i++) {
		uint64_t before = b->wrong;

		if (!has_result(names[i]))
			continue;
		choose(b, names[i]);
		if (buffers_check(b, names[i]))
			return TOOL_FAILED;
		wrong[i] = b->wrong - before;
	}
	for (unsigned int k = 0; k < warmup + iters; k++) {
		for (unsigned int i = 0; i < n; i++) {
			double *ns = &times[i * iters + (k < warmup ? 0 : k - warmup)];

			if (buffers_time(b, names[i], ns, &counts[i]))
				return TOOL_FAILED;
		}
	}
	for (unsigned int i = 0; i < n; i++)
		(b->rows ? keep_row : print_row)(b, names[i], times + i * iters, &counts[i],
						 wrong[i]);
	return TOOL_OK;
}

static void set_size(struct buffers_run *b, uint64_t bytes)
{
	b->bytes = bytes / sizeof(*b->src) * sizeof(*b->src);
	for (uint32_t i = 0; i < b->team.count; i++)
		b->counts[i] = elements(b) / b->team.count + (i < elements(b) % b->team.count);
}

static int run_size(struct buffers_run *b, uint64_t bytes)
{
	const char *names[PERF_MAX_NAMES];
	unsigned int n;
	double *times;
	int ret;

	set_size(b, bytes);
	n = find_serving(b, names);
	if (!n)
		return TOOL_OK;
	times = calloc((size_t)n * b->args->how.iters, sizeof(*times));
	if (!times)
		return tool_error("no memory for times");
	ret = time_case(b, names, n, times);
	free(times);
	return ret;
}

static int hold_all(struct buffers_run *b)
{
	const uint64_t bytes = b->args->end * (1 + b->team.count) + 8192;
	void *memory = NULL;

	if (!b->args->how.mapped)
		memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
	else if (pimdimm_hosts_alloc(b->team.hosts, bytes, &memory))
		return tool_error("%s", pimdimm_errmsg());
	if (!memory)
		return tool_error("no memory for %s of buffers", tool_size(bytes));
	memset(memory, 0, bytes);
	b->src = memory;
	b->dst = b->src + (b->args->end + 4095) / 4096 * 1024;
	return TOOL_OK;
}

static void put_csv_head(const struct buffers_run *b)
{
	struct tool_head head;

	perf_head_read(&head, NULL);
	snprintf(head.hosts, sizeof(head.hosts), "%u", b->team.count);
	tool_head_csv(&head, stdout);
}

/* Whatever is asked for, until something is not 0. */
static int each_size(struct buffers_run *b, int (*act)(struct buffers_run *b, uint64_t bytes))
{
	int ret = 0;

	for (size_t k = 0; !ret && k < TOOL_COUNT(kinds); k++) {
		unsigned int id = 0;

		while (strcmp(perf_collective_word(id), kinds[k]))
			id++;
		b->kind = kinds[k];
		for (uint64_t bytes = b->args->begin; !ret && b->args->collectives & 1u << id &&
		     bytes <= b->args->end; bytes *= b->args->factor)
			ret = act(b, bytes);
	}
	return ret;
}

static int size_is_served(struct buffers_run *b, uint64_t bytes)
{
	const char *names[PERF_MAX_NAMES];

	set_size(b, bytes);
	return find_serving(b, names) > 0;
}

static int run_all(const struct command *self, struct buffers_run *b)
{
	int ret;

	/* the first one says it for all of them */
	if (!each_size(b, size_is_served))
		return b->team.host ? TOOL_USAGE :
		       tool_usage(self, "nothing to measure: algorithm %s serves no collective and size asked for",
				  b->args->names[0]);
	ret = hold_all(b);
	if (b->args->format == PERF_CSV)
		put_csv_head(b);
	printf(b->args->format == PERF_CSV ?
	       "collective,size_bytes,hosts,buffers,algorithm,time_ns,min_ns,touched_bytes,touched_gbs,wrong,most_sent_bytes,type,most_staged_bytes\n" :
	       "# hosts' buffers, sums; bytes of a host's vector, those that all hosts load and store, and the most that one sends, and copies into shared memory\n"
	       "#collective           size hosts buffers  algorithm        time(ns)     min(ns)      touched    GB/s #wrong        sent type      staged\n");
	if (!ret)
		ret = each_size(b, run_size);
	if (!b->args->how.mapped)
		free(b->src);
	if (!ret && b->wrong)
		ret = tool_error("%" PRIu64 " elements are wrong", b->wrong);
	return ret;
}

/* Where what is measured goes: memory that the process that measures shares with its parent. */
static int measure_rows(const struct perf_args *args, const char *kind, uint64_t bytes,
			struct perf_buffers_row *rows)
{
	struct buffers_run b = { .args = args, .type = PIDCOMM_I32, .kind = kind, .rows = rows };
	int ret = tool_team_start(&b.team, args->hosts);

	if (!ret)
		ret = hold_all(&b);
	if (!ret)
		ret = run_size(&b, bytes);
	return tool_team_end(&b.team, ret);
}

int perf_buffers_rows(const struct perf_args *args, const char *kind, uint64_t bytes,
		      struct perf_buffers_row rows[PERF_MAX_NAMES])
{
	const size_t room = PERF_MAX_NAMES * sizeof(*rows);
	struct perf_buffers_row *shared = mmap(NULL, room, PROT_READ | PROT_WRITE,
					       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct perf_args own = *args;
	int status = -1;
	pid_t pid;

	if (shared == MAP_FAILED)
		return tool_error("no memory for rows");
	own.begin = own.end = bytes;
	fflush(NULL);
	pid = fork();
	if (!pid)
		_exit(measure_rows(&own, kind, bytes, shared));
	if (pid > 0)
		waitpid(pid, &status, 0);
	memcpy(rows, shared, room);
	munmap(shared, room);
	return status ? tool_error("%s of %s by %u hosts has not been measured", kind,
				   tool_size(bytes), args->hosts) : TOOL_OK;
}

/* What is not the library's stores as it does; a plain loop in two ways. */
static bool stores_so(const char *name)
{
	if (!strncmp(name, MPI ":", sizeof(MPI)) || !strncmp(name, STREAM ":", sizeof(STREAM)) ||
	    !strncmp(name, MPI_BLOCK ":", sizeof(MPI_BLOCK)))
		return false;
	return strncmp(name, ROOFLINE ":", sizeof(ROOFLINE)) ||
	       !strcmp(name, ROOFLINE ":t-copy") || !strcmp(name, ROOFLINE ":nt-copy");
}

static int check_name(const struct command *self, const char *name, uint32_t hosts)
{
	if (!perf_is_word(perf_buffers_word, name, strcspn(name, ":")))
		return tool_unknown(self, "algorithm of --host-buffers", name, perf_buffers_word);
	if (!stores_so(name))
		return tool_usage(self, "-a %s: " MPI ", " MPI_BLOCK " and " STREAM " store as MPI does, " ROOFLINE " by t-copy or nt-copy",
				  name);
	if ((by_mpi(name) || !strcmp(name, STREAM)) &&
	    (launched_hosts() < 2 || hosts != launched_hosts()))
		return tool_usage(self, "-a %s: expected processes of MPI, as of mpirun -n 2 pimdimm perf --host-buffers -a mpi",
				  name);
	return TOOL_OK;
}

/* What MPI's collectives are there for, too. */
static int take_type(const struct command *self, struct buffers_run *b)
{
	const unsigned int types = b->args->types;

	if (types != 1u << PIDCOMM_I32 && types != 1u << PIDCOMM_F32)
		return tool_usage(self, "--host-buffers takes one type, expected i32 or f32");
	if (b->args->ops != 1u << (uintptr_t)PIDCOMM_SUM)
		return tool_usage(self, "--host-buffers takes one operation, expected sum");
	b->type = types == 1u << PIDCOMM_F32 ? PIDCOMM_F32 : PIDCOMM_I32;
	return TOOL_OK;
}

int perf_buffers(const struct command *self, const struct perf_args *args)
{
	const uint32_t usual = launched_hosts() > 1 ? launched_hosts() : USUAL_HOSTS;
	const uint32_t hosts = args->hosts ? args->hosts : usual;
	struct buffers_run b = { .args = args };
	int ret;

	if (args->format == PERF_JSON || args->output || args->suite)
		return tool_usage(self, "--host-buffers goes without --json, --output and --suite");
	ret = take_type(self, &b);
	if (ret)
		return ret;
	for (unsigned int i = 0; i < args->nr_names; i++) {
		ret = check_name(self, args->names[i], hosts);
		if (ret)
			return ret;
	}
	ret = tool_team_start(&b.team, hosts);
	if (!ret)
		ret = run_all(self, &b);
	return tool_team_end(&b.team, ret);
}
