/* SPDX-License-Identifier: MIT */
/* What the functions of messages are there for. */
#ifndef PIMDIMM_PERF_SORTS_H
#define PIMDIMM_PERF_SORTS_H

/*
 * The first four are R03's categories of overhead. It leaves out what comes then:
 * checks of arguments, datatypes and communicators, the network, and copies of data.
 */
enum message_sort {
	MESSAGE_STATE,		/* requests, and how far a function is */
	MESSAGE_CLEANUP,	/* memory given back, locks, lists left */
	MESSAGE_QUEUES,		/* walks, matching, hashes, locks taken */
	MESSAGE_JUGGLING,	/* from one outstanding request to another */
	MESSAGE_CHECKS,
	MESSAGE_NETWORK,
	MESSAGE_COPIES,
	MESSAGE_PROGRAM,	/* the benchmark itself */
	MESSAGE_UNSORTED,
	MESSAGE_SORTS,
};

extern const char *const message_sort_names[MESSAGE_SORTS];

/* of a function, and the file that it is in, with any folders */
enum message_sort message_sort_of(const char *file, const char *function);

#endif /* PIMDIMM_PERF_SORTS_H */
