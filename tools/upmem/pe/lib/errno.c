// SPDX-License-Identifier: MIT
/* errno of each tasklet. */
#include <errno.h>

#include "pe.h"

int *__pe_errno(void)
{
	static int values[PE_PLACES];

	return &values[PE_SELF->tasklet];
}
