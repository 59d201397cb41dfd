/* SPDX-License-Identifier: MIT */
/* Messages of calls on hypercubes, as the transport carries them. */
#ifndef PC_ACROSS_MAIL_H
#define PC_ACROSS_MAIL_H

#include "collectives/across/machines.h"
#include "collectives/call/mail.h"

/* NULL: no memory. What may still be written to when it is freed is the transport's. */
struct pc_mail_box *pc_mail_box_new(struct pc_world *w);
void pc_mail_box_free(struct pc_mail_box *box, const struct pimdimm_transport *t);
struct pc_mail *pc_mail_of_box(struct pc_mail_box *box);

#endif /* PC_ACROSS_MAIL_H */
