/* SPDX-License-Identifier: MIT */
/*
 * The MRAM of one PE as a worker sees it, and what is behind it: clusters, each
 * the same page of the eight PEs of an entangled group, transposed when the
 * first of them needs it and transposed back when the last is through.
 *
 * After pd_window_take_lane() the window holds pages of this PE and nothing
 * else; its other pages are holes.
 */
#ifndef PD_WINDOW_H
#define PD_WINDOW_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/pe/shared/abi.h"
#include "runtime/ranks/system.h"

struct pd_cluster {
	uint32_t page;
	uint8_t valid;		/* lanes whose bytes it has */
	uint8_t dirty;		/* lanes that changed it */
};

struct pd_window {
	int fd;			/* the slot's file, in which the window is a part */
	off_t begin;
	uint8_t *map;
	size_t map_bytes;
	uint32_t nr_pages;
	volatile uint8_t *flags;	/* shared with the worker, PE_PAGE_ */

	struct pimdimm *sys;
	uint32_t eg;
	uint8_t lanes;		/* those that are ours: their bytes are written */
	int lost;		/* there was no room for some of them: -errno */
	uint32_t lane;		/* the one in the window */
	bool committed;		/* some of what it changed has been kept */

	uint32_t *filled;	/* pages in the window */
	uint32_t nr_filled;
	uint8_t *given;		/* by page: how, enum pd_given */
	uint8_t *idle;		/* by page that is filled: how many PEs in turn had no use for it */

	uint32_t *cluster_of;	/* by page: index + 1, or 0; of all in the window */
	struct pd_cluster *clusters;
	uint32_t nr_clusters;
	uint8_t *data;
	uint8_t *blank;		/* NULL, or what pd_window_blank() returned last */
	bool noted;		/* and is of this group */
};

/* in a file, from a page on that begins there; flags: set by the caller, of
 * nr_pages bytes */
int pd_window_create(struct pd_window *w, struct pimdimm *sys, int fd,
		     off_t begin);
void pd_window_destroy(struct pd_window *w);

/*
 * The worker is parked: let go of the pages that a program has touched without
 * having been given them. Those in `filled` are then all that the window has.
 */
void pd_window_punch_strange(struct pd_window *w);
/* let go of all pages: another program follows */
void pd_window_empty(struct pd_window *w);

/* from here on PEs of this group run; lanes: a bit for each */
void pd_window_take_eg(struct pd_window *w, uint32_t eg, uint8_t lanes);
/*
 * The pages of this group that nobody ever wrote to, as far as is known, before the first
 * call: a bit each. NULL: no memory for them.
 */
const uint8_t *pd_window_blank(struct pd_window *w);
/* write back what they changed; a negative errno and a sentence: some had no room */
int pd_window_leave_eg(struct pd_window *w);

/*
 * Before a lane is taken: put bytes into a PE's MRAM, which they do not reach past.
 */
void pd_window_put(struct pd_window *w, uint32_t lane, uint32_t at, const uint8_t *from,
		   uint32_t bytes);
/* the worker is parked: put the pages that PEs before touched in the window */
void pd_window_take_lane(struct pd_window *w, uint32_t lane);
/* the worker is parked again: keep what the PE changed */
void pd_window_leave_lane(struct pd_window *w);

/*
 * The PE asks for a page below nr_pages, blank if it means to write over it; and,
 * if it is blank, once more for what it has not written. Returns whether others
 * had to be dropped, which the worker may have opened.
 */
bool pd_window_fill(struct pd_window *w, uint32_t page, bool blank);

/*
 * The worker is stopped, or parked with this PE's state: what the PE would read in a
 * page, which is not brought in for it.
 */
void pd_window_look(const struct pd_window *w, uint32_t page, uint8_t bytes[PE_PAGE]);
/* Change bytes of a page as the PE would; returns what pd_window_fill() does. */
bool pd_window_change(struct pd_window *w, uint32_t page, uint32_t off,
		      const uint8_t *bytes, uint32_t nr_bytes);

#endif /* PD_WINDOW_H */
