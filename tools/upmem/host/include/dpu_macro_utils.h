/* SPDX-License-Identifier: MIT */
#ifndef DPU_MACRO_UTILS_H
#define DPU_MACRO_UTILS_H

#define _STR_(x)	#x
#define _STR(x)		_STR_(x)
#define _CONCAT_(x, y)	x##y
#define _CONCAT(x, y)	_CONCAT_(x, y)

/* the fourth of its arguments: the macro for as many as were given */
#define _DPU_FOREACH_PICK(_1, _2, _3, name, ...) name

#endif /* DPU_MACRO_UTILS_H */
