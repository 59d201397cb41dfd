// SPDX-License-Identifier: MIT
/* The PE programs of cc, compiled and part of this one. */
#include "tools/apps/cc/programs.h"

APP_PROGRAM(cc_relax, "cc/pe_relax");
