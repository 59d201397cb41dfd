/* SPDX-License-Identifier: MIT */
/* userfaultfd: pages that are not there until a test provides them. */
#ifndef USERFAULT_H
#define USERFAULT_H

#include <stddef.h>

/* For faults of user code, which anybody may handle; skips the test without it. */
int userfault_open(void);
/* For those of the kernel, too, which may be root's alone. */
int userfault_open_all(void);
/* Missing pages of a mapping; 0, or -1 and errno. */
int userfault_register(int fd, void *at, size_t bytes);
/* Waits until somebody stands at one. */
void userfault_wait(int fd);

#endif /* USERFAULT_H */
