/* SPDX-License-Identifier: MIT */
/* `pimdimm info --hosts` */
#ifndef PIMDIMM_INFO_HOSTS_H
#define PIMDIMM_INFO_HOSTS_H

#include <stdbool.h>
#include <stdint.h>

/* Of so many hosts, of which the first one prints. Returns an exit status. */
int info_hosts(uint32_t count, bool json);

#endif /* PIMDIMM_INFO_HOSTS_H */
