// SPDX-License-Identifier: MIT
/* The PE programs of bfs, compiled and part of this one. */
#include "tools/apps/bfs/programs.h"

APP_PROGRAM(bfs_expand, "bfs/pe_expand");
