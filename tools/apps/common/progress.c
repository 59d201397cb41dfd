// SPDX-License-Identifier: MIT
/* Rewrites one line of the terminal on standard error, a few times a second. */
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "tools/apps/common/progress.h"
#include "tools/tool.h"

/* the first line comes after this, the next ones with pauses */
#define PROGRESS_FIRST_NS UINT64_C(1000000000)
#define PROGRESS_PAUSE_NS UINT64_C(200000000)

static struct {
	const char *what;	/* NULL: nothing is going on */
	uint64_t next;		/* time of the next line */
	bool shown;
} progress;

void app_progress_end(void)
{
	if (progress.shown)
		fputs("\r\033[K", stderr);
	progress.shown = false;
	progress.what = NULL;
}

void app_progress(const char *what, uint64_t done, uint64_t total)
{
	uint64_t now = tool_now();

	if (progress.what != what) {
		app_progress_end();
		progress.what = what;
		progress.next = now + PROGRESS_FIRST_NS;
	}
	if (now < progress.next || !isatty(STDERR_FILENO))
		return;
	progress.next = now + PROGRESS_PAUSE_NS;
	progress.shown = true;
	if (total)
		fprintf(stderr, "\r%s: %.0f %%\033[K", what,
			100.0 * (double)done / (double)total);
	else
		fprintf(stderr, "\r%s: %s\033[K", what, tool_count(done));
}
