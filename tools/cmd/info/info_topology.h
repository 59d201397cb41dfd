/* SPDX-License-Identifier: MIT */
/* What the library makes of the machine, for `pimdimm info`. */
#ifndef PIMDIMM_INFO_TOPOLOGY_H
#define PIMDIMM_INFO_TOPOLOGY_H

struct json_object;
struct pd_placement;

void info_topology_print(const struct pd_placement *placement);
struct json_object *info_topology_json(const struct pd_placement *placement);

#endif /* PIMDIMM_INFO_TOPOLOGY_H */
