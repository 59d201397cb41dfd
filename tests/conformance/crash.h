/* SPDX-License-Identifier: MIT */
/* Which case was running, should the process be killed by a signal. */
#ifndef TESTS_CRASH_H
#define TESTS_CRASH_H

void crash_watch(void);
void crash_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
