/* SPDX-License-Identifier: MIT */
/* Requests of messages: waited for, and turned into what users see of them. */
#ifndef PM_REQUESTS_H
#define PM_REQUESTS_H

#include "collectives/messages/world.h"

/* of a message to a user */
struct pimmsg_status pm_status_of(const struct pimmsg_end *end,
				  const struct me_status *status);
/* the status of what is nobody's */
struct pimmsg_status pm_status_none(void);
/* of requests that are done, which are no more then; the first error, and a sentence */
int pm_requests_finish(struct pimmsg_end *end, uint32_t nr, struct pimmsg_request *requests[],
		       struct pimmsg_status statuses[]);

static inline struct me_request *pm_request_of(struct pimmsg_request *request)
{
	return (struct me_request *)request;
}

/* an end of a call: the host does what nobody else would */
void pm_call_done(struct pimmsg_end *end);
/* the same of one that began a send or a receive */
void pm_call_begun(struct pimmsg_end *end);

#endif /* PM_REQUESTS_H */
