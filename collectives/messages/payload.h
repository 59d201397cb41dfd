/* SPDX-License-Identifier: MIT */
/* Buffers of messages: what users name, checked, and how it gets from one to another. */
#ifndef PM_PAYLOAD_H
#define PM_PAYLOAD_H

#include "collectives/messages/world.h"
#include "collectives/types/type.h"
#include "collectives/types/walk.h"

/* what the words of a buffer are */
enum {
	PM_WORD_PTR,	/* 0: MRAM */
	PM_WORD_PE,
	PM_WORD_OFFSET,
	PM_WORD_COUNT,
	PM_WORD_TYPE,
	PM_WORD_RUN,	/* 1: memory in one piece, at ptr + offset */
};

static inline uint8_t *pm_buffer_ptr(const struct me_buffer *buffer)
{
	return (uint8_t *)(uintptr_t)buffer->words[PM_WORD_PTR];
}

static inline bool pm_is_mram(const struct me_buffer *buffer)
{
	return !buffer->words[PM_WORD_PTR];
}

/* whether all of it is one run of memory */
static inline bool pm_buffer_is_run(const struct me_buffer *buffer)
{
	return buffer->words[PM_WORD_RUN];
}

/* whether it is memory of a kernel's, which can be read and written from anywhere */
static inline bool pm_buffer_is_plain(const struct pimmsg_end *end,
				      const struct me_buffer *buffer)
{
	return end->pe && !end->world->apart && pm_buffer_is_run(buffer);
}

/* where that is */
static inline uint8_t *pm_buffer_run(const struct me_buffer *buffer)
{
	return pm_buffer_ptr(buffer) + (int64_t)buffer->words[PM_WORD_OFFSET];
}

/*
 * Elements of one basic type in memory, as many as lately, as most messages are: what else there
 * is to know of layouts is known of them. False: to be looked at.
 */
static inline bool pm_buffer_known(const struct pimmsg_end *end, const struct pimmsg_buf *buf,
				   struct me_buffer *out)
{
	const struct pm_signature *last = &end->signatures[pm_signature_place(buf->part.count)];
	uint64_t at = (uint64_t)((uintptr_t)buf->ptr - (uintptr_t)end->wram);

	if (buf->part.type != last->basic || buf->part.count != last->count || buf->part.offset ||
	    !buf->ptr || buf->reserved || !last->basic)
		return false;
	/* what begins in the PE's WRAM stays there */
	if (at < end->wram_size && last->bytes > end->wram_size - at)
		return false;
	out->bytes = last->bytes;
	out->signature = last->signature;
	out->words[PM_WORD_PTR] = (uintptr_t)buf->ptr;
	out->words[PM_WORD_PE] = 0;
	out->words[PM_WORD_OFFSET] = 0;
	out->words[PM_WORD_COUNT] = last->count;
	out->words[PM_WORD_TYPE] = (uintptr_t)last->basic;
	out->words[PM_WORD_RUN] = 1;
	return true;
}

/* the same of whatever buffer, checked; -EINVAL or -ENOMEM and a sentence */
int pm_buffer_look(struct pimmsg_end *end, const struct pimmsg_buf *buf,
		   bool receives, struct me_buffer *out);

/*
 * What the engine knows of a buffer, and a use of its type until pm_buffer_release();
 * -EINVAL or -ENOMEM and a sentence.
 */
static inline int pm_buffer_of(struct pimmsg_end *end, const struct pimmsg_buf *buf,
			       bool receives, struct me_buffer *out)
{
	return buf && pm_buffer_known(end, buf, out) ? 0 :
						       pm_buffer_look(end, buf, receives, out);
}

static inline void pm_buffer_release(struct me_buffer *buffer)
{
	struct pimtype *type = (struct pimtype *)(uintptr_t)buffer->words[PM_WORD_TYPE];

	if (type && !type->basic)
		pt_type_release(type);
	buffer->words[PM_WORD_TYPE] = 0;
}

/* as pimtype_move() names it */
void pm_mram_part(const struct me_buffer *buffer, uint32_t *pe,
		  struct pimtype_part *part);

int pm_gather(struct pm_world *world, const struct me_buffer *from, uint8_t *data);
int pm_scatter(struct pm_world *world, const struct me_buffer *to, uint64_t bytes,
	       const uint8_t *data);
/* all of `from`; in MRAM at one end at most, or nowhere collected */
int pm_copy_buffers(struct pm_world *world, const struct me_buffer *to,
		    const struct me_buffer *from);

/* the layout behind that address; its part is a run's only by count and type */
struct pimtype_part pm_buffer_whole(const struct me_buffer *buffer, struct pt_whole *whole);
/* bytes of the stream from `at` on, which has them, from or to memory; negative errno */
int pm_buffer_stream(struct pm_world *world, const struct me_buffer *buffer, uint64_t at,
		     uint8_t *data, uint64_t bytes, bool to_buffer);
/* whether elements of a signature may go to the first so many bytes */
bool pm_agree(const struct me_buffer *to, uint64_t bytes, uint64_t signature);

#endif /* PM_PAYLOAD_H */
