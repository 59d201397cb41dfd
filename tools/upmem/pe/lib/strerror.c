// SPDX-License-Identifier: MIT
/* The names of errors. */
#include <errno.h>
#include <stdint.h>
#include <string.h>

char *strerror(int errnum)
{
	static const struct {
		int errnum;
		const char *text;
	} texts[] = {
		{ 0, "Success" },
		{ EINVAL, "Invalid argument" },
		{ ENOMEM, "Cannot allocate memory" },
		{ EALREADY, "Operation already in progress" },
		{ EDOM, "Numerical argument out of domain" },
		{ ERANGE, "Numerical result out of range" },
	};

	for (unsigned int i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i].errnum == errnum)
			return (char *)(uintptr_t)texts[i].text;
	return (char *)(uintptr_t)"Unknown error";
}
