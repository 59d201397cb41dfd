// SPDX-License-Identifier: MIT
/* Memory for messages: with another process files that it maps, else pages. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collectives/messages/memory.h"
#include "runtime/base/error.h"
#include "runtime/base/signals.h"
#include "runtime/base/threads.h"
#include "runtime/base/util.h"

#define MOST_BYTES	(UINT64_C(1) << 46)
#define PAGE		4096u

/* of all worlds' lists: PEs of one allocate at once */
static pthread_mutex_t memory_lock = PTHREAD_MUTEX_INITIALIZER;

PD_FORK_SAFE(&memory_lock);

static int memory_refused(const struct pm_segment *s, int err)
{
	return pd_error(err == EFBIG || err == EINVAL ? ENOMEM : err,
			"no memory of %llu bytes for messages: %s", (unsigned long long)s->bytes,
			strerror(err));
}

/* a file whose size nobody changes, whoever has its descriptor */
static int memory_file(struct pm_segment *s)
{
	s->fd = memfd_create("pimdimm-pair-memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (s->fd < 0 || pd_set_file_size(s->fd, (off_t)s->bytes) ||
	    fcntl(s->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return memory_refused(s, errno);
	return 0;
}

static int memory_map(struct pm_segment *s)
{
	void *at = mmap(NULL, s->bytes, PROT_READ | PROT_WRITE,
			s->fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, s->fd, 0);

	if (at == MAP_FAILED)
		return memory_refused(s, errno);
	s->base = at;
	return 0;
}

static void memory_drop(struct pm_segment *s)
{
	int cancel = pd_cancel_off();

	if (s->base)
		munmap(s->base, s->bytes);
	if (s->fd >= 0)
		close(s->fd);
	free(s);
	pd_cancel_restore(cancel);
}

static int memory_make(struct pm_world *w, uint64_t bytes, struct pm_segment **segment)
{
	struct pm_segment *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return pd_error(ENOMEM, "no memory");
	s->fd = -1;
	s->bytes = pd_round_up(bytes, PAGE);
	ret = w->apart ? memory_file(s) : 0;
	if (!ret)
		ret = memory_map(s);
	if (ret)
		memory_drop(s);
	else
		*segment = s;
	return ret;
}

int pimmsg_alloc(struct pimmsg_end *end, size_t bytes, void **ptr)
{
	struct pm_segment *s;
	struct pm_world *w;
	int ret = pm_check_end(end);

	if (!ret && !ptr)
		ret = pd_error(EINVAL, "ptr is NULL");
	if (!ret && (!bytes || bytes > MOST_BYTES))
		ret = pd_error(EINVAL, "bytes=%zu, expected 1 to %llu", bytes,
			       (unsigned long long)MOST_BYTES);
	if (ret)
		return ret;
	w = end->world;
	ret = memory_make(w, bytes, &s);
	if (ret)
		return ret;
	pthread_mutex_lock(&memory_lock);
	s->number = ++w->last_segment;
	s->next = w->segments;
	w->segments = s;
	pthread_mutex_unlock(&memory_lock);
	if (w->apart)
		w->apart->share(w, s);
	*ptr = s->base;
	return 0;
}

int pimmsg_free(struct pimmsg_end *end, void *ptr)
{
	struct pm_segment *s, **link;
	int ret = pm_check_end(end);

	if (ret || !ptr)
		return ret;
	pthread_mutex_lock(&memory_lock);
	for (link = &end->world->segments; *link && (*link)->base != ptr;)
		link = &(*link)->next;
	s = *link;
	if (s)
		*link = s->next;
	pthread_mutex_unlock(&memory_lock);
	if (!s)
		return pd_error(EINVAL, "ptr is no memory of pimmsg_alloc() of this world");
	if (end->world->apart)
		end->world->apart->unshare(end->world, s);
	memory_drop(s);
	return 0;
}

struct pm_segment *pm_segment_of(struct pm_world *world, uintptr_t lo, uintptr_t hi)
{
	struct pm_segment *s;

	pthread_mutex_lock(&memory_lock);
	for (s = world->segments; s; s = s->next) {
		uintptr_t base = (uintptr_t)s->base;

		if (lo >= base && hi >= lo && hi <= base + s->bytes)
			break;
	}
	pthread_mutex_unlock(&memory_lock);
	return s;
}

void pm_segments_close(struct pm_world *world)
{
	while (world->segments) {
		struct pm_segment *s = world->segments;

		world->segments = s->next;
		memory_drop(s);
	}
}
