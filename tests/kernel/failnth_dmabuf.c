// SPDX-License-Identifier: MIT
/*
 * Exporting ranks, and what others do with it, with each allocation and copy
 * that it makes failing.
 */
#include <fcntl.h>
#include <glob.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <drm.h>
#include <linux/dma-buf.h>

#include "tests/kernel/dmabuf.h"
#include "tests/kernel/harness.h"
#include "tests/kernel/nth.h"

#define PAGES 40u /* more than are mapped by one fault */

static struct scene scene;

static int run_export(void *unused)
{
	(void)unused;
	scene.fd = export_range(scene.rank.fd, 0, PAGES * page_size());
	return as_result(scene.fd);
}

static void undo_export(void *unused)
{
	(void)unused;
	close(scene.fd);
}

TEST(exporting)
{
	static const struct operation op = { run_export, undo_export,
					     check_rank, NULL };

	open_scene(&scene, PIMDIMM_FEATURE_EXPORT);
	fail_each(&op, &scene);
}

/* A dma-buf is there, for an operation to work on it. */
static void start(void)
{
	open_scene(&scene, PIMDIMM_FEATURE_EXPORT);
	ASSERT_EQ(0, run_export(&scene));
	scene.pinned = (long)(PAGES * page_size());
}

/* Nothing but the dma-buf itself has kept anything. */
static void finish(void)
{
	close(scene.fd);
	scene.pinned = 0;
	check_rank(&scene);
}

static void fail_each_of_buffer(int (*run)(void *), void (*undo)(void *))
{
	const struct operation op = { run, undo, check_rank, NULL };

	start();
	fail_each(&op, &scene);
	finish();
}

static int run_map(void *unused)
{
	(void)unused;
	return map_scene(&scene, scene.fd, 0, PAGES * page_size());
}

TEST(mapping)
{
	fail_each_of_buffer(run_map, undo_map);
}

/* Mapped as well: who touches it again finds its page tables there. */
static int run_map_and_touch(void *unused)
{
	int result = run_map(unused);

	if (result == 0)
		scene.map[(PAGES - 1) * page_size()] = 1;
	return result;
}

TEST(touching)
{
	fail_each_of_buffer(run_map_and_touch, undo_map);
}

static int sync_buffer(uint64_t flags)
{
	struct dma_buf_sync sync = { .flags = flags | DMA_BUF_SYNC_RW };

	return ioctl(scene.fd, DMA_BUF_IOCTL_SYNC, &sync);
}

static int run_sync(void *unused)
{
	(void)unused;
	return as_result(sync_buffer(DMA_BUF_SYNC_START));
}

static void undo_sync(void *unused)
{
	(void)unused;
	ASSERT_EQ(0, sync_buffer(DMA_BUF_SYNC_END));
}

TEST(access_by_cpu)
{
	fail_each_of_buffer(run_sync, undo_sync);
}

/* --- another driver --- */

static struct {
	int fd;
	uint32_t handle;
} drm;

static void open_drm(void)
{
	glob_t nodes;

	drm.fd = -1;
	if (glob("/dev/dri/card*", 0, NULL, &nodes))
		SKIP("there is no /dev/dri/card*");
	for (size_t i = 0; i < nodes.gl_pathc && drm.fd < 0; i++)
		drm.fd = open(nodes.gl_pathv[i], O_RDWR | O_CLOEXEC);
	globfree(&nodes);
	if (drm.fd < 0)
		SKIP("no /dev/dri/card* can be opened");
}

/* It attaches, and has the pages mapped for its device. */
static int run_import(void *unused)
{
	struct drm_prime_handle prime = { .fd = scene.fd };
	int result;

	(void)unused;
	result = as_result(
		ioctl(drm.fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime));
	drm.handle = prime.handle;
	return result;
}

static void undo_import(void *unused)
{
	struct drm_gem_close done = { .handle = drm.handle };

	(void)unused;
	ASSERT_EQ(0, ioctl(drm.fd, DRM_IOCTL_GEM_CLOSE, &done));
}

TEST(importing)
{
	open_drm();
	fail_each_of_buffer(run_import, undo_import);
}

/* Import and CPU access at once: what is mapped for a device is synchronized. */
TEST(access_while_imported)
{
	static const struct operation op = { run_sync, undo_sync, check_rank,
					     NULL };

	open_drm();
	start();
	ASSERT_EQ(0, run_import(&scene));
	fail_each(&op, &scene);
	undo_import(&scene);
	finish();
}
