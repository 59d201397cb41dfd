/* SPDX-License-Identifier: MIT */
/*
 * The module as tests load and unload it, SELFTEST_KO naming its file. On a
 * user's machine it is not ours to unload.
 */
#ifndef LOADING_H
#define LOADING_H

/* Unloads the module; skips the test where this is not ours to do. */
void need_unloaded(void);

/* Its file, to be read. */
int open_module(void);

/* What the system calls return. */
int load_from(int fd, const char *parameters);
int load(const char *parameters);
int unload(void);

/* How many nodes there are. */
int count_nodes(void);

/* Neither the module nor what it makes. */
void expect_nothing_left(void);

#endif /* LOADING_H */
