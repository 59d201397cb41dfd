/* SPDX-License-Identifier: MIT */
/* The descriptor in which an algorithm ends. */
#ifndef PC_ALGORITHM_H
#define PC_ALGORITHM_H

#include <stdbool.h>

#include "collectives/call/collective.h"

struct pc_args;
struct pc_call;

/* one algorithm of one collective */
struct pc_algorithm {
	enum pc_collective collective;
	const char *name;
	const char *desc;	/* one line */
	const char *serves;	/* sizes, types and operations */
	int (*run)(struct pc_call *call);
	/* 0, or -EOPNOTSUPP and a sentence for a checked call that it does not
	 * serve; NULL: it serves all */
	int (*check)(const struct pc_algorithm *self,
		     const struct pc_args *args);
	bool assisted;		/* PEs do part of it */
};

/* what most serve */
#define PC_ALL_SIZES	"all sizes"
#define PC_ALL_TYPES	"all sizes, types and operations"

#endif /* PC_ALGORITHM_H */
