/* SPDX-License-Identifier: MIT */
/* Sentences for messages that were not received, or not sent. */
#ifndef PM_FAILURES_H
#define PM_FAILURES_H

#include "collectives/messages/world.h"

/* the error of a request that is done, and its sentence */
int pm_failure(const struct pimmsg_end *end, const struct me_request *request);

#endif /* PM_FAILURES_H */
