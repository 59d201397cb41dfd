/* SPDX-License-Identifier: MIT */
#ifndef MACRO_UTILS_H
#define MACRO_UTILS_H

#define __STR_LITERAL(x)	#x
#define __STR(x)		__STR_LITERAL(x)
#define __CONCAT_LITERAL(x, y)	x##y
#define __CONCAT(x, y)		__CONCAT_LITERAL(x, y)

#endif /* MACRO_UTILS_H */
