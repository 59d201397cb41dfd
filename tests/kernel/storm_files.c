// SPDX-License-Identifier: MIT
/* The storm's descriptors, and files that tell of ranks and change them. */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <drm.h>

#include "tests/kernel/harness.h"
#include "tests/kernel/machine.h"
#include "tests/kernel/storm.h"

#define SYSTEM "/sys/kernel/config/pimdimm/storm"

static const char *const knobs[] = {
	"gone", "gone_nth", "fail_nth", "fail_ppm", "flip_ppm", "delay_us",
	"seed",
};
#define KNOBS (sizeof(knobs) / sizeof(knobs[0]))

static unsigned int any_rank(struct thread *t)
{
	return (unsigned int)any_of(t, STORM_RANKS_MAX);
}

static void do_open(struct thread *t)
{
	static const int modes[] = { O_RDWR,   O_RDWR,	 O_RDWR,
				     O_RDWR,   O_RDWR,	 O_RDWR,
				     O_RDONLY, O_WRONLY };
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/dev/pimdimm%u", any_rank(t));
	fd = open(path, modes[any_of(t, 8)] | O_CLOEXEC);
	/* a node that comes or goes: ENOENT, and ENXIO before its last bit */
	if (fd >= 0 || (errno != ENOENT && errno != ENXIO))
		count(t, fd);
	if (fd >= 0) {
		dup3(fd, any_node(t), O_CLOEXEC);
		close(fd);
	}
}

/*
 * Nodes stay open for a while, or there would be nothing to do; dma-bufs do
 * not, or there would be no RESET: pinned pages refuse it.
 */
static void do_close(struct thread *t)
{
	if (any_of(t, 24) == 0)
		count(t, close(any_node(t)));
	else
		count(t, close(any_buffer(t)));
}

static void do_dup(struct thread *t)
{
	int from = any_node(t), to = any_node(t);

	if (from != to)
		count(t, dup3(from, to, O_CLOEXEC));
}

/* Another driver attaches to a dma-buf, where there is one that does. */
static void do_import(struct thread *t)
{
	struct drm_prime_handle prime = { .fd = any_buffer(t) };
	struct drm_gem_close done = { 0 };
	int result;

	if (storm.drm < 0)
		return;
	result = ioctl(storm.drm, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime);
	tally(t, result);
	if (result == 0) {
		done.handle = prime.handle;
		ioctl(storm.drm, DRM_IOCTL_GEM_CLOSE, &done);
	}
}

/* A file that is not there, or not ours, is none to count. */
static void read_file(struct thread *t, const char *path)
{
	char text[4096];
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	count(t, (int)read(fd, text, sizeof(text)));
	close(fd);
}

static void write_file(struct thread *t, const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int result;

	if (fd < 0)
		return;
	result = write(fd, value, strlen(value)) < 0 ? -1 : 0;
	/* ERANGE: a number too large; ENOENT: a system that is being removed */
	if (result == 0 || (errno != ERANGE && errno != ENOENT))
		count(t, result);
	close(fd);
}

static void do_attribute(struct thread *t)
{
	static const char *const names[] = { "allocated",     "owner", "mux",
					     "bytes_to_mram", "uevent",
					     "pinned",	      "inject/flips" };
	char path[96];

	snprintf(path, sizeof(path), "/sys/class/pimdimm/pimdimm%u/%s",
		 any_rank(t), names[any_of(t, 7)]);
	read_file(t, path);
}

static void do_internals(struct thread *t)
{
	static const char *const names[] = { "state", "pages", "mappings" };
	char path[96];

	snprintf(path, sizeof(path), "/sys/kernel/debug/pimdimm/pimdimm%u/%s",
		 any_rank(t), names[any_of(t, 3)]);
	read_file(t, path);
}

static void name_knob(char path[96], unsigned int rank, const char *knob)
{
	snprintf(path, 96, "/sys/class/pimdimm/pimdimm%u/inject/%s", rank,
		 knob);
}

static void turn(struct thread *t, const char *knob, uint64_t value)
{
	char path[96], text[32];

	name_knob(path, any_rank(t), knob);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	write_file(t, path, text);
}

/* Mostly back to nothing: a rank that always fails is left alone by the rest. */
static void do_knob(struct thread *t)
{
	const char *knob = knobs[any_of(t, KNOBS)];
	uint64_t value = 0;

	if (!storm.is_ours)
		return;
	if (any_of(t, 8) == 0)
		value = any_of(t, 8) ? any_of(t, 200) : any_number(t);
	/* a large one would only make the storm a calm */
	if (!strcmp(knob, "delay_us"))
		value %= 200;
	turn(t, knob, value);
}

/* A system comes and goes, and its nodes with it. */
static void do_system(struct thread *t)
{
	static const char *const layouts[] = { "linear", "xeon_sp" };

	if (!storm.is_ours)
		return;
	switch (any_of(t, 6)) {
	case 0:
		tally(t, mkdir(SYSTEM, 0755));
		write_file(t, SYSTEM "/ranks", "2");
		break;
	case 1:
		tally(t, rmdir(SYSTEM));
		break;
	case 2:
		write_file(t, SYSTEM "/layout", layouts[any_of(t, 2)]);
		break;
	case 3:
		write_file(t, SYSTEM "/enable", "0");
		break;
	default:
		write_file(t, SYSTEM "/enable", "1");
	}
}

const struct act storm_files[] = {
	{ 30, do_open, "open" },
	{ 36, do_close, "close" },
	{ 10, do_dup, "dup3" },
	{ 30, do_import, "import" },
	{ 10, do_attribute, "sysfs" },
	{ 10, do_internals, "debugfs" },
	{ 10, do_knob, "inject" },
	{ 2, do_system, "configfs" },
	{ 0 },
};

void storm_files_start(void)
{
	storm.is_ours = getenv("SELFTEST_KO") && geteuid() == 0;
	storm.drm = open("/dev/dri/card0", O_RDWR | O_CLOEXEC);
}

static void calm_knobs(void)
{
	char path[96];

	for (unsigned int rank = 0; rank < STORM_RANKS; rank++)
		for (size_t i = 0; i < KNOBS; i++) {
			name_knob(path, rank, knobs[i]);
			EXPECT_TRUE(write_text(path, "0"));
		}
}

void storm_files_end(void)
{
	if (storm.drm >= 0)
		close(storm.drm);
	for (int i = 0; i < STORM_KEPT; i++) {
		close(STORM_NODES + i);
		close(STORM_BUFFERS + i);
	}
	if (!storm.is_ours)
		return;
	write_text(SYSTEM "/enable", "0");
	rmdir(SYSTEM);
	EXPECT_NE(0, access(SYSTEM, F_OK));
	calm_knobs();
}
