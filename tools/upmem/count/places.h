/* SPDX-License-Identifier: MIT */
/*
 * Where in the source an instruction is, by the debugging information that its module
 * ends with: file, line, and the functions it is in, those that were inlined, too.
 */
#ifndef COUNT_PLACES_H
#define COUNT_PLACES_H

#include "tools/upmem/count/ir.h"

struct places;

/* Of the text of a module, which must stay. */
struct places *places_of(const char *text);
void places_free(struct places *p);

#define PLACE_BYTES 1024

/*
 * "LINE\tFILE\tFUNCTION;INLINED" of an instruction of the function by name. Without
 * debugging information the line is 0 and the file "?". With @call, that of whoever calls
 * what the tool chain's headers define.
 */
void places_find(const struct places *p, const struct instruction *i, struct text function,
		 bool call, char place[PLACE_BYTES]);

#endif /* COUNT_PLACES_H */
