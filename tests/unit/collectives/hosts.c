// SPDX-License-Identifier: MIT
/* Hosts: they join, split, wait for each other, and learn what happens to the others. */
#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "collectives/hosts/machine.h"
#include "collectives/hosts/wire.h"
#include "tests/unit/failing.h"
#include "tests/unit/hosts.h"

static unsigned int open_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int n = 0;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static bool maps_hosts(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];
	bool found = false;

	while (fgets(line, sizeof(line), maps))
		found |= strstr(line, "pimdimm-hosts") != NULL;
	fclose(maps);
	return found;
}

static void check_part(const struct hosts_test *t, struct pimdimm_hosts *h)
{
	struct pimdimm_hosts_info info = { .size = sizeof(info) };
	struct pimdimm_hosts *part = NULL;

	/* even and odd ones, the last first; host 0 takes part in none of 3 and more */
	host_ok(pimdimm_hosts_split(h, t->host || t->hosts < 3 ? (int)t->host % 2 : -1,
				    -(int)t->host, &part));
	host_expect(!part == (!t->host && t->hosts >= 3));
	if (!part)
		return;
	host_ok(pimdimm_hosts_info(part, &info));
	host_expect(info.host == (t->hosts - 1 - t->host) / 2);
	for (int i = 0; i < 20; i++)
		host_ok(pimdimm_hosts_barrier(part));
	pimdimm_hosts_leave(part);
}

static void do_join(const struct hosts_test *t)
{
	struct pimdimm_hosts_info info = { .size = sizeof(info) };
	struct pimdimm_hosts_stats stats = { 0 };
	unsigned int fds = open_fds();
	struct pimdimm_hosts *h;
	uint8_t *a;

	usleep(t->host * 7919 % 20 * 1000);
	h = hosts_joined(t);
	host_ok(pimdimm_hosts_info(h, &info));
	host_expect(info.host == t->host && info.hosts == t->hosts && info.machines == 1 &&
		    info.local == t->host && info.locals == t->hosts && !info.machine);
	for (int i = 0; i < 100; i++)
		host_ok(pimdimm_hosts_barrier(h));
	check_part(t, h);
	host_expect(pimdimm_hosts_stats(h, &stats) == -EINVAL);
	stats.size = sizeof(stats);
	host_ok(pimdimm_hosts_stats(h, &stats));
	host_expect(stats.size == sizeof(stats) && !stats.loaded);
	host_ok(pimdimm_hosts_alloc(h, 10000, (void **)&a));
	for (int i = 0; i < 10000; i++)
		host_expect(!a[i]);
	memset(a, (int)t->host, 10000);
	host_ok(pimdimm_hosts_barrier(h));
	host_expect(a[0] == t->host && a[9999] == t->host);
	if (t->host & 1)
		pimdimm_hosts_free(h, a);
	host_ok(pimdimm_hosts_check(h));
	host_ok(pimdimm_hosts_barrier(h));
	pimdimm_hosts_leave(h);
	host_expect(open_fds() == fds);
	host_expect(!maps_hosts());
}

static void joins(void **state)
{
	(void)state;
	for (uint32_t hosts = 1; hosts <= HOSTS_TEST_MOST; hosts++)
		hosts_run(hosts, do_join, &(struct hosts_test){ 0 });
}

/* --- what is in the way of joining --- */

static int join_for(uint32_t host, uint32_t hosts, uint32_t ms, struct pimdimm_hosts **h)
{
	const struct pimdimm_hosts_options options = { .size = sizeof(options),
						       .timeout_ms = ms };

	return pimdimm_hosts_join(hosts_path, host, hosts, &options, h);
}

static void leave_stale_socket(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	strcpy(address.sun_path, hosts_path);
	assert_ok(bind(fd, (struct sockaddr *)&address, sizeof(address)));
	close(fd);
}

static void path_in_use(void **state)
{
	struct pimdimm_hosts *h;
	int fd;

	(void)state;
	hosts_meeting();
	leave_stale_socket();
	assert_ok(join_for(0, 1, HOSTS_PATIENCE, &h));
	pimdimm_hosts_leave(h);
	assert_int_equal(access(hosts_path, F_OK), -1);
	fd = open(hosts_path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(join_for(0, 1, HOSTS_PATIENCE, &h), -EINVAL);
	assert_ok(access(hosts_path, F_OK));
	close(fd);
	unlink(hosts_path);
}

static void wrong_arguments(void **state)
{
	struct pimdimm_hosts_options options = { .size = 4 };
	struct pimdimm_hosts *h;
	char path[200];

	(void)state;
	hosts_meeting();
	memset(path, 'a', sizeof(path));
	path[199] = 0;
	assert_int_equal(pimdimm_hosts_join(NULL, 0, 1, NULL, &h), -EINVAL);
	assert_int_equal(pimdimm_hosts_join(hosts_path, 0, 1, NULL, NULL), -EINVAL);
	assert_int_equal(pimdimm_hosts_join(hosts_path, 0, 0, NULL, &h), -EINVAL);
	assert_int_equal(pimdimm_hosts_join(hosts_path, 1, 1, NULL, &h), -EINVAL);
	assert_int_equal(pimdimm_hosts_join(hosts_path, 0, 129, NULL, &h), -EINVAL);
	assert_int_equal(pimdimm_hosts_join(hosts_path, 0, 1, &options, &h), -EINVAL);
	assert_int_equal(pimdimm_hosts_join(path, 0, 1, NULL, &h), -EINVAL);
	assert_int_equal(pimdimm_hosts_join("", 0, 1, NULL, &h), -EINVAL);
	setenv("PIMDIMM_TIMEOUT", "soon", 1);
	assert_int_equal(pimdimm_hosts_join(hosts_path, 0, 1, NULL, &h), -EINVAL);
	setenv("PIMDIMM_TIMEOUT", "50", 1);
	assert_int_equal(pimdimm_hosts_join(hosts_path, 1, 3, NULL, &h), -ETIMEDOUT);
	assert_non_null(strstr(pimdimm_errmsg(), ": 0 2"));
	assert_int_equal(access(hosts_path, F_OK), -1);
	unsetenv("PIMDIMM_TIMEOUT");
}

/* host 0 of 2, until the other one comes, whom it awaits */
static void first_of_two(const struct hosts_test *t)
{
	struct pimdimm_hosts *h = hosts_joined(t);

	host_ok(pimdimm_hosts_barrier(h));
	pimdimm_hosts_leave(h);
}

static void wait_for_door(void)
{
	struct stat st;

	while (stat(hosts_path, &st))
		usleep(1000);
}

static int knock(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	strcpy(address.sun_path, hosts_path);
	while (connect(fd, (struct sockaddr *)&address, sizeof(address)))
		usleep(1000);
	return fd;
}

static int greet_as(uint32_t version, uint32_t nr_fds, struct pc_wire *answer)
{
	struct pc_wire hello = { .magic = PC_WIRE_MAGIC, .version = version, .host = 1,
				 .hosts = 2 };
	int fd = knock(), got[PC_WIRE_FDS], ret;
	const int send[2] = { fd, fd };
	size_t count;

	assert_ok(pc_wire_send(fd, &hello, send, nr_fds));
	while ((ret = pc_wire_receive(fd, answer, got, &count)) == -EAGAIN)
		usleep(1000);
	close(fd);
	return ret ? ret : -answer->code;
}

static void lets_nobody_in(const struct hosts_test *t)
{
	struct rlimit few = { open_fds() + 16, open_fds() + 16 };
	struct pimdimm_hosts *h;

	host_ok(setrlimit(RLIMIT_NOFILE, &few));
	host_expect(join_for(t->host, t->hosts, HOSTS_PATIENCE, &h) == -EMFILE);
	host_expect(strstr(pimdimm_errmsg(), "cannot let another host in"));
}

static void knocks_on(const struct hosts_test *t)
{
	(void)t;
	for (;;)
		knock();
}

/* Those who say nothing take descriptors: when none is left nobody can come any more. */
static void no_descriptors(void **state)
{
	const struct hosts_test t = { .hosts = 2 };
	pid_t first, others;
	bool well;

	(void)state;
	hosts_meeting();
	first = hosts_fork(lets_nobody_in, &t);
	others = hosts_fork(knocks_on, &t);
	well = hosts_ended_well(first);
	kill(others, SIGKILL);
	assert_int_equal(waitpid(others, NULL, 0), others);
	assert_true(well);
	assert_int_equal(access(hosts_path, F_OK), -1);
}

static void refused(void **state)
{
	struct hosts_test t = { .hosts = 2 };
	struct pimdimm_hosts *h;
	struct pc_wire answer;
	pid_t first, other;

	(void)state;
	hosts_meeting();
	first = hosts_fork(first_of_two, &t);
	wait_for_door();
	assert_int_equal(join_for(0, 2, HOSTS_PATIENCE, &h), -EINVAL);
	assert_non_null(strstr(pimdimm_errmsg(), "host=0 is taken"));
	assert_int_equal(join_for(1, 3, HOSTS_PATIENCE, &h), -EPROTO);
	assert_non_null(strstr(pimdimm_errmsg(), "count=3, but 2"));
	assert_int_equal(greet_as(PC_HOSTS_VERSION + 1, 1, &answer), -EPROTO);
	assert_non_null(strstr(answer.words, "version"));
	assert_int_equal(greet_as(PC_HOSTS_VERSION, 0, &answer), -EPROTO);
	assert_int_equal(greet_as(PC_HOSTS_VERSION, 2, &answer), -EPROTO);
	if (!geteuid()) {
		fflush(stdout);
		other = fork();
		if (!other)
			_exit(seteuid(65534) ||
			      join_for(1, 2, HOSTS_PATIENCE, &h) != -EACCES);
		assert_true(hosts_ended_well(other));
	}
	t.host = 1;
	other = hosts_fork(first_of_two, &t);
	assert_true(hosts_ended_well(first));
	assert_true(hosts_ended_well(other));
	assert_int_equal(access(hosts_path, F_OK), -1);
}

static void joins_and_loses(const struct hosts_test *t)
{
	struct pimdimm_hosts *h;
	char words[48];

	host_expect(join_for(t->host, t->hosts, HOSTS_PATIENCE, &h) == -ECONNRESET);
	/* the other one, whichever listened */
	snprintf(words, sizeof(words), "a host has died: host %u (pid", 1 - t->host);
	host_expect(strstr(pimdimm_errmsg(), words));
}

/* one of three dies before the third comes: who listens, or the other one */
static void dies_in_join(void **state)
{
	(void)state;
	for (int listener = 0; listener < 2; listener++) {
		struct hosts_test t = { .hosts = 3 };
		pid_t victim, other;

		hosts_meeting();
		t.host = 0;
		victim = hosts_fork(joins_and_loses, &t);
		wait_for_door();
		t.host = 1;
		other = hosts_fork(joins_and_loses, &t);
		/* both have met when nothing else is left to happen */
		sleep(1);
		if (!listener) {
			pid_t swap = victim;

			victim = other;
			other = swap;
		}
		kill(victim, SIGKILL);
		hosts_ended_well(victim);
		assert_true(hosts_ended_well(other));
		assert_int_equal(access(hosts_path, F_OK), -1);
	}
}

/* --- what breaks later --- */

/* calls until one fails, which must be so, and all later ones */
static void call_until(struct pimdimm_hosts *h, int want, const char *words)
{
	char kept[600];
	void *buf;
	int ret;

	while (!(ret = pimdimm_hosts_barrier(h)))
		;
	snprintf(kept, sizeof(kept), "%s", pimdimm_errmsg());
	host_expect(ret == want);
	host_expect(strstr(kept, words));
	host_expect(pimdimm_hosts_barrier(h) == want);
	host_expect(!strcmp(kept, pimdimm_errmsg()));
	host_expect(pimdimm_hosts_alloc(h, 100, &buf) == want);
	host_expect(pimdimm_hosts_check(h) == want);
	host_expect(!strcmp(kept, pimdimm_errmsg()));
}

/* in memory of all */
struct victim {
	pid_t pid;
	atomic_uint joined;
};

static void loses_one(const struct hosts_test *t)
{
	struct victim *victim = (struct victim *)(uintptr_t)t->ctx;
	unsigned int fds = open_fds();
	struct pimdimm_hosts *h = hosts_joined(t);
	char words[40];

	victim->joined++;
	snprintf(words, sizeof(words), "(pid %d)", (int)victim->pid);
	call_until(h, -ECONNRESET, words);
	pimdimm_hosts_leave(h);
	host_expect(open_fds() == fds);
	host_expect(!maps_hosts());
}

static void killed(void **state)
{
	struct rng rng = { 18 };

	(void)state;
	for (unsigned int i = 0; i < hosts_kills(60); i++) {
		struct victim *victim = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
					     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		struct hosts_test t = { .hosts = 2 + (uint32_t)rng_below(&rng, 4), .ctx = victim };
		uint32_t dies = (uint32_t)rng_below(&rng, t.hosts);
		pid_t pids[HOSTS_TEST_MOST];

		hosts_meeting();
		for (uint32_t j = 0; j < t.hosts; j++) {
			t.host = (dies + j) % t.hosts;
			pids[t.host] = hosts_fork(loses_one, &t);
			if (!j)
				victim->pid = pids[dies];
		}
		while (victim->joined < t.hosts)
			usleep(100);
		usleep((useconds_t)rng_below(&rng, 3000));
		kill(pids[dies], SIGKILL);
		hosts_ended_well(pids[dies]);
		for (uint32_t j = 0; j < t.hosts; j++)
			assert_true(j == dies || hosts_ended_well(pids[j]));
		munmap(victim, 4096);
	}
}

static void stops_or_waits(const struct hosts_test *t)
{
	struct pimdimm_hosts *h = hosts_joined(t);

	host_ok(pimdimm_hosts_barrier(h));
	if (t->host == 1)
		raise(SIGSTOP);
	call_until(h, -ETIMEDOUT, "host 1 (pid");
	pimdimm_hosts_leave(h);
}

static void stopped(void **state)
{
	struct hosts_test t = { .hosts = 3, .timeout_ms = 6000 };
	pid_t pids[3];
	int status;

	(void)state;
	hosts_meeting();
	for (t.host = 0; t.host < 3; t.host++)
		pids[t.host] = hosts_fork(stops_or_waits, &t);
	assert_int_equal(waitpid(pids[1], &status, WUNTRACED), pids[1]);
	assert_true(WIFSTOPPED(status));
	assert_true(hosts_ended_well(pids[0]));
	assert_true(hosts_ended_well(pids[2]));
	/* it wakes up to the same error */
	kill(pids[1], SIGCONT);
	assert_true(hosts_ended_well(pids[1]));
}

static void do_abort(const struct hosts_test *t)
{
	struct pimdimm_hosts *h = hosts_joined(t);

	host_ok(pimdimm_hosts_barrier(h));
	host_expect(pimdimm_hosts_abort(h, NULL) == -EINVAL);
	if (t->host == 1)
		host_ok(pimdimm_hosts_abort(h, "no more"));
	call_until(h, -ECANCELED, "host 1 (pid");
	host_expect(strstr(pimdimm_errmsg(), "aborts: no more"));
	pimdimm_hosts_leave(h);
}

static void aborted(void **state)
{
	(void)state;
	hosts_run(3, do_abort, &(struct hosts_test){ 0 });
}

static void do_differ(const struct hosts_test *t)
{
	struct pimdimm_hosts *h = hosts_joined(t);
	struct pimdimm_hosts *part;
	void *buf;

	/* refused by one: -EINVAL there; the others are told, and go on */
	host_expect(pimdimm_hosts_alloc(h, t->host == 1 ? 0 : 100, &buf) ==
		    (t->host == 1 ? -EINVAL : -EPROTO));
	host_expect(strstr(pimdimm_errmsg(), "bytes=0, expected 1"));
	host_expect(pimdimm_hosts_split(h, 1, 0, t->host ? &part : NULL) ==
		    (t->host ? -EPROTO : -EINVAL));
	host_ok(pimdimm_hosts_barrier(h));
	if (t->host == 2)
		host_expect(pimdimm_hosts_alloc(h, 100, &buf) == -EPROTO);
	call_until(h, -EPROTO, "host 2 (pid");
	host_expect(strstr(pimdimm_errmsg(), "alloc of 100") &&
		    strstr(pimdimm_errmsg(), "makes barrier") &&
		    strstr(pimdimm_errmsg(), "call 5 differs"));
	pimdimm_hosts_leave(h);
}

static void differing(void **state)
{
	(void)state;
	hosts_run(3, do_differ, &(struct hosts_test){ 0 });
}

static void do_leave(const struct hosts_test *t)
{
	struct pimdimm_hosts *h = hosts_joined(t);
	pid_t child;

	host_ok(pimdimm_hosts_barrier(h));
	child = fork();
	if (!child) {
		void *buf;

		host_expect(pimdimm_hosts_barrier(h) == -EBUSY);
		host_expect(pimdimm_hosts_alloc(h, 10, &buf) == -EBUSY);
		host_expect(pimdimm_hosts_check(h) == -EBUSY);
		host_expect(pimdimm_hosts_abort(h, "child") == -EBUSY);
		pimdimm_hosts_leave(h);
		_exit(0);
	}
	host_expect(hosts_ended_well(child));
	/* what a child does leaves its parent's membership alone */
	host_ok(pimdimm_hosts_barrier(h));
	if (t->host != 1) {
		host_expect(pimdimm_hosts_barrier(h) == -EBUSY);
		host_expect(strstr(pimdimm_errmsg(), "host 1 (pid"));
		/* some try more often than others */
		for (uint32_t i = 0; i < 10 * t->host; i++)
			host_expect(pimdimm_hosts_barrier(h) == -EBUSY);
		host_ok(pimdimm_hosts_check(h));
	}
	pimdimm_hosts_leave(h);
}

static void left(void **state)
{
	(void)state;
	hosts_run(2, do_leave, &(struct hosts_test){ 0 });
	hosts_run(4, do_leave, &(struct hosts_test){ 0 });
}

/* --- a page that is written by who means ill --- */

static void scribble(struct pimdimm_hosts *h, int how, struct rng *rng)
{
	uint8_t *page = (uint8_t *)h->page;

	switch (how) {
	case 0:
		h->page->magic = 0;
		break;
	case 1:
		atomic_store(&h->page->line[1].step, UINT64_MAX);
		break;
	case 2:
		memset(h->page->words, 'x', sizeof(h->page->words));
		h->page->code = -77;
		atomic_store(&h->page->broken, PC_HOSTS_BROKEN);
		break;
	case 3:
		atomic_store(&h->page->broken, PC_HOSTS_BREAKING);
		break;
	default:
		for (int i = 0; i < 20000; i++)
			page[rng_below(rng, h->page_bytes)] = (uint8_t)rng_next(rng);
	}
}

/* Who breaks something has a moment to say what, for which a check does not wait. */
static void breaking_is_not_awaited(void **state)
{
	struct pimdimm_hosts *h;

	(void)state;
	hosts_meeting();
	assert_ok(join_for(0, 1, HOSTS_PATIENCE, &h));
	atomic_store(&h->page->broken, PC_HOSTS_BREAKING);
	assert_ok(pimdimm_hosts_check(h));
	assert_ok(pimdimm_hosts_abort(h, "too late"));
	assert_int_equal(pimdimm_hosts_barrier(h), -EIO);
	assert_int_equal(pimdimm_hosts_check(h), -EIO);
	pimdimm_hosts_leave(h);
}

static void do_hostile(const struct hosts_test *t)
{
	const int *how = t->ctx;
	struct rng rng = { (uint64_t)*how };
	struct pimdimm_hosts *h = NULL;
	int ret = join_for(t->host, t->hosts, t->timeout_ms, &h);

	if (t->host == 1) {
		host_ok(ret);
		scribble(h, *how, &rng);
		usleep(200000);
		_exit(0);
	}
	while (!ret)
		ret = pimdimm_hosts_barrier(h);
	/* chance may write anything: it is an error, and no crash */
	host_expect(*how > 3 || ret == -EIO);
	host_expect(ret == -EIO || ret == -ECONNRESET || ret == -EPROTO || ret == -EBUSY ||
		    ret == -ETIMEDOUT || ret == -ECANCELED);
	host_expect(strlen(pimdimm_errmsg()) < 512);
	pimdimm_hosts_leave(h);
}

static void hostile_page(void **state)
{
	(void)state;
	for (int how = 0; how < 16; how++)
		hosts_run(3, do_hostile, &(struct hosts_test){ .ctx = &how, .timeout_ms = 5000 });
}

/* a listener that welcomes with a page that is too short, is not sealed, or has no head, with
 * a descriptor less, or as a host that there is not */
static void bad_welcome(const struct hosts_test *t)
{
	const struct pc_hosts_page head = { .magic = PC_HOSTS_MAGIC,
					    .version = PC_HOSTS_VERSION, .hosts = 2 };
	const int *how = t->ctx;
	struct pc_wire message, hello;
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int s = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), c, fds[PC_WIRE_FDS];
	size_t count;

	strcpy(address.sun_path, hosts_path);
	host_ok(bind(s, (struct sockaddr *)&address, sizeof(address)));
	host_ok(listen(s, 8));
	c = accept(s, NULL, NULL);
	while (pc_wire_receive(c, &hello, fds, &count) == -EAGAIN)
		usleep(1000);
	message = (struct pc_wire){ .magic = PC_WIRE_MAGIC, .version = PC_HOSTS_VERSION,
				    .kind = PC_WIRE_WELCOME, .hosts = 2,
				    .host = *how == 4 ? 77 : 0 };
	fds[0] = memfd_create("short", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	fds[1] = fds[2] = fds[0];
	host_ok(ftruncate(fds[0], (off_t)(pc_hosts_page_bytes(2) + pc_hosts_scratch_bytes(2) -
					  (*how == 0 ? 4096 : 0))));
	if (*how != 2)
		host_expect(pwrite(fds[0], &head, 16, 0) == 16);
	if (*how != 1)
		host_ok(fcntl(fds[0], F_ADD_SEALS, F_SEAL_SHRINK));
	host_ok(pc_wire_send(c, &message, fds, *how == 3 ? 2 : 3));
	while (pc_wire_receive(c, &hello, fds, &count) == -EAGAIN)
		usleep(1000);
	unlink(hosts_path);
}

static void shrunken_page(void **state)
{
	struct pimdimm_hosts *h;

	(void)state;
	for (int how = 0; how < 5; how++) {
		struct hosts_test t = { .ctx = &how };
		unsigned int fds = open_fds();
		pid_t pid;

		hosts_meeting();
		pid = hosts_fork(bad_welcome, &t);
		wait_for_door();
		usleep(20000);
		assert_int_equal(join_for(1, 2, 10000, &h), -EIO);
		assert_true(hosts_ended_well(pid));
		assert_int_equal(open_fds(), fds);
	}
}

/* --- what cannot be had --- */

static void use_all(const struct hosts_test *t, int *ret)
{
	struct pimdimm_hosts *h = NULL, *part = NULL;
	void *buf = NULL;

	*ret = join_for(t->host, t->hosts, HOSTS_PATIENCE, &h);
	if (*ret)
		return;
	*ret = pimdimm_hosts_alloc(h, 5000, &buf);
	if (!*ret)
		*ret = pimdimm_hosts_split(h, 1, 0, &part);
	if (!*ret)
		*ret = pimdimm_hosts_barrier(part);
	pimdimm_hosts_leave(part);
	pimdimm_hosts_leave(h);
}

static void no_resources(void **state)
{
	const struct hosts_test t = { .hosts = 1 };
	bool failed = true;
	int ret;

	(void)state;
	hosts_meeting();
	use_all(&t, &ret);	/* what is made once a process is made */
	assert_ok(ret);
	for (unsigned int nth = 1; failed; nth++) {
		unsigned int fds = open_fds();

		failing_start(nth);
		use_all(&t, &ret);
		failed = failing_stop();
		if (failed && ret)
			assert_true(*pimdimm_errmsg());
		assert_true(failed || !ret);
		assert_int_equal(open_fds(), fds);
		assert_false(maps_hosts());
		assert_int_equal(access(hosts_path, F_OK), -1);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(joins),
	cmocka_unit_test(path_in_use),
	cmocka_unit_test(wrong_arguments),
	cmocka_unit_test(refused),
	cmocka_unit_test(no_descriptors),
	cmocka_unit_test(dies_in_join),
	cmocka_unit_test(killed),
	cmocka_unit_test(stopped),
	cmocka_unit_test(aborted),
	cmocka_unit_test(differing),
	cmocka_unit_test(left),
	cmocka_unit_test(breaking_is_not_awaited),
	cmocka_unit_test(hostile_page),
	cmocka_unit_test(shrunken_page),
	cmocka_unit_test(no_resources),
};

UNIT_MAIN(tests)
