// SPDX-License-Identifier: MIT
/*
 * The tracepoints under events/pimdimm, read in an instance of tracefs of our
 * own: every call leaves exactly the events that it should, with its numbers.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/kernel/harness.h"
#include "tests/kernel/rank.h"

#define MAX_EVENTS 64

/* what is printed after "PID [cpu] flags time: " */
struct events {
	unsigned int count;
	char text[MAX_EVENTS][160];
};

static char instance[128];
/* whether events of our children count, too */
static bool all_processes;

static bool put_in(const char *folder, const char *file, const char *text)
{
	char path[256];
	int fd;
	bool done;

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0)
		return false;
	done = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	close(fd);
	return done;
}

static bool put_trace_file(const char *file, const char *text)
{
	return put_in(instance, file, text);
}

/*
 * Makes the instance. It does not record the names of commands, an option that
 * it has from the whole of tracefs: that patches the scheduler, and while one
 * processor does, qemu's emulation of another now and then executes the
 * breakpoint that stands there meanwhile forever.
 */
static void make_instance(const char *tracefs)
{
	static const char option[] = "options/record-cmd";
	char path[256];
	int fd, made;
	char names;

	snprintf(path, sizeof(path), "%s/%s", tracefs, option);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, fd);
	ASSERT_EQ(1, read(fd, &names, 1));
	close(fd);
	ASSERT_TRUE(put_in(tracefs, option, "0"));
	made = mkdir(instance, 0700);
	ASSERT_TRUE(put_in(tracefs, option, names == '1' ? "1" : "0"));
	ASSERT_EQ(0, made);
}

/* An instance where all of our events are on; skips where there is no tracefs. */
static void trace_start(void)
{
	static const char *const mounts[] = {
		"/sys/kernel/tracing",
		"/sys/kernel/debug/tracing",
	};
	char path[128];

	for (unsigned int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/events/pimdimm", mounts[i]);
		if (access(path, R_OK | X_OK))
			continue;
		snprintf(instance, sizeof(instance),
			 "%s/instances/pimdimm-selftest", mounts[i]);
		/* of a test that was killed */
		rmdir(instance);
		make_instance(mounts[i]);
		ASSERT_TRUE(put_trace_file("events/pimdimm/enable", "1"));
		return;
	}
	SKIP("no events/pimdimm in tracefs that can be read");
}

/* Keeps an event of this process; lines are "COMM-PID [CPU] FLAGS TIME: NAME: ..." */
static void keep(struct events *events, const char *line)
{
	const char *name = strstr(line, ": pimdimm_");
	char pid[16];

	snprintf(pid, sizeof(pid), "-%d ", getpid());
	if (!name || !(all_processes || strstr(line, pid)))
		return;
	ASSERT_LT(events->count, (unsigned int)MAX_EVENTS);
	snprintf(events->text[events->count++], sizeof(events->text[0]),
		 "%.*s", (int)strcspn(name + 2, "\n"), name + 2);
}

/* The events so far; the instance is gone afterwards. */
static void trace_stop(struct events *events)
{
	char path[256], line[512];
	FILE *file;

	EXPECT_TRUE(put_trace_file("tracing_on", "0"));
	snprintf(path, sizeof(path), "%s/trace", instance);
	file = fopen(path, "re");
	ASSERT_TRUE(file != NULL);
	events->count = 0;
	while (fgets(line, sizeof(line), file))
		keep(events, line);
	fclose(file);
	EXPECT_TRUE(put_trace_file("events/pimdimm/enable", "0"));
	EXPECT_EQ(0, rmdir(instance));
}

static void expect_event(const struct events *events, unsigned int number,
			 const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void expect_event(const struct events *events, unsigned int number,
			 const char *format, ...)
{
	const char *seen = number < events->count ? events->text[number] :
						    "nothing";
	char wanted[160];
	va_list args;

	va_start(args, format);
	vsnprintf(wanted, sizeof(wanted), format, args);
	va_end(args);
	if (strcmp(wanted, seen))
		test_fail(__FILE__, __LINE__, "event %u: wanted '%s', saw '%s'",
			  number, wanted, seen);
}

static uint64_t number_in(const char *event, const char *name)
{
	const char *found = strstr(event, name);

	ASSERT_TRUE(found != NULL);
	return strtoull(found + strlen(name), NULL, 10);
}

TEST(open_and_release)
{
	struct events events;
	struct rank rank;
	int number, first;

	rank_open(&rank);
	close(rank.fd);
	number = rank.number;
	trace_start();
	first = open(rank.path, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, first);
	EXPECT_ERRNO(EBUSY, open(rank.path, O_RDONLY | O_CLOEXEC));
	rank.fd = first;
	rank_map(&rank);
	rank.window[0] = 1;
	rank_close(&rank);
	trace_stop(&events);
	EXPECT_EQ(4, events.count);
	expect_event(&events, 0, "pimdimm_open: rank=%d flags=%#x ret=0",
		     number, O_RDWR | 0100000);
	expect_event(&events, 1, "pimdimm_open: rank=%d flags=%#x ret=%d",
		     number, O_RDONLY | 0100000, -EBUSY);
	EXPECT_TRUE(strstr(events.text[2], "pimdimm_fault: ") ==
		    events.text[2]);
	EXPECT_TRUE(strstr(events.text[3], "pimdimm_release: ") ==
		    events.text[3]);
	EXPECT_LE(page_size(), number_in(events.text[3], "allocated="));
}

/* Sums of what is traced are what sysfs counts. */
TEST(transfers)
{
	static uint64_t host[PIMDIMM_RANK_PES * 4];
	struct events events;
	struct rank rank;
	long to, from;

	rank_open(&rank);
	to = sysfs_number(&rank, "bytes_to_mram");
	from = sysfs_number(&rank, "bytes_from_mram");
	trace_start();
	ASSERT_EQ(0, xfer_strided(rank.fd, 0, 0x8421, 16, 32, host, 32, NULL));
	ASSERT_EQ(0, xfer_all(&rank, PIMDIMM_XFER_FROM_MRAM, host, 24));
	EXPECT_ERRNO(EINVAL, xfer_strided(rank.fd, 0, 1, 1, 8, host, 0, NULL));
	trace_stop(&events);
	EXPECT_EQ(6, events.count);
	expect_event(&events, 0,
		     "pimdimm_xfer_begin: rank=%d direction=to_mram pe_mask=0x8421 offset=16 bytes=32",
		     rank.number);
	expect_event(&events, 1,
		     "pimdimm_xfer_end: rank=%d direction=to_mram bytes=128 ret=0",
		     rank.number);
	expect_event(&events, 2,
		     "pimdimm_xfer_begin: rank=%d direction=from_mram pe_mask=0xffffffffffffffff offset=0 bytes=24",
		     rank.number);
	expect_event(&events, 3,
		     "pimdimm_xfer_end: rank=%d direction=from_mram bytes=1536 ret=0",
		     rank.number);
	expect_event(&events, 5,
		     "pimdimm_xfer_end: rank=%d direction=to_mram bytes=0 ret=%d",
		     rank.number, -EINVAL);
	EXPECT_EQ(to + 128, sysfs_number(&rank, "bytes_to_mram"));
	EXPECT_EQ(from + 1536, sysfs_number(&rank, "bytes_from_mram"));
}

/* A transfer that comes short: the words that are complete, and no more. */
TEST(short_transfer)
{
	uint8_t *hole = (uint8_t *)pages_before_hole(page_size()) +
			page_size() - 64;
	struct events events;
	struct rank rank;
	uint64_t done;

	rank_open(&rank);
	trace_start();
	ASSERT_EQ(0, xfer_strided(rank.fd, 0, 3, 0, 128, hole, 0, &done));
	trace_stop(&events);
	EXPECT_EQ(64, done);
	expect_event(&events, 1,
		     "pimdimm_xfer_end: rank=%d direction=to_mram bytes=128 ret=0",
		     rank.number);
}

TEST(reset)
{
	struct pimdimm_reset wrong = { .size = sizeof(wrong), .flags = 1 };
	struct events events;
	struct rank rank;

	rank_open(&rank);
	trace_start();
	rank_reset(&rank);
	EXPECT_ERRNO(EOPNOTSUPP, ioctl(rank.fd, PIMDIMM_IOC_RESET, &wrong));
	trace_stop(&events);
	EXPECT_EQ(2, events.count);
	expect_event(&events, 0, "pimdimm_reset: rank=%d ret=0", rank.number);
	expect_event(&events, 1, "pimdimm_reset: rank=%d ret=%d", rank.number,
		     -EOPNOTSUPP);
}

/* Whether this module offers the calls or not, what they said is traced. */
TEST(export_and_mux)
{
	struct pimdimm_export export = {
		.size = sizeof(export),
		.offset = page_size(),
		.bytes = page_size(),
	};
	struct pimdimm_mux mux = { .size = sizeof(mux), .owner = 7 };
	struct events events;
	struct rank rank;
	int result;

	rank_open(&rank);
	trace_start();
	result = ioctl(rank.fd, PIMDIMM_IOC_EXPORT, &export) ? -errno : 0;
	EXPECT_ERRNO(EOPNOTSUPP, ioctl(rank.fd, PIMDIMM_IOC_MUX, &mux));
	if (!result)
		close(export.out_fd);
	trace_stop(&events);
	EXPECT_EQ(2, events.count);
	expect_event(&events, 0,
		     "pimdimm_export: rank=%d offset=%zu bytes=%zu ret=%d",
		     rank.number, page_size(), page_size(), result);
	expect_event(&events, 1, "pimdimm_mux: rank=%d owner=7 ret=%d",
		     rank.number, -EOPNOTSUPP);
}

static int touch(void *byte)
{
	*(volatile uint8_t *)byte = 1;
	return 0;
}

/* Faults of a host view that can be taken away, and the one that meets that. */
TEST(faults)
{
	struct pimdimm_mux mux = { .size = sizeof(mux) };
	struct events events;
	struct rank rank;
	size_t page = page_size();

	rank_open_map(&rank);
	if (!(rank.query.out_features & PIMDIMM_FEATURE_MUX))
		SKIP("this module offers no MUX");
	trace_start();
	ASSERT_EQ(0, ioctl(rank.fd, PIMDIMM_IOC_MUX, &mux));
	rank.window[3 * page] = 1;
	mux.owner = PIMDIMM_MUX_PES;
	ASSERT_EQ(0, ioctl(rank.fd, PIMDIMM_IOC_MUX, &mux));
	all_processes = true;
	EXPECT_EQ(128 + SIGBUS, in_child(touch, rank.window + 5 * page));
	mux.owner = PIMDIMM_MUX_HOST;
	ASSERT_EQ(0, ioctl(rank.fd, PIMDIMM_IOC_MUX, &mux));
	trace_stop(&events);
	expect_event(&events, 0, "pimdimm_mux: rank=%d owner=0 ret=0",
		     rank.number);
	expect_event(&events, 1,
		     "pimdimm_fault: rank=%d offset=%zu write=1 sigbus=0",
		     rank.number, 3 * page);
	expect_event(&events, 2, "pimdimm_mux: rank=%d owner=1 ret=0",
		     rank.number);
	expect_event(&events, 3,
		     "pimdimm_fault: rank=%d offset=%zu write=1 sigbus=1",
		     rank.number, 5 * page);
	expect_event(&events, 4, "pimdimm_mux: rank=%d owner=0 ret=0",
		     rank.number);
	EXPECT_EQ(5, events.count);
}

/* A transfer that nothing befalls leaves no event of faults. */
TEST(faults_on_demand)
{
	static const char *const off[] = {
		"inject/delay_us", "inject/flip_ppm", "inject/gone",
	};
	struct pimdimm_touch words = { .size = sizeof(words), .words = 10 };
	static uint64_t host[PIMDIMM_RANK_PES];
	struct events events;
	struct rank rank;

	rank_open(&rank);
	ASSERT_EQ(0, sysfs_write(&rank, "inject/fail_nth", "2"));
	ASSERT_EQ(0, sysfs_write(&rank, "inject/flip_ppm", "0"));
	trace_start();
	EXPECT_EQ(0, ioctl(rank.fd, PIMDIMM_IOC_TOUCH, &words));
	EXPECT_ERRNO(EIO, xfer_all(&rank, 0, host, 8));
	ASSERT_EQ(0, sysfs_write(&rank, "inject/delay_us", "9"));
	ASSERT_EQ(0, sysfs_write(&rank, "inject/flip_ppm", "1000000"));
	EXPECT_EQ(0, ioctl(rank.fd, PIMDIMM_IOC_TOUCH, &words));
	ASSERT_EQ(0, sysfs_write(&rank, "inject/gone", "1"));
	EXPECT_ERRNO(ENODEV, xfer_all(&rank, 0, host, 8));
	trace_stop(&events);
	for (unsigned int i = 0; i < sizeof(off) / sizeof(off[0]); i++)
		ASSERT_EQ(0, sysfs_write(&rank, off[i], "0"));

	EXPECT_EQ(5, events.count);
	EXPECT_EQ((uint64_t)rank.number,
		  number_in(events.text[1], "inject: rank="));
	EXPECT_EQ(0, number_in(events.text[1], "gone="));
	EXPECT_EQ(1, number_in(events.text[1], "fails="));
	EXPECT_EQ(0, number_in(events.text[1], "flips="));
	expect_event(&events, 3,
		     "pimdimm_inject: rank=%d gone=0 fails=0 late=0 delay_us=9 flips=10",
		     rank.number);
	expect_event(&events, 4,
		     "pimdimm_inject: rank=%d gone=1 fails=0 late=0 delay_us=0 flips=0",
		     rank.number);
}

/* Calls that are none of ours leave nothing. */
TEST(silence)
{
	struct events events;
	struct rank rank;

	rank_open(&rank);
	trace_start();
	EXPECT_ERRNO(ENOTTY, ioctl(rank.fd, 0x5401 /* TCGETS */, NULL));
	EXPECT_EQ(0, ioctl(rank.fd, PIMDIMM_IOC_QUERY, &rank.query));
	trace_stop(&events);
	EXPECT_EQ(0, events.count);
}
