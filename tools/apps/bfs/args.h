/* SPDX-License-Identifier: MIT */
/* What the host tells the PE program of bfs: offsets in MRAM, and its PE's part. */
#ifndef PIMDIMM_APPS_BFS_ARGS_H
#define PIMDIMM_APPS_BFS_ARGS_H

#include <stdint.h>

#define BFS_TASKLETS 16
/* the level of a vertex that is not reached */
#define BFS_UNREACHED UINT32_MAX

/* the vertices of a bitmap's word of 64 bits, the lowest first */
#define BFS_WORD_VERTICES 64

/* A vertex with edges of a PE's slice: they end where the next one's begin. */
struct bfs_source {
	uint32_t vertex;
	uint32_t first;		/* its first edge in the slice */
};

struct bfs_args {
	uint32_t next;		/* bitmap of what the last level found, all PEs' ... */
	uint32_t status;	/* ... and 8 bytes behind it: 1 for anything found */
	uint32_t visited;	/* bitmaps of all vertices, too */
	uint32_t frontier;
	uint32_t levels;	/* of this PE's range of vertices, 32 bits each */
	uint32_t sources;	/* of its slice of edges, and one more as their end */
	uint32_t targets;	/* where its edges lead to, 32 bits each */
	uint32_t nr_words;	/* of a bitmap */
	uint32_t first_word;	/* of the range */
	uint32_t end_word;
	uint32_t nr_sources;
	uint32_t nr_edges;
	uint32_t level;		/* of what is in `next` */
	uint32_t reserved;
};

#endif /* PIMDIMM_APPS_BFS_ARGS_H */
