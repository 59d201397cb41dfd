// SPDX-License-Identifier: MIT
/* Two processes join, tell each other who they are, and part. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collectives/messages/arrows.h"
#include "collectives/messages/carrier.h"
#include "collectives/messages/pair/pair.h"
#include "runtime/base/clock.h"
#include "runtime/base/env.h"
#include "runtime/base/error.h"
#include "runtime/base/fixed.h"
#include "runtime/base/signals.h"
#include "runtime/base/threads.h"
#include "runtime/ranks/system.h"

static void join_add_stats(struct pm_world *world, struct pimmsg_stats *stats)
{
	const struct pair *p = pair_of(world);

	stats->packed_bytes += p->stats.packed_bytes;
	stats->mapped_bytes += p->stats.mapped_bytes;
	stats->cma_bytes += p->stats.cma_bytes;
	stats->cma_error = p->refused;
	stats->layouts_sent += p->stats.layouts_sent;
	stats->layout_bytes += p->stats.layout_bytes;
	stats->layouts_asked += p->stats.layouts_asked;
}

static void join_free_parcels(struct pair_parcel *parcel)
{
	while (parcel) {
		struct pair_parcel *next = parcel->next;

		free(parcel);
		parcel = next;
	}
}

static void join_free(struct pair *p)
{
	if (p->world.nodes)
		pm_nodes_close(&p->world);
	pm_arrows_close(&p->world);
	pm_pair_transfers_drop(p);
	pm_pair_segments_drop(p);
	pm_pair_layouts_drop(p);
	pm_segments_close(&p->world);
	join_free_parcels(p->backlog);
	join_free_parcels(p->inbox);
	join_free_parcels(p->claims);
	join_free_parcels(p->spare);
	free(p->phases);
	free(p->ranks);
	if (p->mine)
		munmap(p->mine, sizeof(*p->mine));
	if (p->theirs)
		munmap(p->theirs, sizeof(*p->theirs));
	if (p->socket >= 0)
		close(p->socket);
	if (p->pidfd >= 0)
		close(p->pidfd);
	free(p);
}

/* what was sent and done goes before one goes oneself */
static void join_close(struct pm_world *world)
{
	struct pair *p = pair_of(world);

	for (;;) {
		pm_pair_progress(world);
		if (p->broken || !p->backlog)
			break;
		pm_pair_sleep(p->socket, p->pidfd, 1);
	}
	join_free(p);
}

const struct pm_apart pm_pair_apart = {
	.progress = pm_pair_progress,
	.begun = pm_pair_begun,
	.send_short = pm_pair_send_short,
	.receive_short = pm_pair_receive_short,
	.wait = pm_pair_wait,
	.reaches = pm_pair_reaches,
	.eager_bytes = pm_pair_eager_bytes,
	.share = pm_pair_share,
	.unshare = pm_pair_unshare,
	.add_stats = join_add_stats,
	.close = join_close,
};

static int join_check(int socket, int rank, struct pimmsg_end **end)
{
	struct sockaddr_storage peer = { 0 };
	socklen_t bytes = sizeof(peer), type_bytes = sizeof(int);
	int type = 0;

	if (!end)
		return pd_error(EINVAL, "end is NULL");
	if (rank != 0 && rank != 1)
		return pd_error(EINVAL, "rank=%d, expected 0 or 1", rank);
	if (getpeername(socket, (struct sockaddr *)&peer, &bytes))
		return pd_error(EINVAL, "socket=%d, expected a connected one: %s", socket,
				strerror(errno));
	if (peer.ss_family != AF_UNIX ||
	    getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &type_bytes) ||
	    (type != SOCK_STREAM && type != SOCK_SEQPACKET))
		return pd_error(EINVAL, "socket=%d, expected one of AF_UNIX, SOCK_STREAM or SOCK_SEQPACKET",
				socket);
	return 0;
}

/* the own page, which the other process will map, too */
static int join_page(struct pair *p, int *fd)
{
	void *at;

	*fd = memfd_create("pimdimm-pair", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (*fd < 0)
		return pd_error(errno, "memfd_create for messages: %s", strerror(errno));
	if (pd_set_file_size(*fd, sizeof(*p->mine)) ||
	    fcntl(*fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return pd_error(errno, "%zu bytes of shared memory for messages: %s",
				sizeof(*p->mine), strerror(errno));
	at = mmap(NULL, sizeof(*p->mine), PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	if (at == MAP_FAILED)
		return pd_error(ENOMEM, "shared memory for messages cannot be mapped: %s",
				strerror(errno));
	p->mine = at;
	if (getrandom(&p->key, sizeof(p->key), 0) != sizeof(p->key))
		return pd_error(errno, "getrandom for messages: %s", strerror(errno));
	p->mine->key = p->key;
	/* before anybody else sees the page */
	atomic_store(&p->mine->only,
		     pd_affinity_cpus() > 1 ? 0 : (uint32_t)sched_getcpu() + 1);
	return 0;
}

static int join_map(struct pair *p, int fd)
{
	struct stat st;
	uint32_t only;
	void *at;

	if (fd < 0 || !pd_fd_has_fixed_size(fd) || fstat(fd, &st) ||
	    st.st_size != (off_t)sizeof(*p->theirs))
		return pd_error(EBADMSG, "socket: the other process hands over no sealed memory of %zu bytes",
				sizeof(*p->theirs));
	at = mmap(NULL, sizeof(*p->theirs), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return pd_error(errno == ENOMEM ? ENOMEM : EBADMSG,
				"socket: memory of the other process cannot be mapped: %s",
				strerror(errno));
	p->theirs = at;
	p->their_key = p->theirs->key;
	/* launchers bind each process to a core of its own, as mpirun does */
	only = atomic_load(&p->theirs->only);
	p->spins = !only || only != atomic_load(&p->mine->only);
	return 0;
}

static int join_hello(struct pair *p, int fd)
{
	const struct pair_note note = {
		.magic = PAIR_MAGIC,
		.version = PAIR_VERSION,
		.kind = PAIR_HELLO,
		.rank = p->me,
		.bytes = sizeof(*p->mine),
		.pool = p->world.room,
		.probe = (uintptr_t)&p->probe,
		.design = p->design,
	};
	int ret = pm_pair_note_send(p->socket, &note, fd);

	if (ret)
		return pd_error(-ret, "socket: %s", strerror(-ret));
	return 0;
}

static int join_check_hello(struct pair *p, const struct pair_note *note, uid_t uid)
{
	if (note->version != PAIR_VERSION)
		return pd_error(EPROTO, "socket: the other process has version %u of messages, expected %u",
				note->version, PAIR_VERSION);
	if (uid != geteuid())
		return pd_error(EACCES, "socket: the other process, %d, is of user %u, expected %u",
				(int)p->pid, (unsigned int)uid, (unsigned int)geteuid());
	if (note->kind != PAIR_HELLO || note->bytes != sizeof(*p->theirs))
		return pd_error(EBADMSG, "socket: the other process says what makes no sense");
	if (note->rank != p->other)
		return pd_error(EINVAL, "rank=%u, as the other process says, expected one 0 and one 1",
				p->me);
	if (note->design != p->design)
		return pd_error(EINVAL, "PIMDIMM_ZEROCOPY is %s here, and not that in the other process, %d: expected the same",
				pd_zerocopy_name(p->design), (int)p->pid);
	p->room_there = note->pool;
	return 0;
}

static int join_wait_note(struct pair *p, struct pair_note *note, int *fd, uid_t *uid)
{
	uint32_t ms;
	uint64_t until;
	int ret = pd_env_timeout(&ms);

	if (ret)
		return ret;
	until = ms ? pd_now_ns() + ms * UINT64_C(1000000) : UINT64_MAX;
	for (;;) {
		ret = pm_pair_note_take(p->socket, note, fd, uid ? &p->pid : NULL, uid);
		if (ret == -EPIPE)
			return pd_error(EPIPE, "socket: the other process has gone");
		if (ret == -EBADMSG)
			return pd_error(EBADMSG, "socket: the other process says what makes no sense");
		if (ret != -EAGAIN)
			return ret ? pd_error(-ret, "socket: %s", strerror(-ret)) : 0;
		if (pd_now_ns() >= until)
			return pd_error(ETIMEDOUT, "socket: the other process has not joined for %u ms",
					ms);
		pm_pair_sleep(p->socket, -1, 100);
	}
}

/* each tells the other one whether its private memory can be had */
static int join_probe(struct pair *p, uint64_t at)
{
	struct pair_note note = { .magic = PAIR_MAGIC, .version = PAIR_VERSION,
				  .kind = PAIR_PROBED };
	int fd = -1, ret;

	pm_pair_cma_try(p, at);
	note.number = (uint64_t)p->refused;
	ret = pm_pair_note_send(p->socket, &note, -1);
	if (ret)
		return pd_error(-ret, "socket: the other process cannot be told more: %s",
				strerror(-ret));
	ret = join_wait_note(p, &note, &fd, NULL);
	if (fd >= 0)
		close(fd);
	if (!ret && note.kind != PAIR_PROBED)
		ret = pd_error(EBADMSG, "socket: the other process says what makes no sense");
	p->is_refused = note.number;
	return ret;
}

static int join_meet(struct pair *p)
{
	const int on = 1, off = 0;
	struct pair_note note;
	int mine = -1, theirs = -1, ret;
	uid_t uid = (uid_t)-1;

	setsockopt(p->socket, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on));
	ret = join_page(p, &mine);
	if (!ret)
		ret = join_hello(p, mine);
	if (!ret)
		ret = join_wait_note(p, &note, &theirs, &uid);
	if (!ret)
		ret = join_check_hello(p, &note, uid);
	if (!ret)
		ret = join_map(p, theirs);
	setsockopt(p->socket, SOL_SOCKET, SO_PASSCRED, &off, sizeof(off));
	if (mine >= 0)
		close(mine);
	if (theirs >= 0)
		close(theirs);
	if (ret)
		return ret;
	p->pidfd = (int)syscall(SYS_pidfd_open, p->pid, 0);
	return join_probe(p, note.probe);
}

static void join_node(struct pair *p, const struct pd_env_messages *env)
{
	struct me_node *node = pair_node(p);

	node->port = &pm_pair_port;
	node->world = &p->world;
	node->id = p->me;
	node->size = 2;
	node->eager_bytes = env->eager < PAIR_MOST ? env->eager : PAIR_MOST;
	node->notes_matches = true;
	me_node_open(node);
	p->end = (struct pimmsg_end){
		.world = &p->world,
		.node = p->world.nodes,
		.comm = { .size = 2 },
		.rank = (int)p->me,
	};
}

static struct pair *join_make(int rank, struct pimdimm *sys,
			      const struct pd_env_messages *env)
{
	struct pair *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->socket = p->pidfd = -1;
	p->me = (uint32_t)rank;
	p->other = 1 - p->me;
	p->probe = PAIR_MAGIC;
	p->world.sys = sys;
	p->world.apart = &pm_pair_apart;
	p->world.nr_pes = sys ? sys->geometry.nr_pes : 0;
	p->world.nr_nodes = 1;
	p->world.host_node = PM_NO_NODE;
	p->world.room = env->pool;
	p->design = env->zerocopy;
	p->eager_given = env->eager_given;
	/* groups that one of the two deals out are none of the other's */
	p->world.next_context = 2 + (p->me << 30);
	p->world.nodes = pm_nodes_new(1);
	p->ranks = sys ? calloc(sys->nr_ranks, sizeof(*p->ranks)) : NULL;
	if (!p->world.nodes || (sys && !p->ranks)) {
		free(p->world.nodes);
		free(p->ranks);
		free(p);
		return NULL;
	}
	join_node(p, env);
	return p;
}

static int join_begin(int socket, int rank, struct pimdimm *sys, struct pimmsg_end **end)
{
	struct pd_env_messages env;
	uint64_t layouts;
	struct pair *p;
	int ret = join_check(socket, rank, end);

	if (!ret)
		ret = pd_env_messages(&env);
	if (!ret)
		ret = pd_env_layouts(&layouts);
	if (!ret)
		ret = pd_timeline_open();
	if (ret)
		return ret;
	p = join_make(rank, sys, &env);
	if (!p)
		return pd_error(ENOMEM, "no memory for an end of messages");
	p->most_layouts = layouts;
	p->socket = fcntl(socket, F_DUPFD_CLOEXEC, 0);
	ret = p->socket < 0 ? pd_error(errno, "socket: %s", strerror(errno)) : join_meet(p);
	if (ret)
		join_free(p);
	else
		*end = &p->end;
	if (!ret)
		pm_arrows_open(&p->world, rank ? "messages of rank 1" : "messages of rank 0",
			       p->key ^ p->their_key);
	return ret;
}

int pimmsg_join(int socket, int rank, struct pimdimm *sys, struct pimmsg_end **end)
{
	int cancel = pd_cancel_off();
	int ret = join_begin(socket, rank, sys, end);

	pd_cancel_restore(cancel);
	return ret;
}
