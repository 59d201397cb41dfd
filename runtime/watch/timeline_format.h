/* SPDX-License-Identifier: MIT */
/* The timeline's events as text: lines of JSON, in the form of Chrome's trace events. */
#ifndef PD_TIMELINE_FORMAT_H
#define PD_TIMELINE_FORMAT_H

#include <stddef.h>
#include <stdint.h>

/* the longest of them */
#define PD_EVENT_BYTES	512

/* the process and thread that readers of the file show an event under */
struct pd_event_track {
	uint32_t pid, tid;
};

/*
 * All of them return an event's length. "M", the name of a process or a thread, by its kind;
 * `text` may hold anything: what JSON would quote becomes '?'.
 */
size_t pd_format_name(char event[PD_EVENT_BYTES], const char *kind,
		      const struct pd_event_track *track, const char *text);
/*
 * In at least `room` bytes: "X", a span from start to end, or "B", its begin. Half an event would
 * make the file no JSON, so one that is too long is none, of length 0.
 */
size_t pd_format_span(char event[PD_EVENT_BYTES], const char *phase,
		      const struct pd_event_track *track, const char *name, uint64_t start,
		      uint64_t end, const char *args, size_t room);
/* "s", where an arrow begins, or "f", where it ends: in the span around it */
size_t pd_format_arrow(char event[PD_EVENT_BYTES], const char *phase,
		       const struct pd_event_track *track, const char *name, uint64_t id,
		       uint64_t at);

#endif /* PD_TIMELINE_FORMAT_H */
