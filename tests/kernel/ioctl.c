// SPDX-License-Identifier: MIT
/*
 * What all ioctls share: sizes and unknown tails, flags, reserved fields,
 * addresses of the structure itself.
 */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/kernel/harness.h"
#include "tests/kernel/rank.h"

/* Room for a structure of a later version, with its unknown tail. */
union argument {
	uint32_t size;
	struct pimdimm_query query;
	struct pimdimm_xfer xfer;
	struct pimdimm_reset reset;
	uint8_t bytes[256];
};

static const struct call {
	const char *name;
	unsigned long number;
	uint32_t size;
} calls[] = {
	{ "QUERY", PIMDIMM_IOC_QUERY, sizeof(struct pimdimm_query) },
	{ "XFER", PIMDIMM_IOC_XFER, sizeof(struct pimdimm_xfer) },
	{ "RESET", PIMDIMM_IOC_RESET, sizeof(struct pimdimm_reset) },
};

#define for_each_call(call)                                                    \
	for (const struct call *call = calls;                                  \
	     call < calls + sizeof(calls) / sizeof(calls[0]); call++)

/* All other fields zero: a valid call of each kind that changes nothing. */
static int call_sized(const struct rank *rank, const struct call *call,
		      union argument *argument, uint32_t size)
{
	argument->size = size;
	return ioctl(rank->fd, call->number, argument);
}

TEST(exact_size)
{
	struct rank rank;

	rank_open(&rank);
	for_each_call(call) {
		union argument argument = { 0 };

		test_note("%s", call->name);
		EXPECT_EQ(0, call_sized(&rank, call, &argument, call->size));
		EXPECT_EQ(call->size, argument.size);
	}
}

TEST(size_too_small)
{
	struct rank rank;

	rank_open(&rank);
	for_each_call(call) {
		for (uint32_t size = 0; size < call->size; size++) {
			union argument argument = { 0 };

			EXPECT_ERRNO(EINVAL, call_sized(&rank, call, &argument,
							size));
		}
	}
}

TEST(larger_with_zero_tail)
{
	struct rank rank;

	rank_open(&rank);
	for_each_call(call) {
		for (uint32_t size = call->size + 1;
		     size <= sizeof(union argument); size++) {
			union argument argument = { 0 };

			EXPECT_EQ(0, call_sized(&rank, call, &argument, size));
			EXPECT_EQ(size, argument.size);
		}
	}
}

TEST(larger_with_set_tail)
{
	struct rank rank;

	rank_open(&rank);
	for_each_call(call) {
		for (uint32_t at = call->size; at < sizeof(union argument);
		     at++) {
			union argument argument = { 0 };

			argument.bytes[at] = 1;
			EXPECT_ERRNO(E2BIG,
				     call_sized(&rank, call, &argument,
						sizeof(union argument)));
			/* beyond the size that was told, it is not looked at */
			EXPECT_EQ(0,
				  call_sized(&rank, call, &argument, at));
			EXPECT_EQ(1, argument.bytes[at]);
		}
	}
}

/* A size that no structure has: refused before memory or time is spent. */
TEST(huge_size)
{
	static const uint32_t sizes[] = { 1u << 20, 1u << 31, UINT32_MAX - 7,
					  UINT32_MAX };
	struct rank rank;

	rank_open(&rank);
	for_each_call(call) {
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			union argument *argument =
				pages_before_hole(sizeof(*argument));

			errno = 0;
			EXPECT_EQ(-1,
				  call_sized(&rank, call, argument, sizes[i]));
			EXPECT_TRUE(errno == E2BIG || errno == EFAULT);
		}
	}
}

TEST(size_reaches_into_unmapped_memory)
{
	struct rank rank;

	rank_open(&rank);
	for_each_call(call) {
		uint8_t *page = pages_before_hole(page_size());
		uint8_t *end = page + page_size();

		/* the structure ends where the memory does */
		memcpy(end - call->size, &call->size, sizeof(call->size));
		EXPECT_EQ(0, ioctl(rank.fd, call->number, end - call->size));
		/* only its first bytes exist, not even its size in the end */
		for (uint32_t bytes = call->size - 1; bytes; bytes--) {
			memset(page, 0, page_size());
			memcpy(end - bytes, &call->size,
			       bytes < 4 ? bytes : 4);
			EXPECT_ERRNO(EFAULT, ioctl(rank.fd, call->number,
						   end - bytes));
		}
	}
}

TEST(tail_reaches_into_unmapped_memory)
{
	struct rank rank;

	rank_open(&rank);
	for_each_call(call) {
		uint8_t *page = pages_before_hole(page_size());
		union argument *argument =
			(void *)(page + page_size() - call->size);

		EXPECT_ERRNO(EFAULT, call_sized(&rank, call, argument,
						call->size + 8));
	}
}

TEST(bad_addresses)
{
	static const uint64_t addresses[] = {
		0,
		1,
		UINT64_MAX,
		UINT64_MAX - 7,
		0xffff888000000000, /* the kernel's map of memory */
		0xffffffff81000000, /* its text */
		0x800000000000,	    /* first address beyond user space */
		0x7ffffffffffc,	    /* the structure crosses that border */
		0x8000000000000000, /* not canonical */
	};
	struct rank rank;

	rank_open(&rank);
	for_each_call(call)
		for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]);
		     i++)
			EXPECT_ERRNO(EFAULT, ioctl(rank.fd, call->number,
						   addresses[i]));
}

/* Results that cannot be written are an error, RESET has none to write. */
TEST(read_only_structure)
{
	union argument *argument = mmap(NULL, page_size(),
					PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct rank rank;

	rank_open(&rank);
	for_each_call(call) {
		int result;

		ASSERT_EQ(0, mprotect(argument, page_size(),
				      PROT_READ | PROT_WRITE));
		argument->size = call->size;
		ASSERT_EQ(0, mprotect(argument, page_size(), PROT_READ));
		errno = 0;
		result = ioctl(rank.fd, call->number, argument);
		if (call->number == PIMDIMM_IOC_RESET)
			EXPECT_EQ(0, result);
		else
			EXPECT_TRUE(result == -1 && errno == EFAULT);
	}
}

TEST(unaligned_structure)
{
	uint8_t memory[sizeof(union argument) + 1] = { 0 };
	struct rank rank;

	rank_open(&rank);
	for_each_call(call) {
		memset(memory, 0, sizeof(memory));
		memcpy(memory + 1, &call->size, sizeof(call->size));
		EXPECT_EQ(0, ioctl(rank.fd, call->number, memory + 1));
	}
}

TEST(unknown_flags)
{
	struct rank rank;

	rank_open(&rank);
	for (unsigned int bit = 0; bit < 32; bit++) {
		struct pimdimm_query query = { .size = sizeof(query),
					       .flags = 1u << bit };
		struct pimdimm_reset reset = { .size = sizeof(reset),
					       .flags = 1u << bit };
		struct pimdimm_xfer xfer = { .size = sizeof(xfer),
					     .flags = 1u << bit };

		EXPECT_ERRNO(EOPNOTSUPP,
			     ioctl(rank.fd, PIMDIMM_IOC_QUERY, &query));
		EXPECT_ERRNO(EOPNOTSUPP,
			     ioctl(rank.fd, PIMDIMM_IOC_RESET, &reset));
		if (bit >= 2)
			EXPECT_ERRNO(EOPNOTSUPP,
				     ioctl(rank.fd, PIMDIMM_IOC_XFER, &xfer));
	}
}

/* What a refused QUERY was given, it gives back. */
TEST(refused_query_writes_nothing)
{
	struct pimdimm_query query, before;
	struct rank rank;

	rank_open(&rank);
	memset(&query, 0xa5, sizeof(query));
	query.size = sizeof(query);
	query.flags = 1;
	before = query;
	EXPECT_ERRNO(EOPNOTSUPP, ioctl(rank.fd, PIMDIMM_IOC_QUERY, &query));
	EXPECT_EQ(0, memcmp(&query, &before, sizeof(query)));
}

TEST(unknown_calls)
{
	uint64_t argument[32] = { sizeof(argument) };
	struct rank rank;

	rank_open(&rank);
	for (unsigned int nr = 6; nr < 256; nr++)
		EXPECT_ERRNO(ENOTTY, ioctl(rank.fd, _IO(PIMDIMM_IOC_MAGIC, nr),
					   argument));
	/* right number, wrong letter, direction or size */
	EXPECT_ERRNO(ENOTTY, ioctl(rank.fd, _IO('p', 0), argument));
	EXPECT_ERRNO(ENOTTY,
		     ioctl(rank.fd, _IOR(PIMDIMM_IOC_MAGIC, 0, int), argument));
	EXPECT_ERRNO(ENOTTY,
		     ioctl(rank.fd, _IOWR(PIMDIMM_IOC_MAGIC, 1, uint64_t[7]),
			   argument));
	EXPECT_ERRNO(ENOTTY, ioctl(rank.fd, 0UL, argument));
}

/* A node is not a stream. */
TEST(read_and_write_are_refused)
{
	char byte = 0;
	struct rank rank;

	rank_open(&rank);
	EXPECT_EQ(-1, read(rank.fd, &byte, 1));
	EXPECT_EQ(-1, write(rank.fd, &byte, 1));
	EXPECT_EQ(-1, ftruncate(rank.fd, 4096));
	EXPECT_EQ(-1, fallocate(rank.fd, 0, 0, 4096));
}

#ifdef __x86_64__
/*
 * The structures are the same for 32-bit programs. int 0x80 takes the 32-bit
 * door into the kernel from a 64-bit program too, unless that door is shut.
 */
static long ioctl32(int fd, unsigned long number, void *argument)
{
	long result;

	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "a"(54L), "b"((long)fd), "c"(number), "d"(argument)
			 : "memory", "r8", "r9", "r10", "r11");
	return result;
}

static int try_door(void *unused)
{
	(void)unused;
	return ioctl32(-1, 0, NULL) == -EBADF ? 0 : 1;
}

TEST(from_32_bit_programs)
{
	struct pimdimm_query *query;
	struct rank rank;

	rank_open(&rank);
	if (in_child(try_door, NULL))
		SKIP("this kernel runs no 32-bit programs");
	query = mmap(NULL, page_size(), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	ASSERT_TRUE(query != MAP_FAILED);
	query->size = sizeof(*query);
	EXPECT_EQ(0, ioctl32(rank.fd, PIMDIMM_IOC_QUERY, query));
	EXPECT_EQ(0, memcmp(query, &rank.query, sizeof(*query)));
	query->flags = 1;
	EXPECT_EQ(-EOPNOTSUPP, ioctl32(rank.fd, PIMDIMM_IOC_QUERY, query));
	EXPECT_EQ(-ENOTTY, ioctl32(rank.fd, _IO(PIMDIMM_IOC_MAGIC, 99), query));
}
#endif
