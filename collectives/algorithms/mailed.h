/* SPDX-License-Identifier: MIT */
/* What hosts do that share no memory: what they have for each other goes in messages. */
#ifndef PC_MAILED_H
#define PC_MAILED_H

#include "collectives/call/call.h"

/*
 * Take what a call needs, before hosts begin it together: one that has begun cannot be given up
 * by one host. conventional: by the domain transfer and in host memory, one step after the other.
 * Returns 0, or a negative errno and its sentence; either way req->mailed is to be released when
 * the call is over.
 */
int pc_mailed_reserve(struct pc_request *req, bool conventional);
void pc_mailed_release(struct pc_mailed *m);
int pc_mailed_run(struct pc_call *call);

#endif /* PC_MAILED_H */
