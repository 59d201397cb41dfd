// SPDX-License-Identifier: MIT
/*
 * Calls that a module may or may not offer: what out_features does not name
 * says EOPNOTSUPP, and changes nothing.
 */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/kernel/harness.h"
#include "tests/kernel/rank.h"

static void open_without(struct rank *rank, uint64_t feature, const char *name)
{
	rank_open_map(rank);
	if (rank->query.out_features & feature)
		SKIP("this module offers %s", name);
}

TEST(no_export)
{
	struct pimdimm_export export = {
		.size = sizeof(export),
		.bytes = page_size(),
		.out_fd = -77,
	};
	struct rank rank;
	int next;

	open_without(&rank, PIMDIMM_FEATURE_EXPORT, "EXPORT");
	next = dup(rank.fd);
	close(next);
	EXPECT_ERRNO(EOPNOTSUPP, ioctl(rank.fd, PIMDIMM_IOC_EXPORT, &export));
	EXPECT_EQ(-77, export.out_fd);
	/* no descriptor came into being */
	EXPECT_EQ(next, dup(rank.fd));
}

/* The common form is checked whether the call is offered or not. */
static void form_of(unsigned long number, uint32_t size)
{
	uint8_t argument[128] = { 0 };
	uint32_t larger = sizeof(argument);
	struct rank rank;

	rank_open(&rank);
	for (uint32_t less = 0; less < size; less++) {
		memcpy(argument, &less, sizeof(less));
		EXPECT_ERRNO(EINVAL, ioctl(rank.fd, number, argument));
	}
	memcpy(argument, &larger, sizeof(larger));
	argument[size] = 1;
	EXPECT_ERRNO(E2BIG, ioctl(rank.fd, number, argument));
	argument[size] = 0;
	memcpy(argument, &size, sizeof(size));
	/* reserved is the last field of both; flags are the second */
	argument[size - 1] = 1;
	EXPECT_ERRNO(EINVAL, ioctl(rank.fd, number, argument));
	argument[size - 1] = 0;
	argument[7] = 1;
	EXPECT_ERRNO(EOPNOTSUPP, ioctl(rank.fd, number, argument));
	EXPECT_ERRNO(EFAULT, ioctl(rank.fd, number, NULL));
}

TEST(form_of_export)
{
	form_of(PIMDIMM_IOC_EXPORT, sizeof(struct pimdimm_export));
}

TEST(form_of_mux)
{
	form_of(PIMDIMM_IOC_MUX, sizeof(struct pimdimm_mux));
}
