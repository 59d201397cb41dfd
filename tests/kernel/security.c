// SPDX-License-Identifier: MIT
/*
 * What the module gives away: results and nothing else. Neither what lay in the
 * kernel's memory before, nor its addresses, nor other owners' bytes; see also
 * `owner`.
 */
#include <dirent.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/kernel/harness.h"
#include "tests/kernel/rank.h"

#define AROUND	128u	/* bytes looked at before and behind a structure */

struct call {
	const char *name;
	unsigned long number;
	uint32_t size;
	uint32_t out_begin, out_end; /* what it may write */
};

#define CALL(nr, type, first, last)                                            \
	{ #nr, PIMDIMM_IOC_##nr, sizeof(struct type),                          \
	  offsetof(struct type, first),                                        \
	  offsetof(struct type, last) + sizeof(((struct type *)0)->last) }

static const struct call calls[] = {
	CALL(QUERY, pimdimm_query, out_abi, out_features),
	CALL(XFER, pimdimm_xfer, out_bytes, out_bytes),
	{ "RESET", PIMDIMM_IOC_RESET, sizeof(struct pimdimm_reset), 0, 0 },
	CALL(EXPORT, pimdimm_export, out_fd, out_fd),
	{ "MUX", PIMDIMM_IOC_MUX, sizeof(struct pimdimm_mux), 0, 0 },
	CALL(TOUCH, pimdimm_touch, out_fails, out_draw),
};

/* Valid arguments, zero where that will do. */
static void set_arguments(const struct call *call, void *structure)
{
	memset(structure, 0, call->size);
	memcpy(structure, &call->size, sizeof(call->size));
	if (call->number == PIMDIMM_IOC_EXPORT)
		((struct pimdimm_export *)structure)->bytes = page_size();
}

/*
 * A call in memory that is @fill: nothing but its results may change, where it
 * succeeds, and nothing where it is refused.
 */
static void call_in(const struct rank *rank, const struct call *call,
		    uint8_t fill, uint8_t *results)
{
	_Alignas(8) uint8_t memory[2 * AROUND + sizeof(struct pimdimm_query)];
	uint8_t before[sizeof(memory)], *structure = memory + AROUND;
	bool done;

	memset(memory, fill, sizeof(memory));
	set_arguments(call, structure);
	memset(structure + call->out_begin, fill,
	       call->out_end - call->out_begin);
	memcpy(before, memory, sizeof(memory));
	done = !ioctl(rank->fd, call->number, structure);
	/* MUX is the only one that a module may still lack */
	EXPECT_TRUE(done || call->number == PIMDIMM_IOC_MUX);
	for (size_t at = 0; at < sizeof(memory); at++) {
		bool result = done && at >= AROUND + call->out_begin &&
			      at < AROUND + call->out_end;

		if (!result && memory[at] != before[at])
			test_fail(__FILE__, __LINE__, "%s wrote at byte %ld",
				  call->name, (long)at - (long)AROUND);
	}
	memcpy(results, structure + call->out_begin,
	       done ? call->out_end - call->out_begin : 0);
}

/* Results are written whole, and do not depend on what has been there. */
TEST(calls_write_results_only)
{
	struct rank rank;

	rank_open(&rank);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		uint8_t results[2][sizeof(struct pimdimm_query)] = { 0 };

		call_in(&rank, &calls[i], 0xa5, results[0]);
		call_in(&rank, &calls[i], 0x5a, results[1]);
		/* a descriptor is the next free one of each */
		if (calls[i].number != PIMDIMM_IOC_EXPORT)
			EXPECT_EQ(0, memcmp(results[0], results[1],
					    sizeof(results[0])));
	}
}

/* Any aligned or unaligned eight bytes that could be one of its pointers. */
static bool holds_address(const void *bytes, size_t count)
{
	for (size_t at = 0; at + 8 <= count; at++) {
		uint64_t value;

		memcpy(&value, (const uint8_t *)bytes + at, 8);
		if (value >= 0xffff800000000000 && value != UINT64_MAX)
			return true;
	}
	return false;
}

TEST(query_holds_no_address)
{
	struct rank rank;

	rank_open(&rank);
	EXPECT_TRUE(!holds_address(&rank.query, sizeof(rank.query)));
}

/* Sixteen hexadecimal digits that begin as the kernel's half does. */
static bool names_address(const char *text)
{
	static const char digits[] = "0123456789abcdefABCDEF";

	for (; (text = strstr(text, "ffff")); text += 4)
		if (strspn(text, digits) >= 16)
			return true;
	return false;
}

static void expect_no_address_in(const char *folder, const char *name)
{
	char path[512], text[4096];
	ssize_t length;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return;
	length = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (length < 0)
		return;
	text[length] = '\0';
	if (names_address(text))
		test_fail(__FILE__, __LINE__, "%s: %s", path, text);
}

static unsigned int expect_no_address_below(const char *folder)
{
	DIR *entries = opendir(folder);
	struct dirent *entry;
	unsigned int files = 0;

	ASSERT_TRUE(entries != NULL);
	while ((entry = readdir(entries))) {
		if (entry->d_type != DT_REG)
			continue;
		expect_no_address_in(folder, entry->d_name);
		files++;
	}
	closedir(entries);
	return files;
}

TEST(files_name_no_address)
{
	char folder[128];
	struct rank rank;

	ASSERT_TRUE(names_address("at 0xffff888012345678."));
	rank_open_map(&rank);
	snprintf(folder, sizeof(folder), "/sys/class/pimdimm/pimdimm%d/",
		 rank.number);
	EXPECT_LE(14u, expect_no_address_below(folder));
	EXPECT_LE(1u, expect_no_address_below("/sys/module/pimdimm/parameters"));
	snprintf(folder, sizeof(folder), "%d", rank.fd);
	expect_no_address_in("/proc/self/fdinfo", folder);
}

/* The module's memory is not a window into what others have freed. */
TEST(fresh_pages_are_zero)
{
	const size_t size = 32u << 20;
	struct rank rank;
	uint8_t *dirty;

	dirty = mmap(NULL, size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	ASSERT_TRUE(dirty != MAP_FAILED);
	memset(dirty, 0xa5, size);
	munmap(dirty, size);
	rank_open_map(&rank);
	/* one word by transfer, the next by a store: their pages are new */
	for (uint64_t at = 0; at < rank.query.out_mram_size; at += 4096) {
		uint64_t word = 0;

		ASSERT_EQ(0, xfer_strided(rank.fd, 0, 1, at, 8, &word, 0,
					  NULL));
		*rank_byte(&rank, 8, at) = 0;
	}
	EXPECT_EQ(0, rank_count_nonzero(&rank));
}

/* What is not selected, or lies beyond the end, is neither read nor written. */
static void expect_selected_only(const struct rank *rank, uint64_t mask,
				 uint64_t bytes)
{
	static uint8_t host[PIMDIMM_RANK_PES][2048];

	memset(host, 0x5a, sizeof(host));
	ASSERT_EQ(0, xfer_strided(rank->fd, PIMDIMM_XFER_FROM_MRAM, mask, 0,
				  bytes, host, sizeof(host[0]), NULL));
	for (unsigned int pe = 0; pe < PIMDIMM_RANK_PES; pe++) {
		bool selected = mask >> pe & 1;

		for (uint64_t at = 0; at < sizeof(host[0]); at++)
			ASSERT_EQ(selected && at < bytes ? 0xc3 : 0x5a,
				  host[pe][at]);
	}
}

TEST(transfers_write_what_was_asked)
{
	static uint8_t mark[4096];
	struct random random;
	struct rank rank;

	rank_open(&rank);
	random_start(&random);
	memset(mark, 0xc3, sizeof(mark));
	ASSERT_EQ(0, xfer_strided(rank.fd, 0, ALL_PES, 0, sizeof(mark), mark, 0,
				  NULL));
	for (unsigned int i = 0; i < 200; i++)
		expect_selected_only(&rank, random_next(&random),
				     8 * random_below(&random, 2048 / 8 + 1));
}

static int open_as_nobody(void *argument)
{
	const struct rank *rank = argument;

	if (setgid(65534) || setuid(65534))
		return 1;
	return open(rank->path, O_RDONLY | O_CLOEXEC) < 0 ? errno : 0;
}

TEST(others_cannot_open)
{
	struct rank rank;

	if (geteuid())
		SKIP("only root can be somebody else");
	rank_open(&rank);
	close(rank.fd);
	EXPECT_EQ(EACCES, in_child(open_as_nobody, &rank));
}

struct attempt {
	const char *path;
	int flags;
};

static int try_as_nobody(void *argument)
{
	const struct attempt *attempt = argument;

	if (setgid(65534) || setuid(65534))
		return 1;
	return open(attempt->path, attempt->flags | O_CLOEXEC) < 0 ? errno : 0;
}

/* What pimdimm(4) says is root's; where it is not mounted, it is nobody's. */
TEST(others_cannot_reach_what_is_roots)
{
	char knob[64], attribute[64], state[64], owner[64], bytes[64];
	const struct attempt refused[] = {
		{ knob, O_WRONLY },
		{ attribute, O_WRONLY },
		{ owner, O_RDONLY },
		{ bytes, O_RDONLY },
		{ state, O_RDONLY },
		{ "/sys/kernel/tracing/events/pimdimm/enable", O_RDONLY },
	};
	struct attempt allowed = { attribute, O_RDONLY };
	struct rank rank;

	if (geteuid())
		SKIP("only root can be somebody else");
	rank_open(&rank);
	snprintf(knob, sizeof(knob), "/sys/class/pimdimm/pimdimm%d/inject/gone",
		 rank.number);
	snprintf(attribute, sizeof(attribute),
		 "/sys/class/pimdimm/pimdimm%d/allocated", rank.number);
	snprintf(owner, sizeof(owner), "/sys/class/pimdimm/pimdimm%d/owner",
		 rank.number);
	snprintf(bytes, sizeof(bytes),
		 "/sys/class/pimdimm/pimdimm%d/bytes_to_mram", rank.number);
	snprintf(state, sizeof(state), "/sys/kernel/debug/pimdimm/pimdimm%d/state",
		 rank.number);
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (!access(refused[i].path, F_OK))
			EXPECT_EQ(EACCES,
				  in_child(try_as_nobody, (void *)&refused[i]));
	EXPECT_EQ(0, in_child(try_as_nobody, &allowed));
}
