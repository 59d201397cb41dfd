// SPDX-License-Identifier: MIT
/* Makes each allocation and copy of an operation fail in turn, by fail-nth. */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/kernel/harness.h"
#include "tests/kernel/nth.h"

/* No operation makes so many; one that never gets through is stopped here. */
#define MOST_FAILURES 20000u

static void set_knob(const char *fault, const char *knob, const char *value)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "/sys/kernel/debug/%s/%s", fault, knob);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return; /* this kernel fails in fewer ways */
	ASSERT_LT(0, write(fd, value, strlen(value)));
	close(fd);
}

void need_failures(void)
{
	if (!getenv("SELFTEST_KO") || geteuid())
		SKIP("makes the kernel fail: not without SELFTEST_KO");
	if (access("/proc/thread-self/fail-nth", R_OK | W_OK))
		SKIP("this kernel does not fail on demand");
}

static int nth_open(void)
{
	static const char *const faults[] = { "failslab", "fail_page_alloc",
					      "fail_usercopy" };
	int fd;

	need_failures();
	fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, fd);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		set_knob(faults[i], "verbose", "0");
		set_knob(faults[i], "ignore-gfp-wait", "N");
		set_knob(faults[i], "ignore-gfp-highmem", "N");
		set_knob(faults[i], "min-order", "0");
	}
	return fd;
}

static void nth_arm(int fd, unsigned int n)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%u", n);

	ASSERT_EQ(length, pwrite(fd, text, length, 0));
}

unsigned int count_failures(int (*run)(void *), void *scene)
{
	const unsigned int far = 1000000;
	char text[16] = "";
	int fd = nth_open();

	nth_arm(fd, far);
	run(scene);
	ASSERT_LT(0, pread(fd, text, sizeof(text) - 1, 0));
	ASSERT_EQ(1, pwrite(fd, "0", 1, 0));
	close(fd);
	return far - (unsigned int)atoi(text);
}

/*
 * Says whether the failure was met. Asking copies, too, and may meet it instead:
 * then the operation was through.
 */
static bool nth_disarm(int fd)
{
	char text[16] = "";
	ssize_t length = pread(fd, text, sizeof(text) - 1, 0);
	bool met = length > 0 && atoi(text) == 0;

	ASSERT_TRUE(length > 0 || errno == EFAULT);
	if (pwrite(fd, "0", 1, 0) != 1)
		ASSERT_EQ(1, pwrite(fd, "0", 1, 0));
	return met;
}

/**
 * struct footprint - what an operation must not leave behind
 * @descriptor: the lowest number that is free
 * @users: of the module, -1 while it is not loaded
 */
struct footprint {
	int descriptor;
	long users;
};

static struct footprint footprint_now(int fd)
{
	struct footprint now = { .descriptor = dup(fd), .users = -1 };
	FILE *file;

	ASSERT_LE(0, now.descriptor);
	close(now.descriptor);
	file = fopen("/sys/module/pimdimm/refcnt", "re");
	if (file) {
		ASSERT_EQ(1, fscanf(file, "%ld", &now.users));
		fclose(file);
	}
	return now;
}

static void expect_footprint(const struct footprint *before, int fd,
			     unsigned int n)
{
	struct footprint now = footprint_now(fd);

	if (now.descriptor != before->descriptor)
		test_fail(__FILE__, __LINE__, "failure %u left a descriptor",
			  n);
	if (now.users != before->users)
		test_fail(__FILE__, __LINE__, "failure %u: %ld users, not %ld",
			  n, now.users, before->users);
}

static void judge(const struct operation *op, unsigned int n, bool met,
		  int result)
{
	static const int usual[] = { ENOMEM, EFAULT, 0 };
	const int *error = op->errors ? op->errors : usual;

	if (result == 0)
		return;
	while (*error && *error != -result)
		error++;
	if (!*error)
		test_fail(__FILE__, __LINE__, "failure %u: %s", n,
			  strerrorname_np(-result));
	else if (!met)
		test_fail(__FILE__, __LINE__, "%s without a failure",
			  strerrorname_np(-result));
}

/* Runs it with failure @n. Says whether this was met; counts what was told. */
static bool fail_nth(const struct operation *op, void *scene, int fd,
		     unsigned int n, unsigned int *told)
{
	int result;
	bool met;

	nth_arm(fd, n);
	result = op->run(scene);
	met = nth_disarm(fd);
	judge(op, n, met, result);
	*told += result != 0;
	if (result == 0 && op->undo)
		op->undo(scene);
	if (op->check)
		op->check(scene);
	return met;
}

/* Runs it with failures from @n on, @stride apart on average. */
static void fail_apart(unsigned int n, unsigned int stride,
		       const struct operation *op, void *scene)
{
	int fd = nth_open();
	struct footprint before = footprint_now(fd);
	unsigned int met = 0, told = 0;
	struct random random;

	random_start(&random);
	while (fail_nth(op, scene, fd, n, &told)) {
		expect_footprint(&before, fd, n);
		if (test_failed())
			break;
		ASSERT_LT(++met, MOST_FAILURES);
		n += 1 + (unsigned int)random_below(&random, 2 * stride - 1);
	}
	expect_footprint(&before, fd, n);
	test_note("%u failures met, %u of them told", met, told);
	EXPECT_LT(0, met);
	close(fd);
}

void fail_each(const struct operation *op, void *scene)
{
	fail_apart(1, 1, op, scene);
}

void fail_from(unsigned int first, const struct operation *op, void *scene)
{
	fail_apart(first, test_slowness(), op, scene);
}

int as_result(long value)
{
	return value < 0 ? -errno : 0;
}

void check_rank(void *argument)
{
	struct scene *scene = argument;
	uint64_t words[PIMDIMM_RANK_PES], seen[PIMDIMM_RANK_PES];

	EXPECT_EQ(scene->pinned, sysfs_number(&scene->rank, "pinned"));
	for (unsigned int pe = 0; pe < PIMDIMM_RANK_PES; pe++)
		words[pe] = (pe + 1) * 0x0102030405060708;
	ASSERT_EQ(0, xfer_all(&scene->rank, 0, words, 8));
	ASSERT_EQ(0, xfer_all(&scene->rank, PIMDIMM_XFER_FROM_MRAM, seen, 8));
	EXPECT_EQ(0, memcmp(words, seen, sizeof(seen)));
	/* EBUSY where anything is pinned: the next one allocates its pages anew */
	if (!scene->pinned)
		rank_reset(&scene->rank);
}

int map_scene(struct scene *scene, int fd, uint64_t offset, size_t bytes)
{
	scene->mapped = bytes;
	scene->map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			  (off_t)offset);
	return scene->map == MAP_FAILED ? -errno : 0;
}

void undo_map(void *argument)
{
	struct scene *scene = argument;

	ASSERT_EQ(0, munmap(scene->map, scene->mapped));
}

void open_scene(struct scene *scene, uint64_t feature)
{
	need_failures();
	rank_open_map(&scene->rank);
	if (~scene->rank.query.out_features & feature)
		SKIP("this module does not offer it");
}
