// SPDX-License-Identifier: MIT
/*
 * Whatever comes in, the answer is one of the documented ones, and the rank
 * works as before. Arguments are drawn near the borders of what is valid.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/kernel/harness.h"
#include "tests/kernel/rank.h"

#define SECONDS    1.0
#define HOST_BYTES (1u << 16)
/* The farthest that a transfer to host memory goes from a PE's to the next's. */
#define HOST_STRIDE (1u << 20)
#define HOST_HOLE   (PIMDIMM_RANK_PES * (size_t)HOST_STRIDE)

static uint64_t any_number(struct random *random)
{
	static const uint64_t numbers[] = {
		0, 1, 7, 8, 16, 63, 64, 65, 4095, 4096, 8192, 65528, 65536,
		1 << 20, 1ULL << 31, 1ULL << 32, 1ULL << 40, INT64_MAX,
		1ULL << 63, UINT64_MAX - 7, UINT64_MAX,
	};

	if (random_below(random, 4) == 0)
		return random_next(random) >> random_below(random, 64);
	return numbers[random_below(random,
				    sizeof(numbers) / sizeof(numbers[0]))];
}

/*
 * Host memory in the midst of a hole, which all that transfers from MRAM write
 * to lies in: anywhere else it could be this program's own stack.
 */
static uint8_t *host_memory(void)
{
	uint8_t *hole = mmap(NULL, HOST_HOLE + HOST_BYTES + HOST_HOLE,
			     PROT_NONE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	ASSERT_TRUE(hole != MAP_FAILED);
	ASSERT_EQ(0, mprotect(hole + HOST_HOLE, HOST_BYTES,
			      PROT_READ | PROT_WRITE));
	return hole + HOST_HOLE;
}

static uint64_t any_address(struct random *random, bool written, uint8_t *host)
{
	if (!written && random_below(random, 3) == 0)
		return any_number(random);
	return (uintptr_t)host + random_below(random, HOST_BYTES);
}

static uint64_t any_stride(struct random *random, bool written)
{
	uint64_t stride = any_number(random);

	if (!written)
		return stride;
	stride %= HOST_STRIDE;
	return random_below(random, 2) ? stride : -stride;
}

/* Mostly few bytes, so that many calls are made. */
static void any_xfer(struct random *random, uint8_t *host, bool from_mram,
		     struct pimdimm_xfer *arg)
{
	arg->size = sizeof(*arg);
	arg->flags = random_below(random, 2) ? PIMDIMM_XFER_STRIDED : 0;
	arg->pe_mask = random_next(random) & any_number(random);
	arg->offset = random_below(random, 8) ? random_below(random, 512) * 8 :
						any_number(random);
	arg->bytes = random_below(random, 8) ? random_below(random, 600) * 8 :
					       any_number(random);
	arg->addrs = any_address(random, from_mram, host);
	arg->stride = arg->flags & PIMDIMM_XFER_STRIDED ?
			      any_stride(random, from_mram) :
			      0;
	if (random_below(random, 16) == 0)
		arg->flags = (uint32_t)any_number(random);
	if (random_below(random, 16) == 0)
		arg->size = (uint32_t)any_number(random);
	if (random_below(random, 16) == 0)
		arg->stride = any_stride(random, from_mram);
	arg->flags &= ~PIMDIMM_XFER_FROM_MRAM;
	if (from_mram)
		arg->flags |= PIMDIMM_XFER_FROM_MRAM;
}

/* The seed is told, for a run like this one. */
static void start(struct random *random)
{
	random_start(random);
	test_note("PIMDIMM_TEST_SEED=%llu", (unsigned long long)random->state);
}

static void expect_documented(int result, const struct pimdimm_xfer *arg)
{
	if (result == 0) {
		ASSERT_LE(arg->out_bytes, arg->bytes);
		return;
	}
	ASSERT_EQ(-1, result);
	ASSERT_TRUE(errno == EINVAL || errno == EFAULT || errno == E2BIG ||
		    errno == EOPNOTSUPP || errno == EINTR || errno == ENOMEM);
}

static void expect_working(const struct rank *rank)
{
	uint64_t words[PIMDIMM_RANK_PES], seen[PIMDIMM_RANK_PES];

	for (unsigned int pe = 0; pe < PIMDIMM_RANK_PES; pe++)
		words[pe] = pe * 0x0102030405060708;
	ASSERT_EQ(0, xfer_all(rank, 0, words, 8));
	ASSERT_EQ(0, xfer_all(rank, PIMDIMM_XFER_FROM_MRAM, seen, 8));
	EXPECT_EQ(0, memcmp(words, seen, sizeof(words)));
}

TEST(transfers)
{
	uint8_t *host = host_memory();
	unsigned int calls = 0, good = 0;
	struct random random;
	struct rank rank;

	rank_open(&rank);
	start(&random);
	random_fill(&random, host, HOST_BYTES);
	for (double end = seconds_now() + SECONDS; seconds_now() < end;) {
		/* room behind it for a tail that any size may tell of */
		union {
			struct pimdimm_xfer arg;
			uint8_t room[4096];
		} call = { 0 };
		int result;

		any_xfer(&random, host, random_below(&random, 2), &call.arg);
		result = ioctl(rank.fd, PIMDIMM_IOC_XFER, &call.arg);
		expect_documented(result, &call.arg);
		calls++;
		good += result == 0;
	}
	expect_working(&rank);
	test_note("%u calls, %u of them good", calls, good);
	EXPECT_LT(0, good);
	EXPECT_LT(good, calls);
}

/* What a call in any number of bytes may say; EMFILE and EIO are left out. */
static bool is_documented(int error)
{
	static const int errors[] = { EINVAL, EFAULT, E2BIG,  EOPNOTSUPP,
				      EINTR,  ENOMEM, ENOTTY, EBUSY };

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (errors[i] == error)
			return true;
	return false;
}

/* Mostly zero, as most of what is valid is. */
static void any_bytes(struct random *random, uint8_t bytes[256])
{
	uint32_t size = (uint32_t)any_number(random);

	random_fill(random, bytes, 256);
	for (unsigned int i = 0; i < 256; i += 8)
		if (random_below(random, 2))
			memset(bytes + i, 0, 8);
	if (random_below(random, 2))
		size = 8 * (uint32_t)random_below(random, 8);
	memcpy(bytes, &size, sizeof(size));
	if (random_below(random, 2))
		memset(bytes + sizeof(size), 0, 4);
}

static unsigned long any_call(struct random *random)
{
	if (random_below(random, 4) == 0)
		return (uint32_t)random_next(random);
	return _IO(PIMDIMM_IOC_MAGIC, random_below(random, 8));
}

static void call_with_any_bytes(struct random *random, const struct rank *rank,
				unsigned int good[])
{
	static uint8_t bytes[8192];
	unsigned long number = any_call(random);
	struct pimdimm_export export;

	any_bytes(random, bytes);
	if (number == PIMDIMM_IOC_EXPORT && random_below(random, 2)) {
		export = (struct pimdimm_export){
			.size = sizeof(export),
			.offset = random_below(random, 64) * page_size(),
			.bytes = random_below(random, 64) * page_size(),
		};
		memcpy(bytes, &export, sizeof(export));
	}
	if (ioctl(rank->fd, number, bytes)) {
		if (!is_documented(errno))
			test_fail(__FILE__, __LINE__, "%#lx: %s", number,
				  strerrorname_np(errno));
		return;
	}
	good[_IOC_NR(number)]++;
	if (number == PIMDIMM_IOC_EXPORT) {
		memcpy(&export, bytes, sizeof(export));
		ASSERT_EQ(0, close(export.out_fd));
	}
}

TEST(any_call_with_any_bytes)
{
	unsigned int good[256] = { 0 };
	struct pimdimm_mux host = { .size = sizeof(host) };
	struct random random;
	struct rank rank;

	rank_open(&rank);
	start(&random);
	for (double end = seconds_now() + SECONDS; seconds_now() < end;)
		call_with_any_bytes(&random, &rank, good);
	test_note("good: %u QUERY, %u XFER, %u RESET, %u EXPORT, %u MUX, %u TOUCH",
		  good[0], good[1], good[2], good[3], good[4], good[5]);
	if (rank.query.out_features & PIMDIMM_FEATURE_EXPORT)
		EXPECT_LT(0, good[_IOC_NR(PIMDIMM_IOC_EXPORT)]);
	EXPECT_LT(0, good[_IOC_NR(PIMDIMM_IOC_RESET)]);
	ioctl(rank.fd, PIMDIMM_IOC_MUX, &host);
	expect_working(&rank);
}

/* Where a window begins, or the status, or anywhere. */
static uint64_t any_offset(struct random *random)
{
	static const uint64_t begins[] = { 0, PIMDIMM_MMAP_PE,
					   PIMDIMM_MMAP_STATUS };
	uint64_t offset = any_number(random);

	if (random_below(random, 2))
		offset = begins[random_below(random, 3)] +
			 random_below(random, 1 << 28);
	return offset / page_size() * page_size();
}

/* The bytes that may be mapped from @offset on. */
static uint64_t mappable(const struct rank *rank, uint64_t offset)
{
	uint64_t size = rank->query.out_window_size;

	if (offset == PIMDIMM_MMAP_STATUS)
		return page_size();
	if (offset >= PIMDIMM_MMAP_PE)
		offset -= PIMDIMM_MMAP_PE;
	return offset < size ? size - offset : 0;
}

TEST(mmap_with_any_range)
{
	unsigned int good = 0;
	struct random random;
	struct rank rank;

	rank_open(&rank);
	start(&random);
	for (unsigned int i = 0; i < 20000; i++) {
		/* of 32 bits on a kernel that has no more */
		size_t size = (size_t)(any_number(&random) / 2);
		uint64_t offset = any_offset(&random);
		void *map = mmap(NULL, size, PROT_READ, MAP_SHARED, rank.fd,
				 (off_t)offset);

		if (map == MAP_FAILED)
			continue;
		good++;
		ASSERT_LE((size + page_size() - 1) / page_size() * page_size(),
			  mappable(&rank, offset));
		ASSERT_EQ(0, munmap(map, size));
	}
	test_note("%u of 20000 good", good);
	EXPECT_LT(0, good);
	expect_working(&rank);
}

struct flipper {
	struct pimdimm_xfer *arg;
	struct random random;
	uint8_t *host;
	bool from_mram;
	atomic_bool stop;
};

static void *flip(void *argument)
{
	struct flipper *flipper = argument;
	struct pimdimm_xfer arg = { 0 };

	while (!flipper->stop) {
		any_xfer(&flipper->random, flipper->host, flipper->from_mram,
			 &arg);
		memcpy(flipper->arg, &arg, sizeof(arg));
	}
	return NULL;
}

/* The structure changes while the module reads it, but for its direction. */
static void transfer_while_it_changes(const struct rank *rank, bool from_mram)
{
	struct flipper flipper = {
		.host = host_memory(),
		.from_mram = from_mram,
	};
	pthread_t thread;

	start(&flipper.random);
	flipper.arg = pages_before_hole(page_size());
	flipper.arg->flags = from_mram ? PIMDIMM_XFER_FROM_MRAM : 0;
	ASSERT_EQ(0, pthread_create(&thread, NULL, flip, &flipper));
	for (double end = seconds_now() + SECONDS / 2; seconds_now() < end;)
		ioctl(rank->fd, PIMDIMM_IOC_XFER, flipper.arg);
	flipper.stop = true;
	ASSERT_EQ(0, pthread_join(thread, NULL));
}

TEST(changing_structure)
{
	struct rank rank;

	rank_open(&rank);
	transfer_while_it_changes(&rank, false);
	transfer_while_it_changes(&rank, true);
	expect_working(&rank);
}
