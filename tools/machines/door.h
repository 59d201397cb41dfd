/* SPDX-License-Identifier: MIT */
/*
 * How a command gets onto a machine: a process there listens at a socket, and starts what it
 * is asked to, with the files, the environment and the folder of who asks.
 */
#ifndef PIMDIMM_MACHINES_DOOR_H
#define PIMDIMM_MACHINES_DOOR_H

#include <stddef.h>

/* The socket of a machine, in a folder that all may reach; below 0: a negative errno. */
int door_open(const char *path);

/*
 * Starts what comes, for ever; the caller is the first process of the machine. Variables, a
 * list of NAME=VALUE that ends in NULL, are set for all that is started.
 */
_Noreturn void door_serve(int listener, char *const variables[]);

/*
 * Has the machine whose socket is at path run the words, with blanks between, as a shell's
 * command, and waits for its end, or that of the machine. Its exit status, 128 and the number
 * of a signal, or 255 after a message.
 */
int door_knock(const char *path, char *const words[]);

#endif /* PIMDIMM_MACHINES_DOOR_H */
