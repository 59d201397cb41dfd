/* SPDX-License-Identifier: MIT */
/*
 * The file of the timeline. Every event is in it before the call that tells of it
 * goes on, so that whatever ends the process leaves them there: each is written by
 * one system call of its own, to the end for other processes write there, too, or
 * over an event that was written before and had room for it. Whoever calls holds
 * the timeline's lock.
 */
#ifndef PD_TIMELINE_FILE_H
#define PD_TIMELINE_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct pd_timeline_file {
	int fd;			/* appends */
	int inside;		/* writes where it is told to */
	bool inherited;		/* fd's position is the parent's, too */
	dev_t device;
	ino_t inode;
	off_t size;		/* when last looked at */
	uint32_t life;		/* another one where places do not count any more */
};

/* 0, or a negative errno and a sentence */
int pd_timeline_file_open(struct pd_timeline_file *f, const char *path);

/* A forked child has it now. */
void pd_timeline_file_forked(struct pd_timeline_file *f);

/*
 * 0, or an errno and nothing has been written. EBADF: the program has closed the
 * file, and what has its number is the program's.
 */
int pd_timeline_file_append(struct pd_timeline_file *f, const char *text,
			    size_t length, off_t *end);

/*
 * Write over what lies at `at`. 0 or an errno, as above; ESTALE: the file has another
 * life, in which something else lies there.
 */
int pd_timeline_file_replace(struct pd_timeline_file *f, off_t at,
			     uint32_t life, const char *text, size_t length);

#endif /* PD_TIMELINE_FILE_H */
