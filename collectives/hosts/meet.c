// SPDX-License-Identifier: MIT
/* The meeting: hosts say who they are, and get what they need to work together. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/base/error.h"
#include "collectives/hosts/meet.h"
#include "collectives/hosts/meet_door.h"
#include "collectives/hosts/waiting.h"
#include "collectives/hosts/wire.h"

/* connections of which no host's number is known yet */
#define MEET_WAITING	64
#define MEET_LOOK_MS	50

struct meeting {
	struct pimdimm_hosts *h;
	const char *path;
	uint64_t deadline;
	int listening;
	uint32_t seated;	/* hosts that have come, this one too */
	int waiting[MEET_WAITING];
	uint32_t nr_waiting;
};

static struct pc_wire meet_message(const struct pimdimm_hosts *h, enum pc_wire_kind kind)
{
	return (struct pc_wire){
		.magic = PC_WIRE_MAGIC,
		.version = PC_HOSTS_VERSION,
		.kind = kind,
		.host = h->host,
		.hosts = h->hosts,
		.pid = h->pid,
	};
}

static void meet_refuse(struct meeting *m, int connection, int code, const char *words)
{
	struct pc_wire message = meet_message(m->h, PC_WIRE_REFUSED);

	message.code = code;
	snprintf(message.words, sizeof(message.words), "%s", words);
	pc_wire_send(connection, &message, NULL, 0);
}

/* 0, or what is wrong with who wants to join, as an errno and words */
static int meet_judge(struct meeting *m, const struct pc_wire *hello, size_t fds, char *words)
{
	const struct pimdimm_hosts *h = m->h;

	if (hello->version != PC_HOSTS_VERSION) {
		snprintf(words, PC_HOSTS_WORDS,
			 "this host speaks version %u, host %u (pid %d) version %d", hello->version,
			 h->host, (int)h->pid, PC_HOSTS_VERSION);
		return EPROTO;
	}
	if (hello->kind != PC_WIRE_HELLO || fds != 1) {
		snprintf(words, PC_HOSTS_WORDS, "expected a greeting with one descriptor");
		return EPROTO;
	}
	if (hello->hosts != h->hosts) {
		snprintf(words, PC_HOSTS_WORDS, "count=%u, but %u at host %u (pid %d)",
			 hello->hosts, h->hosts, h->host, (int)h->pid);
		return EPROTO;
	}
	if (hello->host >= h->hosts || h->lives[hello->host] >= 0) {
		snprintf(words, PC_HOSTS_WORDS, "host=%u is taken by pid %d", hello->host,
			 hello->host < h->hosts ? (int)h->pids[hello->host] : 0);
		return EINVAL;
	}
	return 0;
}

static void meet_seat(struct meeting *m, int connection)
{
	struct pc_wire hello, seated = meet_message(m->h, PC_WIRE_SEATED);
	char words[PC_HOSTS_WORDS] = "the greeting makes no sense";
	int fds[PC_WIRE_FDS], code;
	size_t count;
	pid_t pid;
	int ret = pc_wire_receive(connection, &hello, fds, &count);

	code = ret ? EPROTO : meet_judge(m, &hello, count, words);
	if (!code && pc_hosts_door_user(connection, &pid)) {
		code = EACCES;
		snprintf(words, sizeof(words), "%s", pimdimm_errmsg());
	}
	if (!code) {
		m->h->lives[hello.host] = fds[0];
		m->h->links[hello.host] = connection;
		m->h->pids[hello.host] = hello.pid;
		m->seated++;
		/* who does not get it is dead, as is found soon */
		pc_wire_send(connection, &seated, NULL, 0);
		return;
	}
	if (ret != -ECONNRESET)
		meet_refuse(m, connection, code, words);
	pc_wire_close(fds, count);
	close(connection);
}

/* Whoever knocks, while there is room: 0, or a negative errno if nobody can be let in. */
static int meet_accept(struct meeting *m)
{
	int fd;

	while (m->nr_waiting < MEET_WAITING) {
		fd = accept4(m->listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd < 0 && (errno == EAGAIN || errno == ECONNABORTED || errno == EINTR))
			return 0;
		if (fd < 0)
			return -errno;
		m->waiting[m->nr_waiting++] = fd;
	}
	return 0;
}

/* Nobody says anything before all have come: who can be read from has died. */
static int meet_look_after(struct meeting *m)
{
	struct pimdimm_hosts *h = m->h;

	for (uint32_t i = 0; i < h->hosts; i++) {
		struct pollfd fd = { h->links[i], POLLIN, 0 };

		if (h->links[i] >= 0 && poll(&fd, 1, 0) > 0)
			return pd_error(ECONNRESET,
					"a host has died: host %u (pid %d), in join, waiting for the others",
					i, (int)h->pids[i]);
	}
	return 0;
}

/* " 1 3", of those that have not come */
static void meet_missing(const struct pimdimm_hosts *h, char missing[64])
{
	int at = 0;

	for (uint32_t i = 0; i < h->hosts && at < 48; i++) {
		if (h->lives[i] < 0)
			at += snprintf(missing + at, 64 - (size_t)at, " %u", i);
	}
	if (at >= 48)
		strcpy(missing + at, " ...");
}

static int meet_too_late(const struct meeting *m)
{
	char missing[64] = "";

	meet_missing(m->h, missing);
	return pd_error(ETIMEDOUT, "host %u waited %u ms at %s for hosts that did not come:%s",
			m->h->host, m->h->timeout_ms, m->path, missing);
}

static void meet_tell(const struct meeting *m, struct pc_hosts_waiting *waiting)
{
	uint64_t seconds = pc_hosts_tell_now(m->h->logs, waiting);
	char missing[64] = "";

	if (!seconds)
		return;
	meet_missing(m->h, missing);
	fprintf(stderr, "pimdimm: host %u (pid %d) has waited %llu s at %s for hosts that have not come:%s\n",
		m->h->host, (int)m->h->pid, (unsigned long long)seconds, m->path, missing);
}

/* Whoever has come and not said so yet. */
static int meet_hear(struct meeting *m)
{
	uint32_t heard = m->nr_waiting, kept = 0;
	struct pollfd fds[1 + MEET_WAITING] = { { .fd = m->listening } };
	int ret;

	/* where there is no room they keep knocking */
	fds[0].events = heard < MEET_WAITING ? POLLIN : 0;
	for (uint32_t i = 0; i < heard; i++)
		fds[1 + i] = (struct pollfd){ m->waiting[i], POLLIN, 0 };
	if (poll(fds, 1 + heard, MEET_LOOK_MS) <= 0)
		return 0;
	for (uint32_t i = 0; i < heard; i++) {
		if (fds[1 + i].revents)
			meet_seat(m, m->waiting[i]);
		else
			m->waiting[kept++] = m->waiting[i];
	}
	m->nr_waiting = kept;
	ret = fds[0].revents ? meet_accept(m) : 0;
	if (ret)
		return pd_error(-ret, "host %u cannot let another host in at %s: %s", m->h->host,
				m->path, strerror(-ret));
	return 0;
}

static int meet_gather(struct meeting *m)
{
	struct pc_hosts_waiting waiting = { .begun = pd_now_ns() };
	int ret;

	while (m->seated < m->h->hosts) {
		ret = meet_hear(m);
		meet_tell(m, &waiting);
		if (!ret)
			ret = meet_look_after(m);
		if (ret)
			return ret;
		if (m->seated < m->h->hosts && pd_now_ns() >= m->deadline)
			return meet_too_late(m);
	}
	return 0;
}

/* Who came too late, or is of a number that is taken: nobody else can come any more. */
static void meet_end(struct meeting *m)
{
	char words[PC_HOSTS_WORDS];

	snprintf(words, sizeof(words), "every number below count=%u is taken at %s", m->h->hosts,
		 m->path);
	pc_hosts_door_close(m->path);
	for (meet_accept(m); m->nr_waiting; meet_accept(m)) {
		int fd = m->waiting[--m->nr_waiting];

		meet_refuse(m, fd, EINVAL, words);
		close(fd);
	}
	close(m->listening);
}

/* The page and every host's process, to all. */
static int meet_welcome(struct meeting *m)
{
	struct pimdimm_hosts *h = m->h;
	struct pc_wire message = meet_message(h, PC_WIRE_WELCOME);
	int fds[1 + PC_HOSTS_MOST], ret;

	fds[0] = pc_hosts_make_page(h->hosts);
	if (fds[0] < 0)
		return fds[0];
	message.cache = h->cache;
	for (uint32_t i = 0; i < h->hosts; i++) {
		fds[1 + i] = h->lives[i];
		message.pids[i] = h->pids[i];
	}
	ret = pc_hosts_map(h, fds[0]);
	for (uint32_t i = 0; !ret && i < h->hosts; i++) {
		if (i != h->host)
			ret = pc_wire_send(h->links[i], &message, fds, 1 + h->hosts);
		if (ret)
			ret = pd_error(-ret, "the page cannot be handed to host %u (pid %d): %s", i,
				       (int)h->pids[i], strerror(-ret));
	}
	close(fds[0]);
	return ret;
}

static int meet_as_keeper(struct meeting *m)
{
	struct pimdimm_hosts *h = m->h;
	int ret;

	h->keeper = h->host;
	h->pids[h->host] = h->pid;
	m->seated = 1;
	ret = meet_gather(m);
	meet_end(m);
	if (!ret)
		ret = meet_welcome(m);
	for (uint32_t i = 0; ret && i < h->hosts; i++) {
		if (h->links[i] >= 0)
			meet_refuse(m, h->links[i], -ret, pimdimm_errmsg());
	}
	return ret;
}

static int take_welcome(struct meeting *m, const struct pc_wire *message, int fds[], size_t count,
			int connection)
{
	struct pimdimm_hosts *h = m->h;
	int ret;

	if (message->kind == PC_WIRE_REFUSED && message->code > 0 && message->code < 4096)
		return pd_error(message->code, "join: %s", message->words);
	if (message->kind != PC_WIRE_WELCOME || message->hosts != h->hosts ||
	    count != 1 + h->hosts || message->host >= h->hosts || message->host == h->host)
		return pd_error(EIO, "the host that listens at %s says what makes no sense",
				m->path);
	ret = pc_hosts_map(h, fds[0]);
	if (ret)
		return ret;
	close(h->lives[h->host]);
	for (uint32_t i = 0; i < h->hosts; i++) {
		h->lives[i] = fds[1 + i];
		h->pids[i] = message->pids[i];
		fds[1 + i] = -1;
	}
	h->keeper = message->host;
	h->links[h->keeper] = connection;
	h->cache = message->cache;
	return 0;
}

/* The host that listens: its number is not known before it has said it. */
struct keeper {
	int connection;
	pid_t pid;
	uint32_t host;
	char name[48];
};

static void name_keeper(struct keeper *k)
{
	if (k->host < PC_HOSTS_MOST)
		snprintf(k->name, sizeof(k->name), "host %u (pid %d)", k->host, (int)k->pid);
	else
		snprintf(k->name, sizeof(k->name), "a host (pid %d)", (int)k->pid);
}

/* 1: it is the answer; 0: there is more to wait for; or a negative errno */
static int hear_seated(const struct meeting *m, struct keeper *k, const struct pc_wire *message,
		       int fds[], size_t count)
{
	if (message->kind != PC_WIRE_SEATED)
		return 1;
	pc_wire_close(fds, count);
	if (count || message->host >= m->h->hosts || message->host == m->h->host)
		return -EIO;
	k->host = message->host;
	name_keeper(k);
	return 0;
}

static void tell_of_keeper(const struct meeting *m, const struct keeper *k,
			   struct pc_hosts_waiting *waiting)
{
	uint64_t seconds = pc_hosts_tell_now(m->h->logs, waiting);

	if (seconds)
		fprintf(stderr, "pimdimm: host %u (pid %d) has waited %llu s at %s for %s, which listens there\n",
			m->h->host, (int)m->h->pid, (unsigned long long)seconds, m->path, k->name);
}

/* Its answer, and descriptors that come with it. */
static int await_keeper(const struct meeting *m, struct keeper *k, struct pc_wire *message,
			int fds[], size_t *count)
{
	struct pc_hosts_waiting waiting = { .begun = pd_now_ns() };
	int ret;

	while (pd_now_ns() < m->deadline) {
		struct pollfd fd = { k->connection, POLLIN, 0 };

		poll(&fd, 1, MEET_LOOK_MS);
		ret = pc_wire_receive(k->connection, message, fds, count);
		if (!ret)
			ret = hear_seated(m, k, message, fds, *count);
		if (ret > 0)
			return 0;
		if (ret && ret != -EAGAIN)
			return ret;
		tell_of_keeper(m, k, &waiting);
	}
	return -ETIMEDOUT;
}

/* What the host that listens answers. */
static int hear_keeper(struct meeting *m, struct keeper *k)
{
	struct pc_wire message;
	int fds[PC_WIRE_FDS], ret;
	size_t count;

	name_keeper(k);
	ret = await_keeper(m, k, &message, fds, &count);
	if (ret == -ETIMEDOUT)
		return pd_error(ETIMEDOUT, "host %u waited %u ms at %s for %s, which listens there",
				m->h->host, m->h->timeout_ms, m->path, k->name);
	if (ret == -ECONNRESET) {
		pc_hosts_door_sweep(m->path);
		return pd_error(ECONNRESET, "a host has died: %s, in join, listening at %s",
				k->name, m->path);
	}
	if (ret)
		return pd_error(EIO, "%s, which listens at %s, says what makes no sense", k->name,
				m->path);
	ret = take_welcome(m, &message, fds, count, k->connection);
	for (size_t i = 0; i < count; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
	return ret;
}

static int meet_as_guest(struct meeting *m, int connection)
{
	struct pc_wire hello = meet_message(m->h, PC_WIRE_HELLO);
	struct keeper keeper = { .connection = connection, .host = PC_HOSTS_MOST };
	int ret = pc_hosts_door_user(connection, &keeper.pid);

	/* a host that refuses at once may have closed already: its reason can still be read */
	if (!ret) {
		pc_wire_send(connection, &hello, &m->h->lives[m->h->host], 1);
		ret = hear_keeper(m, &keeper);
	}
	if (ret)
		close(connection);
	return ret;
}

int pc_hosts_meet(struct pimdimm_hosts *h, const char *path, uint64_t deadline)
{
	struct meeting m = { .h = h, .path = path, .deadline = deadline, .listening = -1 };
	bool listens;
	int fd;

	h->lives[h->host] = (int)syscall(SYS_pidfd_open, getpid(), 0);
	if (h->lives[h->host] < 0)
		return pd_error(errno, "pidfd_open: %s", strerror(errno));
	fd = pc_hosts_door_open(path, deadline, &listens);
	if (fd < 0)
		return fd;
	if (!listens)
		return meet_as_guest(&m, fd);
	m.listening = fd;
	return meet_as_keeper(&m);
}
