// SPDX-License-Identifier: MIT
/* Sets up userfaultfd and serves the faults that it reports. */
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/userfaultfd.h>

#include "tests/kernel/harness.h"
#include "tests/kernel/userfault.h"

#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif

static int open_with(int flags)
{
	struct uffdio_api api = { .api = UFFD_API };
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | flags);

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api))
		SKIP("no userfaultfd: %s", strerror(errno));
	return fd;
}

int userfault_open(void)
{
	return open_with(UFFD_USER_MODE_ONLY);
}

int userfault_open_all(void)
{
	return open_with(0);
}

int userfault_register(int fd, void *at, size_t bytes)
{
	struct uffdio_register area = {
		.range = { .start = (uintptr_t)at, .len = bytes },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	return ioctl(fd, UFFDIO_REGISTER, &area);
}

void userfault_wait(int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	struct uffd_msg message;

	ASSERT_EQ(1, poll(&poll_fd, 1, (int)test_patience(10000)));
	ASSERT_EQ((ssize_t)sizeof(message), read(fd, &message, sizeof(message)));
	ASSERT_EQ(UFFD_EVENT_PAGEFAULT, message.event);
}
