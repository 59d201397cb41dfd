// SPDX-License-Identifier: MIT
/* Finds buffers in memory that all hosts map, and gives such memory back. */
#include <stdlib.h>
#include <sys/mman.h>

#include "collectives/hosts/segments.h"

struct pc_hosts_place pc_hosts_place_of(const struct pimdimm_hosts *h, const void *buf,
					uint64_t bytes)
{
	for (const struct pc_hosts_segment *s = h->segments; s; s = s->next) {
		uint64_t at = (uint64_t)((uintptr_t)buf - (uintptr_t)(s->base + h->host * s->stride));

		if (!s->freed && at < s->stride && bytes <= s->stride - at)
			return (struct pc_hosts_place){ s->number, at };
	}
	return (struct pc_hosts_place){ 0 };
}

uint8_t *pc_hosts_at(const struct pimdimm_hosts *h, uint32_t host, struct pc_hosts_place place,
		     uint64_t bytes)
{
	for (const struct pc_hosts_segment *s = h->segments; s; s = s->next) {
		if (s->number == place.segment && place.offset < s->stride &&
		    bytes <= s->stride - place.offset)
			return s->base + host * s->stride + place.offset;
	}
	return NULL;
}

void pc_hosts_segment_drop(struct pc_hosts_segment *s)
{
	if (s && s->base)
		munmap(s->base, s->bytes);
	free(s);
}

uint64_t pc_hosts_oldest(const struct pimdimm_hosts *h)
{
	uint64_t oldest = UINT64_MAX;

	for (const struct pc_hosts_segment *s = h->segments; s; s = s->next) {
		if (!s->freed && s->number < oldest)
			oldest = s->number;
	}
	return oldest;
}

void pc_hosts_sweep(struct pimdimm_hosts *h, uint64_t oldest)
{
	for (struct pc_hosts_segment **at = &h->segments; *at;) {
		struct pc_hosts_segment *s = *at;

		if (!s->freed || s->number >= oldest) {
			at = &s->next;
			continue;
		}
		*at = s->next;
		pc_hosts_segment_drop(s);
	}
}

/*
 * The memory is given back at once. The addresses stay until all hosts have said, in an
 * arrival, that they use the segment no more: hosts that can map a buffer must not be fewer
 * than those that think so.
 */
void pimdimm_hosts_free(struct pimdimm_hosts *h, void *buf)
{
	if (!h || !buf)
		return;
	for (struct pc_hosts_segment *s = h->segments; s; s = s->next) {
		if (s->freed || buf != s->base + h->host * s->stride)
			continue;
		madvise(buf, s->stride, MADV_REMOVE);
		s->freed = true;
		return;
	}
}
