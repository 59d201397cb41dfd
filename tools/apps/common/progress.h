/* SPDX-License-Identifier: MIT */
/* A line on the terminal about what takes longer than a second; nothing elsewhere. */
#ifndef PIMDIMM_APPS_PROGRESS_H
#define PIMDIMM_APPS_PROGRESS_H

#include <stdint.h>

/*
 * `done` of `total` parts of what the program is at; a total of 0 is not known. May be
 * called often, by one thread: it seldom does anything.
 */
void app_progress(const char *what, uint64_t done, uint64_t total);

/* Takes the line away, before anything else is printed. */
void app_progress_end(void);

#endif /* PIMDIMM_APPS_PROGRESS_H */
