/* SPDX-License-Identifier: MIT */
/* Emulated machines on this one, and a command among them. */
#ifndef PIMDIMM_MACHINES_MACHINES_H
#define PIMDIMM_MACHINES_MACHINES_H

#include <stdint.h>

/* exit statuses beside those of the command, as timeout(1) has them */
enum {
	MACHINES_FAILED = 125,
	MACHINES_CANNOT = 126,
	MACHINES_NOT_FOUND = 127,
};

struct machines {
	uint32_t count, slots;
	uint64_t rate;		/* bits a second of each; 0: as fast as it goes */
	char **command;
};

/*
 * Makes them, runs the command in the network around them, and returns its exit status, or
 * one of the above after a message. Nothing is left then, nor when this process is killed.
 */
int machines_run(const struct machines *machines);

/* Runs words on a machine of those around this process; an exit status. */
int machines_on(const char *machine, char *const words[]);

#endif /* PIMDIMM_MACHINES_MACHINES_H */
