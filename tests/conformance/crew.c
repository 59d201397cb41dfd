// SPDX-License-Identifier: MIT
/* Hosts are forked, joined, and told apart by what they have. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/conformance/crew.h"
#include "tests/conformance/sockets.h"
#include "tests/conformance/support.h"

#define PATIENCE_MS	120000
/* no host outlives a test that has gone wrong; 2,000 cases of 8 hosts take minutes */
#define LIFETIME_S	2000

static char path[64];
static unsigned int made;

void crew_make(struct crew *crew, uint32_t count, uint32_t machines, bool apart)
{
	*crew = (struct crew){ .count = count, .machines = machines, .apart = apart, .root = PIDCOMM_HOME };
	for (uint32_t i = 0; i < count; i++)
		crew->first_rank[i + 1] = crew->first_rank[i] + (i % 3 ? 1 : 2);
	if (count > 4)	/* more would take long, and show no more */
		for (uint32_t i = 0; i <= count; i++)
			crew->first_rank[i] = i;
}

static void crew_begin(struct crew *crew, uint32_t host)
{
	crew->host = host;
	alarm(LIFETIME_S);
}

void crew_run(struct crew *crew, bool (*run)(struct crew *crew, const void *ctx), const void *ctx,
	      bool *ok)
{
	pid_t pids[CREW_MOST];

	snprintf(path, sizeof(path), "/tmp/pimdimm-crew-%d.%u", (int)getpid(), made++);
	fflush(stdout);
	if (crew->machines)
		sockets_open(crew->count);
	for (uint32_t i = 1; i < crew->count; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			crew_begin(crew, i);
			*ok = run(crew, ctx);
			fflush(stdout);
			_exit(!*ok);
		}
	}
	crew_begin(crew, 0);
	*ok = run(crew, ctx);
	alarm(0);
	for (uint32_t i = 0; crew->apart && i < crew->count; i++) {
		char file[sizeof(path) + 16];

		snprintf(file, sizeof(file), "%s.%u.mram", path, i);
		unlink(file);
	}
	for (uint32_t i = 1; i < crew->count; i++) {
		int status = 1;

		if (pids[i] < 0 || waitpid(pids[i], &status, 0) < 0 || status) {
			printf("# host %u ended with status %#x\n", i, status);
			*ok = false;
		}
	}
}

void crew_uri(const struct crew *crew, const char *uri, char *text, size_t bytes)
{
	int at = snprintf(text, bytes, "%s%sranks=%u", uri,
			  uri[strlen(uri) - 1] == ':' ? "" : ",",
			  crew->first_rank[crew->host + 1] - crew->first_rank[crew->host]);

	/* in a file: no host hands descriptors of it to others */
	if (crew->apart)
		snprintf(text + at, bytes - (size_t)at, ",file=%s.%u.mram", path, crew->host);
}

/* Hosts of a machine follow each other, or are dealt out: one after the other. */
static uint32_t machine_of(const struct crew *crew)
{
	return made % 2 ? crew->host * crew->machines / crew->count : crew->host % crew->machines;
}

static int join_machines(struct crew *crew, const struct pimdimm_hosts_options *options)
{
	struct pimdimm_transport transport = sockets_transport(crew->host, crew->count);
	char name[16];

	snprintf(name, sizeof(name), "%u", machine_of(crew));
	setenv("PIMDIMM_MACHINE", name, 1);
	return pimdimm_hosts_from_transport(&transport, options, &crew->hosts);
}

int crew_join(struct crew *crew)
{
	const struct pimdimm_hosts_options options = { .size = sizeof(options),
						       .timeout_ms = PATIENCE_MS };

	if (crew->machines)
		return join_machines(crew, &options);
	return pimdimm_hosts_join(path, crew->host, crew->count, &options, &crew->hosts);
}

bool crew_all(const struct crew *crew, bool ok)
{
	uint32_t mine = ok, all = 0;

	if (pimdimm_hosts_allreduce(crew->hosts, &mine, &all, 1, PIDCOMM_U32, PIDCOMM_MIN)) {
		printf("# host %u: %s\n", crew->host, pimdimm_errmsg());
		return false;
	}
	return all;
}

static bool is_own(const struct crew *crew, const struct grouping *g, uint32_t group)
{
	uint32_t rank = grouping_pe(g, group, 0) / 64;

	if (crew->root != PIDCOMM_HOME)
		return crew->root == crew->host;
	return rank >= crew->first_rank[crew->host] && rank < crew->first_rank[crew->host + 1];
}

void crew_own_bufs(const struct crew *crew, const struct grouping *g, struct hostbufs *h,
		   void **bufs)
{
	for (uint32_t i = 0; i < h->nr; i++)
		bufs[i] = is_own(crew, g, i) ? h->got[i] : NULL;
}

void crew_keep_others(const struct crew *crew, const struct grouping *g, struct hostbufs *h,
		      const uint8_t *before)
{
	for (uint32_t i = 0; i < h->nr; i++)
		if (!is_own(crew, g, i))
			memcpy(h->want[i], before + (h->want[i] - h->expected), h->bytes);
}

int crew_stats(const struct crew *crew, const struct pidcomm *hc, struct pidcomm_stats *stats)
{
	uint64_t own[6], all[6];
	int err = pidcomm_stats(hc, stats);

	if (err)
		return err;
	memcpy(own, stats, sizeof(own));
	err = pimdimm_hosts_allreduce(crew->hosts, own, all, 6, PIDCOMM_U64, PIDCOMM_SUM);
	memcpy(stats, all, sizeof(all));
	return err;
}
