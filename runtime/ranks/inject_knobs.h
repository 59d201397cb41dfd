/* SPDX-License-Identifier: MIT */
/* The knobs of injected faults, as URIs and PIMDIMM_INJECT set them. */
#ifndef PD_INJECT_KNOBS_H
#define PD_INJECT_KNOBS_H

#include <stdint.h>

struct pimdimm_inject;

/*
 * "KNOB:VALUE[@RANK]+...", of a rank or of all, into knobs[nr_ranks]; -EINVAL and a
 * sentence.
 */
int pd_knobs_parse(const char *text, struct pimdimm_inject knobs[],
		   uint32_t nr_ranks);

#endif /* PD_INJECT_KNOBS_H */
