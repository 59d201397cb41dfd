// SPDX-License-Identifier: MIT
/* Reads numbers with a suffix, none of which wraps around. */
#include <stddef.h>
#include <string.h>

#include "tools/apps/common/files/number.h"

static bool read_suffix(const char *text, uint64_t *value)
{
	static const char suffixes[] = "KMG";
	const char *found = *text ? strchr(suffixes, *text) : NULL;
	unsigned int shift;

	if (!*text)
		return true;
	if (!found || text[1])
		return false;
	shift = 10 * (unsigned int)(found - suffixes + 1);
	if (*value > UINT64_MAX >> shift)
		return false;
	*value <<= shift;
	return true;
}

bool app_parse_number(const char *text, uint64_t *value)
{
	size_t digits = strspn(text, "0123456789");

	*value = 0;
	for (size_t i = 0; i < digits; i++) {
		if (__builtin_mul_overflow(*value, UINT64_C(10), value) ||
		    __builtin_add_overflow(*value, (uint64_t)(text[i] - '0'),
					   value))
			return false;
	}
	return digits && read_suffix(text + digits, value);
}
