/* SPDX-License-Identifier: MIT */
/* PARAMETER=VALUE on a command line: of the module, or of a system. */
#ifndef PIMDIMM_PARAMETER_H
#define PIMDIMM_PARAMETER_H

#include "tools/tool.h"

struct parameter {
	char name[64];
	char value[192];	/* sizes in bytes, as the kernel takes them */
};

/* Returns TOOL_OK, or TOOL_USAGE after a message. */
int parameter_parse(const struct command *self, const char *argument,
		    struct parameter *parameter);

/* Those that make a geometry, for shells: "ranks=", "layout=linear". */
tool_word_fn parameter_word;

/* what --help says of those that make a geometry */
#define PARAMETER_GEOMETRY_HELP \
	"  channels=N     memory channels (1)\n" \
	"  ranks=N        ranks of each channel (4)\n" \
	"  mram_size=SIZE MRAM of each PE (1M): a multiple of 4K from 64K to 64M\n" \
	"  layout=NAME    where blocks lie in a window: linear (the default), xeon_sp\n" \
	"\n" \
	"Sizes are bytes, or take K, M, G.\n"

#endif /* PIMDIMM_PARAMETER_H */
