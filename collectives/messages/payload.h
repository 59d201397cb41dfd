/* SPDX-License-Identifier: MIT */
/* Buffers of messages: what users name, checked, and how it gets from one to another. */
#ifndef PM_PAYLOAD_H
#define PM_PAYLOAD_H

#include "collectives/messages/world.h"

/*
 * What the engine knows of a buffer, and a use of its type until pm_buffer_release();
 * -EINVAL or -ENOMEM and a sentence.
 */
int pm_buffer_of(const struct pimmsg_end *end, const struct pimmsg_buf *buf,
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
/* whether elements of a signature may go to the first so many bytes */
bool pm_agree(const struct me_buffer *to, uint64_t bytes, uint64_t signature);

#endif /* PM_PAYLOAD_H */
