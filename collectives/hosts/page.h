/* SPDX-License-Identifier: MIT */
/*
 * The memory that all hosts of a machine map: a head, a few lines of each host, and
 * scratch memory that calls pass data through. A host writes its own lines, the head
 * where something has gone wrong, and of the scratch what its call gives it. Nobody
 * believes what others write: numbers are read once, and no size, offset or index is
 * taken from here unchecked.
 */
#ifndef PC_HOSTS_PAGE_H
#define PC_HOSTS_PAGE_H

#include <stdatomic.h>
#include <stdint.h>

#define PC_HOSTS_MAGIC		UINT64_C(0x7374736f686d6970)	/* "pimhosts" */
#define PC_HOSTS_VERSION	5
/* hosts of one machine: their descriptors go into one message of a socket */
#define PC_HOSTS_MOST		128
/* what a host says with its arrival; vectors up to this size need no further step */
#define PC_HOSTS_CELL		4096
/* vectors up to this size lie beside what says that a host has arrived */
#define PC_HOSTS_TINY		16
#define PC_HOSTS_WORDS		256	/* bytes of a sentence */

/* the largest slice of a vector that is passed on, and of those that all hosts copy in */
#define PC_HOSTS_SLICE		(UINT64_C(256) << 10)
#define PC_HOSTS_SMALL_SLICE	(UINT64_C(8) << 10)

/* what a call is, as all hosts must agree on it; compared as bytes */
struct pc_hosts_args {
	uint32_t kind;		/* enum pc_hosts_kind */
	uint32_t algorithm;	/* as set: its row, or the number of rows for auto */
	uint32_t type, op;	/* of every user's operation: the same number */
	uint32_t root, reserved;
	uint64_t bytes;
	uint64_t counts;	/* a hash of them */
	uint64_t src, dst;	/* in MRAM, of collectives on hypercubes */
	char words[48];		/* what else tells such calls apart */
};

/* where a buffer lies that all map: 0 is none */
struct pc_hosts_place {
	uint64_t segment, offset;
};

/* what a host says as it arrives at a call */
struct pc_hosts_said {
	struct pc_hosts_args args;
	int32_t color, key;	/* of a split: a host's own */
	struct pc_hosts_place src, dst;
	uint64_t oldest;	/* segment that the host has not freed; else UINT64_MAX */
	uint32_t refused;	/* the host does not make the call; its words say why */
	uint8_t way[4];		/* how the call runs, struct pc_way: host 0's counts */
	uint32_t reserved;
	uint32_t mapped;	/* all map the buffers of the groups whose root the host is */
};

struct pc_hosts_record {
	struct pc_hosts_said said;
	/* written by the host again in the call that it arrived at, before it leaves */
	uint32_t failed;
	uint32_t faulted;	/* the host has mapped pages: later calls may be faster */
	char words[PC_HOSTS_WORDS];
};

/*
 * A host's lines. What neighbours poll lies apart from what they read once a call; two
 * lines of 64 bytes, since processors ask for the second with the first.
 */
struct pc_hosts_line {
	/* number of the call << 32 | how far the host is in it */
	_Alignas(128) _Atomic uint64_t step;
	/* of calls with even and odd numbers, as records: a hash of what the host says */
	uint64_t digest[2];
	uint8_t tiny[2][PC_HOSTS_TINY];
	/* written while others poll what is above: in other lines */
	_Alignas(128) _Atomic uint32_t bell, sleepers;	/* who sleeps until step changes */
	_Atomic uint32_t doing;			/* enum pc_hosts_kind << 8 | phase */
	_Atomic uint32_t left;
	/* of calls with even and odd numbers: nobody reads the one before the last */
	_Alignas(128) struct pc_hosts_record record[2];
	_Alignas(128) uint8_t cell[2][PC_HOSTS_CELL];
};

enum pc_hosts_broken { PC_HOSTS_WHOLE, PC_HOSTS_BREAKING, PC_HOSTS_BROKEN };

struct pc_hosts_page {
	uint64_t magic;
	uint32_t version, hosts;
	/* set once, by the first host to notice; the words say what happened */
	_Alignas(128) _Atomic uint32_t broken;
	int32_t code;
	char words[2 * PC_HOSTS_WORDS];
	struct pc_hosts_line line[];
};

static inline uint64_t pc_hosts_page_bytes(uint32_t hosts)
{
	uint64_t bytes = sizeof(struct pc_hosts_page) +
			 hosts * sizeof(struct pc_hosts_line);

	return (bytes + 4095) / 4096 * 4096;
}

/*
 * Scratch memory: the most of what algorithms ask for, in elements twice as wide as the
 * caller's. Pages that nobody touches take no memory.
 */
static inline uint64_t pc_hosts_scratch_bytes(uint32_t hosts)
{
	return (4 * UINT64_C(1) * hosts + 8) * 2 * PC_HOSTS_SLICE +
	       (hosts + UINT64_C(2)) * hosts * 2 * PC_HOSTS_SMALL_SLICE;
}

#endif /* PC_HOSTS_PAGE_H */
