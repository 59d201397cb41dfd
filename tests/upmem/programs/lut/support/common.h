/* SPDX-License-Identifier: MIT */
/* What the host's part and the DPUs' part of this program share. */
#ifndef COMMON_H
#define COMMON_H

#include <stdint.h>

#define ENTRIES 1024
#define INPUTS 700
#define BUCKETS 64
#define NODES 512

/* a node of a list; links are numbers of nodes, 0 is none */
struct node {
	uint32_t key;
	uint32_t value;
	uint32_t next;
	uint8_t touched;
	uint8_t tag[3];
};

#endif
