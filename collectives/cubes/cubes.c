// SPDX-License-Identifier: MIT
/* Hosts agree on a hypercube, share what its calls need, and make its calls together. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/error.h"
#include "runtime/ranks/uri.h"
#include "collectives/call/ops.h"
#include "collectives/cubes/cubes.h"
#include "collectives/cubes/vectors.h"
#include "collectives/cubes/windows.h"
#include "collectives/hosts/agree.h"
#include "collectives/hosts/segments.h"
#include "collectives/hosts/waiting.h"

/* steps of a call: those of its runs lie between */
#define RUN_STEP(run)	(PC_HOSTS_ARRIVED + (run))
/* runs of a call have tags of their own: 8 bits, below those of the call's number */
#define RUN_BITS	8

static void dims_text(const struct pc_cubes_offer *o, char *text, size_t bytes)
{
	size_t at = 0;

	text[0] = 0;
	for (uint32_t d = 0; d < o->ndims && d < PIDCOMM_MAX_DIMS && at < bytes; d++)
		at += (size_t)snprintf(text + at, bytes - at, "%s%u", d ? "x" : "", o->dims[d]);
}

static int dims_differ(const struct pc_cubes_offer *first, const struct pc_cubes_offer *o,
		       uint32_t host)
{
	char a[192], b[192];

	dims_text(first, a, sizeof(a));
	dims_text(o, b, sizeof(b));
	return pd_error(EINVAL, "dims differ: host 0 has %s, host %u has %s", a, host, b);
}

static const char *layout_name(uint32_t layout)
{
	return layout < PIMDIMM_NR_LAYOUTS ? pimdimm_layout_name(layout) : "unknown";
}

/* Every host compares the same numbers in the same order, and says the same. */
static int compare_offers(const struct pc_cubes_offer *first, const struct pc_cubes_offer *o,
			  uint32_t host)
{
	if (!o->ranks || o->ranks > PD_MAX_RANKS || o->isa >= PD_NR_ISAS || !o->threads ||
	    o->threads > 1u << 16)
		return pd_error(EIO, "host %u offers what makes no sense: %u ranks, %u threads",
				host, o->ranks, o->threads);
	if (o->ndims != first->ndims || memcmp(o->dims, first->dims, sizeof(o->dims)))
		return dims_differ(first, o, host);
	if (o->layout != first->layout)
		return pd_error(EINVAL, "layouts differ: host 0 has %s, host %u has %s",
				layout_name(first->layout), host, layout_name(o->layout));
	if (o->mram_size != first->mram_size)
		return pd_error(EINVAL, "MRAM sizes differ: host 0 has %llu bytes, host %u has %llu",
				(unsigned long long)first->mram_size, host,
				(unsigned long long)o->mram_size);
	if (o->isa != first->isa)
		return pd_error(EINVAL, "PIMDIMM_ISA differs: host 0 has %s, host %u has %s",
				pd_isa_name(first->isa), host, pd_isa_name(o->isa));
	return 0;
}

/* What host i has said: with its arrival, where all hosts share memory. */
static struct pc_cubes_offer offer_of(const struct pimdimm_hosts *hosts,
				      const struct pc_cubes_offer *all, uint32_t i)
{
	struct pc_cubes_offer o;

	memcpy(&o, all ? (const uint8_t *)&all[i] : pc_hosts_cell(hosts, i, sizeof(o)), sizeof(o));
	return o;
}

static int take_offers(struct pc_cubes *c, struct pimdimm_hosts *hosts,
		       const struct pc_cubes_offer *all)
{
	struct pc_cubes_offer first = offer_of(hosts, all, 0), o;
	uint32_t ranks = 0;
	int ret = 0;

	c->crew.host = hosts->host;
	c->crew.hosts = hosts->hosts;
	for (uint32_t i = 0; !ret && i < hosts->hosts; i++) {
		o = offer_of(hosts, all, i);
		ret = compare_offers(&first, &o, i);
		c->parts[i] = (struct pc_cubes_part){ ranks, o.ranks };
		c->crew.threads += o.threads;
		ranks += o.ranks;
	}
	c->nr_pes = PIMDIMM_RANK_PES * ranks;
	return ret;
}

int pc_cubes_agree(struct pc_cubes *c, struct pimdimm_hosts *hosts,
		   const struct pc_cubes_offer *mine, int refused)
{
	const struct pc_hosts_said said = { .args = { .kind = PC_HOSTS_CREATE } };
	struct pc_cubes_offer *all = hosts->machine ? calloc(hosts->hosts, sizeof(*all)) : NULL;
	int ret;

	if (hosts->machine && !all && !refused)
		refused = pd_error(ENOMEM, "no memory for what %u hosts bring", hosts->hosts);
	ret = pc_hosts_arrive(hosts, &said, refused, mine, sizeof(*mine));
	if (!ret && hosts->machine)
		ret = pimdimm_hosts_allgather(hosts, mine, all, sizeof(*mine));
	if (!ret)
		ret = take_offers(c, hosts, all);
	free(all);
	return pc_hosts_over(hosts, ret);
}

static void cubes_doing(struct pc_crew *crew, enum pc_phase phase)
{
	static const enum pc_hosts_phase phases[PC_NR_PHASES] = {
		[PC_PHASE_REORDER] = PC_HOSTS_REGISTERS,
		[PC_PHASE_PULL] = PC_HOSTS_TO_HOST,
		[PC_PHASE_HOST] = PC_HOSTS_FOLDING,
		[PC_PHASE_PUSH] = PC_HOSTS_TO_MRAM,
		[PC_PHASE_REGISTERS] = PC_HOSTS_REGISTERS,
	};

	pc_hosts_doing(((struct pc_cubes *)crew)->hosts, phases[phase]);
}

static int cubes_meet(struct pc_crew *crew, uint32_t run)
{
	struct pc_cubes *c = (struct pc_cubes *)crew;

	pc_hosts_post(c->hosts, RUN_STEP(run));
	return pc_hosts_wait_all(c->hosts, RUN_STEP(run));
}

/* Who shares no memory with others waits for their messages alone. */
static int cubes_meet_nobody(struct pc_crew *crew, uint32_t run)
{
	(void)crew;
	(void)run;
	return 0;
}

/* Parts that lie one after the other: a buffer of all. */
static void *cubes_staging(struct pc_crew *crew, uint64_t bytes)
{
	struct pc_cubes *c = (struct pc_cubes *)crew;
	struct pimdimm_hosts_stats stats = c->hosts->stats;
	enum pc_hosts_kind kind = c->hosts->kind;
	void *part;

	crew->err = pimdimm_hosts_alloc(c->hosts, (bytes + crew->hosts - 1) / crew->hosts, &part);
	/* at one host or at all: they know, and may do without */
	crew->unstaged = crew->err && !c->hosts->broken;
	c->hosts->stats.ns_arrive += stats.ns_arrive;
	c->hosts->kind = kind;
	return crew->err ? NULL : c->hosts->segments->base;
}

/* The hypercube's entangled groups of each host: of the last ones it may have none. */
static void cut_hosts(struct pc_cubes *c, uint32_t nr_pes)
{
	const uint32_t all = nr_pes / PIMDIMM_CHIPS;

	for (uint32_t i = 0; i < c->crew.hosts; i++) {
		uint32_t end = PIMDIMM_BANKS * (c->parts[i].first_rank + c->parts[i].ranks);

		c->first_eg[i + 1] = end < all ? end : all;
	}
}

static int join_parts(struct pc_cubes *c, int refused)
{
	const struct pc_hosts_said said = { .args = { .kind = PC_HOSTS_CREATE } };
	int ret = pc_hosts_arrive(c->hosts, &said, refused, NULL, 0);
	struct pimdimm_hosts_stats stats;

	if (ret)
		return ret;
	ret = pc_cubes_map(c);
	stats = c->hosts->stats;
	/* a second time: all have it, or none keeps it */
	ret = pc_hosts_arrive(c->hosts, &said, ret, NULL, 0);
	c->hosts->stats = stats;
	return pc_hosts_over(c->hosts, ret);
}

int pc_cubes_join(struct pc_cubes *c, struct pimdimm_hosts *hosts, uint32_t nr_pes, int refused)
{
	struct pd_error_text kept;
	int ret;

	pd_error_save(&kept);
	ret = pimdimm_hosts_split(hosts, 0, (int)hosts->host, &c->hosts);
	if (ret)
		return ret;
	pd_error_restore(&kept);
	pc_hosts_attach(hosts, c->hosts);
	cut_hosts(c, nr_pes);
	c->crew.root = PIDCOMM_HOME;
	c->crew.first_eg = c->first_eg;
	c->crew.view = &c->view;
	c->crew.doing = cubes_doing;
	c->crew.at_once = c->hosts->spins && c->crew.threads <= c->hosts->pus;
	if (c->hosts->machine) {
		c->crew.mail = c->hosts->beyond->mail(c->hosts);
		c->crew.meet = cubes_meet_nobody;
	} else {
		c->crew.lines = (struct pc_crew_line *)c->hosts->scratch;
		c->crew.meet = cubes_meet;
		c->crew.staging = cubes_staging;
	}
	ret = join_parts(c, refused);
	if (ret)
		pc_cubes_leave(c);
	return ret;
}

void pc_cubes_leave(struct pc_cubes *c)
{
	pc_cubes_unmap(c);
	pimdimm_hosts_leave(c->hosts);
	c->hosts = NULL;
	free(c->bufs);
	c->bufs = NULL;
	c->nr_bufs = 0;
}

/* All that must be equal at all hosts; the groups' buffers need not be. */
static struct pc_hosts_args args_of_call(const struct pidcomm *hc, const struct pc_args *a,
					 uint32_t ndims, const char *algorithm)
{
	struct pc_hosts_args args = {
		.kind = PC_HOSTS_ON_CUBES + (uint32_t)a->id,
		.root = pc_is_rooted(a->id) ? hc->crew->root : PIDCOMM_HOME,
		.bytes = a->bytes,
		.src = a->src,
		.dst = a->dst,
		.words = "axes=",
	};
	size_t at = 5;
	unsigned int index;

	if (pc_traits[a->id].reduces) {
		args.type = a->type;
		args.op = pc_op_builtin(a->op, &index) ? index : UINT32_MAX;
	}
	memcpy(args.words + at, a->axes, ndims);
	at += ndims;
	args.words[at++] = ' ';
	strncpy(args.words + at, algorithm, sizeof(args.words) - 1 - at);
	return args;
}

/* Host 0's, read once; of hosts that share no memory each one's own. */
static int take_way(struct pc_cubes *c, struct pc_way own)
{
	struct pc_way *way = &c->crew.way;

	*way = own;
	if (c->crew.mail)
		return 0;
	memcpy(way, c->hosts->peers[0].way, sizeof(*way));
	if (way->algorithm < PC_NR_WAYS && way->stores <= PD_STORES_AROUND &&
	    way->why < PC_NR_WHYS && (c->crew.mapped || way->algorithm == PC_WAY_STAGED))
		return 0;
	return pc_hosts_break(c->hosts, EIO,
			      "the hosts' control page is corrupt: calls go no way %u, storing so: %u",
			      way->algorithm, way->stores);
}

/*
 * The tags of runs come again after so many calls: what is left of this host's tickets goes before
 * it arrives, as long as nobody takes any.
 */
static void forget_tickets(struct pc_cubes *c)
{
	struct pc_crew_line *line = c->crew.lines ? &c->crew.lines[c->crew.host] : NULL;

	/* a child of fork() has the memory of its parent, who may be in a call */
	if (line && !pc_hosts_is_child(c->hosts) &&
	    atomic_load_explicit(&line->taken, memory_order_relaxed))
		atomic_store_explicit(&line->taken, 0, memory_order_relaxed);
}

int pc_cubes_begin(struct pidcomm *hc, const struct pc_args *a, const struct pc_shape *shape,
		   const char *algorithm, struct pc_way way, int refused)
{
	struct pc_cubes *c = pc_cubes_of(hc);
	struct pc_hosts_said said = { .args = { .kind = PC_HOSTS_ON_CUBES + (uint32_t)a->id } };
	int ret;

	if (!refused) {
		said.args = args_of_call(hc, a, hc->cube.ndims, algorithm);
		said.mapped = !c->crew.mail && pc_cubes_say_buffers(c, a, shape);
		memcpy(said.way, &way, sizeof(way));
	}
	forget_tickets(c);
	ret = pc_hosts_arrive(c->hosts, &said, refused, NULL, 0);
	c->crew.tag = (uint32_t)(c->hosts->number << RUN_BITS);
	c->crew.runs = 0;
	c->crew.err = 0;
	c->crew.unstaged = false;
	if (!ret && ((ret = take_way(c, way)) || (ret = pc_cubes_map_buffers(c, a, shape))))
		ret = pc_hosts_over(c->hosts, ret);
	return ret;
}

int pc_cubes_end(struct pidcomm *hc, int ret)
{
	struct pc_cubes *c = pc_cubes_of(hc);

	return pc_hosts_leave_call(c->hosts, c->crew.err ? c->crew.err : ret);
}
