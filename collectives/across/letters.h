/* SPDX-License-Identifier: MIT */
/* Messages of calls on hypercubes, as the transport carries them. */
#ifndef PC_ACROSS_LETTERS_H
#define PC_ACROSS_LETTERS_H

#include "collectives/across/machines.h"
#include "collectives/call/mail.h"

/*
 * NULL: no memory. What may still be written to when it is freed is the transport's, or nobody's
 * in a child of fork(), which has none: t is NULL.
 */
struct pc_letters *pc_letters_new(struct pc_world *w);
void pc_letters_free(struct pc_letters *box, const struct pimdimm_transport *t);
struct pc_mail *pc_letters_mail(struct pc_letters *box);

#endif /* PC_ACROSS_LETTERS_H */
