// SPDX-License-Identifier: MIT
/* Opens ranks, and reaches their MRAM one byte at a time by the layout's formulas. */
#include <fcntl.h>
#include <glob.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/kernel/harness.h"
#include "tests/kernel/rank.h"

/* How long a node may stay busy after its owner was killed. */
#define BUSY_SECONDS 5.0

size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static bool try_open(struct rank *rank, const char *path)
{
	rank->fd = open(path, O_RDWR | O_CLOEXEC);
	if (rank->fd < 0)
		return false;
	snprintf(rank->path, sizeof(rank->path), "%s", path);
	rank->number = atoi(path + strlen("/dev/pimdimm"));
	rank->window = NULL;
	memset(&rank->query, 0, sizeof(rank->query));
	rank->query.size = sizeof(rank->query);
	ASSERT_EQ(0, ioctl(rank->fd, PIMDIMM_IOC_QUERY, &rank->query));
	return true;
}

static bool open_any(struct rank *rank, int *error)
{
	bool opened = false;
	glob_t nodes;

	*error = ENOENT;
	if (glob("/dev/pimdimm*", 0, NULL, &nodes))
		return false;
	for (size_t i = 0; i < nodes.gl_pathc && !opened; i++) {
		opened = try_open(rank, nodes.gl_pathv[i]);
		if (!opened && *error != EBUSY)
			*error = errno;
	}
	globfree(&nodes);
	return opened;
}

static bool open_in_time(struct rank *rank, int *error)
{
	double end = seconds_now() + test_patience(BUSY_SECONDS);

	while (!open_any(rank, error)) {
		if (*error != EBUSY || seconds_now() > end)
			return false;
		usleep(10000);
	}
	return true;
}

void rank_open(struct rank *rank)
{
	int error;

	if (!open_in_time(rank, &error))
		SKIP("no /dev/pimdimm* can be opened: %s", strerror(error));
}

void rank_open_other(struct rank *rank, const struct rank *taken)
{
	int error;

	if (!open_any(rank, &error))
		SKIP("no rank is free besides %s: %s", taken->path,
		     strerror(error));
}

void rank_map(struct rank *rank)
{
	rank->window = mmap(NULL, rank->query.out_window_size,
			    PROT_READ | PROT_WRITE, MAP_SHARED, rank->fd, 0);
	ASSERT_TRUE(rank->window != MAP_FAILED);
}

void rank_open_map(struct rank *rank)
{
	rank_open(rank);
	rank_map(rank);
}

void rank_close(struct rank *rank)
{
	if (rank->window)
		munmap(rank->window, rank->query.out_window_size);
	close(rank->fd);
}

int rank_reopen(const struct rank *rank)
{
	double end = seconds_now() + test_patience(BUSY_SECONDS);
	int fd;

	while ((fd = open(rank->path, O_RDWR | O_CLOEXEC)) < 0) {
		if (errno != EBUSY || seconds_now() > end)
			break;
		usleep(1000);
	}
	return fd;
}

void rank_reset(const struct rank *rank)
{
	struct pimdimm_reset reset = { .size = sizeof(reset) };

	ASSERT_EQ(0, ioctl(rank->fd, PIMDIMM_IOC_RESET, &reset));
}

uint64_t rank_words(const struct rank *rank)
{
	return rank->query.out_mram_size / PIMDIMM_WORD_BYTES;
}

uint8_t *rank_byte(const struct rank *rank, unsigned int pe, uint64_t offset)
{
	uint64_t block = pimdimm_layout_offset(rank->query.out_layout,
					       rank->query.out_mram_size,
					       pe / PIMDIMM_CHIPS,
					       offset / PIMDIMM_WORD_BYTES);

	return rank->window + block + 8 * (offset % PIMDIMM_WORD_BYTES) +
	       pe % PIMDIMM_CHIPS;
}

void rank_get(const struct rank *rank, unsigned int pe, uint64_t offset,
	      void *bytes, uint64_t count)
{
	uint8_t *to = bytes;

	for (uint64_t i = 0; i < count; i += PIMDIMM_WORD_BYTES) {
		volatile uint8_t *word = rank_byte(rank, pe, offset + i);

		for (unsigned int b = 0; b < PIMDIMM_WORD_BYTES; b++)
			to[i + b] = word[8 * b];
	}
}

void rank_put(const struct rank *rank, unsigned int pe, uint64_t offset,
	      const void *bytes, uint64_t count)
{
	const uint8_t *from = bytes;

	for (uint64_t i = 0; i < count; i += PIMDIMM_WORD_BYTES) {
		volatile uint8_t *word = rank_byte(rank, pe, offset + i);

		for (unsigned int b = 0; b < PIMDIMM_WORD_BYTES; b++)
			word[8 * b] = from[i + b];
	}
}

static uint64_t count_nonzero(const uint8_t *bytes, size_t count)
{
	uint64_t found = 0;

	for (size_t i = 0; i < count; i += sizeof(uint64_t)) {
		uint64_t word;

		memcpy(&word, bytes + i, sizeof(word));
		for (; word; word >>= 8)
			found += (word & 0xff) != 0;
	}
	return found;
}

/*
 * Only resident pages are read, since reading a hole fills it: a window may be
 * larger than the machine's memory.
 */
uint64_t rank_count_nonzero(const struct rank *rank)
{
	size_t page = page_size();
	size_t pages = rank->query.out_window_size / page;
	unsigned char *resident = malloc(pages);
	uint64_t found = 0;

	ASSERT_TRUE(resident != NULL);
	ASSERT_EQ(0, mincore(rank->window, pages * page, resident));
	for (size_t i = 0; i < pages; i++)
		if (resident[i] & 1)
			found += count_nonzero(rank->window + i * page, page);
	free(resident);
	return found;
}

static int xfer(int fd, struct pimdimm_xfer *arg, uint64_t *out_bytes)
{
	int result = ioctl(fd, PIMDIMM_IOC_XFER, arg);

	if (out_bytes)
		*out_bytes = arg->out_bytes;
	return result;
}

int xfer_array(int fd, uint32_t flags, uint64_t mask, uint64_t offset,
	       uint64_t bytes, const uint64_t addrs[64], uint64_t *out_bytes)
{
	struct pimdimm_xfer arg = {
		.size = sizeof(arg),
		.flags = flags,
		.pe_mask = mask,
		.offset = offset,
		.bytes = bytes,
		.addrs = (uintptr_t)addrs,
	};

	return xfer(fd, &arg, out_bytes);
}

int xfer_strided(int fd, uint32_t flags, uint64_t mask, uint64_t offset,
		 uint64_t bytes, const void *base, uint64_t stride,
		 uint64_t *out_bytes)
{
	struct pimdimm_xfer arg = {
		.size = sizeof(arg),
		.flags = flags | PIMDIMM_XFER_STRIDED,
		.pe_mask = mask,
		.offset = offset,
		.bytes = bytes,
		.addrs = (uintptr_t)base,
		.stride = stride,
	};

	return xfer(fd, &arg, out_bytes);
}

int xfer_all(const struct rank *rank, uint32_t flags, void *base,
	     uint64_t bytes)
{
	uint64_t done = 0;

	if (xfer_strided(rank->fd, flags, ALL_PES, 0, bytes, base, bytes,
			 &done))
		return -1;
	EXPECT_EQ(bytes, done);
	return 0;
}

void random_start(struct random *random)
{
	const char *seed = getenv("PIMDIMM_TEST_SEED");

	random->state = seed ? strtoull(seed, NULL, 0) : 20240629;
}

/* splitmix64 */
uint64_t random_next(struct random *random)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

uint64_t random_below(struct random *random, uint64_t limit)
{
	return random_next(random) % limit;
}

void random_fill(struct random *random, void *bytes, size_t count)
{
	uint8_t *to = bytes;
	uint64_t value;

	for (; count >= sizeof(value); count -= sizeof(value)) {
		value = random_next(random);
		memcpy(to, &value, sizeof(value));
		to += sizeof(value);
	}
	value = random_next(random);
	memcpy(to, &value, count);
}

void *pages_before_hole(size_t bytes)
{
	size_t page = page_size();
	size_t size = (bytes + page - 1) / page * page;
	uint8_t *memory = mmap(NULL, size + page, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_TRUE(memory != MAP_FAILED);
	/* reserved, or what is mapped later would fill it */
	ASSERT_EQ(0, mprotect(memory + size, page, PROT_NONE));
	return memory;
}

static void sysfs_path(const struct rank *rank, const char *attribute,
		       char path[128])
{
	snprintf(path, 128, "/sys/class/pimdimm/pimdimm%d/%s", rank->number,
		 attribute);
}

void sysfs_text(const struct rank *rank, const char *attribute, char text[64])
{
	char path[128];
	FILE *file;

	sysfs_path(rank, attribute, path);
	file = fopen(path, "re");
	ASSERT_TRUE(file != NULL);
	ASSERT_TRUE(fgets(text, 64, file) != NULL);
	fclose(file);
}

long sysfs_number(const struct rank *rank, const char *attribute)
{
	char text[64];

	sysfs_text(rank, attribute, text);
	return strtol(text, NULL, 10);
}

int sysfs_write(const struct rank *rank, const char *attribute,
		const char *value)
{
	char path[128];
	ssize_t done;
	int fd, error;

	sysfs_path(rank, attribute, path);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 && errno == EACCES)
		SKIP("%s is root's", path);
	ASSERT_LE(0, fd);
	done = write(fd, value, strlen(value));
	error = errno;
	close(fd);
	errno = error;
	return done < 0 ? -1 : 0;
}

int in_child(int (*body)(void *), void *argument)
{
	pid_t pid = fork();
	int status;

	ASSERT_LE(0, pid);
	if (pid == 0)
		_exit(body(argument));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
				     WEXITSTATUS(status);
}
