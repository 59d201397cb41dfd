/* SPDX-License-Identifier: MIT */
/* Buffers of messages: what users name, checked, and how it gets from one to another. */
#ifndef PM_PAYLOAD_H
#define PM_PAYLOAD_H

#include "collectives/messages/world.h"
#include "collectives/types/walk.h"

/*
 * What the engine knows of a buffer, and a use of its type until pm_buffer_release();
 * -EINVAL or -ENOMEM and a sentence.
 */
int pm_buffer_of(struct pimmsg_end *end, const struct pimmsg_buf *buf,
		 bool receives, struct me_buffer *out);
void pm_buffer_release(struct me_buffer *buffer);
bool pm_is_mram(const struct me_buffer *buffer);
/* as pimtype_move() names it */
void pm_mram_part(const struct me_buffer *buffer, uint32_t *pe,
		  struct pimtype_part *part);

int pm_gather(struct pm_world *world, const struct me_buffer *from, uint8_t *data);
int pm_scatter(struct pm_world *world, const struct me_buffer *to, uint64_t bytes,
	       const uint8_t *data);
/* all of `from`; in MRAM at one end at most, or nowhere collected */
int pm_copy_buffers(struct pm_world *world, const struct me_buffer *to,
		    const struct me_buffer *from);

/* memory of the host, where it is that, and whether all of it is one run */
uint8_t *pm_buffer_ptr(const struct me_buffer *buffer);
bool pm_buffer_is_run(const struct me_buffer *buffer);
/* the layout behind that address; its part is a run's only by count and type */
struct pimtype_part pm_buffer_whole(const struct me_buffer *buffer, struct pt_whole *whole);
/* bytes of the stream from `at` on, which has them, from or to memory; negative errno */
int pm_buffer_stream(struct pm_world *world, const struct me_buffer *buffer, uint64_t at,
		     uint8_t *data, uint64_t bytes, bool to_buffer);
/* whether elements of a signature may go to the first so many bytes */
bool pm_agree(const struct me_buffer *to, uint64_t bytes, uint64_t signature);

#endif /* PM_PAYLOAD_H */
