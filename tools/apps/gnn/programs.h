/* SPDX-License-Identifier: MIT */
/* The PE programs of gnn. */
#ifndef PIMDIMM_APPS_GNN_PROGRAMS_H
#define PIMDIMM_APPS_GNN_PROGRAMS_H

#include "tools/apps/common/program.h"

extern const struct app_program gnn_spmm, gnn_gemm;

#endif /* PIMDIMM_APPS_GNN_PROGRAMS_H */
