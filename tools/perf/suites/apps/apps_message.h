/* SPDX-License-Identifier: MIT */
/* Messages that say why something is left out: kept for a row, not printed. */
#ifndef PIMDIMM_PERF_APPS_MESSAGE_H
#define PIMDIMM_PERF_APPS_MESSAGE_H

#include <stdio.h>

struct apps_message {
	char *text;
	size_t bytes;
	FILE *file;	/* NULL: messages go where they always do */
};

/* From here on messages are kept. */
void apps_message_catch(struct apps_message *message);
/*
 * Until here. The first one's sentence, without what stands around it; "" if there was
 * none.
 */
void apps_message_take(struct apps_message *message, char *sentence, size_t bytes);

#endif /* PIMDIMM_PERF_APPS_MESSAGE_H */
