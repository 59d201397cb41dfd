// SPDX-License-Identifier: MIT
/*
 * PIMDIMM_TRACE and hosts of several machines: who each process is, what it sends to other
 * machines, and whom it waits for there.
 */
#include "tests/unit/hosts.h"

#define HOSTS	3
#define COUNT	(1u << 16)

static char path[] = "/tmp/pimdimm-hosts-timeline.XXXXXX";

/* lines of the file that hold all three */
static unsigned int lines_with(const char *a, const char *b, const char *c)
{
	FILE *file = fopen(path, "re");
	unsigned int n = 0;
	char line[1024];

	while (file && fgets(line, sizeof(line), file))
		n += strstr(line, a) && strstr(line, b) && strstr(line, c);
	if (file)
		fclose(file);
	return n;
}

/* Host 2 alone is on its machine, and late: until host 0 has begun to wait for it. */
static void be_late(const struct hosts_test *t)
{
	while (t->host == 2 && !lines_with("\"ph\":\"B\"", "\"wait for host 2\"", ""))
		usleep(10000);
}

static void host_of_machines(const struct hosts_test *t)
{
	uint32_t *a = need(calloc(COUNT, sizeof(*a))), *b = need(calloc(COUNT, sizeof(*b)));
	struct pimdimm_hosts *h;

	setenv("PIMDIMM_TRACE", path, 1);
	h = hosts_joined(t);
	be_late(t);
	host_ok(pimdimm_hosts_allreduce(h, a, b, COUNT, PIDCOMM_U32, PIDCOMM_SUM));
	pimdimm_hosts_leave(h);
	free(a);
	free(b);
}

static void test_machines(void **state)
{
	char name[64];

	(void)state;
	hosts_run(HOSTS, host_of_machines, &(struct hosts_test){ .machines = "001" });
	for (unsigned int i = 0; i < HOSTS; i++) {
		snprintf(name, sizeof(name), "hosts_timeline, host %u of %d, machine %u\"", i, HOSTS,
			 i / 2);
		assert_int_equal(lines_with("\"process_name\"", name, ""), 1);
	}
	assert_int_equal(lines_with("\"hosts_join\"", "\"ph\":\"X\"", "\"ret\":0}"), HOSTS);
	assert_int_equal(lines_with("\"hosts_allreduce\"", "\"bytes\":262144,\"hosts\":3,",
				    "\"ret\":0}"), HOSTS);
	assert_true(lines_with("\"wait for host 2\"", "\"ph\":\"X\"", "\"call\":\"allreduce\"") > 0);
	/* both directions of the ring between the machines, of whole vectors or parts of them */
	assert_true(lines_with("\"exchange\"", "\"ph\":\"X\"", "\"to\":2,\"out_bytes\":") > 0);
	assert_true(lines_with("\"exchange\"", "\"ph\":\"X\"", "\"from\":2,\"in_bytes\":") > 0);
	assert_int_equal(lines_with("", "\"ph\":\"B\"", ""), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_machines),
};

int main(void)
{
	int fd = mkstemp(path), ret;

	unit_start();
	if (fd < 0)
		return 1;
	close(fd);
	ret = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return ret;
}
