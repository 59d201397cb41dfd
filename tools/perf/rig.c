// SPDX-License-Identifier: MIT
/* A system to measure on, and a case laid out on it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/perf/rig.h"
#include "tools/tool.h"

/* ranks of a system sized for the cases; of several hosts each has its share */
static uint32_t ranks_wanted(const struct perf_rig *rig)
{
	uint32_t ranks = (rig->nr_pes + PIMDIMM_RANK_PES - 1) / PIMDIMM_RANK_PES;
	const struct tool_team *team = rig->team;

	if (!team)
		return ranks;
	if (ranks < team->count)
		ranks = team->count;
	return ranks * (team->host + 1) / team->count - ranks * team->host / team->count;
}

static int open_system(struct perf_rig *rig, const struct perf_how *how,
		       uint64_t mram)
{
	char uri[128];

	if (how->uri)
		return pimdimm_open(how->uri, &rig->sys);
	mram = pd_round_up(mram, PIMDIMM_MRAM_ALIGN);
	if (mram < PIMDIMM_MRAM_MIN)
		mram = PIMDIMM_MRAM_MIN;
	snprintf(uri, sizeof(uri), "mem:ranks=%u,mram=%" PRIu64 ",layout=%s",
		 ranks_wanted(rig), mram, how->layout);
	return pimdimm_open(uri, &rig->sys);
}

/* Which of the PEs are this host's. */
static void find_own(struct perf_rig *rig)
{
	uint32_t host, pe;

	rig->first_pe = rig->nr_pes;
	for (uint32_t node = 0; node < rig->nr_pes; node++) {
		pidcomm_place(rig->hc, node, &host, &pe);
		if (host != rig->team->host)
			continue;
		if (!rig->own_pes++)
			rig->first_pe = node;
	}
}

static int create_over_hosts(struct perf_rig *rig, const struct perf_case *c)
{
	if (pidcomm_create_hosts(rig->team->hosts, rig->sys, c->ndims, c->dims, &rig->hc)) {
		tool_error("%s", pimdimm_errmsg());
		perf_rig_close(rig);
		return TOOL_USAGE;
	}
	find_own(rig);
	return TOOL_OK;
}

int perf_rig_open(struct perf_rig *rig, const struct perf_how *how,
		  const struct perf_case *c, uint64_t mram)
{
	const struct pimdimm_geometry *g;

	*rig = (struct perf_rig){ .nr_pes = perf_nr_pes(c), .team = how->team,
				  .mapped = how->team && how->mapped };
	if (open_system(rig, how, mram))
		return tool_error("%s", pimdimm_errmsg());
	if (rig->team)
		return create_over_hosts(rig, c);
	rig->own_pes = rig->nr_pes;
	g = pimdimm_geometry(rig->sys);
	if (g->nr_pes < rig->nr_pes || g->mram_size < mram) {
		tool_error("the system has %u PEs with %s of MRAM each, %u with %s are needed",
			   g->nr_pes, tool_size(g->mram_size), rig->nr_pes,
			   tool_size(mram));
		perf_rig_close(rig);
		return TOOL_USAGE;
	}
	if (!pidcomm_create(rig->sys, c->ndims, c->dims, &rig->hc))
		return TOOL_OK;
	tool_error("%s", pimdimm_errmsg());
	perf_rig_close(rig);
	return TOOL_USAGE;
}

int perf_rig_open_as(struct perf_rig *rig, const struct perf_how *how,
		     const struct perf_case *c, uint64_t mram,
		     const char *variable, const char *value)
{
	const char *set = getenv(variable);
	char *kept = set ? strdup(set) : NULL;
	int ret;

	if ((set && !kept) || setenv(variable, value, 1)) {
		free(kept);
		return tool_error("no memory for the environment");
	}
	ret = perf_rig_open(rig, how, c, mram);
	if (kept)
		setenv(variable, kept, 1);
	else
		unsetenv(variable);
	free(kept);
	return ret;
}

int perf_rig_on(struct perf_rig *rig, struct pimdimm *sys,
		const struct perf_case *c, struct tool_team *team)
{
	int ret;

	*rig = (struct perf_rig){ .sys = sys, .nr_pes = perf_nr_pes(c), .team = team,
				  .lent = true };
	if (!team) {
		rig->own_pes = rig->nr_pes;
		return pidcomm_create(sys, c->ndims, c->dims, &rig->hc);
	}
	ret = pidcomm_create_hosts(team->hosts, sys, c->ndims, c->dims, &rig->hc);
	if (!ret)
		find_own(rig);
	return ret;
}

void perf_rig_close(struct perf_rig *rig)
{
	pidcomm_destroy(rig->hc);
	if (!rig->lent)
		pimdimm_close(rig->sys);
	if (rig->mapped)
		pimdimm_hosts_free(rig->team->hosts, rig->host);
	else
		free(rig->host);
	free(rig->stage);
	*rig = (struct perf_rig){ 0 };
}

/* Has at least `bytes` there, and touched: no page fault shall be measured. */
static int rig_hold(uint8_t **memory, uint64_t *have, uint64_t bytes)
{
	if (bytes <= *have)
		return TOOL_OK;
	free(*memory);
	*have = 0;
	*memory = aligned_alloc(4096, (bytes + 4095) & ~UINT64_C(4095));
	if (!*memory)
		return tool_error("no memory for %s of buffers",
				  tool_size(bytes));
	memset(*memory, 0x5a, bytes);
	*have = bytes;
	return TOOL_OK;
}

/* The same of all hosts, each of which needs another size; each touches its own. */
static int rig_hold_mapped(struct perf_rig *rig, uint64_t bytes)
{
	struct pimdimm_hosts *hosts = rig->team->hosts;
	uint64_t most = bytes;
	void *memory;

	if (pimdimm_hosts_allreduce(hosts, &most, &most, 1, PIDCOMM_U64, PIDCOMM_MAX))
		return tool_error("%s", pimdimm_errmsg());
	if (most > rig->host_bytes) {
		pimdimm_hosts_free(hosts, rig->host);
		rig->host = NULL;
		rig->host_bytes = 0;
		if (pimdimm_hosts_alloc(hosts, most, &memory))
			return tool_error("%s", pimdimm_errmsg());
		rig->host = memory;
		rig->host_bytes = most;
	}
	memset(rig->host, 0x5a, bytes);
	return TOOL_OK;
}

static int hold_buffers(struct perf_rig *rig, uint64_t bytes)
{
	if (rig->mapped)
		return rig_hold_mapped(rig, bytes);
	return rig_hold(&rig->host, &rig->host_bytes, bytes);
}

int perf_stage(struct perf_rig *rig, uint64_t bytes)
{
	return rig_hold(&rig->stage, &rig->stage_bytes, bytes);
}

static int lay_out_groups(struct perf_setup *s)
{
	for (uint32_t pe = 0; pe < s->rig->nr_pes; pe++) {
		uint32_t group, rank;

		if (pidcomm_group_of(s->rig->hc, s->c->axes, pe, &group, &rank))
			return tool_error("%s", pimdimm_errmsg());
		s->place[pe] = group * s->members + rank;
		s->pe_at[s->place[pe]] = pe;
	}
	return TOOL_OK;
}

/* The home of a group is the host that has its first member. */
static bool has_buffer(const struct perf_setup *s, uint32_t group)
{
	uint32_t pe = s->pe_at[group * s->members];

	return pe - s->rig->first_pe < s->rig->own_pes;
}

static int lay_out_buffers(struct perf_setup *s)
{
	s->buf_bytes = pc_amount_bytes(pc_traits[s->c->id].host, s->c->bytes,
				       s->members);
	if (!s->buf_bytes)
		return TOOL_OK;
	for (uint32_t group = 0; group < s->groups; group++)
		s->own_groups += has_buffer(s, group);
	if (hold_buffers(s->rig, s->own_groups * s->buf_bytes))
		return TOOL_FAILED;
	for (uint32_t group = 0, at = 0; group < s->groups; group++) {
		if (has_buffer(s, group))
			s->bufs[group] = s->rig->host + at++ * s->buf_bytes;
	}
	return TOOL_OK;
}

int perf_setup_make(struct perf_setup *s, struct perf_rig *rig,
		    const struct perf_case *c, uint64_t seed)
{
	*s = (struct perf_setup){ .rig = rig, .c = c };
	perf_groups(c, &s->groups, &s->members);
	s->chunk = c->bytes / s->members;
	s->element = pc_traits[c->id].reduces ? pc_type_size(c->type) :
						 PIMDIMM_WORD_BYTES;
	s->dst = c->in_place || pc_is_rooted(c->id) ? 0 : c->bytes;
	s->pe_at = calloc(rig->nr_pes, sizeof(*s->pe_at));
	s->place = calloc(rig->nr_pes, sizeof(*s->place));
	s->bufs = calloc(s->groups, sizeof(*s->bufs));
	perf_inputs_init(&s->inputs, c, seed);
	if (!s->pe_at || !s->place || !s->bufs)
		tool_error("no memory");
	else if (!lay_out_groups(s) && !lay_out_buffers(s))
		return TOOL_OK;
	perf_setup_free(s);
	return TOOL_FAILED;
}

void perf_setup_free(struct perf_setup *s)
{
	free(s->pe_at);
	free(s->place);
	free(s->bufs);
	*s = (struct perf_setup){ 0 };
}
