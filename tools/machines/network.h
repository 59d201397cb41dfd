/* SPDX-License-Identifier: MIT */
/*
 * The network of emulated machines: a bridge in the namespace around them, and a pair of
 * virtual links for each, whose end on the machine sends at a rate.
 */
#ifndef PIMDIMM_MACHINES_NETWORK_H
#define PIMDIMM_MACHINES_NETWORK_H

#include <stdint.h>
#include <sys/types.h>

#define NETWORK_SUBNET	"10.77.0.0/24"
#define NETWORK_BRIDGE	"br0"
#define NETWORK_LINK	"veth0"
/* machines, numbered from 0, have address 10.77.0.(1 + number), and the bridge the last one */
#define NETWORK_MACHINES 128u
#define NETWORK_OUTSIDE	 254u

/*
 * These return 0, or a negative errno after a message, which says what the kernel lacks. They
 * work on the network namespace of the caller.
 */
int network_bridge(void);
/* A link to the machine in whose network namespace a process is, called NETWORK_LINK there. */
int network_connect(uint32_t machine, pid_t process);
/* On the machine: its address, and the rate in bits a second; 0: as fast as it goes. */
int network_arrive(uint32_t machine, uint64_t rate);

#endif /* PIMDIMM_MACHINES_NETWORK_H */
