// SPDX-License-Identifier: MIT
/* Makes hosts of several machines out of those that a transport connects. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/base/env.h"
#include "runtime/base/error.h"
#include "runtime/base/threads.h"
#include "collectives/across/letters.h"
#include "collectives/across/network.h"
#include "collectives/across/verdict.h"
#include "collectives/across/world_open.h"
#include "collectives/across/world_split.h"
#include "collectives/hosts/hosts.h"
#include "collectives/hosts/traced.h"
#include "collectives/hosts/waiting.h"

#define HELLO_MAGIC	UINT64_C(0x316f6c6c65686470)	/* "pdhello1" */
/* where the hosts of a machine meet, who all see it */
#define MEETINGS	"/tmp"
#define MACHINE_NAME	64

/* what a host says of itself */
struct hello {
	uint64_t magic;
	uint32_t version, host, hosts;
	int32_t pid;
	/* what makes a machine: the folder, its kernel, the user, a name that was given */
	uint64_t folder, device;
	uint32_t user, reserved;
	char boot[40];
	char name[MACHINE_NAME];
	uint64_t nonce;
};

/* how a host's meeting on its machine ended */
struct ending {
	int32_t code;
	char words[PC_HOSTS_WORDS];
};

/* what all hosts say to all, before anything else connects them */
struct round {
	bool logs;
	void *out_requests[PC_HOSTS_MOST], *in_requests[PC_HOSTS_MOST];
	struct hello hello, hellos[PC_HOSTS_MOST];
	struct ending ending, endings[PC_HOSTS_MOST];
};

static void round_forget(const struct pimdimm_transport *t, struct round *r)
{
	void *requests[2 * PC_HOSTS_MOST];
	size_t count = 0;

	for (uint32_t i = 0; i < t->hosts; i++) {
		if (r->out_requests[i])
			requests[count++] = r->out_requests[i];
		if (r->in_requests[i])
			requests[count++] = r->in_requests[i];
	}
	if (count)
		t->forget(t->ctx, requests, count, r);
	else
		free(r);
}

static int round_test(const struct pimdimm_transport *t, void **request)
{
	int ret = *request ? t->test(t->ctx, *request) : 0;

	if (ret)
		*request = NULL;
	return ret;
}

/* Who has not been heard; 0: all have. */
static int round_missing(const struct pimdimm_transport *t, struct round *r, char *text,
			 size_t bytes)
{
	int missing = 0;
	size_t at = 0;

	text[0] = 0;
	for (uint32_t i = 0; i < t->hosts; i++) {
		if (round_test(t, &r->out_requests[i]) < 0 || round_test(t, &r->in_requests[i]) < 0)
			return pd_error(ECONNRESET, "host %u waits for host %u, which cannot be reached",
					t->host, i);
		if (r->in_requests[i] && at + 8 < bytes)
			at += (size_t)snprintf(text + at, bytes - at, " %u", i);
		missing |= r->in_requests[i] || r->out_requests[i];
	}
	return missing;
}

/* Send something to all hosts, and receive as much of each. */
static int round_begin(const struct pimdimm_transport *t, struct round *r, uint32_t tag,
		       const void *out, void *in, size_t bytes)
{
	int ret = 0;

	memcpy((uint8_t *)in + t->host * bytes, out, bytes);
	for (uint32_t i = 0; !ret && i < t->hosts; i++) {
		if (i == t->host)
			continue;
		ret = t->irecv(t->ctx, (uint8_t *)in + i * bytes, bytes, i, tag,
			       &r->in_requests[i]);
		if (!ret)
			ret = t->isend(t->ctx, out, bytes, i, tag, &r->out_requests[i]);
		if (ret)
			return pd_error(-ret, "host %u cannot be reached: %s", i, strerror(-ret));
	}
	return 0;
}

static void round_tell(const struct pimdimm_transport *t, const struct round *r,
		       const char *missing, struct pc_hosts_waiting *waiting)
{
	uint64_t seconds = pc_hosts_tell_now(r->logs, waiting);

	if (seconds)
		fprintf(stderr, "pimdimm: host %u (pid %d) has waited %llu s in join for hosts that have not come:%s\n",
			t->host, (int)getpid(), (unsigned long long)seconds, missing);
}

/* Say something to all hosts and hear as much of each, until the deadline. */
static int round_make(const struct pimdimm_transport *t, struct round *r, uint32_t tag,
		      const void *out, void *in, size_t bytes, uint64_t deadline)
{
	struct pc_hosts_waiting waiting = { .begun = pd_now_ns() };
	char missing[64];
	int ret = round_begin(t, r, tag, out, in, bytes);

	if (ret)
		return ret;
	while ((ret = round_missing(t, r, missing, sizeof(missing))) > 0) {
		if (pd_now_ns() >= deadline)
			return pd_error(ETIMEDOUT, "host %u waited for hosts that did not come:%s",
					t->host, missing);
		round_tell(t, r, missing, &waiting);
		usleep(100);
	}
	return ret;
}

static int describe_self(const struct pimdimm_transport *t, struct hello *hello)
{
	const char *name = pd_env_machine();
	struct stat st;
	ssize_t n;
	int fd;

	*hello = (struct hello){ .magic = HELLO_MAGIC, .version = PC_HOSTS_VERSION,
				 .host = t->host, .hosts = t->hosts, .pid = getpid(),
				 .user = geteuid() };
	if (stat(MEETINGS, &st))
		return pd_error(errno, "%s: %s", MEETINGS, strerror(errno));
	hello->folder = st.st_ino;
	hello->device = st.st_dev;
	fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, hello->boot, sizeof(hello->boot) - 1);
	if (fd >= 0)
		close(fd);
	if (n <= 0 || getrandom(&hello->nonce, sizeof(hello->nonce), 0) != sizeof(hello->nonce))
		return pd_error(EIO, "host %u cannot tell which machine it is on", t->host);
	if (name && strlen(name) >= sizeof(hello->name))
		return pd_error(EINVAL, "PIMDIMM_MACHINE is \"%s\", expected at most %zu bytes", name,
				sizeof(hello->name) - 1);
	snprintf(hello->name, sizeof(hello->name), "%s", name ? name : "");
	return 0;
}

static bool same_machine(const struct hello *a, const struct hello *b)
{
	return a->folder == b->folder && a->device == b->device && a->user == b->user &&
	       !memcmp(a->boot, b->boot, sizeof(a->boot)) &&
	       !memcmp(a->name, b->name, sizeof(a->name));
}

static int check_hello(const struct pimdimm_transport *t, const struct hello *hello, uint32_t host)
{
	if (hello->magic != HELLO_MAGIC || hello->version != PC_HOSTS_VERSION)
		return pd_error(EPROTO, "host %u speaks version %u, host %u (pid %d) version %d", host,
				hello->version, t->host, (int)getpid(), PC_HOSTS_VERSION);
	if (hello->host != host || hello->hosts != t->hosts)
		return pd_error(EPROTO, "host %u says that it is host %u of %u, expected %u", host,
				hello->host, hello->hosts, t->hosts);
	return 0;
}

/* Every host comes to the same. */
static int find_machines(struct pc_world *w, const struct round *r)
{
	for (uint32_t i = 0; i < w->t.hosts; i++) {
		uint32_t like = 0;
		int ret = check_hello(&w->t, &r->hellos[i], i);

		if (ret)
			return ret;
		while (!same_machine(&r->hellos[like], &r->hellos[i]))
			like++;
		if (like == i) {
			w->first[w->machines] = i;
			w->of[i] = w->machines++;
		} else {
			w->of[i] = w->of[like];
		}
		w->local[i] = w->locals[w->of[i]]++;
	}
	w->me = w->of[w->t.host];
	return 0;
}

static int meet_machine(struct pc_world *w, const struct round *r,
			const struct pimdimm_hosts_options *options)
{
	const uint32_t host = w->t.host;
	char path[sizeof(MEETINGS) + 48];

	snprintf(path, sizeof(path), MEETINGS "/pimdimm-hosts-%016llx",
		 (unsigned long long)r->hellos[w->first[w->me]].nonce);
	return pc_hosts_join(path, w->local[host], w->locals[w->me], options, &w->machine);
}

/* What pimdimm_hosts_join() says of its hosts' numbers is of these. */
static void name_hosts(struct pc_world *w)
{
	for (uint32_t i = 0; i < w->t.hosts; i++) {
		if (w->of[i] == w->me)
			w->machine->names[w->local[i]] = i;
	}
}

/* All machines' hosts have met, or all learn why not. */
static int agree_on_meeting(struct pc_world *w, struct round *r, int met, uint64_t deadline)
{
	int ret;

	r->ending.code = -met;
	if (met)
		snprintf(r->ending.words, sizeof(r->ending.words), "%s", pimdimm_errmsg());
	ret = round_make(&w->t, r, PC_NET_CHANNELS + 2, &r->ending, r->endings, sizeof(r->ending),
			 deadline);
	if (ret || met)
		return ret ? ret : pd_error(-met, "%s", r->ending.words);
	for (uint32_t i = 0; i < w->t.hosts; i++) {
		char words[PC_HOSTS_WORDS];

		if (!r->endings[i].code)
			continue;
		pc_hosts_words(words, r->endings[i].words, sizeof(words));
		return pd_error(r->endings[i].code == ETIMEDOUT ? ETIMEDOUT : EPROTO,
				"host %u could not join: %s", i, words);
	}
	return 0;
}

static int meet_all(struct pc_world *w, struct round *r, const struct pimdimm_hosts_options *options,
		    uint32_t timeout_ms)
{
	uint64_t grace = timeout_ms ? PC_WORLD_GRACE_MS * (PD_NS_PER_S / 1000) : 0;
	uint64_t deadline = pc_hosts_deadline(timeout_ms);
	int ret = describe_self(&w->t, &r->hello);

	if (!ret)
		ret = round_make(&w->t, r, PC_NET_CHANNELS + 3, &r->hello, r->hellos,
				 sizeof(r->hello), deadline);
	if (!ret)
		ret = find_machines(w, r);
	if (ret)
		return ret;
	ret = meet_machine(w, r, options);
	return agree_on_meeting(w, r, ret, pc_hosts_deadline(timeout_ms) + grace);
}

static struct pc_mail *world_mail(const struct pimdimm_hosts *h)
{
	return pc_letters_mail(pc_world_of(h)->mail);
}

static const struct pc_hosts_beyond world_beyond = {
	.arrive = pc_world_arrive,
	.over = pc_world_over,
	.leave_call = pc_world_leave_call,
	.split = pc_world_split,
	.mail = world_mail,
	.abort = pc_world_abort,
	.hear = pc_world_hear,
	.info = pc_world_info,
	.name = pc_world_name,
	.drop = pc_world_drop,
};

static int world_make(struct pc_world *w, const struct pimdimm_hosts_options *options,
		      struct pimdimm_hosts **hosts)
{
	struct round *r = calloc(1, sizeof(*r));
	uint32_t timeout_ms = options ? options->timeout_ms : 0;
	pid_t pids[PC_HOSTS_MOST];
	struct pd_env_log log;
	int ret = r ? 0 : pd_error(ENOMEM, "no memory for %u hosts", w->t.hosts);

	if (!ret && !timeout_ms)
		ret = pd_env_timeout(&timeout_ms);
	if (!ret)
		ret = pd_env_log(&log);
	if (!ret) {
		r->logs = log.hosts;
		ret = meet_all(w, r, options, timeout_ms);
	}
	if (!ret) {
		name_hosts(w);
		if (w->machines == 1) {
			*hosts = w->machine;
			w->machine->look = w->t.progress;
		} else {
			for (uint32_t i = 0; i < w->t.hosts; i++) {
				w->net[i] = i;
				pids[i] = r->hellos[i].pid;
			}
			*hosts = pc_world_open(w, w->t.host, w->t.hosts, pids, &world_beyond);
			ret = *hosts ? 0 : pd_error(ENOMEM, "no memory for %u hosts", w->t.hosts);
		}
	}
	if (ret)
		pimdimm_hosts_leave(w->machine);
	if (r)
		round_forget(&w->t, r);
	return ret;
}

static int world_traced(struct pc_world *w, const struct pimdimm_hosts_options *options,
			struct pimdimm_hosts **hosts)
{
	struct pd_span span;
	int ret;

	pc_hosts_trace_role(w->t.host, w->t.hosts, PC_HOSTS_SOMEWHERE);
	span = pc_hosts_trace_begin(PC_HOSTS_JOIN);
	ret = world_make(w, options, hosts);
	if (!ret)
		pc_hosts_trace_role(w->t.host, w->t.hosts, w->me);
	pc_hosts_trace_end(&span, 0, ret);
	return ret;
}

static int check_transport(const struct pimdimm_transport *t)
{
	if (t->size != sizeof(*t))
		return pd_error(EINVAL, "transport->size=%u, expected %zu", t->size, sizeof(*t));
	if (t->refused)
		return pd_error(EINVAL, "%s", t->refused);
	if (!t->hosts || t->hosts > PC_HOSTS_MOST || t->host >= t->hosts)
		return pd_error(EINVAL, "transport: host=%u of hosts=%u, expected 1 to %d hosts",
				t->host, t->hosts, PC_HOSTS_MOST);
	if (t->max_bytes < PC_NET_LONGEST)
		return pd_error(EINVAL, "transport: max_bytes=%u, expected %u at least", t->max_bytes,
				PC_NET_LONGEST);
	if (!t->isend || !t->irecv || !t->test || !t->forget || !t->mine || !t->release)
		return pd_error(EINVAL, "transport: one of its functions is NULL");
	return 0;
}

int pimdimm_hosts_from_transport(const struct pimdimm_transport *transport,
				 const struct pimdimm_hosts_options *options,
				 struct pimdimm_hosts **hosts)
{
	struct pc_world *w;
	int ret, cancel;

	if (!transport || !hosts)
		return pd_error(EINVAL, "%s is NULL", transport ? "hosts" : "transport");
	ret = check_transport(transport);
	if (ret)
		return ret;
	w = pc_world_new(transport);
	if (!w) {
		transport->release(transport->ctx);
		return pd_error(ENOMEM, "no memory for %u hosts", transport->hosts);
	}
	cancel = pd_cancel_off();
	ret = pd_timeline_open();
	if (!ret)
		ret = world_traced(w, options, hosts);
	pd_cancel_restore(cancel);
	if (ret || w->machines == 1)
		pc_world_free(w);
	return ret;
}
