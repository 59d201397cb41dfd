/* SPDX-License-Identifier: MIT */
/* How hosts of a machine among several join. */
#ifndef PC_HOSTS_HOSTS_H
#define PC_HOSTS_HOSTS_H

#include <pimdimm/hosts.h>

/* pimdimm_hosts_join() at a path; the timeline does not tell of it, nor who they are. */
int pc_hosts_join(const char *meeting, uint32_t host, uint32_t count,
		  const struct pimdimm_hosts_options *options, struct pimdimm_hosts **hosts);

#endif /* PC_HOSTS_HOSTS_H */
