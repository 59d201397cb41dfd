// SPDX-License-Identifier: MIT
/* Finds buffers in memory that all hosts map, and gives such memory back. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "runtime/base/threads.h"
#include "collectives/hosts/segments.h"

/* of all lists: a hypercube's calls, of whichever thread, look for its hosts' buffers */
static pthread_mutex_t segments_lock = PTHREAD_MUTEX_INITIALIZER;

PD_FORK_SAFE(&segments_lock);

static struct pc_hosts_place find_place(const struct pimdimm_hosts *h, const void *buf,
					uint64_t bytes)
{
	for (const struct pc_hosts_segment *s = h->segments; s; s = s->next) {
		uint64_t at = (uint64_t)((uintptr_t)buf - (uintptr_t)(s->base + h->host * s->stride));

		if (!s->freed && at < s->stride && bytes <= s->stride - at)
			return (struct pc_hosts_place){ s->number, at };
	}
	return (struct pc_hosts_place){ 0 };
}

static uint8_t *find_at(const struct pimdimm_hosts *h, uint32_t host, struct pc_hosts_place place,
			uint64_t bytes)
{
	for (const struct pc_hosts_segment *s = h->segments; s; s = s->next) {
		if (s->number == place.segment && place.offset < s->stride &&
		    bytes <= s->stride - place.offset)
			return s->base + host * s->stride + place.offset;
	}
	return NULL;
}

struct pc_hosts_place pc_hosts_place_of(const struct pimdimm_hosts *h, const void *buf,
					uint64_t bytes)
{
	struct pc_hosts_place place = { 0 };

	if (!__atomic_load_n(&h->segments, __ATOMIC_RELAXED))
		return place;
	pthread_mutex_lock(&segments_lock);
	place = find_place(h, buf, bytes);
	pthread_mutex_unlock(&segments_lock);
	return place;
}

uint8_t *pc_hosts_at(const struct pimdimm_hosts *h, uint32_t host, struct pc_hosts_place place,
		     uint64_t bytes)
{
	uint8_t *at;

	if (!__atomic_load_n(&h->segments, __ATOMIC_RELAXED))
		return NULL;
	pthread_mutex_lock(&segments_lock);
	at = find_at(h, host, place, bytes);
	pthread_mutex_unlock(&segments_lock);
	return at;
}

struct pc_hosts_place pc_hosts_place_in_whole(const struct pimdimm_hosts *part, const void *buf,
					      uint64_t bytes)
{
	const struct pimdimm_hosts *whole = pc_hosts_hold_whole(part);
	struct pc_hosts_place place = { 0 };

	if (whole)
		place = pc_hosts_place_of(whole, buf, bytes);
	pc_hosts_release_whole();
	return place;
}

uint8_t *pc_hosts_at_in_whole(const struct pimdimm_hosts *part, uint32_t host,
			      struct pc_hosts_place place, uint64_t bytes)
{
	const struct pimdimm_hosts *whole = pc_hosts_hold_whole(part);
	uint8_t *at = whole ? pc_hosts_at(whole, host, place, bytes) : NULL;

	pc_hosts_release_whole();
	return at;
}

void pc_hosts_segment_add(struct pimdimm_hosts *h, struct pc_hosts_segment *s)
{
	pthread_mutex_lock(&segments_lock);
	s->next = h->segments;
	__atomic_store_n(&h->segments, s, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&segments_lock);
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
	pthread_mutex_lock(&segments_lock);
	for (struct pc_hosts_segment **at = &h->segments; *at;) {
		struct pc_hosts_segment *s = *at;

		if (!s->freed || s->number >= oldest) {
			at = &s->next;
			continue;
		}
		__atomic_store_n(at, s->next, __ATOMIC_RELAXED);
		pc_hosts_segment_drop(s);
	}
	pthread_mutex_unlock(&segments_lock);
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
	if (h->machine)
		h = h->machine;
	pthread_mutex_lock(&segments_lock);
	for (struct pc_hosts_segment *s = h->segments; s; s = s->next) {
		if (s->freed || buf != s->base + h->host * s->stride)
			continue;
		madvise(buf, s->stride, MADV_REMOVE);
		s->freed = true;
		break;
	}
	pthread_mutex_unlock(&segments_lock);
}
