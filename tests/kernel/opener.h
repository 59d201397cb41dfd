/* SPDX-License-Identifier: MIT */
/*
 * A process that opens rank 0 as soon as it can, as udev or a program may, while
 * the module is being loaded.
 */
#ifndef OPENER_H
#define OPENER_H

#include <stdbool.h>

struct opener;

struct opener *opener_start(void);
/* It tries from now on. */
void opener_go(struct opener *opener);
/*
 * It closes what it has, and tries no more. Returns whether it has had the rank
 * open; @seen receives whether it found the node at all.
 */
bool opener_rest(struct opener *opener, bool *seen);
void opener_end(struct opener *opener);

#endif /* OPENER_H */
