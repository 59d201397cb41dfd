// SPDX-License-Identifier: MIT
/* The PE programs of dlrm. */
#include "tools/apps/dlrm/programs.h"

APP_PROGRAM(dlrm_lookup, "dlrm/pe_lookup");
APP_PROGRAM(dlrm_dense, "dlrm/pe_dense");
