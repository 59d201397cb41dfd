/* SPDX-License-Identifier: MIT */
/*
 * Code that is put into a function: the count, which is a value that blocks hand on, and
 * where the function calls or returns is added to pe_self.instructions of the tasklet.
 */
#ifndef COUNT_WRITER_H
#define COUNT_WRITER_H

#include <stdbool.h>
#include <stdio.h>

#include "tools/upmem/count/inside.h"
#include "tools/upmem/count/ir.h"
#include "tools/upmem/count/profile.h"
#include "tools/upmem/count/width.h"

/* pe_self of runtime/pe/shared/abi.h: the tasklet's number, and the counts */
#define TASKLET		"939524096"
#define COUNTS		939524128LL
/* and its `site`s */
#define SITES		(COUNTS + 512)
/* and its `classes` */
#define CLASSES		(COUNTS + 640)
/* A function that is being written: what the count is at this point. */
struct writer {
	FILE *out;
	const struct function *f;
	struct widths *widths;
	struct profile *profile;	/* NULL unless the program is to be profiled */
	struct text name;	/* the function's */
	unsigned long cell;	/* of the block */
	/* where it is profiled: what the block took that is not yet added by class */
	unsigned long classes[PE_NR_CLASSES];
	bool pointers;		/* are opaque: this compiler writes ptr */
	bool aarch64;		/* is the code's machine */
	unsigned long names;	/* of values given so far */
	char count[64];		/* the value that holds what was counted */
	unsigned long more;	/* and what is not yet added to it */
};

void emit(struct writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
void emit_text(struct writer *w, struct text t);

/* What is not yet added becomes part of the value; or there is nothing any more. */
void count_settle(struct writer *w);
void count_restart(struct writer *w);

/* Adds the count to the tasklet's; with @slack, it waits for its turn at times. */
void count_flush(struct writer *w, const unsigned int *slack);

/* Adds value %pe.x<n> of @type, times @by, with @sign, to the count. */
void count_value(struct writer *w, unsigned long n, const char *type, const char *sign,
		 unsigned int by);

/*
 * Where this processor divides by 0, as PEs do not: a trap there, whose line is not ended.
 * false: there is nothing to do.
 */
bool count_divisor(struct writer *w, const struct instruction *i);

#endif /* COUNT_WRITER_H */
