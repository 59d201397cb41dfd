// SPDX-License-Identifier: MIT
/* Memory of pimmsg_alloc(): the other process is told of it, and maps it. */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collectives/messages/pair/pair.h"
#include "runtime/base/fixed.h"

/* Where the socket takes no more, it is told when it is first used. */
void pm_pair_share(struct pm_world *world, struct pm_segment *segment)
{
	struct pair *p = pair_of(world);
	const struct pair_note note = {
		.magic = PAIR_MAGIC,
		.version = PAIR_VERSION,
		.kind = PAIR_SEGMENT,
		.bytes = segment->bytes,
		.number = segment->number,
	};

	if (segment->told || p->broken || p->nr_told == PAIR_SEGMENTS ||
	    pm_pair_note_send(p->socket, &note, segment->fd))
		return;
	segment->told = true;
	p->nr_told++;
	pm_pair_close(segment->fd);
	segment->fd = -1;
}

/* what has been sent out of it, or was received there, is done: the news come behind that */
void pm_pair_unshare(struct pm_world *world, struct pm_segment *segment)
{
	struct pair *p = pair_of(world);
	struct pair_parcel *parcel;

	if (!segment->told || p->broken)
		return;
	p->nr_told--;
	me_lock(pair_node(p));
	parcel = pm_pair_parcel_new(p, 0);
	/* without memory for the news the other process keeps it mapped until the end */
	if (parcel) {
		parcel->head.kind = PAIR_FREED;
		parcel->head.at = segment->number;
		pm_pair_post(p, parcel);
	}
	me_unlock(pair_node(p));
	pm_pair_ring_bell(p);
}

static struct pair_mapped *segments_find(const struct pair *p, uint64_t number)
{
	struct pair_mapped *m = p->mapped;

	while (m && m->number != number)
		m = m->next;
	return m;
}

/* whether it has the size that was said, for good */
static bool segments_fit(const struct pair_note *note, int fd)
{
	return note->bytes && pd_fd_has_fixed_size(fd) &&
	       lseek(fd, 0, SEEK_END) == (off_t)note->bytes &&
	       (note->kind != PAIR_RANK || pm_pair_window_fits(note));
}

static struct pair_mapped *segments_map(const struct pair_note *note, int fd)
{
	struct pair_mapped *m = calloc(1, sizeof(*m));
	void *at = m ? mmap(NULL, note->bytes, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_NORESERVE, fd, 0) : MAP_FAILED;

	if (at == MAP_FAILED) {
		free(m);
		return NULL;
	}
	*m = (struct pair_mapped){ .number = note->number, .bytes = note->bytes, .base = at };
	if (note->kind == PAIR_RANK)
		m->view = pm_pair_window_view(note, at);
	if (note->kind != PAIR_RANK || m->view)
		return m;
	munmap(at, note->bytes);
	free(m);
	return NULL;
}

/* what cannot be mapped stays unknown: messages out of it take another way */
void pm_pair_segment_come(struct pair *p, const struct pair_note *note, int fd)
{
	struct pair_mapped *m = NULL;

	if (fd < 0)
		return;
	if (segments_find(p, note->number) || !segments_fit(note, fd))
		pm_pair_lied(p, "memory %llu is no sealed file of %llu bytes",
			     (unsigned long long)note->number, (unsigned long long)note->bytes);
	else if (p->nr_mapped < PAIR_SEGMENTS)
		m = segments_map(note, fd);
	pm_pair_close(fd);
	if (!m)
		return;
	m->next = p->mapped;
	p->mapped = m;
	p->nr_mapped++;
}

static void segments_unmap(struct pair *p, struct pair_mapped *m)
{
	struct pair_mapped **link = &p->mapped;

	while (*link != m)
		link = &(*link)->next;
	*link = m->next;
	munmap(m->base, m->bytes);
	free(m->view);
	free(m);
	p->nr_mapped--;
}

struct pair_mapped *pm_pair_mapped_get(struct pair *p, uint64_t number)
{
	struct pair_mapped *m = segments_find(p, number);

	/* the note was sent before what names it */
	if (!m) {
		pm_pair_listen(p);
		m = segments_find(p, number);
	}
	if (m)
		m->users++;
	return m;
}

void pm_pair_mapped_put(struct pair *p, struct pair_mapped *m)
{
	if (m && !--m->users && m->freed)
		segments_unmap(p, m);
}

int pm_pair_arrive_freed(struct pair *p, const struct pair_head *head)
{
	struct pair_mapped *m = pm_pair_mapped_get(p, head->at);

	if (m) {
		m->freed = true;
		pm_pair_mapped_put(p, m);
	}
	return 0;
}

void pm_pair_segments_drop(struct pair *p)
{
	while (p->mapped)
		segments_unmap(p, p->mapped);
}
