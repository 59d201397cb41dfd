/* SPDX-License-Identifier: MIT */
/* pimdimm.ko, found and described through libkmod. */
#ifndef PIMDIMM_MODULE_H
#define PIMDIMM_MODULE_H

#include <stdbool.h>
#include <stddef.h>

#include <libkmod.h>

#define MODULE_NAME "pimdimm"

/*
 * The module at path; with path NULL the running kernel's installed one, else
 * the one that `make modules` left beside this program. Returns a module or NULL
 * after a message.
 */
struct kmod_module *module_find(struct kmod_ctx *ctx, const char *path);

/*
 * A key of the module's modinfo, "vermagic" or "depends"; false when it has none.
 */
bool module_info(const struct kmod_module *module, const char *key, char *value,
		 size_t bytes);

/* Does the module have this parameter? */
bool module_has_parameter(const struct kmod_module *module, const char *name,
			  size_t length);

/* Say why loading a module failed; returns TOOL_FAILED. */
int module_explain_load(const struct kmod_module *module, int err);
/* Say why unloading it failed; returns TOOL_FAILED. */
int module_explain_unload(const struct kmod_module *module, int err);

/* Say which processes hold nodes of the loaded module. */
void module_print_owners(void);

#endif /* PIMDIMM_MODULE_H */
