// SPDX-License-Identifier: MIT
/* Hypercubes over several hosts: how they are made, and what happens when a host fails. */
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <time.h>

#include "collectives/call/comm.h"
#include "collectives/call/crew.h"
#include "collectives/cubes/cubes.h"
#include "collectives/hosts/agree.h"
#include "runtime/ranks/backend.h"
#include "runtime/ranks/system.h"
#include "tests/unit/hosts.h"

#define URI	"mem:ranks=1,mram=64K"
/* PEs of all hosts, in groups over all of them */
#define AXES	"01"

static uint32_t hosts_of(const struct pidcomm *hc)
{
	uint32_t groups, members;

	host_ok(pidcomm_group_count(hc, AXES, &groups, &members));
	return groups * members / 64;
}

static struct pidcomm *cube_of(struct pimdimm_hosts *h, struct pimdimm *sys, uint32_t hosts)
{
	struct pidcomm *hc;

	host_ok(pidcomm_create_hosts(h, sys, 2, (const uint32_t[]){ 8, 8 * hosts }, &hc));
	return hc;
}

/* The sum of every PE's number over its group, at every PE of this host. */
static void sums_are_right(struct pimdimm *sys, struct pidcomm *hc, uint32_t host)
{
	const uint32_t members = 8 * hosts_of(hc);

	for (uint64_t pe = 0; pe < 64; pe++) {
		uint64_t node = 64 * host + pe;

		host_ok(pimdimm_write(sys, (uint32_t)pe, 0, &node, 8));
	}
	host_ok(pidcomm_allreduce(hc, AXES, 8, 0, 8, PIDCOMM_U64, PIDCOMM_SUM));
	for (uint64_t pe = 0; pe < 64; pe++) {
		uint64_t sum, want = members * (pe % 8) + 8 * (members * (members - 1) / 2);

		host_ok(pimdimm_read(sys, (uint32_t)pe, 8, &sum, 8));
		host_expect(sum == want);
	}
}

static void host_says(int ret, int err, const char *words)
{
	host_expect(ret == -err);
	host_expect(strstr(pimdimm_errmsg(), words));
}

static void host_calls_forever(struct pidcomm *hc, uint32_t hosts, int *ret)
{
	for (uint32_t i = 0; !*ret; i++) {
		switch (i % 4) {
		case 0:
			*ret = pidcomm_allreduce(hc, AXES, 8192, 0, 0, PIDCOMM_F32, PIDCOMM_SUM);
			break;
		case 1:
			*ret = pidcomm_reduce_scatter(hc, AXES, 512 * hosts, 0, 0, PIDCOMM_U64,
						      PIDCOMM_SUM);
			break;
		case 2:
			*ret = pidcomm_set_algorithm(hc, NULL, i % 8 < 4 ? "staged" : "auto");
			break;
		default:
			*ret = pidcomm_alltoall(hc, "11", 512 * hosts, 0, 0);
		}
	}
}

static struct pimdimm *opened(const char *uri)
{
	struct pimdimm *sys;

	host_ok(pimdimm_open(uri, &sys));
	return sys;
}

/* --- made, asked, used --- */

static void check_places(const struct pidcomm *hc, uint32_t host, uint32_t hosts)
{
	uint32_t owner, pe;

	(void)host;
	for (uint32_t node = 0; node < 64 * hosts; node++) {
		host_ok(pidcomm_place(hc, node, &owner, &pe));
		host_expect(owner == node / 64 && pe == node % 64);
	}
	host_says(pidcomm_place(hc, 64 * hosts, &owner, &pe), EINVAL, "expected below");
}

static void check_requests(struct pimdimm *sys, struct pidcomm *hc)
{
	struct pidcomm_request *requests[3];
	struct pidcomm_plan *plan;
	uint64_t one = 1, sum;

	for (uint32_t pe = 0; pe < 64; pe++)
		host_ok(pimdimm_write(sys, pe, 64, &one, 8));
	host_ok(pidcomm_plan_allreduce(hc, AXES, 8, 64, 72, PIDCOMM_U64, PIDCOMM_SUM, &plan));
	host_ok(pidcomm_plan_run(plan));
	host_ok(pidcomm_plan_start(plan, &requests[0]));
	host_ok(pidcomm_iallreduce(hc, "11", 8, 64, 80, PIDCOMM_U64, PIDCOMM_SUM, &requests[1]));
	host_ok(pidcomm_iallreduce(hc, "10", 8, 64, 88, PIDCOMM_U64, PIDCOMM_SUM, &requests[2]));
	host_ok(pidcomm_waitall(3, requests));
	pidcomm_plan_free(plan);
	host_ok(pimdimm_read(sys, 63, 72, &sum, 8));
	host_expect(sum == 8 * hosts_of(hc));
	host_ok(pimdimm_read(sys, 63, 80, &sum, 8));
	host_expect(sum == 64 * hosts_of(hc));
	host_ok(pimdimm_read(sys, 63, 88, &sum, 8));
	host_expect(sum == 8);
}

static void bytes_are_told(struct pidcomm *hc, const struct pimdimm_hosts_stats *stats)
{
	struct pidcomm_stats own;

	host_ok(pidcomm_stats(hc, &own));
	host_expect(stats->loaded == 64 * own.mram_blocks_read + own.host_bytes_read);
	host_expect(stats->stored == 64 * own.mram_blocks_written + own.host_bytes_written);
}

/* An allreduce's time is told by where its bytes go; in registers it has no such parts. */
static void times_are_told(struct pidcomm *hc, const char *algorithm, bool moved, bool folded)
{
	struct pimdimm_hosts_stats stats = { .size = sizeof(stats) };

	host_ok(pidcomm_set_algorithm(hc, NULL, algorithm));
	host_ok(pidcomm_allreduce(hc, "11", 64, 0, 64, PIDCOMM_U64, PIDCOMM_SUM));
	host_ok(pidcomm_hosts_stats(hc, &stats));
	host_expect(!stats.ns_to_host == !moved && !stats.ns_to_mram == !moved);
	host_expect(!stats.ns_fold == !folded);
	bytes_are_told(hc, &stats);
}

/* What goes between MRAM and buffers has one direction, in registers too. */
static void directions_are_told(struct pidcomm *hc, const char *algorithm)
{
	struct pimdimm_hosts_stats stats = { .size = sizeof(stats) };
	void *buf = need(calloc(64 * hosts_of(hc), 64));

	host_ok(pidcomm_set_algorithm(hc, NULL, algorithm));
	host_ok(pidcomm_gather(hc, "11", 64, 0, &buf));
	host_ok(pidcomm_hosts_stats(hc, &stats));
	host_expect(stats.ns_to_host && !stats.ns_to_mram);
	bytes_are_told(hc, &stats);
	host_ok(pidcomm_broadcast(hc, "11", 64, &(const void *){ buf }, 0));
	host_ok(pidcomm_hosts_stats(hc, &stats));
	host_expect(!stats.ns_to_host && stats.ns_to_mram);
	bytes_are_told(hc, &stats);
	free(buf);
}

static void do_use(const struct hosts_test *t)
{
	struct pimdimm_hosts_stats stats = { .size = sizeof(stats) };
	struct pimdimm_hosts *h = hosts_joined(t);
	struct pimdimm *sys = opened(t->host % 2 ? URI : URI ",strict=1");
	struct pidcomm *hc = cube_of(h, sys, t->hosts), *other;

	host_ok(pidcomm_hosts_stats(hc, &stats));
	host_expect(stats.handles_mapped == t->hosts - 1);
	check_places(hc, t->host, t->hosts);
	for (int i = 0; i < 20; i++)
		sums_are_right(sys, hc, t->host);
	check_requests(sys, hc);
	host_says(pidcomm_set_algorithm(hc, "allreduce", "ring"), EOPNOTSUPP, "several hosts");
	host_ok(pidcomm_set_algorithm(hc, NULL, "conventional"));
	sums_are_right(sys, hc, t->host);
	host_ok(pidcomm_set_algorithm(hc, NULL, "staged"));
	sums_are_right(sys, hc, t->host);
	times_are_told(hc, "direct", false, false);
	times_are_told(hc, "staged", true, false);
	times_are_told(hc, "conventional", true, true);
	directions_are_told(hc, "direct");
	directions_are_told(hc, "staged");
	other = cube_of(h, sys, t->hosts);
	sums_are_right(sys, other, t->host);
	pidcomm_destroy(hc);
	sums_are_right(sys, other, t->host);
	/* it outlives them */
	pimdimm_hosts_leave(h);
	sums_are_right(sys, other, t->host);
	pidcomm_destroy(other);
	pimdimm_close(sys);
}

static void used(void **state)
{
	(void)state;
	for (uint32_t hosts = 1; hosts <= 5; hosts++)
		hosts_run(hosts, do_use, &(struct hosts_test){ 0 });
}

/* --- what auto does, as host 0 says --- */

/* What the hosts' environments say differs; what their calls do, does not. */
static void do_agree(const struct hosts_test *t)
{
	static const char *const stores[] = { "never", "always", "auto" };
	const uint32_t ranks = 8;
	struct pimdimm_hosts *h = hosts_joined(t);
	unsigned int tried = 0, kept = 0;
	struct pimdimm *sys;
	struct pidcomm *hc;

	host_ok(setenv("PIMDIMM_NT", stores[(t->host + *(const unsigned int *)t->ctx) % 3], 1));
	sys = opened("mem:ranks=8,mram=64K");
	host_ok(pidcomm_create_hosts(h, sys, 2, (const uint32_t[]){ 8, 8 * ranks * t->hosts }, &hc));
	for (int i = 0; i < 60; i++) {
		const struct pc_way *way = &hc->crew->way;
		uint32_t first, own;

		host_ok(pidcomm_allreduce(hc, AXES, 32 << 10, 0, 32 << 10, PIDCOMM_F32,
					  PIDCOMM_SUM));
		memcpy(&own, way, sizeof(own));
		first = own;
		host_ok(pimdimm_hosts_broadcast(h, &first, sizeof(first), 0));
		host_expect(first == own);
		tried += way->why == PC_WHY_TRIED;
		kept += way->why == PC_WHY_FASTEST;
		host_expect(hc->tried == (way->why == PC_WHY_TRIED));
	}
	host_expect(tried && kept);
	pidcomm_destroy(hc);
	pimdimm_close(sys);
	pimdimm_hosts_leave(h);
}

static void hosts_agree(void **state)
{
	(void)state;
	if (HOSTS_ARE_THREADS)
		unit_skip("threads have one environment");
	for (unsigned int first = 0; first < 3; first++)
		hosts_run(3, do_agree, &(struct hosts_test){ .ctx = &first });
}

/* What one host says of its page faults as it leaves a call, all hosts hear, of that call alone. */
static void do_hear(const struct hosts_test *t)
{
	const struct pc_hosts_said said = { .args = { .kind = PC_HOSTS_ON_CUBES } };
	struct pimdimm_hosts *h = hosts_joined(t);

	for (int call = 0; call < 6; call++) {
		host_ok(pc_hosts_arrive(h, &said, 0, NULL, 0));
		h->faulted = call % 3 == 1 && t->host == 1;
		host_ok(pc_hosts_leave_call(h, 0));
		host_expect(h->faulted == (call % 3 == 1));
	}
	pimdimm_hosts_leave(h);
}

static const struct pc_choice *last_choice(struct pidcomm *hc)
{
	const struct pc_choices *c = &pc_cubes_of(hc)->choices;
	const struct pc_choice *last = c->known;

	for (unsigned int i = 0; i < PC_CHOICES_KINDS; i++)
		last = c->known[i].used > last->used ? &c->known[i] : last;
	return last;
}

/* On memory that nobody has touched before no call is counted; on what all have, one is. */
static void do_touch(const struct hosts_test *t)
{
	/* eight lanes of it are a huge page, where the kernel gives those */
	const uint64_t bytes = 16 << 10, apart = 256 << 10;
	struct pimdimm_hosts *h = hosts_joined(t);
	struct pimdimm *sys = opened("mem:ranks=1,mram=2M");
	struct pidcomm *hc = cube_of(h, sys, t->hosts);
	const struct pc_choice *choice;
	uint32_t counted = 0;

	for (uint64_t call = 0; call < 4; call++) {
		host_ok(pidcomm_allreduce(hc, AXES, bytes, 2 * call * apart, (2 * call + 1) * apart,
					  PIDCOMM_U64, PIDCOMM_SUM));
		choice = last_choice(hc);
		host_expect(t->host || (choice->in_vain == call && !choice->times));
	}
	/* others' memory is mapped only as this host comes to work on it, so that there are more */
	for (int i = 0; i < 1000 && !counted; i++) {
		host_ok(pidcomm_allreduce(hc, AXES, bytes, 0, apart, PIDCOMM_U64, PIDCOMM_SUM));
		counted = t->host ? 0 : choice->times || choice->at;
		host_ok(pimdimm_hosts_allreduce(h, &counted, &counted, 1, PIDCOMM_U32, PIDCOMM_SUM));
	}
	host_expect(counted);
	pidcomm_destroy(hc);
	pimdimm_close(sys);
	pimdimm_hosts_leave(h);
}

static void faults_tell_nothing(void **state)
{
	(void)state;
	hosts_run(3, do_hear, &(struct hosts_test){ 0 });
	hosts_run(2, do_touch, &(struct hosts_test){ 0 });
}

/* --- buffers that all hosts map --- */

#define GATHERED	(UINT64_C(64) << 10)

/* Words that tell PEs and places apart. */
static void write_words(struct pimdimm *sys, uint32_t host)
{
	static _Thread_local uint64_t words[GATHERED / 8];

	for (uint32_t pe = 0; pe < 64; pe++) {
		for (uint64_t i = 0; i < GATHERED / 8; i++)
			words[i] = (uint64_t)(64 * host + pe) << 32 | i;
		host_ok(pimdimm_write(sys, pe, 0, words, GATHERED));
	}
}

static void gathered_right(const uint64_t *words, uint64_t members)
{
	for (uint64_t i = 0; i < members * GATHERED / 8; i++)
		host_expect(words[i] == (i / (GATHERED / 8) << 32 | i % (GATHERED / 8)));
}

/* Host 0 alone has the buffer: the others help, where they map it, and there alone. */
static void do_help(const struct hosts_test *t)
{
	struct pimdimm_hosts *h = hosts_joined(t);
	struct pimdimm *sys = opened(URI);
	struct pidcomm *hc = cube_of(h, sys, t->hosts);
	const uint64_t bytes = 64 * t->hosts * GATHERED;
	struct pidcomm_stats stats;
	uint64_t helped = 0;
	void *buf, *own = need(malloc(bytes));

	host_ok(pimdimm_hosts_alloc(h, bytes, &buf));
	write_words(sys, t->host);
	host_ok(pidcomm_gather(hc, "11", GATHERED, 0, &own));
	host_ok(pidcomm_stats(hc, &stats));
	host_expect(!t->host || !stats.host_bytes_written);
	/* it takes its part unless others have done so before it comes */
	for (int i = 0; i < 1000 && !helped; i++) {
		host_ok(pidcomm_gather(hc, "11", GATHERED, 0, t->host ? NULL : &buf));
		host_ok(pidcomm_stats(hc, &stats));
		helped = t->host ? stats.host_bytes_written : 0;
		host_ok(pimdimm_hosts_allreduce(h, &helped, &helped, 1, PIDCOMM_U64, PIDCOMM_SUM));
	}
	host_expect(helped);
	if (!t->host) {
		gathered_right(own, 64 * t->hosts);
		gathered_right(buf, 64 * t->hosts);
	}
	/* of hosts that have left, nothing is known */
	pimdimm_hosts_leave(h);
	host_ok(pidcomm_gather(hc, "11", GATHERED, 0, &own));
	pidcomm_destroy(hc);
	pimdimm_close(sys);
	free(own);
}

static void hosts_help(void **state)
{
	(void)state;
	hosts_run(2, do_help, &(struct hosts_test){ 0 });
	hosts_run(3, do_help, &(struct hosts_test){ 0 });
}

/* --- what does not fit together --- */

struct misfit {
	const char *uri;	/* of host 1 */
	uint32_t dims[2];	/* of host 1 */
	const char *words;
};

static void do_misfit(const struct hosts_test *t)
{
	const struct misfit *m = t->ctx;
	struct pimdimm_hosts *h = hosts_joined(t);
	struct pimdimm *sys = opened(t->host ? m->uri : URI);
	const uint32_t dims[2] = { 8, 16 };
	struct pidcomm *hc = NULL;

	host_says(pidcomm_create_hosts(h, sys, 2, t->host ? m->dims : dims, &hc), EINVAL,
		  m->words);
	host_expect(!hc);
	/* hosts that have not made one may make another */
	if (!strcmp(m->uri, URI)) {
		hc = cube_of(h, sys, t->hosts);
		sums_are_right(sys, hc, t->host);
		pidcomm_destroy(hc);
	}
	pimdimm_close(sys);
	pimdimm_hosts_leave(h);
}

static void misfits(void **state)
{
	static const struct misfit all[] = {
		{ URI, { 8, 8 }, "host 0 has 8x16, host 1 has 8x8" },
		{ "mem:ranks=1,mram=64K,layout=xeon_sp", { 8, 16 },
		  "host 0 has linear, host 1 has xeon_sp" },
		{ "mem:ranks=1,mram=128K", { 8, 16 },
		  "host 0 has 65536 bytes, host 1 has 131072" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		hosts_run(2, do_misfit, &(struct hosts_test){ .ctx = &all[i] });
}

static void do_refuse_creation(const struct hosts_test *t)
{
	struct pimdimm_hosts *h = hosts_joined(t);
	struct pimdimm *sys = opened(URI);
	const uint32_t dims[2] = { 8, 8 * t->hosts }, many[2] = { 64, 64 };
	struct pidcomm *hc;

	if (t->host == 1)
		host_says(pidcomm_create_hosts(h, NULL, 2, dims, &hc), EINVAL, "sys is NULL");
	else
		host_says(pidcomm_create_hosts(h, sys, 2, dims, &hc), EPROTO, "sys is NULL");
	host_says(pidcomm_create_hosts(h, sys, 2, many, &hc), EINVAL, "larger than the hosts'");
	hc = cube_of(h, sys, t->hosts);
	sums_are_right(sys, hc, t->host);
	pidcomm_destroy(hc);
	pimdimm_close(sys);
	pimdimm_hosts_leave(h);
}

static void creation_refused(void **state)
{
	(void)state;
	hosts_run(3, do_refuse_creation, &(struct hosts_test){ 0 });
}

/* --- descriptors that are not what they should be --- */

enum bad_handle { HANDLE_UNSEALED, HANDLE_SHORT, HANDLE_PIPE, HANDLE_NONE };

static enum bad_handle bad_handle;

static int export_badly(struct pimdimm *sys, uint32_t rank, uint64_t off, uint64_t bytes)
{
	int ends[2], fd;

	(void)sys;
	(void)rank;
	(void)off;
	if (bad_handle == HANDLE_NONE)
		return -EMFILE;
	if (bad_handle == HANDLE_PIPE) {
		host_ok(pipe(ends));
		close(ends[1]);
		return ends[0];
	}
	fd = memfd_create("bad", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	host_expect(fd >= 0);
	host_ok(ftruncate(fd, (off_t)(bad_handle == HANDLE_SHORT ? bytes - 4096 : bytes)));
	if (bad_handle == HANDLE_SHORT)
		host_ok(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL));
	return fd;
}

static void do_bad_handles(const struct hosts_test *t)
{
	struct pimdimm_hosts *h = hosts_joined(t);
	struct pimdimm *sys = opened(URI);
	const struct pd_backend *backend = sys->backend;
	struct pd_backend bad = *backend;
	struct pidcomm *hc;

	bad.export = export_badly;
	for (bad_handle = 0; bad_handle <= HANDLE_NONE; bad_handle++) {
		int ret;

		if (t->host == 2)
			sys->backend = &bad;
		ret = pidcomm_create_hosts(h, sys, 2, (const uint32_t[]){ 8, 8 * t->hosts }, &hc);
		sys->backend = backend;
		if (bad_handle == HANDLE_NONE) {
			host_ok(ret);
			break;
		}
		host_says(ret, t->host == 2 ? EPROTO : EIO, "host 2 hands over");
	}
	/* none at all: all goes through host memory */
	host_says(pidcomm_set_algorithm(hc, "allreduce", "direct"), EOPNOTSUPP, "not mapped");
	sums_are_right(sys, hc, t->host);
	pidcomm_destroy(hc);
	hc = cube_of(h, sys, t->hosts);
	sums_are_right(sys, hc, t->host);
	pidcomm_destroy(hc);
	pimdimm_close(sys);
	pimdimm_hosts_leave(h);
}

static void handles_checked(void **state)
{
	(void)state;
	if (HOSTS_ARE_THREADS)
		unit_skip("threads have one table of descriptors");
	hosts_run(4, do_bad_handles, &(struct hosts_test){ 0 });
}

/* --- calls that one host does not make as the others do --- */

static void do_refuse(const struct hosts_test *t)
{
	struct pimdimm_hosts *h = hosts_joined(t);
	struct pimdimm *sys = opened(URI);
	struct pidcomm *hc = cube_of(h, sys, t->hosts);
	struct pidcomm_request *request;
	struct pidcomm_plan *plan;
	const bool me = t->host == 1;
	const int err = me ? EINVAL : EPROTO;

	host_says(pidcomm_allreduce(hc, AXES, 8, 0, me ? 4 : 8, PIDCOMM_U64, PIDCOMM_SUM), err,
		  "dst=4, expected a multiple of 8");
	sums_are_right(sys, hc, t->host);
	/* without its buffers: groups of axis 0 have a home each */
	host_says(pidcomm_reduce(hc, "10", 8, 0, me ? NULL : (void *[64]){ &(uint64_t){ 0 } },
				 PIDCOMM_U64, PIDCOMM_SUM), EINVAL, "NULL");
	sums_are_right(sys, hc, t->host);
	host_ok(pidcomm_plan_alltoall(hc, "11", 512 * t->hosts, 0, 8192, &plan));
	host_ok(pidcomm_plan_start(plan, &request));
	host_says(pidcomm_alltoall(hc, "11", 512 * t->hosts, 16384, me ? 16388 : 32768), err,
		  "dst=16388");
	host_ok(pidcomm_wait(&request));
	pidcomm_plan_free(plan);
	if (me) {
		host_says(pidcomm_ialltoall(hc, "11", 512 * t->hosts, 0, 4, &request), err, "dst=4");
	} else {
		host_ok(pidcomm_ialltoall(hc, "11", 512 * t->hosts, 0, 8192, &request));
		host_says(pidcomm_wait(&request), err, "dst=4");
	}
	sums_are_right(sys, hc, t->host);
	pidcomm_destroy(hc);
	pimdimm_close(sys);
	pimdimm_hosts_leave(h);
}

static void do_differ(const struct hosts_test *t)
{
	struct pimdimm_hosts *h = hosts_joined(t);
	struct pimdimm *sys = opened(URI);
	struct pidcomm *hc = cube_of(h, sys, t->hosts);
	uint64_t guard = 7, now;
	int ret;

	host_ok(pimdimm_write(sys, 0, 512, &guard, 8));
	ret = t->host ? pidcomm_allreduce(hc, AXES, 8, 0, 512, PIDCOMM_I32, PIDCOMM_SUM) :
			pidcomm_allreduce(hc, "11", 16, 0, 512, PIDCOMM_I32, PIDCOMM_SUM);
	host_says(ret, EPROTO, "host 0 (pid ");
	host_expect(strstr(pimdimm_errmsg(), "allreduce axes=11 auto bytes=16 src=0 dst=512"));
	host_expect(strstr(pimdimm_errmsg(), "allreduce axes=01 auto bytes=8 src=0 dst=512"));
	host_ok(pimdimm_read(sys, 0, 512, &now, 8));
	host_expect(now == guard);
	/* for good */
	ret = pidcomm_alltoall(hc, "10", 64, 0, 0);
	host_says(ret, EPROTO, "allreduce axes=11");
	pidcomm_destroy(hc);
	/* of this hypercube alone */
	hc = cube_of(h, sys, t->hosts);
	sums_are_right(sys, hc, t->host);
	pidcomm_destroy(hc);
	pimdimm_close(sys);
	pimdimm_hosts_leave(h);
}

static void do_abort(const struct hosts_test *t)
{
	struct pimdimm_hosts *h = hosts_joined(t);
	struct pimdimm *sys = opened(URI);
	struct pidcomm *hc = cube_of(h, sys, t->hosts);

	sums_are_right(sys, hc, t->host);
	if (t->host == 1)
		host_ok(pimdimm_hosts_abort(h, "no more input"));
	host_says(pidcomm_alltoall(hc, "11", 512 * t->hosts, 0, 0), ECANCELED, "no more input");
	host_says(pidcomm_alltoall(hc, "11", 512 * t->hosts, 0, 0), ECANCELED, "no more input");
	pidcomm_destroy(hc);
	pimdimm_close(sys);
	pimdimm_hosts_leave(h);
}

static void do_fault(const struct hosts_test *t)
{
	struct pimdimm_hosts *h = hosts_joined(t);
	struct pimdimm *sys = opened(t->host == 1 ? URI ",inject=fail_nth:1" : URI);
	struct pidcomm *hc = cube_of(h, sys, t->hosts);
	int ret = pidcomm_alltoall(hc, "11", 512 * t->hosts, 0, 0);

	host_says(ret, EIO, t->host == 1 ? "injected" : "host 1 (pid ");
	host_ok(pidcomm_alltoall(hc, "11", 512 * t->hosts, 0, 0));
	pidcomm_destroy(hc);
	pimdimm_close(sys);
	pimdimm_hosts_leave(h);
}

static void do_leave(const struct hosts_test *t)
{
	struct pimdimm_hosts *h = hosts_joined(t);
	struct pimdimm *sys = opened(URI);
	struct pidcomm *hc = cube_of(h, sys, t->hosts);
	int status;
	pid_t pid;

	sums_are_right(sys, hc, t->host);
	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(pidcomm_alltoall(hc, "11", 512 * t->hosts, 0, 0) != -EBUSY);
	host_expect(waitpid(pid, &status, 0) == pid && !status);
	if (t->host != 1)
		host_says(pidcomm_alltoall(hc, "11", 512 * t->hosts, 0, 0), EBUSY, "has left");
	pidcomm_destroy(hc);
	pimdimm_close(sys);
	pimdimm_hosts_leave(h);
}

static void one_differs(void **state)
{
	(void)state;
	hosts_run(3, do_refuse, &(struct hosts_test){ 0 });
	hosts_run(2, do_differ, &(struct hosts_test){ 0 });
	hosts_run(3, do_abort, &(struct hosts_test){ 0 });
	hosts_run(3, do_fault, &(struct hosts_test){ 0 });
	hosts_run(3, do_leave, &(struct hosts_test){ 0 });
}

/* --- a host that dies, at any moment --- */

struct death {
	uint32_t victim;
	_Atomic uint32_t *joined;	/* of all hosts */
	pid_t *pids;
};

static void do_outlive(const struct hosts_test *t)
{
	const struct death *d = t->ctx;
	struct pimdimm_hosts *h = hosts_joined(t);
	struct pimdimm *sys = opened(URI);
	struct pidcomm *hc = NULL;
	char name[64];
	int ret;

	atomic_fetch_add(d->joined, 1);
	ret = pidcomm_create_hosts(h, sys, 2, (const uint32_t[]){ 8, 8 * t->hosts }, &hc);
	host_calls_forever(hc, t->hosts, &ret);
	snprintf(name, sizeof(name), "host %u (pid %d)", d->victim, (int)d->pids[d->victim]);
	host_says(ret, ECONNRESET, name);
	if (hc)
		host_says(pidcomm_alltoall(hc, "11", 512 * t->hosts, 0, 0), ECONNRESET, name);
	pidcomm_destroy(hc);
	pimdimm_close(sys);
	pimdimm_hosts_leave(h);
}

static void kill_one(uint32_t hosts, uint32_t victim, unsigned int us, void *shared)
{
	struct death d = { victim, shared, (pid_t *)shared + 16 };
	struct hosts_test t = { .hosts = hosts, .ctx = &d };
	bool well = true;

	atomic_store(d.joined, 0);
	hosts_meeting();
	fflush(stdout);
	for (t.host = 0; t.host < hosts; t.host++)
		d.pids[t.host] = hosts_fork(do_outlive, &t);
	while (atomic_load(d.joined) < hosts)
		usleep(50);
	usleep(us);
	kill(d.pids[victim], SIGKILL);
	for (uint32_t i = 0; i < hosts; i++) {
		if (i == victim)
			hosts_ended_well(d.pids[i]);
		else
			well = hosts_ended_well(d.pids[i]) && well;
	}
	assert_true(well);
}

static void killed(void **state)
{
	unsigned int seed = (unsigned int)time(NULL);
	const unsigned int kills = hosts_kills(60);
	void *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	(void)state;
	if (HOSTS_ARE_THREADS)
		unit_skip("no thread is killed alone");
	assert_true(shared != MAP_FAILED);
	printf("# seed %u, %u moments\n", seed, kills);
	for (unsigned int i = 0; i < kills; i++) {
		uint32_t hosts = 2 + (uint32_t)rand_r(&seed) % 3;

		kill_one(hosts, (uint32_t)rand_r(&seed) % hosts,
			 (unsigned int)rand_r(&seed) % (i % 2 ? 2000 : 20000), shared);
	}
	munmap(shared, 4096);
}

/* --- a host that stops, and one that writes where all read --- */

static void do_stop(const struct hosts_test *t)
{
	struct pimdimm_hosts *h = hosts_joined(t);
	struct pimdimm *sys = opened(URI);
	struct pidcomm *hc = cube_of(h, sys, t->hosts);
	int ret = 0;

	if (t->host == 1) {
		for (int i = 0; i < 100; i++)
			host_ok(pidcomm_allreduce(hc, AXES, 8192, 0, 0, PIDCOMM_F32, PIDCOMM_SUM));
		raise(SIGSTOP);
	}
	for (int i = 0; !ret && i < 101; i++)
		ret = pidcomm_allreduce(hc, AXES, 8192, 0, 0, PIDCOMM_F32, PIDCOMM_SUM);
	host_says(ret, ETIMEDOUT, t->host == 1 ? "" : "host 1 (pid ");
	host_says(pidcomm_alltoall(hc, "10", 64, 0, 0), ETIMEDOUT, "waited");
	pidcomm_destroy(hc);
	pimdimm_close(sys);
	pimdimm_hosts_leave(h);
}

static void stopped(void **state)
{
	struct hosts_test t = { .hosts = 3, .timeout_ms = 6000 };
	pid_t pids[3];
	bool well = true;
	int status;

	(void)state;
	if (HOSTS_ARE_THREADS)
		unit_skip("no thread is stopped alone");
	hosts_meeting();
	fflush(stdout);
	for (t.host = 0; t.host < t.hosts; t.host++)
		pids[t.host] = hosts_fork(do_stop, &t);
	assert_int_equal(waitpid(pids[1], &status, WUNTRACED), pids[1]);
	assert_true(WIFSTOPPED(status));
	well = hosts_ended_well(pids[0]) && hosts_ended_well(pids[2]);
	kill(pids[1], SIGCONT);
	well = hosts_ended_well(pids[1]) && well;
	assert_true(well);
}

/* Results are what they may be: every call returns, and nothing is touched that is not shared. */
static void do_scribble(const struct hosts_test *t)
{
	struct pimdimm_hosts *h = hosts_joined(t);
	struct pimdimm *sys = opened(URI);
	struct pidcomm *hc = cube_of(h, sys, t->hosts);
	unsigned int seed = t->host;

	for (int i = 0; i < 300; i++) {
		for (uint32_t line = 0; line < t->hosts && t->host == 1; line++)
			atomic_store(&hc->crew->lines[line].taken,
				     (uint64_t)(hc->crew->tag + 256 + (uint32_t)(i % 3)) << 32 |
					     (uint32_t)rand_r(&seed));
		host_ok(pidcomm_allreduce(hc, AXES, 8192, 0, 0, PIDCOMM_I32, PIDCOMM_SUM));
		host_ok(pidcomm_alltoall(hc, "11", 512 * t->hosts, 0, 0));
	}
	pidcomm_destroy(hc);
	pimdimm_close(sys);
	pimdimm_hosts_leave(h);
}

static void scribbled(void **state)
{
	(void)state;
	hosts_run(3, do_scribble, &(struct hosts_test){ 0 });
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(used),
	cmocka_unit_test(hosts_agree),
	cmocka_unit_test(faults_tell_nothing),
	cmocka_unit_test(hosts_help),
	cmocka_unit_test(misfits),
	cmocka_unit_test(creation_refused),
	cmocka_unit_test(handles_checked),
	cmocka_unit_test(one_differs),
	cmocka_unit_test(killed),
	cmocka_unit_test(stopped),
	cmocka_unit_test(scribbled),
};

UNIT_MAIN(tests)
