// SPDX-License-Identifier: MIT
/* The timeline's events as text. */
#include <stdio.h>
#include <string.h>

#include "runtime/watch/timeline_format.h"

#define NAME_BYTES	96

/* of nanoseconds, in microseconds, by "%llu.%03u" */
#define MICROSECONDS(ns)	(unsigned long long)((ns) / 1000), (unsigned int)((ns) % 1000)

size_t pd_format_name(char event[PD_EVENT_BYTES], const char *kind,
		      const struct pd_event_track *track, const char *text)
{
	char clean[NAME_BYTES];
	size_t n = 0;

	for (; *text && n < sizeof(clean) - 1; text++)
		clean[n++] = *text < ' ' || *text > '~' || *text == '"' ||
			     *text == '\\' ? '?' : *text;
	clean[n] = '\0';
	return (size_t)snprintf(event, PD_EVENT_BYTES,
				"{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%u,\"tid\":%u,\"args\":{\"name\":\"%s\"}},\n",
				kind, track->pid, track->tid, clean);
}

size_t pd_format_span(char event[PD_EVENT_BYTES], const char *phase,
		      const struct pd_event_track *track, const char *name, uint64_t start,
		      uint64_t end, const char *args, size_t room)
{
	const size_t left = strlen(args) + strlen("}},\n");
	char dur[48] = "";
	size_t length;

	if (*phase == 'X')
		snprintf(dur, sizeof(dur), ",\"dur\":%llu.%03u", MICROSECONDS(end - start));
	length = (size_t)snprintf(event, PD_EVENT_BYTES,
				  "{\"ph\":\"%s\",\"name\":\"%s\",\"pid\":%u,\"tid\":%u,\"ts\":%llu.%03u%s,\"args\":{",
				  phase, name, track->pid, track->tid, MICROSECONDS(start), dur);
	if (length + left >= PD_EVENT_BYTES)
		return 0;
	while (length + left < room)
		event[length++] = ' ';
	return length + (size_t)snprintf(event + length, PD_EVENT_BYTES - length, "%s}},\n", args);
}

size_t pd_format_arrow(char event[PD_EVENT_BYTES], const char *phase,
		       const struct pd_event_track *track, const char *name, uint64_t id,
		       uint64_t at)
{
	return (size_t)snprintf(event, PD_EVENT_BYTES,
				"{\"ph\":\"%s\"%s,\"cat\":\"message\",\"name\":\"%s\",\"id\":%llu,\"pid\":%u,\"tid\":%u,\"ts\":%llu.%03u,\"args\":{}},\n",
				phase, *phase == 'f' ? ",\"bp\":\"e\"" : "", name,
				(unsigned long long)id, track->pid, track->tid, MICROSECONDS(at));
}
