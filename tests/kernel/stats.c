// SPDX-License-Identifier: MIT
/*
 * What /sys/class/pimdimm counts of a rank, exactly, and what debugfs shows of
 * its insides.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/kernel/harness.h"
#include "tests/kernel/machine.h"
#include "tests/kernel/rank.h"

#define THREADS	  4
#define TRANSFERS 100

/* The first free rank, named, and closed again. */
static void find_rank(struct rank *rank)
{
	rank_open(rank);
	close(rank->fd);
}

TEST(opens)
{
	struct rank rank;
	long opens, errors;

	find_rank(&rank);
	opens = sysfs_number(&rank, "opens");
	errors = sysfs_number(&rank, "errors");
	rank.fd = rank_reopen(&rank);
	ASSERT_LE(0, rank.fd);
	EXPECT_EQ(opens + 1, sysfs_number(&rank, "opens"));
	EXPECT_ERRNO(EBUSY, open(rank.path, O_RDWR | O_CLOEXEC));
	EXPECT_EQ(opens + 1, sysfs_number(&rank, "opens"));
	EXPECT_EQ(errors + 1, sysfs_number(&rank, "errors"));
	/* neither of these is an open of its own */
	close(dup(rank.fd));
	sysfs_number(&rank, "owner");
	EXPECT_EQ(opens + 1, sysfs_number(&rank, "opens"));
	close(rank.fd);
	/* what was counted stays for the next owner */
	EXPECT_EQ(opens + 1, sysfs_number(&rank, "opens"));
}

TEST(resets)
{
	struct pimdimm_reset wrong = { .size = sizeof(wrong), .flags = 1 };
	struct rank rank;
	long resets;

	rank_open(&rank);
	resets = sysfs_number(&rank, "resets");
	rank_reset(&rank);
	rank_reset(&rank);
	EXPECT_ERRNO(EOPNOTSUPP, ioctl(rank.fd, PIMDIMM_IOC_RESET, &wrong));
	EXPECT_EQ(resets + 2, sysfs_number(&rank, "resets"));
}

TEST(errors)
{
	static uint64_t host[PIMDIMM_RANK_PES];
	struct rank rank;
	long errors;

	rank_open(&rank);
	errors = sysfs_number(&rank, "errors");
	EXPECT_ERRNO(EINVAL, xfer_strided(rank.fd, 0, 1, 1, 8, host, 0, NULL));
	EXPECT_ERRNO(EFAULT, xfer_strided(rank.fd, 0, 1, 0, 8, NULL, 0, NULL));
	EXPECT_ERRNO(EFAULT, ioctl(rank.fd, PIMDIMM_IOC_QUERY, NULL));
	EXPECT_EQ(errors + 3, sysfs_number(&rank, "errors"));
	/* not what others ask of any file, nor what went well */
	EXPECT_ERRNO(ENOTTY, ioctl(rank.fd, 0x5401 /* TCGETS */, NULL));
	EXPECT_EQ(0, ioctl(rank.fd, PIMDIMM_IOC_QUERY, &rank.query));
	EXPECT_EQ(errors + 3, sysfs_number(&rank, "errors"));
}

TEST(exports)
{
	struct pimdimm_export export = {
		.size = sizeof(export),
		.bytes = 2 * page_size(),
	};
	long exports, both = (long)(3 * page_size());
	struct rank rank;
	int first;

	rank_open(&rank);
	if (!(rank.query.out_features & PIMDIMM_FEATURE_EXPORT))
		SKIP("this module offers no EXPORT");
	exports = sysfs_number(&rank, "exports");
	EXPECT_EQ(0, sysfs_number(&rank, "pinned"));
	ASSERT_EQ(0, ioctl(rank.fd, PIMDIMM_IOC_EXPORT, &export));
	first = export.out_fd;
	export.bytes = page_size();
	ASSERT_EQ(0, ioctl(rank.fd, PIMDIMM_IOC_EXPORT, &export));
	export.offset = 1;
	EXPECT_ERRNO(EINVAL, ioctl(rank.fd, PIMDIMM_IOC_EXPORT, &export));
	EXPECT_EQ(exports + 2, sysfs_number(&rank, "exports"));
	EXPECT_EQ(both, sysfs_number(&rank, "pinned"));
	close(first);
	EXPECT_EQ((long)page_size(), sysfs_number(&rank, "pinned"));
	close(rank.fd);
	/* the next owner's MRAM is another one */
	EXPECT_EQ(0, sysfs_number(&rank, "pinned"));
	close(export.out_fd);
}

static void *transfer_often(void *argument)
{
	static uint64_t host[THREADS][PIMDIMM_RANK_PES];
	static unsigned int next;
	uint64_t *mine = host[__atomic_fetch_add(&next, 1, __ATOMIC_RELAXED)];

	for (unsigned int i = 0; i < TRANSFERS; i++)
		ASSERT_EQ(0, xfer_all(argument, i % 2 ? PIMDIMM_XFER_FROM_MRAM :
							0, mine, 8));
	return NULL;
}

/* Nothing is lost or counted twice, whoever counts at the same time. */
TEST(counts_of_threads)
{
	pthread_t threads[THREADS];
	struct rank rank;
	long to, from, bytes;

	rank_open(&rank);
	to = sysfs_number(&rank, "transfers_to_mram");
	from = sysfs_number(&rank, "transfers_from_mram");
	bytes = sysfs_number(&rank, "bytes_to_mram");
	for (unsigned int i = 0; i < THREADS; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, transfer_often,
					    &rank));
	for (unsigned int i = 0; i < THREADS; i++)
		ASSERT_EQ(0, pthread_join(threads[i], NULL));
	EXPECT_EQ(to + THREADS * TRANSFERS / 2,
		  sysfs_number(&rank, "transfers_to_mram"));
	EXPECT_EQ(from + THREADS * TRANSFERS / 2,
		  sysfs_number(&rank, "transfers_from_mram"));
	EXPECT_EQ(bytes + THREADS * TRANSFERS / 2 * 8 * PIMDIMM_RANK_PES,
		  sysfs_number(&rank, "bytes_to_mram"));
}

/* A rank's file in debugfs, whole; skips where it cannot be read. */
static void debug_text(const struct rank *rank, const char *name,
		       char text[4096])
{
	char path[128];
	ssize_t length;
	int fd;

	snprintf(path, sizeof(path), "/sys/kernel/debug/pimdimm/pimdimm%d/%s",
		 rank->number, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		SKIP("%s: %s", path, strerror(errno));
	length = read(fd, text, 4095);
	ASSERT_LE(0, length);
	text[length] = '\0';
	close(fd);
}

static long debug_number(const struct rank *rank, const char *name,
			 const char *key)
{
	char text[4096], *found;

	debug_text(rank, name, text);
	found = strstr(text, key);
	ASSERT_TRUE(found != NULL);
	return strtol(found + strlen(key), NULL, 10);
}

TEST(debug_state)
{
	char text[4096];
	struct rank rank;

	rank_open(&rank);
	debug_text(&rank, "state", text);
	EXPECT_TRUE(strstr(text, "state: open\n") != NULL);
	EXPECT_EQ((long)getpid(), debug_number(&rank, "state", "opener: "));
	close(rank.fd);
	debug_text(&rank, "state", text);
	EXPECT_EQ(0, strcmp(text, "state: free\n"));
}

TEST(debug_pages)
{
	struct rank rank;
	long pages;

	rank_open_map(&rank);
	EXPECT_EQ(0, debug_number(&rank, "pages", "resident: "));
	rank.window[0] = 1;
	rank.window[rank.query.out_window_size - 1] = 1;
	pages = debug_number(&rank, "pages", "resident: ");
	EXPECT_LE(2, pages);
	EXPECT_EQ(sysfs_number(&rank, "allocated"), pages * (long)page_size());
	EXPECT_LE(1, debug_number(&rank, "pages", "dirty folios: "));
	rank_reset(&rank);
	EXPECT_EQ(0, debug_number(&rank, "pages", "resident: "));
}

/* How the line of a mapping of ours ends: kernels without memcg keep no owners. */
static void mapping_end(char end[32])
{
	if (number_after("/proc/cgroups", "memory\t") < 0)
		strcpy(end, "\n");
	else
		snprintf(end, 32, " %d ", getpid());
}

TEST(debug_mappings)
{
	size_t page = page_size();
	char text[4096], wanted[128], end[32];
	struct rank rank;
	void *part;

	rank_open(&rank);
	debug_text(&rank, "mappings", text);
	EXPECT_EQ(0, strcmp(text, ""));
	rank_map(&rank);
	part = mmap(NULL, page, PROT_READ, MAP_SHARED, rank.fd,
		    (off_t)(2 * page));
	ASSERT_TRUE(part != MAP_FAILED);
	debug_text(&rank, "mappings", text);
	mapping_end(end);
	snprintf(wanted, sizeof(wanted), "0x0 %#lx rw%s",
		 (unsigned long)rank.query.out_window_size, end);
	EXPECT_TRUE(strstr(text, wanted) == text);
	snprintf(wanted, sizeof(wanted), "\n%#zx %#zx r-%s", 2 * page, page, end);
	EXPECT_TRUE(strstr(text, wanted) != NULL);
	munmap(part, page);
	rank_close(&rank);
}

static bool is_viewed(const struct rank *rank, const char *state,
		      const char *mapping)
{
	char text[4096], wanted[64];
	const char *found, *next;

	debug_text(rank, "../views", text);
	snprintf(wanted, sizeof(wanted), "pimdimm%d inode ", rank->number);
	for (found = text; (found = strstr(found, wanted)); found++) {
		next = strchr(found, '\n');
		if (strncmp(next - strlen(state), state, strlen(state)))
			continue;
		return !mapping || strstr(next, mapping);
	}
	return false;
}

/* Who keeps the module is told after the node's close, too. */
TEST(debug_views)
{
	size_t page = page_size();
	struct rank rank;
	void *pe;

	rank_open(&rank);
	EXPECT_TRUE(is_viewed(&rank, " open host", NULL));
	EXPECT_TRUE(!is_viewed(&rank, " open host", "  host 0x0 "));
	rank_map(&rank);
	pe = mmap(NULL, page, PROT_READ, MAP_SHARED, rank.fd,
		  (off_t)(PIMDIMM_MMAP_PE + 3 * page));
	ASSERT_TRUE(pe != MAP_FAILED);
	EXPECT_TRUE(is_viewed(&rank, " open host", "  host 0x0 "));
	EXPECT_TRUE(is_viewed(&rank, " open host", "  pe 0x3000 0x1000 r-"));
	close(rank.fd);
	EXPECT_TRUE(!is_viewed(&rank, " open host", NULL));
	EXPECT_TRUE(is_viewed(&rank, " left host", "  host 0x0 "));
	munmap(rank.window, rank.query.out_window_size);
	/* a PE view keeps nothing */
	EXPECT_TRUE(!is_viewed(&rank, " left host", NULL));
	munmap(pe, page);
}
