// SPDX-License-Identifier: MIT
/* The PE programs of gnn, compiled and part of this one. */
#include "tools/apps/gnn/programs.h"

APP_PROGRAM(gnn_spmm, "gnn/pe_spmm");
APP_PROGRAM(gnn_gemm, "gnn/pe_gemm");
