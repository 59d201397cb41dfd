/* SPDX-License-Identifier: MIT */
/* The generators that there are. */
#ifndef PIMDIMM_GRAPH_GENERATORS_H
#define PIMDIMM_GRAPH_GENERATORS_H

#include <stddef.h>

#include "tools/apps/common/graph/generator.h"

/* The generators by number, NULL after the last. */
const struct generator *generator_at(size_t at);

#endif /* PIMDIMM_GRAPH_GENERATORS_H */
