// SPDX-License-Identifier: MIT
/*
 * sharing: one process opens a rank and exports it as a file descriptor; another
 * gets the descriptor over a UNIX socket, maps the same MRAM, and changes it.
 *
 *     make sharing && ./sharing
 *     ./sharing dev:ranks=1	# a rank of the kernel module, by a dma-buf
 *
 * The pages of a dma-buf are pinned: `pimdimm load mram_size=64K` makes it 4 MiB.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pimdimm/pimdimm.h>

/* What goes with the descriptor: where the blocks lie in what it shows. */
struct message {
	uint64_t mram_size;
	uint32_t layout;
};

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "sharing: %s: %s\n", what, why);
	exit(1);
}

static void check(int ret, const char *what)
{
	if (ret < 0)
		fail(what, pimdimm_errmsg());
}

/* A message and, in ancillary data of its own, the descriptor. */
static void send_rank(int socket, int fd, struct message *message)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct iovec part = { message, sizeof(*message) };
	struct msghdr msg = { .msg_iov = &part,
			      .msg_iovlen = 1,
			      .msg_control = &control,
			      .msg_controllen = sizeof(control) };

	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	if (sendmsg(socket, &msg, MSG_NOSIGNAL) != sizeof(*message))
		fail("sendmsg", strerror(errno));
}

static int receive_rank(int socket, struct message *message)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec part = { message, sizeof(*message) };
	struct msghdr msg = { .msg_iov = &part,
			      .msg_iovlen = 1,
			      .msg_control = &control,
			      .msg_controllen = sizeof(control) };
	int fd;

	if (recvmsg(socket, &msg, MSG_CMSG_CLOEXEC) != sizeof(*message) ||
	    !CMSG_FIRSTHDR(&msg) ||
	    CMSG_FIRSTHDR(&msg)->cmsg_type != SCM_RIGHTS)
		fail("recvmsg", "no rank has come");
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
	return fd;
}

/*
 * The other process: triples the first word of each PE. A window shows the PIM
 * domain, so each block goes through the domain transfer and back. Of a descriptor
 * from somebody who is not to be trusted see pimdimm_import(3).
 */
static void triple(int socket)
{
	struct message message;
	uint64_t words[PIMDIMM_CHIPS];
	int fd = receive_rank(socket, &message);
	size_t bytes;
	void *map;

	check(pimdimm_import(fd, &map, &bytes), "pimdimm_import");
	close(fd);
	for (uint32_t bank = 0; bank < PIMDIMM_BANKS; bank++) {
		uint64_t at = pimdimm_layout_offset(message.layout,
						    message.mram_size, bank, 0);

		if (at + sizeof(words) > bytes)
			fail("the window", "shorter than its layout says");
		pimdimm_domain_transfer(words, (uint8_t *)map + at, 1);
		for (uint32_t chip = 0; chip < PIMDIMM_CHIPS; chip++)
			words[chip] *= 3;
		pimdimm_domain_transfer((uint8_t *)map + at, words, 1);
	}
	munmap(map, bytes);
}

/* Hands the first rank over. The descriptor may be closed once it is sent. */
static void export_rank(struct pimdimm *sys, int socket)
{
	const struct pimdimm_geometry *geometry = pimdimm_geometry(sys);
	struct message message = { .mram_size = geometry->mram_size,
				   .layout = geometry->layout };
	size_t bytes;
	int fd;

	pimdimm_mram(sys, 0, &bytes);
	fd = pimdimm_export(sys, 0, 0, bytes);
	check(fd, "pimdimm_export");
	send_rank(socket, fd, &message);
	close(fd);
}

int main(int argc, char **argv)
{
	const char *uri = argc > 1 ? argv[1] : "mem:ranks=1,mram=64K";
	int sockets[2], status, wrong = 0;
	struct pimdimm *sys;
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		fail("socketpair", strerror(errno));
	/* before there is a rank: the child has of it what it is sent, and no more */
	child = fork();
	if (child < 0)
		fail("fork", strerror(errno));
	/* each keeps its end, so that one sees when the other is gone */
	close(sockets[child != 0]);
	if (!child) {
		triple(sockets[1]);
		return 0;
	}

	check(pimdimm_open(uri, &sys), "pimdimm_open");
	for (uint64_t pe = 0; pe < PIMDIMM_RANK_PES; pe++)
		check(pimdimm_write(sys, (uint32_t)pe, 0, &pe, sizeof(pe)),
		      "pimdimm_write");
	export_rank(sys, sockets[0]);
	if (waitpid(child, &status, 0) != child || status)
		fail("the other process", "has failed");
	for (uint32_t pe = 0; pe < PIMDIMM_RANK_PES; pe++) {
		uint64_t word;

		check(pimdimm_read(sys, pe, 0, &word, sizeof(word)),
		      "pimdimm_read");
		wrong += word != 3ULL * pe;
	}
	if (wrong)
		fail("words", "not three times what they were");
	printf("sharing: another process has tripled the words of %u PEs\n",
	       PIMDIMM_RANK_PES);
	pimdimm_close(sys);
	return 0;
}
