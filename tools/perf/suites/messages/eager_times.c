// SPDX-License-Identifier: MIT
/*
 * Messages to and fro between two resident kernels, which one thread of the process runs, by
 * the way that PIMDIMM_EAGER makes all of them take.
 */
#include <stdlib.h>
#include <string.h>

#include <pimdimm/messages.h>
#include <pimdimm/spmd.h>

#include "tools/perf/measure.h"
#include "tools/perf/suites/messages/eager_times.h"
#include "tools/tool.h"

#define BATCHES	9u
#define TIMES	40u	/* of a batch */

struct timing {
	uint32_t bytes;
	uint8_t *data[2], *in[2];
	double ns[BATCHES];
	uint64_t wrong;
	int ret;
};

static struct pimmsg_buf buf_of(void *data, uint32_t bytes)
{
	return (struct pimmsg_buf){ .ptr = data,
				    .part = { 0, bytes, pimtype_basic(PIMTYPE_BYTE) } };
}

static int to_and_fro(struct timing *t, struct pimmsg_end *end, int rank)
{
	struct pimmsg_buf out = buf_of(t->data[rank], t->bytes), in = buf_of(t->in[rank], t->bytes);
	int ret = 0;

	for (unsigned int i = 0; i < TIMES && !ret; i++) {
		ret = rank ? pimmsg_recv(end, &in, 0, 1, NULL) : pimmsg_send(end, &out, 1, 1);
		if (!ret)
			ret = rank ? pimmsg_send(end, &out, 0, 1) :
				     pimmsg_recv(end, &in, 1, 1, NULL);
	}
	return ret;
}

static void kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *end = pimmsg_self(pe);
	struct timing *t = arg;
	int rank = pimmsg_rank(end), ret = to_and_fro(t, end, rank);

	for (unsigned int b = 0; b < BATCHES && !ret; b++) {
		uint64_t start = tool_now();

		ret = to_and_fro(t, end, rank);
		if (!rank)
			t->ns[b] = (double)(tool_now() - start) / (2.0 * TIMES);
	}
	if (ret)
		t->ret = ret;
	for (uint32_t i = 0; i < t->bytes; i++)
		t->wrong += t->in[rank][i] != t->data[!rank][i];
}

static int run(struct timing *t)
{
	struct pimdimm_spmd how = { .size = sizeof(how), .nr_tasklets = 1, .stack_bytes = 262144 };
	struct pimmsg_end *host = NULL;
	struct pimdimm *sys;
	int ret = pimdimm_open("mem:ranks=1,mram=64K", &sys);

	if (ret)
		return ret;
	ret = pimmsg_world(sys, 0, 2, &host);
	if (!ret)
		ret = pimdimm_spmd(sys, 0, 2, kernel, t, &how);
	pimmsg_close(host);
	pimdimm_close(sys);
	return ret ? ret : t->ret;
}

static bool make_data(struct timing *t)
{
	for (unsigned int i = 0; i < 2; i++) {
		t->data[i] = malloc(t->bytes);
		t->in[i] = calloc(t->bytes, 1);
		if (!t->data[i] || !t->in[i])
			return false;
		for (uint32_t at = 0; at < t->bytes; at++)
			t->data[i][at] = (uint8_t)(at * 7 + (at >> 8) + i + 1);
	}
	return true;
}

/* what it was before; the caller frees it */
static char *set_env(const char *name, const char *value)
{
	const char *before = getenv(name);
	char *kept = before ? strdup(before) : NULL;

	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
	return kept;
}

static int run_by(const char *eager, struct timing *t)
{
	char *kept = set_env("PIMDIMM_EAGER", eager), *threads = set_env("PIMDIMM_THREADS", "1");
	int ret = run(t) ? tool_error("%s", pimdimm_errmsg()) : TOOL_OK;

	free(set_env("PIMDIMM_EAGER", kept));
	free(set_env("PIMDIMM_THREADS", threads));
	free(kept);
	free(threads);
	return ret;
}

int eager_time(const char *eager, uint32_t bytes, double *ns, uint64_t *wrong)
{
	struct timing t = { .bytes = bytes };
	int ret = make_data(&t) ? run_by(eager, &t) :
				  tool_error("no memory for messages of %u bytes", bytes);

	if (!ret) {
		perf_sort_times(t.ns, BATCHES);
		*ns = perf_median(t.ns, BATCHES);
		*wrong += t.wrong;
	}
	for (unsigned int i = 0; i < 2; i++) {
		free(t.data[i]);
		free(t.in[i]);
	}
	return ret;
}
