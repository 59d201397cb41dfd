/* SPDX-License-Identifier: MIT */
/* What the machine says of itself, and files of its settings. */
#ifndef MACHINE_H
#define MACHINE_H

#include <stdbool.h>

/* The first number on the line of a file that begins with @key, or -1. */
long number_after(const char *path, const char *key);
/* The same of /proc/meminfo: kilobytes. */
long meminfo(const char *key);

bool write_text(const char *path, const char *text);

#endif /* MACHINE_H */
