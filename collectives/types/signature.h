/* SPDX-License-Identifier: MIT */
/*
 * Signatures: the sequence of a type's elements, as a polynomial modulo 2^61 - 1, so
 * that those of sequences behind one another and of repetitions follow from their parts'.
 */
#ifndef PT_SIGNATURE_H
#define PT_SIGNATURE_H

#include <stdbool.h>
#include <stdint.h>

struct pt_sig {
	uint64_t sum;	/* of the elements, the last one's power being 0 */
	uint64_t power;	/* the base to the number of elements */
	uint64_t nr;	/* elements */
	bool packed;	/* some are PIMTYPE_PACKED: agrees with all */
	uint8_t only;	/* all are of one basic type: its number and 1; 0: they differ, or are none */
};

/* of no element, and of one, by its number */
struct pt_sig pt_sig_none(void);
struct pt_sig pt_sig_one(unsigned int which);
struct pt_sig pt_sig_join(struct pt_sig a, struct pt_sig b);
struct pt_sig pt_sig_repeat(struct pt_sig a, uint64_t n);
bool pt_sig_agree(struct pt_sig a, struct pt_sig b);

/* whether both are made of one basic type, so that as many bytes of them agree */
static inline bool pt_sig_alike(const struct pt_sig *a, const struct pt_sig *b)
{
	return a->only && a->only == b->only;
}

/* the number that users see and messages carry */
uint64_t pt_sig_hash(struct pt_sig a);

#endif /* PT_SIGNATURE_H */
