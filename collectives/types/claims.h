/* SPDX-License-Identifier: MIT */
/* Whether parts of one memory that a call reads and writes keep apart. */
#ifndef PT_CLAIMS_H
#define PT_CLAIMS_H

#include <stddef.h>

#include "collectives/types/walk.h"

struct pt_claim {
	const char *name;	/* for sentences, with its number */
	uint32_t index;
	bool written;
	const struct pimtype_part *part;
	const struct pt_whole *whole;	/* of it */
};

/*
 * 0; -EINVAL and a sentence where one that is written has a byte twice, or a byte of
 * another part; -ENOMEM, or -EINVAL for a PIMDIMM_LAYOUTS that is no number. The claims are
 * put into another order. Lists of up to 64 claims whose bytes were looked at lately, and
 * kept apart, are not looked at again.
 */
int pt_check_claims(struct pt_claim claims[], size_t nr);

#endif /* PT_CLAIMS_H */
