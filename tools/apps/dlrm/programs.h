/* SPDX-License-Identifier: MIT */
/* The PE programs of dlrm. */
#ifndef PIMDIMM_APPS_DLRM_PROGRAMS_H
#define PIMDIMM_APPS_DLRM_PROGRAMS_H

#include "tools/apps/common/program.h"

/* pe_lookup.c: rows of the tables; pe_dense.c: all layers and what is between them */
extern const struct app_program dlrm_lookup, dlrm_dense;

#endif /* PIMDIMM_APPS_DLRM_PROGRAMS_H */
