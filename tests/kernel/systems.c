// SPDX-License-Identifier: MIT
/*
 * Systems that come and go through configfs, beside that of the parameters.
 * Skips where pimdimm_configfs.ko is not loaded or not ours to use.
 */
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/kernel/harness.h"
#include "tests/kernel/rank.h"

#define FOLDER	"/sys/kernel/config/pimdimm"
#define CLASS	"/sys/class/pimdimm"
#define MAX_RANKS 256

static int make_system(const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), FOLDER "/%s", name);
	return mkdir(path, 0755);
}

static int drop(const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), FOLDER "/%s", name);
	return rmdir(path);
}

/* Writes an attribute of a system: 0, or -1 and errno. */
static int set(const char *name, const char *attribute, const char *value)
{
	char path[128];
	ssize_t done;
	int fd, error;

	snprintf(path, sizeof(path), FOLDER "/%s/%s", name, attribute);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	done = write(fd, value, strlen(value));
	error = errno;
	close(fd);
	errno = error;
	return done == (ssize_t)strlen(value) ? 0 : -1;
}

static bool read_line(const char *path, char text[64])
{
	FILE *file = fopen(path, "re");
	bool found;

	if (!file)
		return false;
	found = fgets(text, 64, file) != NULL;
	fclose(file);
	if (found)
		text[strcspn(text, "\n")] = '\0';
	return found;
}

static void expect_value(const char *name, const char *attribute,
			 const char *value)
{
	char path[128], text[64] = "";

	snprintf(path, sizeof(path), FOLDER "/%s/%s", name, attribute);
	ASSERT_TRUE(read_line(path, text));
	if (strcmp(text, value))
		test_fail(__FILE__, __LINE__, "%s is %s, expected %s", path,
			  text, value);
}

static const char *const names[] = { "test-a", "test-b", "test-c" };

static void start(void)
{
	if (access(FOLDER, W_OK))
		SKIP(FOLDER ": %s", strerror(errno));
	/* what a test that failed has left */
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		set(names[i], "enable", "0");
		drop(names[i]);
	}
}

/* The numbers of a system's nodes, ascending; returns how many. */
static unsigned int nodes_of(const char *name, unsigned int numbers[MAX_RANKS])
{
	unsigned int count = 0;
	char path[64], text[64];

	for (unsigned int i = 0; i < MAX_RANKS; i++) {
		snprintf(path, sizeof(path), CLASS "/pimdimm%u/system", i);
		if (read_line(path, text) && !strcmp(text, name))
			numbers[count++] = i;
	}
	return count;
}

static unsigned int all_nodes(void)
{
	unsigned int count = 0;
	glob_t nodes;

	if (!glob("/dev/pimdimm*", 0, NULL, &nodes)) {
		count = (unsigned int)nodes.gl_pathc;
		globfree(&nodes);
	}
	return count;
}

static int open_node(unsigned int number)
{
	char path[32];

	snprintf(path, sizeof(path), "/dev/pimdimm%u", number);
	return open(path, O_RDWR | O_CLOEXEC);
}

static void open_rank(struct rank *rank, unsigned int number)
{
	*rank = (struct rank){ .number = (int)number,
			       .query = { .size = sizeof(rank->query) } };
	rank->fd = open_node(number);
	ASSERT_LE(0, rank->fd);
	ASSERT_EQ(0, ioctl(rank->fd, PIMDIMM_IOC_QUERY, &rank->query));
}

static void create(const char *name, const char *channels, const char *ranks)
{
	ASSERT_EQ(0, make_system(name));
	ASSERT_EQ(0, set(name, "channels", channels));
	ASSERT_EQ(0, set(name, "ranks", ranks));
	ASSERT_EQ(0, set(name, "mram_size", "65536\n"));
	ASSERT_EQ(0, set(name, "enable", "1\n"));
}

static void remove_system(const char *name)
{
	ASSERT_EQ(0, set(name, "enable", "0"));
	ASSERT_EQ(0, drop(name));
}

static void expect_rank_works(unsigned int number, uint64_t mram)
{
	uint64_t word = 0x1122334455667788 + number, seen = 0;
	struct rank rank;

	open_rank(&rank, number);
	EXPECT_EQ(mram, rank.query.out_mram_size);
	rank_map(&rank);
	ASSERT_EQ(0, xfer_strided(rank.fd, 0, 1ULL << 63, mram - 8, 8, &word, 0,
				  NULL));
	rank_get(&rank, 63, mram - 8, &seen, 8);
	EXPECT_EQ(word, seen);
	rank_close(&rank);
}

TEST(defaults)
{
	start();
	ASSERT_EQ(0, make_system("test-a"));
	expect_value("test-a", "channels", "1");
	expect_value("test-a", "ranks", "4");
	expect_value("test-a", "mram_size", "1048576");
	expect_value("test-a", "layout", "linear");
	expect_value("test-a", "enable", "0");
	ASSERT_EQ(0, drop("test-a"));
}

TEST(create_use_remove)
{
	unsigned int before, numbers[MAX_RANKS];
	char text[64], link[256];
	struct rank rank;

	start();
	before = all_nodes();
	ASSERT_EQ(0, make_system("test-a"));
	EXPECT_EQ(before, all_nodes());
	ASSERT_EQ(0, set("test-a", "channels", "2"));
	ASSERT_EQ(0, set("test-a", "ranks", "3"));
	ASSERT_EQ(0, set("test-a", "mram_size", "131072"));
	ASSERT_EQ(0, set("test-a", "layout", "xeon_sp"));
	ASSERT_EQ(0, set("test-a", "enable", "1"));
	expect_value("test-a", "enable", "1");
	EXPECT_EQ(before + 6, all_nodes());
	ASSERT_EQ(6, nodes_of("test-a", numbers));
	for (unsigned int i = 0; i < 6; i++) {
		expect_rank_works(numbers[i], 131072);
		open_rank(&rank, numbers[i]);
		EXPECT_EQ(i / 3, rank.query.out_channel);
		EXPECT_EQ(i % 3, rank.query.out_rank);
		EXPECT_EQ(2, rank.query.out_channels);
		EXPECT_EQ(3, rank.query.out_ranks);
		EXPECT_EQ(PIMDIMM_LAYOUT_XEON_SP, rank.query.out_layout);
		EXPECT_EQ((long)i / 3, sysfs_number(&rank, "channel"));
		EXPECT_EQ((long)i % 3, sysfs_number(&rank, "rank"));
		rank_close(&rank);
	}
	ASSERT_TRUE(read_line("/sys/class/pimdimm_system/test-a/ranks", text));
	EXPECT_EQ(0, strcmp("3", text));
	snprintf(link, sizeof(link), CLASS "/pimdimm%u/device/layout",
		 numbers[5]);
	ASSERT_TRUE(read_line(link, text));
	EXPECT_EQ(0, strcmp("xeon_sp", text));
	remove_system("test-a");
	EXPECT_EQ(before, all_nodes());
	EXPECT_NE(0, access("/sys/class/pimdimm_system/test-a", F_OK));
	EXPECT_EQ(0, access("/sys/class/pimdimm_system/default", F_OK));
}

TEST(removal_in_use_is_refused)
{
	unsigned int numbers[MAX_RANKS];
	int fd, other;

	start();
	create("test-a", "1", "3");
	ASSERT_EQ(3, nodes_of("test-a", numbers));
	ASSERT_ERRNO(EBUSY, drop("test-a"));
	fd = open_node(numbers[1]);
	ASSERT_LE(0, fd);
	ASSERT_ERRNO(EBUSY, set("test-a", "enable", "0"));
	ASSERT_ERRNO(EBUSY, drop("test-a"));
	/* all of it goes on */
	expect_value("test-a", "enable", "1");
	EXPECT_EQ(3, nodes_of("test-a", numbers));
	for (unsigned int i = 0; i < 3; i += 2) {
		other = open_node(numbers[i]);
		EXPECT_LE(0, other);
		close(other);
	}
	EXPECT_ERRNO(EBUSY, open_node(numbers[1]));
	close(fd);
	remove_system("test-a");
}

TEST(geometry_is_fixed_while_enabled)
{
	start();
	create("test-a", "1", "1");
	EXPECT_ERRNO(EBUSY, set("test-a", "channels", "2"));
	EXPECT_ERRNO(EBUSY, set("test-a", "ranks", "2"));
	EXPECT_ERRNO(EBUSY, set("test-a", "mram_size", "131072"));
	EXPECT_ERRNO(EBUSY, set("test-a", "layout", "xeon_sp"));
	EXPECT_EQ(0, set("test-a", "enable", "1"));
	ASSERT_EQ(0, set("test-a", "enable", "0"));
	EXPECT_EQ(0, set("test-a", "enable", "0"));
	EXPECT_EQ(0, set("test-a", "ranks", "2"));
	ASSERT_EQ(0, set("test-a", "enable", "1"));
	remove_system("test-a");
}

TEST(values_that_cannot_be)
{
	static const char *const bad[][2] = {
		{ "channels", "0" }, { "channels", "257" },
		{ "channels", "-1" }, { "channels", "two" }, { "channels", "" },
		{ "ranks", "0" }, { "ranks", "257" }, { "ranks", "1 2" },
		{ "mram_size", "0" }, { "mram_size", "61440" },
		{ "mram_size", "65537" }, { "mram_size", "67112960" },
		{ "mram_size", "1M" }, { "layout", "xeon" },
		{ "layout", "0" }, { "enable", "2" }, { "enable", "maybe" },
	};

	start();
	ASSERT_EQ(0, make_system("test-a"));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		/* writing nothing is nothing */
		if (*bad[i][1])
			EXPECT_ERRNO(EINVAL,
				     set("test-a", bad[i][0], bad[i][1]));
	EXPECT_ERRNO(ERANGE,
		     set("test-a", "channels", "99999999999999999999"));
	expect_value("test-a", "channels", "1");
	expect_value("test-a", "mram_size", "1048576");
	/* each will do, their product will not, in whatever order they come */
	EXPECT_EQ(0, set("test-a", "channels", "17"));
	EXPECT_EQ(0, set("test-a", "ranks", "16"));
	EXPECT_ERRNO(EINVAL, set("test-a", "enable", "1"));
	EXPECT_EQ(0, drop("test-a"));
}

TEST_LIMIT(as_many_ranks_as_there_are_numbers, 300)
{
	unsigned int numbers[MAX_RANKS], free = MAX_RANKS - all_nodes();
	char text[16];

	start();
	snprintf(text, sizeof(text), "%u", free + 1);
	ASSERT_EQ(0, make_system("test-a"));
	ASSERT_EQ(0, set("test-a", "ranks", text));
	EXPECT_ERRNO(ENOSPC, set("test-a", "enable", "1"));
	EXPECT_EQ(0, nodes_of("test-a", numbers));
	snprintf(text, sizeof(text), "%u", free);
	ASSERT_EQ(0, set("test-a", "ranks", text));
	ASSERT_EQ(0, set("test-a", "enable", "1"));
	ASSERT_EQ(free, nodes_of("test-a", numbers));
	EXPECT_EQ(MAX_RANKS - 1, numbers[free - 1]);
	expect_rank_works(numbers[free - 1], 1048576);
	ASSERT_EQ(0, make_system("test-b"));
	EXPECT_ERRNO(ENOSPC, set("test-b", "enable", "1"));
	ASSERT_EQ(0, drop("test-b"));
	remove_system("test-a");
}

TEST(numbers)
{
	unsigned int a[MAX_RANKS], b[MAX_RANKS], c[MAX_RANKS];

	start();
	create("test-a", "1", "2");
	create("test-b", "2", "1");
	ASSERT_EQ(2, nodes_of("test-a", a));
	ASSERT_EQ(2, nodes_of("test-b", b));
	EXPECT_LT(a[1], b[0]);
	remove_system("test-a");
	/* freed numbers are taken first, and those of a system ascend */
	create("test-c", "1", "3");
	ASSERT_EQ(3, nodes_of("test-c", c));
	EXPECT_EQ(a[0], c[0]);
	EXPECT_EQ(a[1], c[1]);
	EXPECT_LT(b[1], c[2]);
	expect_rank_works(c[2], 65536);
	expect_rank_works(b[1], 65536);
	remove_system("test-b");
	remove_system("test-c");
}

TEST(names)
{
	char longest[64];

	start();
	EXPECT_ERRNO(EEXIST, make_system("default"));
	EXPECT_ERRNO(EINVAL, make_system("-a"));
	EXPECT_ERRNO(EINVAL, make_system(".a"));
	EXPECT_ERRNO(EINVAL, make_system("a b"));
	EXPECT_ERRNO(EINVAL, make_system("a,b"));
	EXPECT_ERRNO(EINVAL, make_system("a=b"));
	EXPECT_ERRNO(EINVAL, make_system("a!b"));
	EXPECT_ERRNO(EINVAL, make_system("\xc3\xa4"));
	memset(longest, 'x', 32);
	longest[32] = '\0';
	EXPECT_ERRNO(EINVAL, make_system(longest));
	longest[31] = '\0';
	ASSERT_EQ(0, make_system(longest));
	ASSERT_EQ(0, set(longest, "enable", "1"));
	ASSERT_EQ(0, set(longest, "enable", "0"));
	ASSERT_EQ(0, drop(longest));
	ASSERT_EQ(0, make_system("test-a"));
	EXPECT_ERRNO(EEXIST, make_system("test-a"));
	ASSERT_EQ(0, drop("test-a"));
}

TEST(mapping_outlives_its_system)
{
	unsigned int numbers[MAX_RANKS];
	struct rank rank;

	start();
	create("test-a", "1", "1");
	ASSERT_EQ(1, nodes_of("test-a", numbers));
	open_rank(&rank, numbers[0]);
	rank_map(&rank);
	rank.window[0] = 1;
	close(rank.fd);
	remove_system("test-a");
	EXPECT_EQ(1, rank.window[0]);
	rank.window[rank.query.out_window_size - 1] = 2;
	munmap(rank.window, rank.query.out_window_size);
}

TEST(modules_stay_while_there_are_systems)
{
	start();
	ASSERT_EQ(0, make_system("test-a"));
	EXPECT_ERRNO(EAGAIN, (int)syscall(SYS_delete_module, "pimdimm_configfs",
					  O_NONBLOCK));
	EXPECT_ERRNO(EAGAIN, (int)syscall(SYS_delete_module, "pimdimm",
					  O_NONBLOCK));
	ASSERT_EQ(0, drop("test-a"));
}

/* What everybody does at once for a while. */
static atomic_bool stop;

static void *switcher(void *unused)
{
	unsigned long on = 0, refused = 0;

	while (!atomic_load(&stop)) {
		on += !set("test-a", "enable", "1");
		if (set("test-a", "enable", "0"))
			refused += errno == EBUSY;
	}
	test_note("enabled %lu times, refused to disable %lu times", on,
		  refused);
	EXPECT_LT(0UL, on);
	return unused;
}

static void *opener(void *unused)
{
	unsigned int first = all_nodes(), opened = 0;

	while (!atomic_load(&stop)) {
		int fd = open_node(first + opened % 4);
		struct pimdimm_query query = { .size = sizeof(query) };

		if (fd < 0) {
			EXPECT_TRUE(errno == ENOENT || errno == ENXIO ||
				    errno == EBUSY);
			opened++;
			continue;
		}
		EXPECT_EQ(0, ioctl(fd, PIMDIMM_IOC_QUERY, &query));
		EXPECT_EQ(65536, query.out_mram_size);
		opened++;
		close(fd);
	}
	return unused;
}

static void *reader(void *unused)
{
	unsigned int numbers[MAX_RANKS];
	char text[64];

	while (!atomic_load(&stop)) {
		nodes_of("test-a", numbers);
		read_line("/sys/class/pimdimm_system/test-a/ranks", text);
		read_line(FOLDER "/test-a/enable", text);
	}
	return unused;
}

static void *remover(void *unused)
{
	while (!atomic_load(&stop)) {
		if (!drop("test-a")) {
			make_system("test-a");
			set("test-a", "mram_size", "65536");
		}
		make_system("test-b");
		set("test-b", "enable", "1");
		set("test-b", "mram_size", "65536");
		set("test-b", "enable", "0");
		drop("test-b");
	}
	return unused;
}

/* Threads that know no end but `stop`, for three seconds. */
static void run_at_once(void *(*const bodies[4])(void *))
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, bodies[i],
					    NULL));
	sleep(3);
	atomic_store(&stop, true);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

TEST_LIMIT(all_at_once, 120)
{
	static void *(*const bodies[])(void *) = { switcher, switcher, opener,
						   reader };

	start();
	ASSERT_EQ(0, make_system("test-a"));
	ASSERT_EQ(0, set("test-a", "mram_size", "65536"));
	run_at_once(bodies);
	set("test-a", "enable", "0");
	ASSERT_EQ(0, drop("test-a"));
}

/* Folders come and go too, so that nothing is certain but that it ends well. */
TEST_LIMIT(folders_at_once, 120)
{
	static void *(*const bodies[])(void *) = { remover, remover, reader,
						   switcher };
	unsigned int before = all_nodes();

	start();
	ASSERT_EQ(0, make_system("test-a"));
	run_at_once(bodies);
	set("test-a", "enable", "0");
	set("test-b", "enable", "0");
	drop("test-a");
	drop("test-b");
	EXPECT_EQ(before, all_nodes());
}
