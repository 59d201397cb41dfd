// SPDX-License-Identifier: MIT
/* Keeps the tool's messages, and makes a sentence of the first one. */
#include <stdlib.h>
#include <string.h>

#include "tools/perf/suites/apps/apps_message.h"
#include "tools/tool.h"

void apps_message_catch(struct apps_message *message)
{
	*message = (struct apps_message){ 0 };
	message->file = open_memstream(&message->text, &message->bytes);
	if (message->file)
		tool_messages_to(message->file);
}

/* A message without what stands around a sentence. */
static void take_sentence(const char *message, char *sentence, size_t bytes)
{
	const char *hint = strstr(message, "; see `"), *begin = message;
	size_t length = hint ? (size_t)(hint - message) : strcspn(message, "\n");

	if (!strncmp(begin, "pimdimm", 7) && strstr(begin, ": "))
		begin = strstr(begin, ": ") + 2;
	length -= (size_t)(begin - message) < length ? (size_t)(begin - message) : length;
	snprintf(sentence, bytes, "%.*s", (int)length, begin);
}

void apps_message_take(struct apps_message *message, char *sentence, size_t bytes)
{
	*sentence = '\0';
	if (!message->file)
		return;
	tool_messages_to(NULL);
	/* which gives the text its end */
	if (!fclose(message->file) && message->text)
		take_sentence(message->text, sentence, bytes);
	free(message->text);
}
