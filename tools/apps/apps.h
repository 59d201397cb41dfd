/* SPDX-License-Identifier: MIT */
/* The applications that there are: each a descriptor app_NAME in a folder of its own. */
#ifndef PIMDIMM_APPS_H
#define PIMDIMM_APPS_H

#include <stddef.h>

#include "tools/apps/common/context.h"

/* The applications, in the order of `pimdimm app`. */
#define APPS(X) X(bfs) X(cc) X(gnn) X(mlp) X(dlrm)

#define APP_DECLARE(name) extern const struct app app_##name;
APPS(APP_DECLARE)

/* The applications in that order, NULL after the last. */
const struct app *app_at(size_t at);
const char *app_word(size_t at);

#endif /* PIMDIMM_APPS_H */
