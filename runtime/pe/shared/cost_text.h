/* SPDX-License-Identifier: MIT */
/* What PIMDIMM_COST says: a set, a file of parameters, or parameters in one line. */
#ifndef PD_COST_TEXT_H
#define PD_COST_TEXT_H

#include <stdbool.h>

/* What says it, for messages: "FILE:3" or "item 2". */
struct pd_cost_place {
	const char *file;	/* NULL: the variable itself */
	unsigned int number;	/* of the line or item */
};

/* What is done with what it says: each 0, or an errno after the reader was told why. */
struct pd_cost_reader {
	bool (*is_set)(const char *name);
	int (*set)(struct pd_cost_reader *r, const struct pd_cost_place *at,
		   const char *name);
	int (*parameter)(struct pd_cost_reader *r, const struct pd_cost_place *at,
			 const char *name, const char *value);
	char why[512];
};

/* Hand all that @text says to the reader: 0, or an errno and why in r->why. */
int pd_cost_read_text(struct pd_cost_reader *r, const char *text);

/* EINVAL, with r->why made of the place and a sentence */
__attribute__((format(printf, 3, 4)))
int pd_cost_complain(struct pd_cost_reader *r, const struct pd_cost_place *at,
		     const char *format, ...);

#endif /* PD_COST_TEXT_H */
