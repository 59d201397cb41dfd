/* SPDX-License-Identifier: MIT */
/* What calls on host memory and those on MRAM have in common. */
#ifndef PT_STREAM_H
#define PT_STREAM_H

#include "collectives/types/walk.h"

/* [position, position + bytes) of a part's stream, which has them, from or to host memory */
void pt_stream(const struct pt_whole *whole, uint8_t *base, uint64_t position,
	       uint8_t *stream, uint64_t bytes, bool to_mem);

/*
 * Whether one part may be sent to another: -EMSGSIZE, -EPROTO, or -EINVAL where it
 * cannot receive, and a sentence that calls them by these names.
 */
int pt_check_parts(const char *to_name, const struct pimtype_part *to,
		   const struct pt_whole *whole_to, const char *from_name,
		   const struct pimtype_part *from,
		   const struct pt_whole *whole_from);

#endif /* PT_STREAM_H */
