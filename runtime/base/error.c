// SPDX-License-Identifier: MIT
/* The sentence that tells of the calling thread's last failure. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <pimdimm/pimdimm.h>

#include "runtime/base/error.h"

static _Thread_local struct pd_error_text last;

__attribute__((format(printf, 1, 0)))
static void keep(const char *format, va_list ap)
{
	/* arguments may point into the message itself */
	char text[sizeof(last.text)];

	vsnprintf(text, sizeof(text), format, ap);
	memcpy(last.text, text, strlen(text) + 1);
}

void pd_error_keep(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	keep(format, ap);
	va_end(ap);
}

int pimdimm_error(int error, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	keep(format, ap);
	va_end(ap);
	return -error;
}

void pd_error_save(struct pd_error_text *kept)
{
	*kept = last;
}

void pd_error_restore(const struct pd_error_text *kept)
{
	last = *kept;
}

const char *pimdimm_errmsg(void)
{
	return last.text;
}

const char *pimdimm_version(void)
{
	return PIMDIMM_VERSION;
}
