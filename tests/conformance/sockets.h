/* SPDX-License-Identifier: MIT */
/*
 * A transport for hosts of a test: a socket between every two of them, made before they are
 * forked. Like MPI's, it says nothing of hosts that have died.
 */
#ifndef TESTS_SOCKETS_H
#define TESTS_SOCKETS_H

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <pimdimm/transport.h>

#define SOCKETS_MOST	16

/* whose memory is of no interest to a test may give it other functions */
#ifndef SOCKETS_MALLOC
#define SOCKETS_MALLOC	malloc
#define SOCKETS_CALLOC	calloc
#define SOCKETS_FREE	free
#endif

struct sockets_request {
	struct sockets_request *next;
	bool ended, forgotten;
	uint8_t *buf;
	uint32_t bytes, peer, tag;
	uint64_t sent;
};

/* what has come of one host's next message, or has come before somebody asked for it */
struct sockets_message {
	struct sockets_message *next;
	struct {
		uint32_t bytes, tag;
	} head;
	uint64_t got;
	uint8_t *data;
};

struct sockets {
	uint32_t host, hosts;
	int fds[SOCKETS_MOST];
	struct sockets_request *sends[SOCKETS_MOST], *receives;
	struct sockets_message coming[SOCKETS_MOST], *came[SOCKETS_MOST];
};

static int sockets_fds[SOCKETS_MOST][SOCKETS_MOST];

/* In the test itself, before it forks. */
static inline void sockets_open(uint32_t hosts)
{
	for (uint32_t i = 0; i < hosts; i++) {
		for (uint32_t j = 0; j < i; j++) {
			int ends[2];

			if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends))
				abort();
			sockets_fds[i][j] = ends[0];
			sockets_fds[j][i] = ends[1];
		}
	}
}

static inline void sockets_close(uint32_t hosts, uint32_t but)
{
	for (uint32_t i = 0; i < hosts; i++) {
		for (uint32_t j = 0; j < hosts; j++) {
			if (i != j && i != but)
				close(sockets_fds[i][j]);
		}
	}
}

static inline void sockets_append(struct sockets_request **list, struct sockets_request *r)
{
	while (*list)
		list = &(*list)->next;
	*list = r;
}

static inline int sockets_begin(struct sockets_request **list, void *buf, size_t bytes,
				uint32_t peer, uint32_t tag, void **request)
{
	struct sockets_request *r = SOCKETS_CALLOC(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	*r = (struct sockets_request){ .buf = buf, .bytes = (uint32_t)bytes, .peer = peer,
				       .tag = tag };
	sockets_append(list, r);
	*request = r;
	return 0;
}

static inline int sockets_isend(void *ctx, const void *buf, size_t bytes, uint32_t to,
				uint32_t tag, void **request)
{
	return sockets_begin(&((struct sockets *)ctx)->sends[to], (void *)(uintptr_t)buf, bytes, to,
			     tag, request);
}

static inline int sockets_irecv(void *ctx, void *buf, size_t bytes, uint32_t from, uint32_t tag,
				void **request)
{
	return sockets_begin(&((struct sockets *)ctx)->receives, buf, bytes, from, tag, request);
}

static inline void sockets_push(struct sockets *s, uint32_t to)
{
	while (s->sends[to]) {
		struct sockets_request *r = s->sends[to];
		uint32_t head[2] = { r->bytes, r->tag };
		const uint8_t *from = r->sent < 8 ? (const uint8_t *)head + r->sent :
						    r->buf + (r->sent - 8);
		size_t left = r->sent < 8 ? 8 - r->sent : r->bytes + 8 - r->sent;
		ssize_t n = send(s->fds[to], from, left, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n <= 0)
			return;
		r->sent += (uint64_t)n;
		if (r->sent < r->bytes + 8ull)
			continue;
		s->sends[to] = r->next;
		r->ended = true;
	}
}

static inline void sockets_match(struct sockets *s)
{
	for (struct sockets_request **at = &s->receives; *at;) {
		struct sockets_request *r = *at;
		uint32_t from = r->peer, until = r->peer;
		bool found = false;

		if (r->peer == PIMDIMM_ANY_HOST) {
			from = 0;
			until = s->hosts - 1;
		}
		for (uint32_t i = from; !found && i <= until; i++) {
			struct sockets_message **m = &s->came[i];

			while (*m && (*m)->head.tag != r->tag)
				m = &(*m)->next;
			if (*m) {
				struct sockets_message *got = *m;

				if (got->head.bytes != r->bytes)
					abort();
				if (r->bytes)
					memcpy(r->buf, got->data, r->bytes);
				*m = got->next;
				SOCKETS_FREE(got->data);
				SOCKETS_FREE(got);
				found = true;
			}
		}
		if (found) {
			*at = r->next;
			r->ended = true;
		} else {
			at = &r->next;
		}
	}
}

static inline void sockets_pull(struct sockets *s, uint32_t from)
{
	struct sockets_message *m = &s->coming[from], **last = &s->came[from];

	for (;;) {
		uint8_t *to = m->got < 8 ? (uint8_t *)&m->head + m->got : m->data + (m->got - 8);
		size_t left = m->got < 8 ? 8 - m->got : m->head.bytes + 8 - m->got;
		ssize_t n = left ? recv(s->fds[from], to, left, MSG_DONTWAIT) : 0;

		if (left && n <= 0)
			return;
		m->got += (uint64_t)n;
		if (m->got == 8 && !m->data)
			m->data = SOCKETS_MALLOC(m->head.bytes + 1);
		if (m->got < 8 || m->got < m->head.bytes + 8ull)
			continue;
		while (*last)
			last = &(*last)->next;
		*last = SOCKETS_MALLOC(sizeof(*m));
		**last = *m;
		(*last)->next = NULL;
		*m = (struct sockets_message){ 0 };
	}
}

static inline int sockets_test(void *ctx, void *request)
{
	struct sockets_request *r = request;
	struct sockets *s = ctx;

	for (uint32_t i = 0; !r->ended && i < s->hosts; i++) {
		if (i == s->host)
			continue;
		sockets_push(s, i);
		sockets_pull(s, i);
	}
	sockets_match(s);
	if (!r->ended)
		return 0;
	SOCKETS_FREE(r);
	return 1;
}

static inline void sockets_drop(struct sockets_request **list, struct sockets_request *r)
{
	while (*list && *list != r)
		list = &(*list)->next;
	if (*list)
		*list = r->next;
}

static inline void sockets_forget(void *ctx, void *const requests[], size_t count, void *memory)
{
	struct sockets *s = ctx;

	for (size_t i = 0; i < count; i++) {
		struct sockets_request *r = requests[i];

		if (r->peer < s->hosts)
			sockets_drop(&s->sends[r->peer], r);
		sockets_drop(&s->receives, r);
		SOCKETS_FREE(r);
	}
	free(memory);
}

static inline int sockets_mine(void *ctx)
{
	(void)ctx;
	return 0;
}

static inline void sockets_release(void *ctx)
{
	struct sockets *s = ctx;

	for (uint32_t i = 0; i < s->hosts; i++) {
		while (s->came[i]) {
			struct sockets_message *m = s->came[i];

			s->came[i] = m->next;
			SOCKETS_FREE(m->data);
			SOCKETS_FREE(m);
		}
		SOCKETS_FREE(s->coming[i].data);
		if (i != s->host)
			close(s->fds[i]);
	}
	SOCKETS_FREE(s);
}

/* In a host. */
static inline struct pimdimm_transport sockets_transport(uint32_t host, uint32_t hosts)
{
	struct sockets *s = SOCKETS_CALLOC(1, sizeof(*s));

	if (!s)
		abort();
	s->host = host;
	s->hosts = hosts;
	for (uint32_t i = 0; i < hosts; i++)
		s->fds[i] = sockets_fds[host][i];
	sockets_close(hosts, host);
	return (struct pimdimm_transport){
		.size = sizeof(struct pimdimm_transport),
		.host = host,
		.hosts = hosts,
		.max_bytes = 1u << 30,
		.ctx = s,
		.isend = sockets_isend,
		.irecv = sockets_irecv,
		.test = sockets_test,
		.forget = sockets_forget,
		.mine = sockets_mine,
		.release = sockets_release,
	};
}

#endif /* TESTS_SOCKETS_H */
