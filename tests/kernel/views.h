/* SPDX-License-Identifier: MIT */
/* The two views of a rank: its owner, and what touching them brings. */
#ifndef VIEWS_H
#define VIEWS_H

#include <signal.h>

#include "tests/kernel/rank.h"

/* Loads, or stores 1 to, a byte; the signal that this brings, or 0. */
int touch(volatile uint8_t *address, bool store);
/* What came with the thread's last signal of touch(). */
const siginfo_t *touch_signal(void);

int mux(int fd, uint32_t owner);
/* These end the test if they are refused. */
void to_pes(const struct rank *rank);
void to_host(const struct rank *rank);

/* A rank that offers MUX, else the test is skipped; with nothing mapped. */
void views_open(struct rank *rank);
/* Its whole PE view. */
uint8_t *views_map_pe(const struct rank *rank);

/* Both views mapped, the host's before the first call of MUX or after it. */
struct views {
	struct rank rank;	/* .window is the host view */
	uint8_t *pe;
	uint64_t size;
};
void views_start(struct views *views, bool mapped_first);

#endif /* VIEWS_H */
