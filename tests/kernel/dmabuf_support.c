// SPDX-License-Identifier: MIT
/* What the tests of dma-bufs share: exporting, mapping, and sending descriptors. */
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/kernel/dmabuf.h"
#include "tests/kernel/harness.h"

void rank_open_exporting(struct rank *rank)
{
	rank_open_map(rank);
	if (!(rank->query.out_features & PIMDIMM_FEATURE_EXPORT))
		SKIP("this module does not export");
}

int export_range(int fd, uint64_t offset, uint64_t bytes)
{
	struct pimdimm_export arg = {
		.size = sizeof(arg),
		.offset = offset,
		.bytes = bytes,
		.out_fd = -77,
	};

	if (ioctl(fd, PIMDIMM_IOC_EXPORT, &arg)) {
		int error = errno;

		EXPECT_EQ(-77, arg.out_fd);
		errno = error;
		return -1;
	}
	return arg.out_fd;
}

int export_pages(const struct rank *rank, unsigned int pages)
{
	int fd = export_range(rank->fd, 0, pages * page_size());

	ASSERT_LE(0, fd);
	return fd;
}

uint8_t *map_dmabuf(int fd, uint64_t bytes)
{
	uint8_t *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			    0);

	if (map == MAP_FAILED)
		test_note("mmap of %llu bytes: %s", (unsigned long long)bytes,
			  strerror(errno));
	ASSERT_TRUE(map != MAP_FAILED);
	return map;
}

int try_reset(const struct rank *rank)
{
	struct pimdimm_reset reset = { .size = sizeof(reset) };

	return ioctl(rank->fd, PIMDIMM_IOC_RESET, &reset);
}

void send_descriptor(int socket, int fd)
{
	char control[CMSG_SPACE(sizeof(fd))] = { 0 };
	struct iovec data = { (char[]){ 'x' }, 1 };
	struct msghdr message = {
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(header), &fd, sizeof(fd));
	ASSERT_EQ(1, sendmsg(socket, &message, 0));
}

int receive_descriptor(int socket)
{
	char control[CMSG_SPACE(sizeof(int))];
	char byte;
	struct iovec data = { &byte, 1 };
	struct msghdr message = {
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *header;
	int fd;

	if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != 1)
		return -1;
	header = CMSG_FIRSTHDR(&message);
	if (!header)
		return -1;
	memcpy(&fd, CMSG_DATA(header), sizeof(fd));
	return fd;
}
