// SPDX-License-Identifier: MIT
/*
 * Other drivers import what a rank exports: vgem, which hands it on, cirrus,
 * which shows it on its screen, and pimdimm_test, which maps it into the kernel
 * where there is no hardware that makes a driver do so.
 */
#include <fcntl.h>
#include <glob.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <drm_fourcc.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

#include "tests/kernel/dmabuf.h"
#include "tests/kernel/harness.h"

static bool is_driven_by(int fd, const char *driver)
{
	drmVersion *version = drmGetVersion(fd);
	bool found = version && !strcmp(version->name, driver);

	drmFreeVersion(version);
	return found;
}

/* The first node of a driver, by a pattern of paths; skips without. */
static int open_drm(const char *pattern, const char *driver, char path[64])
{
	glob_t nodes;
	int fd = -1;

	if (glob(pattern, 0, NULL, &nodes))
		SKIP("there is no %s", pattern);
	for (size_t i = 0; i < nodes.gl_pathc && fd < 0; i++) {
		fd = open(nodes.gl_pathv[i], O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		snprintf(path, 64, "%s", nodes.gl_pathv[i]);
		if (!is_driven_by(fd, driver)) {
			close(fd);
			fd = -1;
		}
	}
	globfree(&nodes);
	if (fd < 0)
		SKIP("no %s is of driver %s", pattern, driver);
	test_note("%s is of driver %s", path, driver);
	return fd;
}

/* Bytes that tell where they are. */
static void mark(uint8_t *bytes, size_t count, uint32_t seed)
{
	for (size_t at = 0; at < count; at += 4) {
		uint32_t word = (uint32_t)(at + seed) * 2654435761u;

		memcpy(bytes + at, &word, sizeof(word));
	}
}

static void expect_same_inode(int a, int b)
{
	struct stat first, second;

	ASSERT_EQ(0, fstat(a, &first));
	ASSERT_EQ(0, fstat(b, &second));
	EXPECT_EQ(first.st_ino, second.st_ino);
	EXPECT_EQ(first.st_dev, second.st_dev);
}

struct shared {
	struct rank rank;
	uint8_t *exported; /* the part of the window */
	size_t bytes;
};

/* A process that has the bytes from the device, and nothing else. */
static int compare_and_store(int socket, const struct shared *shared)
{
	uint8_t *expected = malloc(shared->bytes), *map;
	int fd = receive_descriptor(socket);

	if (!expected || fd < 0)
		return 1;
	mark(expected, shared->bytes, 1);
	close(shared->rank.fd);
	munmap(shared->rank.window, shared->rank.query.out_window_size);
	map = map_dmabuf(fd, shared->bytes);
	close(fd);
	if (memcmp(map, expected, shared->bytes))
		return 2;
	map[shared->bytes - 1] = 0x77;
	return 0;
}

static void expect_child_sees_it(int fd, struct shared *shared)
{
	int ends[2], status;
	pid_t pid;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
	pid = fork();
	if (pid == 0)
		_exit(compare_and_store(ends[1], shared));
	send_descriptor(ends[0], fd);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0x77, shared->exported[shared->bytes - 1]);
	close(ends[0]);
	close(ends[1]);
}

/* Imported by vgem, exported again, and given to another process. */
static void through_vgem(const char *pattern)
{
	struct shared shared = { .bytes = 64 * page_size() };
	uint64_t offset = 4 * page_size();
	uint32_t handle = 0, again = 0;
	int fd, drm, back = -1;
	char path[64];

	rank_open_exporting(&shared.rank);
	drm = open_drm(pattern, "vgem", path);
	shared.exported = shared.rank.window + offset;
	mark(shared.exported, shared.bytes, 1);
	fd = export_range(shared.rank.fd, offset, shared.bytes);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, drmPrimeFDToHandle(drm, fd, &handle));
	ASSERT_EQ(0, drmPrimeFDToHandle(drm, fd, &again));
	EXPECT_EQ(handle, again);
	ASSERT_EQ(0, drmPrimeHandleToFD(drm, handle, DRM_CLOEXEC | DRM_RDWR,
					&back));
	expect_same_inode(fd, back);
	close(fd);
	expect_child_sees_it(back, &shared);
	close(back);
	/* the import alone keeps the pages */
	EXPECT_ERRNO(EBUSY, try_reset(&shared.rank));
	EXPECT_EQ(0, drmCloseBufferHandle(drm, handle));
	EXPECT_EQ(0, try_reset(&shared.rank));
	close(drm);
}

TEST(vgem)
{
	through_vgem("/dev/dri/card*");
}

TEST(vgem_render_node)
{
	through_vgem("/dev/dri/renderD*");
}

/*
 * Ranges that overlap, mapped for one device at once, and the whole of them once
 * more: a kernel that checks the use of DMA complains where that is not allowed.
 */
TEST(overlapping_imports)
{
	size_t page = page_size();
	uint64_t offset[] = { 0, 4 * page, 0 };
	uint64_t bytes[] = { 8 * page, 8 * page, 12 * page };
	uint32_t handle[3];
	struct rank rank;
	char path[64];
	int drm;

	rank_open_exporting(&rank);
	drm = open_drm("/dev/dri/card*", "vgem", path);
	for (size_t i = 0; i < 3; i++) {
		int fd = export_range(rank.fd, offset[i], bytes[i]);

		ASSERT_LE(0, fd);
		ASSERT_EQ(0, drmPrimeFDToHandle(drm, fd, &handle[i]));
		close(fd);
	}
	for (size_t i = 0; i < 3; i++)
		EXPECT_EQ(0, drmCloseBufferHandle(drm, handle[i]));
	EXPECT_EQ(0, try_reset(&rank));
	close(drm);
}

/* Whoever goes first: rank, descriptor or device. */
TEST(orders_of_closing)
{
	for (unsigned int order = 0; order < 6; order++) {
		uint32_t handle = 0;
		struct rank rank;
		char path[64];
		int fd, drm;

		rank_open_exporting(&rank);
		drm = open_drm("/dev/dri/card*", "vgem", path);
		fd = export_pages(&rank, 8);
		ASSERT_EQ(0, drmPrimeFDToHandle(drm, fd, &handle));
		for (unsigned int step = 0; step < 3; step++) {
			/* the three in each of their orders */
			unsigned int which =
				(order / 2 + step * (1 + order % 2)) % 3;

			if (which == 0)
				rank_close(&rank);
			else
				close(which == 1 ? fd : drm);
		}
		rank.fd = rank_reopen(&rank);
		ASSERT_LE(0, rank.fd);
		EXPECT_EQ(0, try_reset(&rank));
		close(rank.fd);
	}
}

#define WIDTH	640u
#define HEIGHT	480u
#define PITCH	(WIDTH * 4)

struct screen {
	int drm;
	uint32_t handle, framebuffer, crtc, connector;
	drmModeModeInfo mode;
	uint8_t *memory; /* the device's own */
};

static bool find_mode(struct screen *screen, const drmModeConnector *connector)
{
	for (int i = 0; i < connector->count_modes; i++) {
		if (connector->modes[i].hdisplay == WIDTH &&
		    connector->modes[i].vdisplay == HEIGHT) {
			screen->mode = connector->modes[i];
			return true;
		}
	}
	return false;
}

static void find_output(struct screen *screen)
{
	drmModeRes *resources = drmModeGetResources(screen->drm);
	drmModeConnector *connector;

	ASSERT_TRUE(resources != NULL);
	ASSERT_LT(0, resources->count_crtcs);
	ASSERT_LT(0, resources->count_connectors);
	screen->crtc = resources->crtcs[0];
	screen->connector = resources->connectors[0];
	connector = drmModeGetConnector(screen->drm, screen->connector);
	ASSERT_TRUE(connector != NULL);
	ASSERT_TRUE(find_mode(screen, connector));
	drmModeFreeConnector(connector);
	drmModeFreeResources(resources);
}

/* The card's memory, through its first PCI resource. */
static void map_memory(struct screen *screen, const char *node)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "/sys/class/drm/%s/device/resource0",
		 strrchr(node, '/') + 1);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		SKIP("%s: %s", path, strerror(errno));
	screen->memory = mmap(NULL, PITCH * HEIGHT, PROT_READ, MAP_SHARED, fd,
			      0);
	if (screen->memory == MAP_FAILED)
		SKIP("%s: %s; iomem=relaxed lets it be mapped", path,
		     strerror(errno));
	close(fd);
}

static void show(struct screen *screen, int fd)
{
	uint32_t handles[4] = { 0 }, pitches[4] = { PITCH }, offsets[4] = { 0 };

	ASSERT_EQ(0, drmPrimeFDToHandle(screen->drm, fd, &screen->handle));
	handles[0] = screen->handle;
	ASSERT_EQ(0, drmModeAddFB2(screen->drm, WIDTH, HEIGHT,
				   DRM_FORMAT_XRGB8888, handles, pitches,
				   offsets, &screen->framebuffer, 0));
	ASSERT_EQ(0, drmModeSetCrtc(screen->drm, screen->crtc,
				    screen->framebuffer, 0, 0,
				    &screen->connector, 1, &screen->mode));
}

static size_t count_differences(const struct screen *screen,
				const uint8_t *expected)
{
	const volatile uint32_t *memory = (const void *)screen->memory;
	size_t count = 0;

	for (size_t i = 0; i < PITCH * HEIGHT / 4; i++) {
		uint32_t word;

		memcpy(&word, expected + 4 * i, sizeof(word));
		count += memory[i] != word;
	}
	return count;
}

/* MRAM on a screen: the bytes in the card's memory are those of the rank. */
TEST(scanout_by_cirrus)
{
	drmModeClip all = { 0, 0, WIDTH, HEIGHT };
	struct screen screen = { 0 };
	struct rank rank;
	char path[64];
	int fd;

	if (!getenv("SELFTEST_KO"))
		SKIP("takes over the screen: not without SELFTEST_KO");
	rank_open_exporting(&rank);
	screen.drm = open_drm("/dev/dri/card*", "cirrus", path);
	map_memory(&screen, path);
	find_output(&screen);
	mark(rank.window, PITCH * HEIGHT, 1);
	fd = export_range(rank.fd, 0, PITCH * HEIGHT);
	ASSERT_LE(0, fd);
	show(&screen, fd);
	close(fd);
	EXPECT_EQ(0, count_differences(&screen, rank.window));
	/* it has a copy, which is old until it is told */
	mark(rank.window, PITCH * HEIGHT, 5);
	EXPECT_LT(PITCH * HEIGHT / 8, count_differences(&screen, rank.window));
	ASSERT_EQ(0, drmModeDirtyFB(screen.drm, screen.framebuffer, &all, 1));
	EXPECT_EQ(0, count_differences(&screen, rank.window));

	EXPECT_ERRNO(EBUSY, try_reset(&rank));
	EXPECT_EQ(0, drmModeRmFB(screen.drm, screen.framebuffer));
	EXPECT_EQ(0, drmCloseBufferHandle(screen.drm, screen.handle));
	EXPECT_EQ(0, try_reset(&rank));
}

#define IMPORTER "/sys/kernel/debug/pimdimm_test/vmap"
#define PAGES	 40u

/* The module that lies beside the one under test, in kernels with KUnit. */
static void load_importer(void)
{
	const char *module = getenv("SELFTEST_KO");
	const char *name = module ? strrchr(module, '/') : NULL;
	char path[512];
	int fd;

	if (!name)
		SKIP("loads a module: not without SELFTEST_KO");
	snprintf(path, sizeof(path), "%.*s/pimdimm_test.ko",
		 (int)(name - module), module);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		SKIP("%s: %s", path, strerror(errno));
	if (syscall(SYS_finit_module, fd, "", 0) && errno != EEXIST)
		SKIP("%s: %s", path, strerror(errno));
	close(fd);
}

static ssize_t map_in_kernel(int importer, int fd)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%d", fd);

	return pwrite(importer, text, (size_t)length, 0);
}

/* The importer adds 1 to the first byte of each page. */
TEST(mapped_by_the_kernel)
{
	int importer, fd;
	struct rank rank;

	load_importer();
	importer = open(IMPORTER, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, importer);
	rank_open_exporting(&rank);
	fd = export_pages(&rank, PAGES);
	for (unsigned int i = 0; i < PAGES; i++)
		rank.window[i * page_size()] = (uint8_t)i;
	ASSERT_LT(0, map_in_kernel(importer, fd));
	ASSERT_LT(0, map_in_kernel(importer, fd));
	for (unsigned int i = 0; i < PAGES; i++)
		EXPECT_EQ(i + 2, rank.window[i * page_size()]);
	EXPECT_ERRNO(EINVAL, map_in_kernel(importer, rank.fd));
	close(fd);
	/* no mapping was left */
	EXPECT_EQ(0, try_reset(&rank));
	close(importer);
	ASSERT_EQ(0, syscall(SYS_delete_module, "pimdimm_test", O_NONBLOCK));
}
