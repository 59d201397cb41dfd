/* SPDX-License-Identifier: MIT */
/* The PE program of mlp. */
#ifndef PIMDIMM_APPS_MLP_PROGRAMS_H
#define PIMDIMM_APPS_MLP_PROGRAMS_H

#include "tools/apps/common/program.h"

/* pe_gemm.c: a layer's partial sums */
extern const struct app_program mlp_gemm;

#endif /* PIMDIMM_APPS_MLP_PROGRAMS_H */
