/* SPDX-License-Identifier: MIT */
/*
 * The file that a system of "mem:file=PATH" keeps its MRAM in: a header that says
 * which geometry it is of, then the window of one rank after the other, holes where
 * nothing was written.
 */
#ifndef PD_FILE_H
#define PD_FILE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/ranks/uri.h"

/* where the first window begins, and a multiple of which each of them takes */
#define PD_FILE_ALIGN	(UINT64_C(2) << 20)

struct pd_file {
	int fd;			/* locked as long as it is open */
	char *path;
	uint64_t rank_bytes;	/* from one window to the next */
	bool made;		/* by this system: a failure of it removes it */
	bool greedy;		/* even what is only read takes space: see room.h */
	pthread_mutex_t lock;	/* of those who claim space */
	uint64_t *claimed;	/* a bit for each chunk behind the header */
};

/*
 * Open the URI's file, make it if there is none, and lock it. Keys of the geometry that
 * the URI has not are the file's, and are set there; those that it has must agree.
 * Returns 0 or a negative errno and a sentence, and no file that was not there before.
 */
int pd_file_open(struct pd_uri *uri, struct pd_file **file);

/* failed: the system did not come to be; whatever was made for it goes */
void pd_file_close(struct pd_file *file, bool failed);

static inline off_t pd_file_begin(const struct pd_file *file, uint32_t rank)
{
	return (off_t)(PD_FILE_ALIGN + rank * file->rank_bytes);
}

#endif /* PD_FILE_H */
