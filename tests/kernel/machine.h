/* SPDX-License-Identifier: MIT */
/* What the machine says of itself, and files of its settings. */
#ifndef MACHINE_H
#define MACHINE_H

#include <stdbool.h>

/* The first number on the line of a file that begins with @key, or -1. */
long number_after(const char *path, const char *key);
/* The same of /proc/meminfo: kilobytes. */
long meminfo(const char *key);

/*
 * Kilobytes of free pages that processors keep for themselves: no figure of
 * /proc/meminfo has them, and there may be megabytes of them. Or -1.
 */
long kept_by_processors(void);
/*
 * Processors count for themselves, too, and it is root who has that summed up.
 * False: figures are as old as a second.
 */
bool refresh_counters(void);

bool write_text(const char *path, const char *text);

#endif /* MACHINE_H */
