/* SPDX-License-Identifier: MIT */
/*
 * Systems that are made at run time, beside that of the module's parameters:
 * folders of pimdimm_configfs.ko.
 */
#ifndef PIMDIMM_SYSTEMS_H
#define PIMDIMM_SYSTEMS_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/module/parameter.h"

struct kmod_ctx;

struct system_names {
	char (*names)[32];
	size_t count;
};

/* May a system be called so? If not, says why and returns TOOL_USAGE. */
int systems_check_name(const struct command *self, const char *name);

/*
 * Has configfs ready, loading pimdimm_configfs.ko, from path if that is not NULL,
 * where it must. TOOL_OK, or TOOL_FAILED after a message.
 */
int systems_begin(struct kmod_ctx *ctx, const char *path);

/* Makes a system and its nodes, all or nothing. As systems_begin(). */
int systems_create(const char *name, const struct parameter *wanted,
		   size_t count);
/* Takes one away. As systems_begin(). */
int systems_remove(const char *name);

/* the parameters of a system; and for shells: "ranks=", "layout=linear" */
tool_word_fn systems_parameter, systems_parameter_word;
/* What a parameter of a system may be; NULL where there is no such one. */
const char *systems_expected(const char *parameter);

/* what --help says of them */
#define SYSTEMS_GEOMETRY_HELP \
	"  channels=N     memory channels (1)\n" \
	"  ranks=N        ranks of each channel (4)\n" \
	"  mram_size=SIZE MRAM of each PE (1M): a multiple of 4K from 64K to 64M\n" \
	"  layout=NAME    where blocks lie in a window: linear (the default), xeon_sp\n" \
	"\n" \
	"Sizes are bytes, or take K, M, G.\n"

/* Those that are there, in order; none where there is no configfs. */
int systems_list(struct system_names *names);
void systems_free(struct system_names *names);

/* A line on the ranks of a system. */
void systems_print(const char *name);

#endif /* PIMDIMM_SYSTEMS_H */
