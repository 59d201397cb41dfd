/* SPDX-License-Identifier: MIT */
/* PARAMETER=VALUE on a command line: of the module, or of a system. */
#ifndef PIMDIMM_PARAMETER_H
#define PIMDIMM_PARAMETER_H

#include "tools/options.h"

struct parameter {
	char name[64];
	char value[192];	/* sizes in bytes, as the kernel takes them */
};

/* Returns TOOL_OK, or TOOL_USAGE after a message. */
int parameter_parse(const struct command *self, const char *argument,
		    struct parameter *parameter);

#endif /* PIMDIMM_PARAMETER_H */
