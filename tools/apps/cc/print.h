/* SPDX-License-Identifier: MIT */
/* What the commands `cc` and `demo` say of a run of the application cc. */
#ifndef PIMDIMM_APPS_CC_PRINT_H
#define PIMDIMM_APPS_CC_PRINT_H

#include "tools/apps/common/context.h"

/* Debian's wordnet-base */
#define CC_WORDNET "/usr/share/wordnet"

/* Print the results; TOOL_FAILED, and a message, when they are wrong. */
int cc_print(const struct app_context *ctx);
struct json_object *cc_json(const struct app_context *ctx);

#endif /* PIMDIMM_APPS_CC_PRINT_H */
