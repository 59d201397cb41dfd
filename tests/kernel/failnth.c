// SPDX-License-Identifier: MIT
/*
 * What can be done with a rank's node, with each allocation and copy that it
 * makes failing. Only documented errors come out, nothing is left behind, and
 * the rank works as before. Memory that is lost is found by the kernel's own
 * checker, afterwards.
 */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/kernel/harness.h"
#include "tests/kernel/nth.h"
#include "tests/kernel/views.h"

static struct scene scene;

/* --- open --- */

static int run_open(void *unused)
{
	(void)unused;
	scene.fd = open(scene.rank.path, O_RDWR | O_CLOEXEC);
	return as_result(scene.fd);
}

static void undo_open(void *unused)
{
	(void)unused;
	close(scene.fd);
}

/* A failed open has not left the node busy, nor what it would have opened. */
static void check_open(void *unused)
{
	(void)unused;
	EXPECT_EQ(0, sysfs_number(&scene.rank, "owner"));
	scene.rank.fd = rank_reopen(&scene.rank);
	ASSERT_LE(0, scene.rank.fd);
	check_rank(&scene);
	close(scene.rank.fd);
}

TEST(opening)
{
	static const struct operation op = { run_open, undo_open, check_open,
					     NULL };

	rank_open(&scene.rank);
	rank_close(&scene.rank);
	fail_each(&op, &scene);
}

/* --- ioctls that move nothing --- */

static int run_query(void *unused)
{
	struct pimdimm_query query = { .size = sizeof(query) };

	(void)unused;
	return as_result(ioctl(scene.rank.fd, PIMDIMM_IOC_QUERY, &query));
}

static int run_inject_touch(void *unused)
{
	struct pimdimm_touch arg = { .size = sizeof(arg), .words = 8 };

	(void)unused;
	return as_result(ioctl(scene.rank.fd, PIMDIMM_IOC_TOUCH, &arg));
}

static int run_reset(void *unused)
{
	(void)unused;
	/* something to give back */
	scene.rank.window[0] = 1;
	return as_result(ioctl(scene.rank.fd, PIMDIMM_IOC_RESET,
			       &(struct pimdimm_reset){
				       .size = sizeof(struct pimdimm_reset) }));
}

static void fail_each_of_rank(int (*run)(void *), void (*undo)(void *),
			      uint64_t feature)
{
	const struct operation op = { run, undo, check_rank, NULL };

	open_scene(&scene, feature);
	fail_each(&op, &scene);
}

TEST(query)
{
	fail_each_of_rank(run_query, NULL, 0);
}

TEST(touch_by_ioctl)
{
	fail_each_of_rank(run_inject_touch, NULL, PIMDIMM_FEATURE_INJECT);
}

TEST(reset)
{
	fail_each_of_rank(run_reset, NULL, 0);
}

/* --- transfers --- */

#define OFFSET 4096u
#define BYTES  64u /* of each PE */

static uint64_t words[PIMDIMM_RANK_PES * BYTES / 8];

/* A call that is cut short is no error, one that failed tells no length. */
static int transfer(uint32_t flags, uint64_t mask)
{
	uint64_t addrs[PIMDIMM_RANK_PES], done = UINT64_MAX;
	int result;

	for (unsigned int pe = 0; pe < PIMDIMM_RANK_PES; pe++)
		addrs[pe] = (uintptr_t)&words[BYTES / 8 * pe];
	if (flags & PIMDIMM_XFER_STRIDED)
		result = xfer_strided(scene.rank.fd, flags, mask, OFFSET, BYTES,
				      words, BYTES, &done);
	else
		result = xfer_array(scene.rank.fd, flags, mask, OFFSET, BYTES,
				    addrs, &done);
	if (result == 0 && (done > BYTES || done % 8 || done == 0))
		return -EPROTO;
	return as_result(result);
}

static int run_to_mram(void *unused)
{
	(void)unused;
	return transfer(PIMDIMM_XFER_STRIDED, ALL_PES);
}

TEST(transfer_to_mram)
{
	fail_each_of_rank(run_to_mram, NULL, 0);
}

static int run_to_some_pes(void *unused)
{
	(void)unused;
	return transfer(0, 0x8001000000000081);
}

TEST(transfer_to_some_pes)
{
	fail_each_of_rank(run_to_some_pes, NULL, 0);
}

static int run_from_mram(void *unused)
{
	(void)unused;
	return transfer(PIMDIMM_XFER_FROM_MRAM, ALL_PES);
}

static void check_filled(void *unused)
{
	(void)unused;
	check_rank(&scene);
	ASSERT_EQ(0, run_to_mram(&scene));
}

TEST(transfer_from_mram)
{
	static const struct operation op = { run_from_mram, NULL, check_filled,
					     NULL };

	open_scene(&scene, 0);
	ASSERT_EQ(0, run_to_mram(&scene));
	fail_each(&op, &scene);
}

/* Whole pages, which the module holds, and has to be given first. */

#define PAGES_EACH 5u

static uint8_t *pages;

static int run_into_pages(void *unused)
{
	uint64_t bytes = PAGES_EACH * page_size(), done = UINT64_MAX;
	int result;

	(void)unused;
	result = xfer_strided(scene.rank.fd, PIMDIMM_XFER_FROM_MRAM, 0xff,
			      OFFSET, bytes, pages, bytes, &done);
	if (result == 0 && (done > bytes || done % 8 || done == 0))
		return -EPROTO;
	return as_result(result);
}

static void drop_pages(void *unused)
{
	(void)unused;
	ASSERT_EQ(0, madvise(pages, 8 * PAGES_EACH * page_size(),
			     MADV_DONTNEED));
}

static void check_dropped(void *unused)
{
	drop_pages(unused);
	check_rank(&scene);
}

TEST(transfer_into_new_pages)
{
	static const struct operation op = { run_into_pages, drop_pages,
					     check_dropped, NULL };

	open_scene(&scene, 0);
	pages = mmap(NULL, 8 * PAGES_EACH * page_size(), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_TRUE(pages != MAP_FAILED);
	fail_each(&op, &scene);
}

static void turn_knob(const char *knob, const char *value)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "/sys/class/pimdimm/pimdimm%d/inject/%s",
		 scene.rank.number, knob);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, fd);
	ASSERT_EQ((ssize_t)strlen(value), write(fd, value, strlen(value)));
	close(fd);
}

/* Bits are flipped in pages that are not there yet. */
static void check_without_flips(void *unused)
{
	(void)unused;
	turn_knob("flip_ppm", "0");
	check_rank(&scene);
	turn_knob("flip_ppm", "1000000");
}

TEST(transfer_with_flips)
{
	static const struct operation op = { run_from_mram, NULL,
					     check_without_flips, NULL };

	open_scene(&scene, PIMDIMM_FEATURE_INJECT);
	turn_knob("flip_ppm", "1000000");
	fail_each(&op, &scene);
	turn_knob("flip_ppm", "0");
}

/* --- mappings --- */

static int run_mmap(void *unused)
{
	(void)unused;
	return map_scene(&scene, scene.rank.fd, 0,
			 scene.rank.query.out_window_size);
}

TEST(mapping)
{
	fail_each_of_rank(run_mmap, undo_map, 0);
}

static int run_mmap_pe(void *unused)
{
	(void)unused;
	return map_scene(&scene, scene.rank.fd, PIMDIMM_MMAP_PE,
			 scene.rank.query.out_window_size);
}

TEST(mapping_the_pe_view)
{
	fail_each_of_rank(run_mmap_pe, undo_map, PIMDIMM_FEATURE_MUX);
}

static int run_mmap_status(void *unused)
{
	(void)unused;
	scene.mapped = page_size();
	scene.map = mmap(NULL, scene.mapped, PROT_READ, MAP_SHARED,
			 scene.rank.fd, (off_t)PIMDIMM_MMAP_STATUS);
	return scene.map == MAP_FAILED ? -errno : 0;
}

TEST(mapping_the_status)
{
	fail_each_of_rank(run_mmap_status, undo_map, PIMDIMM_FEATURE_INJECT);
}

/* Page faults whose failures are told. */
static int run_populate(void *unused)
{
	(void)unused;
	return as_result(madvise(scene.rank.window, 4 * page_size(),
				 MADV_POPULATE_WRITE));
}

TEST(populating)
{
	fail_each_of_rank(run_populate, NULL, 0);
}

/* The processor's own are tried again, by when the failure is spent. */
static int run_touch(void *unused)
{
	(void)unused;
	for (size_t i = 0; i < 4; i++)
		if (touch(scene.rank.window + i * page_size(), true))
			return -EFAULT;
	return 0;
}

TEST(touching)
{
	fail_each_of_rank(run_touch, NULL, 0);
}

/* --- the two views --- */

static int run_mux(void *unused)
{
	(void)unused;
	return as_result(mux(scene.rank.fd, PIMDIMM_MUX_PES));
}

static void undo_mux(void *unused)
{
	(void)unused;
	to_host(&scene.rank);
}

/* As check_rank(), with pages there to be taken away. */
static void check_touched(void *unused)
{
	(void)unused;
	check_rank(&scene);
	ASSERT_EQ(0, run_touch(&scene));
}

/* Mapped and touched, so that there is something to take away. */
TEST(mux_to_pes)
{
	static const struct operation op = { run_mux, undo_mux, check_touched,
					     NULL };

	views_open(&scene.rank);
	rank_map(&scene.rank);
	ASSERT_EQ(0, run_touch(&scene));
	fail_each(&op, &scene);
}
