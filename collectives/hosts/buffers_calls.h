/* SPDX-License-Identifier: MIT */
/* Which algorithm serves which call on buffers, for who tells of it. */
#ifndef PC_HOSTS_BUFFERS_CALLS_H
#define PC_HOSTS_BUFFERS_CALLS_H

#include "collectives/hosts/buffers.h"

/*
 * What "auto" takes for a call of this kind, of so many bytes, whose elements fold exactly in
 * any order or do not, by buffers that all map or not; and whether results are stored around
 * the caches.
 */
const struct pc_buffers_algorithm *pc_buffers_auto(struct pimdimm_hosts *h,
						   enum pc_hosts_kind kind, uint64_t bytes,
						   bool exact, bool mapped, bool *around);

#endif /* PC_HOSTS_BUFFERS_CALLS_H */
