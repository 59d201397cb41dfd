/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <pimdimm/pimdimm.h>

#include "error.h"

static _Thread_local char message[512];

void pd_error_keep(const char *format, ...)
{
	/* arguments may point into the message itself */
	char text[sizeof(message)];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	memcpy(message, text, strlen(text) + 1);
}

const char *pimdimm_errmsg(void)
{
	return message;
}

const char *pimdimm_version(void)
{
	return PIMDIMM_VERSION;
}
