// SPDX-License-Identifier: MIT
/* What udev hears of ranks, and that it can use what it heard of. */
#include <fcntl.h>
#include <linux/netlink.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/kernel/harness.h"
#include "tests/kernel/loading.h"

#define RANKS "64"
#define LAST_NODE "/dev/pimdimm63"

struct listener {
	int socket;
	int opened; /* 0, or why the last node could not be at the first event */
};

static void listen_to_kernel(struct listener *listener)
{
	const struct sockaddr_nl address = {
		.nl_family = AF_NETLINK,
		.nl_groups = 1,
	};
	const struct timeval patience = {
		.tv_sec = (time_t)test_patience(20),
	};

	listener->socket = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC,
				  NETLINK_KOBJECT_UEVENT);
	if (listener->socket < 0 ||
	    bind(listener->socket, (const void *)&address, sizeof(address)))
		SKIP("no events of the kernel: %s", strerror(errno));
	ASSERT_EQ(0, setsockopt(listener->socket, SOL_SOCKET, SO_RCVTIMEO,
				&patience, sizeof(patience)));
}

/* Opens the last node as soon as it hears of any. */
static void *open_when_told(void *argument)
{
	struct listener *listener = argument;
	char event[8192];
	ssize_t length;
	int fd;

	do {
		length = recv(listener->socket, event, sizeof(event) - 1, 0);
		ASSERT_LT(0, length);
		event[length] = '\0';
	} while (strncmp(event, "add@", 4) || !strstr(event, "/default/pimdimm"));
	fd = open(LAST_NODE, O_RDWR | O_CLOEXEC);
	listener->opened = fd < 0 ? errno : 0;
	close(fd);
	return NULL;
}

/* A rank is told of when its whole system can be used. */
TEST(nodes_can_be_opened_when_told)
{
	struct listener listener;
	pthread_t thread;

	need_unloaded();
	listen_to_kernel(&listener);
	ASSERT_EQ(0, pthread_create(&thread, NULL, open_when_told, &listener));
	ASSERT_EQ(0, load("mram_size=65536 ranks=" RANKS));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, listener.opened);
	close(listener.socket);
	ASSERT_EQ(0, unload());
}
