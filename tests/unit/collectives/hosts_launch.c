// SPDX-License-Identifier: MIT
/*
 * What hosts learn as they join: who they are from their launcher's environment, sockets, and
 * whose the processors are; and what they say when somebody does not come.
 */
#include <fcntl.h>

#include "collectives/hosts/launcher.h"
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

/* --- sockets and processors --- */

static void do_sockets(const struct hosts_test *t)
{
	struct pimdimm_hosts *h;

	/* another machine at every host: what host 0 sees counts */
	host_ok(setenv("HWLOC_SYNTHETIC", t->host ? "pack:5 core:1 pu:1" : "pack:2 core:2 pu:1",
		       1));
	h = hosts_joined(t);
	host_expect(h->sockets == (t->sockets ? t->sockets : 2));
	host_expect(!h->shares_cores);
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
	host_expect(h->shares_cores == (t->host < 2 && all > 1));
	host_expect(pd_affinity_own(&cpus) == h->shares_cores);
	if (h->shares_cores) {
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

/* --- who waits for whom --- */

static char told[64];

static void do_wait_long(const struct hosts_test *t)
{
	const char *words = t->ctx;
	struct pimdimm_hosts *h;
	char text[1024] = "";
	int fd;

	host_ok(setenv("PIMDIMM_LOG", "trace,hosts", 1));
	fd = open(told, O_CREAT | O_RDWR | O_CLOEXEC | O_APPEND, 0600);
	host_expect(fd >= 0 && dup2(fd, 2) == 2);
	if (t->host && !strstr(words, "barrier"))
		sleep(11);
	h = hosts_joined(t);
	if (t->host && strstr(words, "barrier"))
		sleep(11);
	host_ok(pimdimm_hosts_barrier(h));
	pimdimm_hosts_leave(h);
	if (t->host)
		return;
	host_expect(pread(fd, text, sizeof(text) - 1, 0) > 0);
	host_expect(strstr(text, words));
	host_expect(strchr(text, '\n') == text + strlen(text) - 1);
}

static void long_waits_told(void **state)
{
	(void)state;
	snprintf(told, sizeof(told), "/tmp/pimdimm-told-%d", (int)getpid());
	hosts_run(2, do_wait_long, &(struct hosts_test){ .ctx = "has waited 10 s in barrier, call 2, for host 1 (pid" });
	unlink(told);
	hosts_run(2, do_wait_long, &(struct hosts_test){ .ctx = "for hosts that have not come: 1" });
	unlink(told);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(launched),
	cmocka_unit_test(launched_wrong),
	cmocka_unit_test(sockets_of_the_machine),
	cmocka_unit_test(processors_shared),
	cmocka_unit_test(long_waits_told),
};

UNIT_MAIN(tests)
