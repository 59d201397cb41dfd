/* SPDX-License-Identifier: MIT */
/* Numbers as people write them. */
#ifndef PIMDIMM_APPS_NUMBER_H
#define PIMDIMM_APPS_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Decimal digits; K, M or G behind them multiply by 1,024. False for all else. */
bool app_parse_number(const char *text, uint64_t *value);

#endif /* PIMDIMM_APPS_NUMBER_H */
