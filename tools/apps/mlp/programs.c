// SPDX-License-Identifier: MIT
/* The PE program of mlp. */
#include "tools/apps/mlp/programs.h"

APP_PROGRAM(mlp_gemm, "mlp/pe_gemm");
