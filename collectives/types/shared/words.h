/* SPDX-License-Identifier: MIT */
/* Layouts as words, which another process makes its own of. */
#ifndef PT_WORDS_H
#define PT_WORDS_H

#include <stddef.h>

#include "collectives/types/nodes.h"

/* words that were written; 0 where there is room for fewer, or the layout is too deep */
size_t pt_encode(const struct pt_node *node, int64_t words[], size_t room);

/*
 * The layout that such words name, whoever wrote them: no number of it reaches 2^63, and
 * its first byte lies at 0. -EBADMSG for words that make no sense, -ENOMEM.
 */
int pt_decode(const int64_t words[], size_t nr, struct pt_layout *layout);

#endif /* PT_WORDS_H */
