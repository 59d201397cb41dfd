/* SPDX-License-Identifier: MIT */
/* Whether memory that another process hands over keeps its size. */
#ifndef PD_FIXED_H
#define PD_FIXED_H

#include <stdbool.h>

/*
 * A file that nobody can shorten, or a dma-buf. Of anything else a touch beyond an end
 * that somebody has moved would be SIGBUS.
 */
bool pd_fd_has_fixed_size(int fd);

#endif /* PD_FIXED_H */
