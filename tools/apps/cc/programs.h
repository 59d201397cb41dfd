/* SPDX-License-Identifier: MIT */
/* The PE programs of cc. */
#ifndef PIMDIMM_APPS_CC_PROGRAMS_H
#define PIMDIMM_APPS_CC_PROGRAMS_H

#include "tools/apps/common/program.h"

extern const struct app_program cc_relax;

#endif /* PIMDIMM_APPS_CC_PROGRAMS_H */
