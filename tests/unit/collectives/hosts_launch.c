// SPDX-License-Identifier: MIT
/*
 * What hosts learn as they join: who they are from their launcher's environment, sockets, and
 * whose the processors are; and what they say when somebody does not come.
 */
#include <fcntl.h>

#include "collectives/across/machines.h"
#include "collectives/hosts/agree.h"
#include "collectives/hosts/launcher.h"
#include "collectives/hosts/links.h"
#include "collectives/hosts/machine.h"
#include "runtime/base/env.h"
#include "tests/unit/hosts.h"

/* --- launchers --- */

struct launch {
	const char *rank, *size, *job;
};

static const char *const variables[] = {
	"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE",
	"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS",
	"PMIX_RANK", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_JOB_ID", "SLURM_STEP_ID",
	"SLURM_STEP_NUM_NODES",
};

static void forget_launchers(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(variables); i++)
		unsetenv(variables[i]);
}

static void set_number(const char *name, uint32_t number)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", number);
	host_ok(setenv(name, text, 1));
}

static void do_launched(const struct hosts_test *t)
{
	const struct launch *l = t->ctx;
	struct pimdimm_hosts_info info = { .size = sizeof(info) };
	struct pimdimm_hosts *h;

	forget_launchers();
	set_number(l->rank, t->host);
	set_number(l->size, t->hosts);
	if (l->job)
		host_ok(setenv(l->job, "job.7", 1));
	/* twice: what is at the path has gone by then */
	for (int i = 0; i < 2; i++) {
		host_ok(pimdimm_hosts_join(NULL, 77, 0, NULL, &h));
		host_ok(pimdimm_hosts_info(h, &info));
		host_expect(info.host == t->host && info.hosts == t->hosts);
		host_ok(pimdimm_hosts_barrier(h));
		pimdimm_hosts_leave(h);
	}
}

static void launched(void **state)
{
	static const struct launch all[] = {
		{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMIX_NAMESPACE" },
		{ "PMI_RANK", "PMI_SIZE", NULL },
		{ "SLURM_PROCID", "SLURM_NTASKS", "SLURM_JOB_ID" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		hosts_run(3, do_launched, &(struct hosts_test){ .ctx = &all[i] });
}

static void says(int ret, int err, const char *words)
{
	if (ret != -err || !strstr(pimdimm_errmsg(), words))
		fail_msg("%d: %s, expected %d: %s", ret, pimdimm_errmsg(), -err, words);
}

static void launched_wrong(void **state)
{
	struct pc_hosts_launched l, other;
	struct pimdimm_hosts *h;

	(void)state;
	forget_launchers();
	says(pimdimm_hosts_join(NULL, 0, 1, NULL, &h), EINVAL, "PMI_RANK");
	setenv("PMI_RANK", "2", 1);
	says(pc_hosts_launched(&l), EINVAL, "meeting is NULL");
	setenv("PMI_SIZE", "2", 1);
	says(pc_hosts_launched(&l), EINVAL, "PMI_RANK is \"2\"");
	setenv("PMI_SIZE", "0", 1);
	says(pc_hosts_launched(&l), EINVAL, "PMI_SIZE is 0");
	setenv("PMI_SIZE", "many", 1);
	says(pc_hosts_launched(&l), EINVAL, "PMI_SIZE is \"many\"");
	setenv("PMI_SIZE", "4", 1);
	setenv("MPI_LOCALNRANKS", "2", 1);
	says(pc_hosts_launched(&l), EOPNOTSUPP, "several machines");
	setenv("MPI_LOCALNRANKS", "4", 1);
	assert_int_equal(pc_hosts_launched(&l), 0);
	assert_int_equal(l.host, 2);
	assert_int_equal(l.count, 4);
	/* jobs within jobs, and beside each other, meet elsewhere */
	setenv("OMPI_COMM_WORLD_RANK", "1", 1);
	setenv("OMPI_COMM_WORLD_SIZE", "3", 1);
	assert_int_equal(pc_hosts_launched(&other), 0);
	assert_int_equal(other.count, 3);
	assert_string_not_equal(l.meeting, other.meeting);
	setenv("PMIX_NAMESPACE", "1", 1);
	assert_int_equal(pc_hosts_launched(&l), 0);
	assert_string_not_equal(l.meeting, other.meeting);
	setenv("PMIX_NAMESPACE", "2", 1);
	assert_int_equal(pc_hosts_launched(&other), 0);
	assert_string_not_equal(l.meeting, other.meeting);
	forget_launchers();
}

/* Slurm says on how many machines a step's processes are, whichever way it starts them. */
static void launched_by_slurm(void **state)
{
	static const char *const ways[][2] = {
		{ "SLURM_PROCID", "SLURM_NTASKS" }, { "PMIX_RANK", "SLURM_NTASKS" },
		{ "PMI_RANK", "PMI_SIZE" },
	};
	struct pc_hosts_launched l;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		forget_launchers();
		set_number(ways[i][0], 1);
		set_number(ways[i][1], 4);
		set_number("SLURM_STEP_NUM_NODES", 2);
		says(pc_hosts_launched(&l), EOPNOTSUPP, "SLURM_STEP_NUM_NODES=2, expected 1");
		set_number("SLURM_STEP_NUM_NODES", 1);
		assert_int_equal(pc_hosts_launched(&l), 0);
		assert_int_equal(l.count, 4);
		setenv("SLURM_STEP_NUM_NODES", "some", 1);
		says(pc_hosts_launched(&l), EINVAL, "SLURM_STEP_NUM_NODES is \"some\"");
	}
	/* mpirun in a step of two machines has started all of its processes on this one */
	set_number("SLURM_STEP_NUM_NODES", 2);
	set_number("MPI_LOCALNRANKS", 4);
	assert_int_equal(pc_hosts_launched(&l), 0);
	forget_launchers();
}

/* --- sockets and processors --- */

static void do_sockets(const struct hosts_test *t)
{
	struct pimdimm_hosts *h;
	cpu_set_t cpus;

	/* another machine at every host: what host 0 sees counts */
	host_ok(setenv("HWLOC_SYNTHETIC", t->host ? "pack:5 core:1 pu:1" : "pack:2 core:2 pu:1",
		       1));
	h = hosts_joined(t);
	host_expect(h->sockets == (t->sockets ? t->sockets : 2));
	host_expect(!pd_affinity_own(&cpus));
	pimdimm_hosts_leave(h);
}

static void sockets_of_the_machine(void **state)
{
	(void)state;
	hosts_run(2, do_sockets, &(struct hosts_test){ .sockets = 0 });
	hosts_run(2, do_sockets, &(struct hosts_test){ .sockets = 1 });
}

static unsigned int own_threads(void)
{
	unsigned int threads;

	host_ok(pd_env_threads(&threads));
	return threads;
}

/* Host 2 may run on a processor alone, which the others may use as well. */
static void do_share(const struct hosts_test *t)
{
	const unsigned int all = pd_affinity_cpus();
	uint64_t own[CPU_SETSIZE / 64] = { 0 }, sum[CPU_SETSIZE / 64];
	struct pimdimm_hosts *h;
	cpu_set_t cpus;
	bool shares;

	unsetenv("PIMDIMM_THREADS");
	if (t->host == 2) {
		host_ok(sched_getaffinity(0, sizeof(cpus), &cpus));
		for (int i = 0, left = 1; i < CPU_SETSIZE; i++) {
			if (CPU_ISSET(i, &cpus) && left-- <= 0)
				CPU_CLR(i, &cpus);
		}
		host_ok(sched_setaffinity(0, sizeof(cpus), &cpus));
	}
	h = hosts_joined(t);
	host_expect(h->spins == (t->hosts <= all));
	shares = pd_affinity_own(&cpus);
	host_expect(shares == (t->host < 2 && all > 1));
	if (shares) {
		for (int i = 0; i < CPU_SETSIZE; i++)
			own[i / 64] |= (uint64_t)(CPU_ISSET(i, &cpus) != 0) << i % 64;
		host_expect(own_threads() <= (unsigned int)CPU_COUNT(&cpus) &&
			    own_threads() < all);
	}
	/* bits of two hosts do not meet: or is sum */
	host_ok(pimdimm_hosts_allreduce(h, own, sum, ARRAY_SIZE(sum), PIDCOMM_U64, PIDCOMM_SUM));
	host_ok(pimdimm_hosts_allreduce(h, own, own, ARRAY_SIZE(own), PIDCOMM_U64, PIDCOMM_BOR));
	host_expect(!memcmp(own, sum, sizeof(own)));
	pimdimm_hosts_leave(h);
	host_expect(!pd_affinity_own(&cpus));
	host_expect(t->host == 2 || pd_affinity_cpus() == all);
}

static void processors_shared(void **state)
{
	(void)state;
	hosts_run(2, do_share, &(struct hosts_test){ 0 });
	hosts_run(3, do_share, &(struct hosts_test){ 0 });
}

/* Of two objects, whichever leaves first leaves the share as it is. */
static void do_share_twice(const struct hosts_test *t)
{
	const bool several = pd_affinity_cpus() > 1;
	cpu_set_t before, after;

	for (unsigned int first = 0; first < 2; first++) {
		struct pimdimm_hosts *h[2] = { hosts_joined(t), NULL };

		host_ok(pimdimm_hosts_barrier(h[0]));
		h[1] = hosts_joined(t);
		host_expect(pd_affinity_own(&before) == several);
		pimdimm_hosts_leave(h[first]);
		host_expect(pd_affinity_own(&after) == several);
		host_expect(!several || CPU_EQUAL(&before, &after));
		pimdimm_hosts_leave(h[!first]);
		host_expect(!pd_affinity_own(&after));
	}
}

static void processors_shared_twice(void **state)
{
	(void)state;
	hosts_run(2, do_share_twice, &(struct hosts_test){ 0 });
}

/* --- who waits for whom --- */

/* longer than it takes for a wait to be told, shorter than until it is told again */
#define LATE_S		13
#define VECTOR		10000u
/* no message by which hosts agree on a call is as long */
#define CALLS_LEAST	8192u

/* what the last host does too late */
enum late { IN_JOIN, IN_BARRIER, IN_LINK, IN_EXCHANGE };

struct long_wait {
	const char *machines;
	uint32_t hosts;
	enum late late;
	/* what is told, by one host or another */
	const char *told[3];
};

static const struct long_wait long_waits[] = {
	{ NULL, 2, IN_BARRIER, { "host 0 (pid", "has waited 10 s in barrier, call 2, for host 1 (pid" } },
	{ NULL, 3, IN_JOIN, { "for hosts that have not come: 2", ", which listens there" } },
	{ NULL, 2, IN_LINK, { " has waited 10 s in alloc, call 2, for host " } },
	{ "01", 2, IN_JOIN, { "host 0 (pid", " in join for hosts that have not come: 1" } },
	{ "0011", 4, IN_BARRIER, { "host 2 (pid",
				   " for host 2 (pid",
				   " on machine 1, not heard of since it joined" } },
	{ "01", 2, IN_EXCHANGE, { " in allreduce, call 1, for host 1 (pid",
				  " on machine 1, last heard of at the beginning of allreduce, call 1" } },
};

static char told[ARRAY_SIZE(long_waits)][64];

/* The keeper is late to hand over what the other one waits for. */
static void link_late(const struct hosts_test *t, struct pimdimm_hosts *h)
{
	const struct pc_hosts_said said = { .args = { .kind = PC_HOSTS_ALLOC } };
	int fds[PC_WIRE_FDS];
	size_t count;

	host_ok(pc_hosts_arrive(h, &said, 0, NULL, 0));
	if (h->keeper == t->host) {
		sleep(LATE_S);
		host_ok(pc_hosts_hand(h, 1 - t->host, PC_WIRE_SEGMENT, 0, NULL, 0));
	} else {
		host_ok(pc_hosts_take(h, PC_WIRE_SEGMENT, fds, &count));
	}
	host_ok(pc_hosts_over(h, 0));
}

static int late_isend(void *ctx, const void *buf, size_t bytes, uint32_t to, uint32_t tag,
		      void **request)
{
	static bool late;

	if (bytes >= CALLS_LEAST && !late) {
		late = true;
		sleep(LATE_S);
	}
	return sockets_isend(ctx, buf, bytes, to, tag, request);
}

static void exchange_late(const struct hosts_test *t, struct pimdimm_hosts *h)
{
	static int32_t in[VECTOR], out[VECTOR];

	if (t->host)
		pc_world_of(h)->t.isend = late_isend;
	host_ok(pimdimm_hosts_allreduce(h, in, out, VECTOR, PIDCOMM_I32, PIDCOMM_SUM));
}

static void do_wait_long(const struct hosts_test *t)
{
	const struct long_wait *l = t->ctx;
	const bool last = t->host == t->hosts - 1;
	struct pimdimm_hosts *h;
	int fd;

	host_ok(setenv("PIMDIMM_LOG", "trace,hosts", 1));
	fd = open(told[l - long_waits], O_CREAT | O_RDWR | O_CLOEXEC | O_APPEND, 0600);
	host_expect(fd >= 0 && dup2(fd, 2) == 2);
	if (last && l->late == IN_JOIN)
		sleep(LATE_S);
	h = hosts_joined(t);
	if (last && l->late == IN_BARRIER)
		sleep(LATE_S);
	if (l->late == IN_LINK)
		link_late(t, h);
	else if (l->late == IN_EXCHANGE)
		exchange_late(t, h);
	else
		host_ok(pimdimm_hosts_barrier(h));
	pimdimm_hosts_leave(h);
}

static void begin_long_wait(const struct long_wait *l, pid_t pids[])
{
	struct hosts_test t = { .hosts = l->hosts, .machines = l->machines, .ctx = l };

	snprintf(told[l - long_waits], sizeof(told[0]), "/tmp/pimdimm-told-%d.%u", (int)getpid(),
		 (unsigned int)(l - long_waits));
	hosts_meeting();
	if (t.machines)
		sockets_open(t.hosts);
	for (t.host = 0; t.host < t.hosts; t.host++)
		pids[t.host] = hosts_fork(do_wait_long, &t);
	if (t.machines)
		sockets_close(t.hosts, UINT32_MAX);
}

static bool tells_all(const struct long_wait *l)
{
	const char *path = told[l - long_waits];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char text[2048] = "";
	bool well = fd >= 0 && read(fd, text, sizeof(text) - 1) > 0;

	for (size_t i = 0; i < ARRAY_SIZE(l->told) && l->told[i]; i++)
		well = well && strstr(text, l->told[i]);
	if (!well)
		printf("# %s told, expected \"%s\" and so on\n", text, l->told[0]);
	close(fd);
	unlink(path);
	return well;
}

static void long_waits_told(void **state)
{
	pid_t pids[ARRAY_SIZE(long_waits)][4];
	bool well = true;

	(void)state;
	fflush(stdout);
	for (size_t i = 0; i < ARRAY_SIZE(long_waits); i++)
		begin_long_wait(&long_waits[i], pids[i]);
	for (size_t i = 0; i < ARRAY_SIZE(long_waits); i++) {
		for (uint32_t j = 0; j < long_waits[i].hosts; j++)
			well = hosts_ended_well(pids[i][j]) && well;
		well = tells_all(&long_waits[i]) && well;
	}
	assert_true(well);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(launched),
	cmocka_unit_test(launched_wrong),
	cmocka_unit_test(launched_by_slurm),
	cmocka_unit_test(sockets_of_the_machine),
	cmocka_unit_test(processors_shared),
	cmocka_unit_test(processors_shared_twice),
	cmocka_unit_test(long_waits_told),
};

UNIT_MAIN(tests)
