/* SPDX-License-Identifier: MIT */
/* What `pimdimm info --cost` tells: the cost model's parameters. */
#ifndef INFO_COST_H
#define INFO_COST_H

#include <stdbool.h>

/* 0, or TOOL_FAILED after a message */
int info_cost(bool json);

#endif /* INFO_COST_H */
