// SPDX-License-Identifier: MIT
/* The host buffers of a call, see hostbufs.h. */
#include <string.h>
#include <sys/mman.h>

#include "tests/conformance/hostbufs.h"
#include "tests/conformance/numeric.h"
#include "tests/conformance/support.h"

#define PAGE	4096

/* Where buffers begin in the arena; returns the arena's size. */
static size_t lay_out(struct hostbufs *h, struct rng *rng,
		      const struct call *call, size_t *at)
{
	bool shared = call->shared && collectives[call->collective].host_in;
	size_t pos = 64 + call->misalign, end = pos;

	for (uint32_t i = 0; i < h->nr; i++) {
		if (shared && i && rng_chance(rng, 70)) {
			at[i] = at[rng_below(rng, i)];
			continue;
		}
		at[i] = pos;
		end = pos + h->bytes;
		pos = call->misalign ? end + 32 + rng_below(rng, 64) :
				       (end + 127) / 64 * 64;
	}
	/* at the end of a page no guard is needed */
	return call->misalign % 2 ? end : end + 64;
}

/* An odd misalignment puts the arena's end at the end of its last page. */
static void map_arena(struct hostbufs *h, bool at_end)
{
	size_t pages = (h->arena_bytes + PAGE - 1) / PAGE;
	uint8_t *p;

	h->map_bytes = (pages + 2) * PAGE;
	h->map = mmap(NULL, h->map_bytes, PROT_NONE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	need(h->map == MAP_FAILED ? NULL : h->map);
	p = (uint8_t *)h->map + PAGE;
	need(mprotect(p, pages * PAGE, PROT_READ | PROT_WRITE) ? NULL : p);
	h->arena = at_end ? p + pages * PAGE - h->arena_bytes : p;
}

/* All hosts make the same choice, of the same size. */
static void alloc_arena(struct hostbufs *h, struct pimdimm_hosts *hosts)
{
	need(pimdimm_hosts_alloc(hosts, h->arena_bytes, &h->map) ? NULL : h);
	h->hosts = hosts;
	h->arena = h->map;
}

void hostbufs_make(struct hostbufs *h, struct rng *rng, const struct call *call,
		   struct pimdimm_hosts *hosts, uint32_t groups, uint32_t members)
{
	size_t *at = need(calloc(groups, sizeof(*at)));

	h->nr = groups;
	h->bytes = call_host_bytes(call, members);
	h->arena_bytes = lay_out(h, rng, call, at);
	h->hosts = NULL;
	if (hosts && rng_chance(rng, 50))
		alloc_arena(h, hosts);
	else
		map_arena(h, call->misalign % 2);
	h->expected = need(malloc(h->arena_bytes));
	rng_fill(rng, h->arena, h->arena_bytes);
	memcpy(h->expected, h->arena, h->arena_bytes);

	h->got = need(calloc(groups, sizeof(*h->got)));
	h->want = need(calloc(groups, sizeof(*h->want)));
	for (uint32_t i = 0; i < groups; i++) {
		h->got[i] = h->arena + at[i];
		h->want[i] = h->expected + at[i];
	}
	free(at);
}

void hostbufs_free(struct hostbufs *h)
{
	if (h->hosts)
		pimdimm_hosts_free(h->hosts, h->map);
	else
		munmap(h->map, h->map_bytes);
	free(h->expected);
	free(h->got);
	free(h->want);
}

bool hostbufs_compare(struct hostbufs *h, const struct call *call)
{
	const struct collective_traits *traits = &collectives[call->collective];
	bool settle = traits->host_out && traits->reduces;

	for (uint32_t i = 0; settle && i < h->nr; i++) {
		if (num_settle(call->type, h->want[i], h->got[i], h->bytes))
			continue;
		printf("# the buffer of group %u is wrong\n", i);
		return false;
	}
	if (!memcmp(h->arena, h->expected, h->arena_bytes))
		return true;
	for (size_t i = 0; i < h->arena_bytes; i++) {
		if (h->arena[i] == h->expected[i])
			continue;
		printf("# host memory, byte %zu of the arena (first buffer at "
		       "%td): expected %02x found %02x\n", i,
		       (uint8_t *)h->got[0] - h->arena, h->expected[i],
		       h->arena[i]);
		return false;
	}
	return true;
}
