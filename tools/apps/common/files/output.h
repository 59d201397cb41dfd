/* SPDX-License-Identifier: MIT */
/*
 * A file that is written whole or not at all, also where the program is interrupted:
 * a temporary one beside it that takes its name at the end.
 */
#ifndef PIMDIMM_APPS_OUTPUT_H
#define PIMDIMM_APPS_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

struct app_output {
	FILE *file;
	const char *path;	/* the caller's */
	char *target;		/* what it names, behind links */
	/* NULL: what the path names is no file, as a pipe is none, or standard output's */
	char *temporary;
};

/*
 * One is open at a time. Each returns 0, or TOOL_FAILED after a message that names the
 * file. After app_output_open() one of the others must follow.
 */
int app_output_open(struct app_output *output, const char *path);
/* Tells errors of writing, too. */
int app_output_keep(struct app_output *output);
void app_output_drop(struct app_output *output);

/*
 * SIGINT and SIGTERM, where they are not ignored, remove the temporary file before they
 * end the program as they always do.
 */
void app_output_interrupts(void);

#endif /* PIMDIMM_APPS_OUTPUT_H */
