// SPDX-License-Identifier: MIT
/* Hypercubes over several hosts: made, and asked for what others do not have. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <pimdimm/hosts.h>

#include "runtime/base/error.h"
#include "runtime/base/threads.h"
#include "runtime/ranks/owner.h"
#include "collectives/api/comm.h"
#include "collectives/api/queue.h"
#include "collectives/cubes/cubes.h"
#include "collectives/hosts/traced.h"

static int check_create(const struct pimdimm *sys, unsigned int ndims, const uint32_t dims[],
			struct pidcomm **hc)
{
	if (!sys || !dims || !hc)
		return pd_error(EINVAL, "%s is NULL", !sys ? "sys" : !dims ? "dims" : "hc");
	if (!ndims || ndims > PIDCOMM_MAX_DIMS)
		return pd_error(EINVAL, "ndims=%u, expected 1 to %d", ndims, PIDCOMM_MAX_DIMS);
	return 0;
}

static struct pc_cubes_offer offer_of(const struct pimdimm *sys, unsigned int ndims,
				      const uint32_t dims[])
{
	struct pc_cubes_offer o = {
		.ndims = ndims,
		.ranks = sys->nr_ranks,
		.layout = sys->geometry.layout,
		.threads = pd_workers_threads(sys->workers),
		.isa = sys->isa,
		.mram_size = sys->geometry.mram_size,
	};

	memcpy(o.dims, dims, ndims * sizeof(*dims));
	return o;
}

/* Of the hypercube's PEs those of this host's system are its first ones, or none. */
static void find_own(struct pidcomm *hc, const struct pc_cubes *c)
{
	const uint32_t *first = &c->first_eg[c->crew.host];

	free(hc->members);
	hc->members = NULL;
	hc->first_pe = 0;
	hc->range_pes = PIMDIMM_CHIPS * (first[1] - first[0]);
	memset(&hc->ranks, 0, sizeof(hc->ranks));
	if (hc->range_pes)
		pd_ranks_of_range(&hc->ranks, 0, hc->range_pes);
}

/* All fits together; what fails at one host from here on does at all. */
static int create_agreed(struct pc_cubes *c, struct pimdimm_hosts *hosts, unsigned int ndims,
			 const uint32_t dims[], struct pidcomm **out)
{
	struct pidcomm *hc = NULL;
	uint32_t nr_pes;
	int ret = pc_comm_check_dims(c->nr_pes, "the hosts'", ndims, dims, &nr_pes);

	if (ret)
		return ret;
	ret = pc_comm_new(c->sys, NULL, 0, ndims, dims, nr_pes, &hc);
	ret = pc_cubes_join(c, hosts, nr_pes, ret);
	if (ret) {
		pidcomm_destroy(hc);
		return ret;
	}
	find_own(hc, c);
	hc->crew = &c->crew;
	*out = hc;
	return 0;
}

static int create_hosts(struct pimdimm_hosts *hosts, struct pimdimm *sys, unsigned int ndims,
			const uint32_t dims[], struct pidcomm **hc)
{
	struct pc_cubes_offer offer = { 0 };
	struct pc_cubes *c, none = { 0 };
	int ret;

	if (!hosts)
		return pd_error(EINVAL, "hosts is NULL");
	ret = check_create(sys, ndims, dims, hc);
	c = calloc(1, sizeof(*c));
	if (!ret && !c)
		ret = pd_error(ENOMEM, "no memory for a hypercube over %u hosts", hosts->hosts);
	if (!ret) {
		offer = offer_of(sys, ndims, dims);
		c->sys = sys;
	}
	ret = pc_cubes_agree(c ? c : &none, hosts, &offer, ret);
	if (!ret)
		ret = create_agreed(c, hosts, ndims, dims, hc);
	if (ret)
		free(c);
	return ret;
}

int pidcomm_create_hosts(struct pimdimm_hosts *hosts, struct pimdimm *sys, unsigned int ndims,
			 const uint32_t dims[], struct pidcomm **hc)
{
	int cancel = pd_cancel_off();
	struct pd_span span = pc_hosts_trace_begin(PC_HOSTS_CREATE);
	int ret = create_hosts(hosts, sys, ndims, dims, hc);

	pc_hosts_trace_end(&span, 0, ret);
	pd_cancel_restore(cancel);
	return ret;
}

int pidcomm_place(const struct pidcomm *hc, uint32_t pe, uint32_t *host, uint32_t *local_pe)
{
	const uint32_t eg = pd_eg_of(pe);
	uint32_t at = 0;

	if (!hc)
		return pd_error(EINVAL, "hc is NULL");
	if (pe >= (hc->crew ? hc->cube.nr_pes : hc->sys->geometry.nr_pes))
		return pd_error(EINVAL, "pe=%u, expected below the %s %u", pe,
				hc->crew ? "hypercube's" : "system's",
				hc->crew ? hc->cube.nr_pes : hc->sys->geometry.nr_pes);
	if (hc->crew) {
		while (eg >= hc->crew->first_eg[at + 1])
			at++;
		pe -= PIMDIMM_CHIPS * hc->crew->first_eg[at];
	}
	if (host)
		*host = at;
	if (local_pe)
		*local_pe = pe;
	return 0;
}

int pidcomm_set_root(struct pidcomm *hc, uint32_t host)
{
	if (!hc || !hc->crew)
		return pd_error(EINVAL, "%s", hc ? "the hypercube is not of pidcomm_create_hosts()" :
						   "hc is NULL");
	if (host != PIDCOMM_HOME && host >= hc->crew->hosts)
		return pd_error(EINVAL, "host=%u, expected below %u, or PIDCOMM_HOME", host,
				hc->crew->hosts);
	pc_queue_idle(hc);
	hc->crew->root = host;
	return 0;
}

int pidcomm_hosts_stats(const struct pidcomm *hc, struct pimdimm_hosts_stats *last_call)
{
	if (!hc || !hc->crew)
		return pd_error(EINVAL, "%s", hc ? "the hypercube is not of pidcomm_create_hosts()" :
						   "hc is NULL");
	return pimdimm_hosts_stats(pc_cubes_of(hc)->hosts, last_call);
}
