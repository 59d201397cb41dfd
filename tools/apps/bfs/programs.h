/* SPDX-License-Identifier: MIT */
/* The PE programs of bfs. */
#ifndef PIMDIMM_APPS_BFS_PROGRAMS_H
#define PIMDIMM_APPS_BFS_PROGRAMS_H

#include "tools/apps/common/program.h"

extern const struct app_program bfs_expand;

#endif /* PIMDIMM_APPS_BFS_PROGRAMS_H */
