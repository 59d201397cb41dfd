// SPDX-License-Identifier: MIT
/* `pimdimm share SOCKET`: a part of a rank, in several processes and devices. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <pimdimm/pimdimm.h>

#include "tools/cmd/commands.h"
#include "tools/inside.h"
#include "tools/module/sysfs.h"
#include "tools/share/drm.h"
#include "tools/share/share.h"
#include "tools/share/share_bytes.h"
#include "tools/tool.h"

#define MAX_PEERS 1024

struct share {
	const char *socket, *uri, *drm;
	struct share_files files;
	uint64_t rank, offset, bytes, peers;
	bool receive, sender_only, given_bytes;
	int fd;		/* what is handed over */
	int device;	/* of --drm, or -1 */
	uint8_t *map;
	struct share_message message;
};

static volatile sig_atomic_t interrupted;

static void share_on_signal(int number)
{
	(void)number;
	interrupted = 1;
}

/* Without SA_RESTART: accept() and read() are to return. The second one ends. */
static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = share_on_signal,
				    .sa_flags = SA_RESETHAND };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

static void share_tell(const struct share *share)
{
	const struct share_message *m = &share->message;

	printf("rank %" PRIu32 ", bytes %" PRIu64 " to %" PRIu64
	       " of its window: layout %s, MRAM of %s a PE\n",
	       m->rank, m->offset, m->offset + m->bytes,
	       pimdimm_layout_name(m->layout), tool_size(m->mram_size));
}

/* the process at the other end, as the kernel knows it */
struct peer {
	struct ucred who;
	char name[32];
};

/* Before it is given anything: with that it may be done at once, and gone. */
static struct peer look_at_peer(int fd)
{
	struct peer peer = { 0 };
	socklen_t length = sizeof(peer.who);

	getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer.who, &length);
	sysfs_process_name(peer.who.pid, peer.name, sizeof(peer.name));
	return peer;
}

static void tell_peer(const struct peer *peer)
{
	printf("handed to %s[%d] of user %u\n", peer->name,
	       (int)peer->who.pid, peer->who.uid);
	fflush(stdout);
}

/* Hands the part to each that comes; returns with all of them in peers. */
static int hand_out(const struct share *share, int listener, int *peers,
		    uint64_t *count)
{
	while (*count < share->peers) {
		int fd = interrupted ? -1 : accept4(listener, NULL, NULL,
						    SOCK_CLOEXEC);
		struct peer peer;

		if (fd < 0 && interrupted)
			return tool_error("interrupted");
		if (fd < 0)
			return tool_error("%s: %s", share->socket,
					  strerror(errno));
		peer = look_at_peer(fd);
		/* one that left at once is none */
		if (share_send(fd, share->fd, &share->message)) {
			close(fd);
			continue;
		}
		peers[(*count)++] = fd;
		tell_peer(&peer);
	}
	return TOOL_OK;
}

/* A peer is done when it closes its end. */
static int await_end(int peer)
{
	char byte;
	ssize_t ret;

	while ((ret = read(peer, &byte, 1)) > 0 ||
	       (ret < 0 && errno == EINTR && !interrupted))
		;
	return interrupted ? tool_error("interrupted") : TOOL_OK;
}

static int share_serve(const struct share *share)
{
	int listener, peers[MAX_PEERS], status;
	uint64_t count = 0;

	/* first: from then on the socket is not left behind */
	catch_signals();
	listener = share_listen(share->socket);
	if (listener < 0)
		return TOOL_FAILED;
	share_tell(share);
	printf("waiting at %s\n", share->socket);
	fflush(stdout);
	status = hand_out(share, listener, peers, &count);
	unlink(share->socket);
	close(listener);
	for (uint64_t i = 0; i < count; i++) {
		if (!status)
			status = await_end(peers[i]);
		close(peers[i]);
	}
	return status;
}

static int choose_part(struct share *share, struct pimdimm *sys)
{
	const struct pimdimm_geometry *geometry = pimdimm_geometry(sys);
	size_t window;

	if (!pimdimm_mram(sys, (uint32_t)share->rank, &window))
		return tool_error("%s", pimdimm_errmsg());
	if (!share->given_bytes)
		share->bytes = share->offset < window ? window - share->offset :
							0;
	share->message = (struct share_message){
		.magic = SHARE_MAGIC,
		.version = SHARE_VERSION,
		.rank = (uint32_t)share->rank,
		.layout = geometry->layout,
		.mram_size = geometry->mram_size,
		.offset = share->offset,
		.bytes = share->bytes,
	};
	share->fd = pimdimm_export(sys, (uint32_t)share->rank, share->offset,
				   share->bytes);
	if (share->fd < 0)
		return tool_error("%s", pimdimm_errmsg());
	return TOOL_OK;
}

/* With --drm, what is handed over is what the device makes of it. */
static int pass_device(struct share *share)
{
	int again;

	if (!share->drm)
		return TOOL_OK;
	if (drm_pass(share->drm, share->fd, &share->device, &again))
		return TOOL_FAILED;
	printf("imported by %s, and exported again\n", share->drm);
	close(share->fd);
	share->fd = again;
	return TOOL_OK;
}

/* Maps what share->fd is, which must be as long as the message says. */
static int map_part(struct share *share)
{
	size_t bytes;
	void *map;

	if (pimdimm_import(share->fd, &map, &bytes))
		return tool_error("%s", pimdimm_errmsg());
	share->map = map;
	if (bytes == share->message.bytes)
		return TOOL_OK;
	munmap(map, bytes);
	share->map = NULL;
	return tool_error("a descriptor of %zu bytes, expected %" PRIu64, bytes,
			  share->message.bytes);
}

static void share_release(struct share *share)
{
	if (share->map)
		munmap(share->map, share->message.bytes);
	if (share->fd >= 0)
		close(share->fd);
	if (share->device >= 0)
		close(share->device);
}

static int send_part(struct share *share)
{
	struct pimdimm *sys;
	int status;

	if (pimdimm_open(share->uri, &sys))
		return tool_error("cannot open the system: %s",
				  pimdimm_errmsg());
	status = choose_part(share, sys);
	if (!status)
		status = pass_device(share);
	if (!status)
		status = map_part(share);
	if (!status)
		status = share_load(&share->files, share->map, share->bytes);
	if (!status)
		status = share_serve(share);
	if (!status)
		status = share_store(&share->files, share->map, share->bytes);
	share_release(share);
	pimdimm_close(sys);
	return status;
}

static int receive_part(struct share *share)
{
	int socket = share_connect(share->socket);
	int status;

	if (socket < 0)
		return TOOL_FAILED;
	status = share_receive(socket, &share->fd, &share->message);
	if (!status)
		status = map_part(share);
	if (!status) {
		if (!share->files.to_stdout)
			share_tell(share);
		status = share_load(&share->files, share->map,
				    share->message.bytes);
	}
	if (!status)
		status = share_store(&share->files, share->map,
				     share->message.bytes);
	share_release(share);
	/* the last thing: it tells the sender that we are done */
	close(socket);
	return status;
}

static int share_read_number(const struct command *self, const char *name, bool size,
			     uint64_t max, uint64_t *value)
{
	if (pd_parse_number(optarg, strlen(optarg), size, max, value))
		return TOOL_OK;
	return tool_usage(self, "--%s %s: expected a number%s", name, optarg,
			  size ? ", K, M and G multiply" : "");
}

static int take_option(const struct command *self, struct share *share, int c)
{
	share->sender_only |= c != 'f' && !strchr("LSw", c);
	switch (c) {
	case 'f':
		share->receive = true;
		return TOOL_OK;
	case 'u':
		share->uri = optarg;
		return TOOL_OK;
	case 'd':
		share->drm = optarg;
		return TOOL_OK;
	case 'L':
		share->files.load = optarg;
		return TOOL_OK;
	case 'S':
		share->files.save = optarg;
		share->files.to_stdout = !strcmp(optarg, "-");
		return TOOL_OK;
	case 'r':
		return share_read_number(self, "rank", false, UINT32_MAX,
					 &share->rank);
	case 'o':
		return share_read_number(self, "offset", true, INT64_MAX,
					 &share->offset);
	case 'b':
		share->given_bytes = true;
		return share_read_number(self, "bytes", true, INT64_MAX,
					 &share->bytes);
	case 'n':
		return share_read_number(self, "peers", false, MAX_PEERS,
					 &share->peers);
	default:
		return share_read_number(self, "show", true, INT64_MAX,
					 &share->files.show);
	}
}

static int run_share(const struct command *self, int argc, char **argv)
{
	struct share share = { .peers = 1, .fd = -1, .device = -1 };
	int c;

	while ((c = tool_getopt(self, argc, argv)) != -1) {
		if (take_option(self, &share, c))
			return TOOL_USAGE;
	}
	if (argc - optind != 1)
		return tool_usage(self, "expected one SOCKET, got %d",
				  argc - optind);
	share.socket = argv[optind];
	if (share.receive && share.sender_only)
		return tool_usage(self, "--receive takes --load, --save and --show alone");
	if (!share.receive && share.files.to_stdout)
		return tool_usage(self, "--save - is for --receive");
	return share.receive ? receive_part(&share) : send_part(&share);
}

static const struct tool_option options[] = {
	{ 'f', "receive", .help = "be such a process" },
	{ 'u', "uri", TOOL_URI,
	  .help = "the system; else PIMDIMM_URI, else \"mem:\"" },
	{ 'r', "rank", { .name = "N" }, .help = "which rank of it (0)" },
	{ 'o', "offset", { .name = "SIZE" },
	  .help = "first byte of its window (0); pages; K, M, G multiply" },
	{ 'b', "bytes", { .name = "SIZE" },
	  .help = "length; else all from there on" },
	{ 'n', "peers", { .name = "N" },
	  .help = "to how many processes, at most 1024 (1); 0 ends at once" },
	{ 'd', "drm", { "NODE", .kind = TOOL_FILE },
	  .help = "have this DRM device import the part, and hand over what it exports of it; see `pimdimm info --drm`" },
	{ 'L', "load", { "FILE", .kind = TOOL_FILE },
	  .help = "first copy FILE into the part",
	  .heading = "Both sides:" },
	{ 'S', "save", { "FILE", .kind = TOOL_FILE },
	  .help = "in the end copy the part into FILE, - for standard output (--receive only)" },
	{ 'w', "show", { .name = "SIZE" },
	  .help = "in the end print its first bytes" },
	{ 0 },
};

const struct command cmd_share = {
	.name = "share",
	.summary = "hand a part of a rank to other processes and devices",
	.run = run_share,
	.synopsis = "[OPTION]... SOCKET\n"
		    "--receive [OPTION]... SOCKET",
	.about =
	"Opens a system, exports a part of a rank's window and hands it, as a descriptor\n"
	"to map, to the processes that connect to the UNIX socket SOCKET, which it makes\n"
	"for this user alone. Ends when they have closed their ends. With --receive it\n"
	"is such a process: it maps the part, does what its options say and ends. On\n"
	"\"dev:\" the descriptor is a dma-buf, of any pages; a \"mem:\" rank is handed over\n"
	"whole.\n",
	.notes = "Exit status: 0 handed over or received, 1 failed, 2 wrong usage.\n",
	.options = options,
	.operand = { "SOCKET", .kind = TOOL_FILE },
};
