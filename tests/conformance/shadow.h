/* SPDX-License-Identifier: MIT */
/*
 * What the MRAM of every PE should hold, as plain arrays of bytes, and as the
 * blocks that the ranks' windows should show. The tests write MRAM and compare
 * it through the windows alone, by the formulas of the design written out here
 * once more, so that no code of the library stands between.
 */
#ifndef TESTS_SHADOW_H
#define TESTS_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pimdimm/pidcomm.h>

struct shadow {
	struct pimdimm *sys;
	uint32_t nr_pes, nr_egs, layout;
	uint64_t mram_size, words;
	uint8_t **window;	/* of each rank; NULL: another host looks after it */
	/* by entangled group here, which one of the system it is: each once. PEs are
	 * numbered as a hypercube has them, and behind it those that it has not */
	uint32_t *place;
	size_t window_bytes;
	uint8_t *mram;		/* PE after PE */
	uint8_t *image;		/* entangled group after group, its blocks */
};

/* Where results are elements of @type, whose NaNs may differ. */
struct tolerance {
	bool set;
	enum pidcomm_type type;
	uint32_t pes;		/* the first ones */
	uint64_t low, high;	/* bytes of their MRAM */
};

int shadow_open(struct shadow *s, struct pimdimm *sys);
/* The system's ranks are those from `first` on of `ranks`, which several hosts have. */
int shadow_open_part(struct shadow *s, struct pimdimm *sys, uint32_t first, uint32_t ranks);
void shadow_close(struct shadow *s);

static inline uint8_t *shadow_at(const struct shadow *s, uint32_t pe,
				 uint64_t off)
{
	return s->mram + pe * s->mram_size + off;
}

/* Has other groups at other places; all MRAM is put into the windows anew. */
void shadow_place(struct shadow *s, const uint32_t place[]);

/* Brings the image of [low, high) of the first @pes PEs up to date. */
void shadow_refresh(struct shadow *s, uint32_t pes, uint64_t low, uint64_t high);

/* Brings that image up to date and puts it into the windows. */
void shadow_publish(struct shadow *s, uint32_t pes, uint64_t low, uint64_t high);

/*
 * Compares [low, high) of every PE with the windows. Returns whether all is
 * well; else prints the first difference as a TAP comment. A NaN where another
 * was expected is taken over.
 */
bool shadow_compare(struct shadow *s, uint64_t low, uint64_t high,
		    const struct tolerance *tolerance);

/* Whether what is not MRAM in the windows is zero. */
bool shadow_gaps_zero(const struct shadow *s);

#endif
