// SPDX-License-Identifier: MIT
/* The pages of MRAM that a worker sees, transposed when they are asked for. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/base/error.h"
#include "runtime/pe/shared/shared.h"
#include "runtime/pe/process/window.h"
#include "runtime/ranks/holes.h"
#include "runtime/ranks/room.h"
#include "runtime/ranks/transfer.h"

/* 16 MiB of each PE; beyond it everything is written back and dropped */
#define MAX_CLUSTERS	4096u
#define MAX_AHEAD	64u
/*
 * How often, all together, pages that lie side by side are brought in for PEs that have no use
 * for them: about what it takes to make a hole of them, and to be asked for one of them again.
 */
#define MAX_IN_VAIN	16u

#define PAGE_WORDS	(PE_PAGE / PIMDIMM_WORD_BYTES)
/* lane pages of a cluster lie a line more than a page apart: not all in one set
 * of the cache */
#define LANE_BYTES	(PE_PAGE + 64)
#define CLUSTER_BYTES	(PIMDIMM_CHIPS * LANE_BYTES)
/* behind all clusters lies a page for what is not wanted */
#define DATA_BYTES	((size_t)MAX_CLUSTERS * CLUSTER_BYTES + PE_PAGE)

/* What the window holds of a page. The worker's flags say what it made of it. */
enum pd_given {
	GIVEN_NOT,
	GIVEN_WHOLE,
	GIVEN_BLANK,	/* zeros, and what the PE wrote since */
};

static uint8_t *lane_page(const struct pd_window *w, uint32_t cluster,
			  uint32_t lane)
{
	return w->data + (size_t)cluster * CLUSTER_BYTES + lane * LANE_BYTES;
}

static uint8_t *unwanted(const struct pd_window *w)
{
	return w->data + (size_t)MAX_CLUSTERS * CLUSTER_BYTES;
}

static uint8_t *window_page(const struct pd_window *w, uint32_t page)
{
	return w->map + (size_t)page * PE_PAGE;
}

static bool whole_group(const struct pd_window *w)
{
	return w->lanes == 0xff;
}

/* Whether the file that MRAM is kept in has room for a page. */
static bool has_room(struct pd_window *w, const struct pd_cluster *c, bool to_mram)
{
	int ret = pd_room_claim_pe(w->sys, PIMDIMM_CHIPS * w->eg,
				   (uint64_t)c->page * PE_PAGE, PE_PAGE, to_mram);

	if (ret)
		w->lost = ret;
	return !ret;
}

/* Have the bytes of all lanes that are ours; those that are there stay. */
static void fetch_lanes(struct pd_window *w, uint32_t cluster)
{
	struct pd_cluster *c = &w->clusters[cluster];
	uint8_t missing = w->lanes & (uint8_t)~c->valid;
	void *dst[PIMDIMM_CHIPS];

	if (!missing)
		return;
	c->valid |= missing;
	if (!has_room(w, c, false)) {
		for (uint32_t l = 0; l < PIMDIMM_CHIPS; l++) {
			if (missing & 1u << l)
				memset(lane_page(w, cluster, l), 0, PE_PAGE);
		}
		return;
	}
	for (uint32_t l = 0; l < PIMDIMM_CHIPS; l++)
		dst[l] = missing & 1u << l ? lane_page(w, cluster, l) :
					     unwanted(w);
	if (whole_group(w)) {
		pd_eg_get(w->sys, w->eg, (uint64_t)c->page * PAGE_WORDS,
			  PAGE_WORDS, dst, PD_STORES_PLAIN);
		return;
	}
	for (uint32_t l = 0; l < PIMDIMM_CHIPS; l++) {
		if (missing & 1u << l)
			pd_pe_read(w->sys, PIMDIMM_CHIPS * w->eg + l,
				   (uint64_t)c->page * PE_PAGE, dst[l], PE_PAGE);
	}
}

/* Others' lanes are theirs to write: of a part of a group only its own are. */
static void write_back(struct pd_window *w, uint32_t cluster)
{
	const struct pd_cluster *c = &w->clusters[cluster];
	const void *src[PIMDIMM_CHIPS];

	if (!c->dirty || !has_room(w, c, true))
		return;
	for (uint32_t l = 0; l < PIMDIMM_CHIPS; l++)
		src[l] = lane_page(w, cluster, l);
	if (whole_group(w)) {
		fetch_lanes(w, cluster);
		pd_eg_put(w->sys, w->eg, (uint64_t)c->page * PAGE_WORDS,
			  PAGE_WORDS, src, PD_STORES_PLAIN);
		return;
	}
	for (uint32_t l = 0; l < PIMDIMM_CHIPS; l++) {
		if (c->dirty & 1u << l)
			pd_pe_write(w->sys, PIMDIMM_CHIPS * w->eg + l,
				    (uint64_t)c->page * PE_PAGE, src[l],
				    PE_PAGE);
	}
}

static void drop_clusters(struct pd_window *w)
{
	for (uint32_t i = 0; i < w->nr_clusters; i++) {
		write_back(w, i);
		w->cluster_of[w->clusters[i].page] = 0;
	}
	w->nr_clusters = 0;
}

/* The cluster of a page, made if it must be; there is room for one more. */
static uint32_t need_cluster(struct pd_window *w, uint32_t page)
{
	uint32_t cluster = w->cluster_of[page];

	if (cluster)
		return cluster - 1;
	cluster = w->nr_clusters++;
	w->clusters[cluster] = (struct pd_cluster){ .page = page };
	w->cluster_of[page] = cluster + 1;
	return cluster;
}

/* Put a page in the window; nothing of what was there stays. */
static void bring_in(struct pd_window *w, uint32_t page, enum pd_given how)
{
	uint32_t cluster = need_cluster(w, page);

	if (how == GIVEN_BLANK) {
		memset(window_page(w, page), 0, PE_PAGE);
		w->flags[page] = PE_PAGE_BLANK;
	} else {
		fetch_lanes(w, cluster);
		memcpy(window_page(w, page), lane_page(w, cluster, w->lane),
		       PE_PAGE);
		w->flags[page] = PE_PAGE_RESIDENT;
	}
	w->given[page] = (uint8_t)how;
}

/* Copy the quarters of a page that these flags name. */
static void copy_quarters(uint8_t *dst, const uint8_t *src, unsigned int flags)
{
	if ((flags & PE_PAGE_QUARTERS) == PE_PAGE_QUARTERS) {
		memcpy(dst, src, PE_PAGE);
		return;
	}
	for (unsigned int q = 0; q < 4; q++) {
		if (flags & PE_PAGE_QUARTER << q)
			memcpy(dst + q * PE_QUARTER_BYTES,
			       src + q * PE_QUARTER_BYTES, PE_QUARTER_BYTES);
	}
}

/* A blank page gets what the PE has not written. */
static void complete(struct pd_window *w, uint32_t page)
{
	uint32_t cluster = w->cluster_of[page] - 1;
	uint8_t flags = w->flags[page];

	fetch_lanes(w, cluster);
	copy_quarters(window_page(w, page), lane_page(w, cluster, w->lane),
		      ~(unsigned int)flags);
	w->flags[page] = (flags & ~PE_PAGE_BLANK) | PE_PAGE_RESIDENT;
	w->given[page] = GIVEN_WHOLE;
}

static void punch_pages(struct pd_window *w, uint32_t page, uint32_t pages)
{
	/* it cannot fail on a memfd of ours */
	fallocate(w->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		  w->begin + (off_t)page * PE_PAGE, (off_t)pages * PE_PAGE);
}

void pd_window_empty(struct pd_window *w)
{
	punch_pages(w, 0, w->nr_pages);
	for (uint32_t i = 0; i < w->nr_filled; i++)
		w->given[w->filled[i]] = GIVEN_NOT;
	w->nr_filled = 0;
}

/* Make holes of those of these pages that were not given. */
static void punch_strange_of(struct pd_window *w, uint32_t page, uint32_t end)
{
	while (page < end) {
		uint32_t first = page;

		while (page < end && !w->given[page])
			page++;
		if (page > first)
			punch_pages(w, first, page - first);
		while (page < end && w->given[page])
			page++;
	}
}

void pd_window_punch_strange(struct pd_window *w)
{
	const off_t whole = w->begin + (off_t)w->map_bytes;
	off_t from, to = w->begin;

	for (;;) {
		from = lseek(w->fd, to, SEEK_DATA);
		if (from < 0 && errno == ENXIO)
			return;
		/* whoever cannot tell has all of them */
		to = from < 0 ? whole : lseek(w->fd, from, SEEK_HOLE);
		from = from < 0 ? w->begin : from;
		to = to < 0 || to > whole ? whole : to;
		if (from >= to)
			return;
		punch_strange_of(w, (uint32_t)((from - w->begin) / PE_PAGE),
				 (uint32_t)((to - w->begin) / PE_PAGE));
	}
}

/*
 * Keep in its cluster what the PE wrote to a page. One that it did not write
 * over after all is given whole the next time.
 */
static void keep_page(struct pd_window *w, uint32_t page, uint8_t flags)
{
	uint32_t cluster = w->cluster_of[page] - 1;
	struct pd_cluster *c = &w->clusters[cluster];

	if (w->given[page] == GIVEN_WHOLE) {
		flags |= PE_PAGE_QUARTERS;
	} else if ((flags & PE_PAGE_QUARTERS) != PE_PAGE_QUARTERS) {
		fetch_lanes(w, cluster);
		w->given[page] = GIVEN_WHOLE;
	}
	copy_quarters(lane_page(w, cluster, w->lane), window_page(w, page),
		      flags);
	c->valid |= (uint8_t)(1u << w->lane);
	c->dirty |= (uint8_t)(1u << w->lane);
}

static void copy_out(struct pd_window *w)
{
	for (uint32_t i = 0; i < w->nr_filled; i++) {
		uint32_t page = w->filled[i];
		uint8_t flags = w->flags[page];

		if (flags & PE_PAGE_DIRTY)
			keep_page(w, page, flags);
	}
}

/* No room: forget everything, so that it is had from MRAM again. */
static void make_room(struct pd_window *w)
{
	copy_out(w);
	w->committed = true;
	drop_clusters(w);
	for (uint32_t i = 0; i < w->nr_filled; i++)
		w->flags[w->filled[i]] = 0;
	pd_window_empty(w);
}

/* How many pages to bring in: twice as many as came in sequence before. */
static uint32_t pages_ahead(const struct pd_window *w, uint32_t page)
{
	uint32_t n = 0;

	while (n < MAX_AHEAD && n < page && w->given[page - n - 1])
		n++;
	return n ? n : 1;
}

bool pd_window_fill(struct pd_window *w, uint32_t page, bool blank)
{
	uint32_t end = page + pages_ahead(w, page);
	bool dropped = false;

	if (w->given[page] == GIVEN_BLANK && !blank)
		complete(w, page);
	if (w->given[page])
		return false;
	if (end > w->nr_pages)
		end = w->nr_pages;
	if (w->nr_clusters + (end - page) > MAX_CLUSTERS ||
	    w->nr_filled + (end - page) > MAX_CLUSTERS) {
		make_room(w);
		dropped = true;
	}
	for (; page < end && !w->given[page]; page++) {
		bring_in(w, page, blank ? GIVEN_BLANK : GIVEN_WHOLE);
		w->idle[page] = 0;
		w->filled[w->nr_filled++] = page;
	}
	return dropped;
}

/* What MRAM holds of a page, or what is kept for it. */
static void look_behind(const struct pd_window *w, uint32_t page, uint8_t bytes[PE_PAGE])
{
	uint32_t cluster = w->cluster_of[page];

	if (cluster && w->clusters[cluster - 1].valid & 1u << w->lane)
		memcpy(bytes, lane_page(w, cluster - 1, w->lane), PE_PAGE);
	else
		pd_pe_read(w->sys, PIMDIMM_CHIPS * w->eg + w->lane,
			   (uint64_t)page * PE_PAGE, bytes, PE_PAGE);
}

void pd_window_look(const struct pd_window *w, uint32_t page, uint8_t bytes[PE_PAGE])
{
	unsigned int written = PE_PAGE_QUARTERS;

	if (w->given[page] != GIVEN_WHOLE) {
		look_behind(w, page, bytes);
		written = w->given[page] ? w->flags[page] : 0;
	}
	copy_quarters(bytes, window_page(w, page), written);
}

bool pd_window_change(struct pd_window *w, uint32_t page, uint32_t off,
		      const uint8_t *bytes, uint32_t nr_bytes)
{
	bool dropped = pd_window_fill(w, page, false);

	memcpy(window_page(w, page) + off, bytes, nr_bytes);
	w->flags[page] |= PE_PAGE_TOUCHED | PE_PAGE_DIRTY;
	return dropped;
}

/* Pages from the i-th filled one on that lie side by side and were of no use to the PE before. */
static uint32_t idle_run(const struct pd_window *w, uint32_t i)
{
	uint32_t n = 0;

	while (i + n < w->nr_filled && w->filled[i + n] == w->filled[i] + n &&
	       !(w->flags[w->filled[i + n]] & PE_PAGE_TOUCHED))
		n++;
	return n;
}

/* Whether such pages have been brought in for nobody so often that a hole takes less. */
static bool idle_too_long(struct pd_window *w, uint32_t page, uint32_t n)
{
	uint32_t in_vain = 0;

	for (uint32_t i = 0; i < n; i++)
		in_vain += ++w->idle[page + i];
	return in_vain >= MAX_IN_VAIN;
}

/* Make holes of pages that PEs have stopped touching. */
static void punch_idle(struct pd_window *w)
{
	uint32_t kept = 0, n;

	for (uint32_t i = 0; i < w->nr_filled; i += n) {
		uint32_t page = w->filled[i];

		n = idle_run(w, i);
		if (n && idle_too_long(w, page, n)) {
			punch_pages(w, page, n);
			memset(w->given + page, GIVEN_NOT, n);
			continue;
		}
		if (!n) {
			n = 1;
			w->idle[page] = 0;
		}
		for (uint32_t k = 0; k < n; k++)
			w->filled[kept++] = page + k;
	}
	w->nr_filled = kept;
}

void pd_window_take_lane(struct pd_window *w, uint32_t lane)
{
	uint32_t n;

	punch_idle(w);
	if (w->nr_filled > MAX_CLUSTERS / 2)
		pd_window_empty(w);
	n = w->nr_filled;
	if (w->nr_clusters + n > MAX_CLUSTERS)
		drop_clusters(w);
	memset((uint8_t *)w->flags, 0, w->nr_pages);
	w->lane = lane;
	w->committed = false;
	for (uint32_t i = 0; i < n; i++)
		bring_in(w, w->filled[i], w->given[w->filled[i]]);
}

/* Put some of a page into the lane of its cluster. */
static void put_piece(struct pd_window *w, uint32_t lane, uint32_t at, const uint8_t *from,
		      uint32_t bytes)
{
	uint32_t cluster;

	if (w->nr_clusters == MAX_CLUSTERS && !w->cluster_of[at / PE_PAGE])
		drop_clusters(w);
	cluster = need_cluster(w, at / PE_PAGE);
	fetch_lanes(w, cluster);
	memcpy(lane_page(w, cluster, lane) + at % PE_PAGE, from, bytes);
	w->clusters[cluster].dirty |= (uint8_t)(1u << lane);
}

void pd_window_put(struct pd_window *w, uint32_t lane, uint32_t at, const uint8_t *from,
		   uint32_t bytes)
{
	while (bytes) {
		uint32_t n = PE_PAGE - at % PE_PAGE;

		if (n > bytes)
			n = bytes;
		put_piece(w, lane, at, from, n);
		at += n;
		from += n;
		bytes -= n;
	}
}

void pd_window_leave_lane(struct pd_window *w)
{
	copy_out(w);
}

void pd_window_take_eg(struct pd_window *w, uint32_t eg, uint8_t lanes)
{
	w->eg = eg;
	w->lanes = lanes;
	w->noted = false;
}

const uint8_t *pd_window_blank(struct pd_window *w)
{
	struct pd_holes holes = { 0 };

	if (!w->blank)
		w->blank = calloc(PE_MRAM_PAGES / 8, 1);
	if (!w->blank || w->noted)
		return w->blank;
	w->noted = true;
	for (uint32_t page = 0; page < w->nr_pages; page++) {
		uint8_t bit = (uint8_t)(1u << page % 8);

		if (pd_is_hole(w->sys, &holes, w->eg, (uint64_t)page * PD_HOLE_WORDS))
			w->blank[page / 8] |= bit;
		else
			w->blank[page / 8] &= (uint8_t)~bit;
	}
	return w->blank;
}

int pd_window_leave_eg(struct pd_window *w)
{
	int lost;

	drop_clusters(w);
	lost = w->lost;
	w->lost = 0;
	return lost ? pd_error(-lost, "MRAM of PEs %u to %u lost what they wrote: no room in its file: %s",
			       PIMDIMM_CHIPS * w->eg,
			       PIMDIMM_CHIPS * w->eg + PIMDIMM_CHIPS - 1,
			       strerror(-lost)) : 0;
}

static int map_file(struct pd_window *w)
{
	w->map = mmap(NULL, w->map_bytes, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_NORESERVE, w->fd, w->begin);
	if (w->map == MAP_FAILED) {
		w->map = NULL;
		return -1;
	}
	/* so that its pages can be counted */
	madvise(w->map, w->map_bytes, MADV_NOHUGEPAGE);
	return 0;
}

int pd_window_create(struct pd_window *w, struct pimdimm *sys, int fd,
		     off_t begin)
{
	*w = (struct pd_window){
		.sys = sys,
		.fd = fd,
		.begin = begin,
		.map_bytes = sys->geometry.mram_size,
		.nr_pages = (uint32_t)(sys->geometry.mram_size / PE_PAGE),
	};
	w->filled = calloc(MAX_CLUSTERS, sizeof(*w->filled));
	w->given = calloc(w->nr_pages, sizeof(*w->given));
	w->idle = calloc(w->nr_pages, sizeof(*w->idle));
	w->cluster_of = calloc(w->nr_pages, sizeof(*w->cluster_of));
	w->clusters = calloc(MAX_CLUSTERS, sizeof(*w->clusters));
	w->data = mmap(NULL, DATA_BYTES, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (w->data == MAP_FAILED)
		w->data = NULL;
	if (w->filled && w->given && w->idle && w->cluster_of && w->clusters && w->data &&
	    !map_file(w))
		return 0;
	pd_window_destroy(w);
	return pd_error(ENOMEM, "no memory for the MRAM window of a worker process");
}

void pd_window_destroy(struct pd_window *w)
{
	if (w->map)
		munmap(w->map, w->map_bytes);
	if (w->data)
		munmap(w->data, DATA_BYTES);
	free(w->filled);
	free(w->given);
	free(w->idle);
	free(w->cluster_of);
	free(w->clusters);
	free(w->blank);
}
