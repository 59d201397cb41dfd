/* SPDX-License-Identifier: MIT */
/* Two tasklets that meet. */
#ifndef HANDSHAKE_H
#define HANDSHAKE_H

#include <sysdef.h>

/**
 * handshake_notify() - meet the tasklet that waits for the caller, or will
 */
void handshake_notify(void);

/**
 * handshake_wait_for() - meet a tasklet that notifies, or will
 * @notifier: its number
 *
 * Return: 0; EALREADY, in errno too, when another tasklet already waits for it.
 */
int handshake_wait_for(sysname_t notifier);

#endif /* HANDSHAKE_H */
