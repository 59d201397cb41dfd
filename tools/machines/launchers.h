/* SPDX-License-Identifier: MIT */
/*
 * What has the launchers of MPI libraries start processes on the machines: a program that
 * they take for a remote shell, lists of machines, and their variables.
 */
#ifndef PIMDIMM_MACHINES_LAUNCHERS_H
#define PIMDIMM_MACHINES_LAUNCHERS_H

#include <stdint.h>

/* a folder of the namespace around the machines, which is gone with it */
#define LAUNCHERS_FOLDER	"/dev/shm/pimdimm-machines"
/* the variable that says that one is among machines: the folder; none of the library's */
#define LAUNCHERS_VARIABLE	"MACHINES_OF_PIMDIMM"

/*
 * Makes the folder and its files, and sets the variables, for so many machines with so many
 * processes each before the first one gets more. 0, or a negative errno after a message.
 */
int launchers_prepare(uint32_t machines, uint32_t slots);

/* /etc/hosts knows the machines' names from now on. */
int launchers_name_hosts(void);

#endif /* PIMDIMM_MACHINES_LAUNCHERS_H */
