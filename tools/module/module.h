/* SPDX-License-Identifier: MIT */
/* pimdimm.ko and pimdimm_configfs.ko, found and described through libkmod. */
#ifndef PIMDIMM_MODULE_H
#define PIMDIMM_MODULE_H

#include <stdbool.h>
#include <stddef.h>

#include <libkmod.h>

#include "tools/inside.h"
#include "tools/nearest.h"

#define MODULE_NAME "pimdimm"
/* makes systems at run time */
#define MODULE_CONFIGFS "pimdimm_configfs"
/* the system of the module's parameters */
#define MODULE_SYSTEM "default"

/* libkmod, ready; NULL after a message. */
struct kmod_ctx *module_begin(void);

/*
 * The module at path; with path NULL the running kernel's installed one of this
 * name, else the one that `make modules` left beside this program. Returns a
 * module or NULL after a message.
 */
struct kmod_module *module_find(struct kmod_ctx *ctx, const char *name,
				const char *path);

/* Load it and what it needs. TOOL_OK, or TOOL_FAILED after a message. */
int module_insert(struct kmod_ctx *ctx, struct kmod_module *module,
		  const char *parameters);

/* References to the loaded module that other modules' need of it does not explain. */
int module_users(const struct kmod_module *module);

/*
 * A key of the module's modinfo, "vermagic" or "depends"; false when it has none.
 */
bool module_info(const struct kmod_module *module, const char *key, char *value,
		 size_t bytes);

/* Does the module have the parameter nearest->given? Else this has the nearest. */
bool module_has_parameter(const struct kmod_module *module,
			  struct pd_nearest *nearest);

/* Say why loading a module failed; returns TOOL_FAILED. */
int module_explain_load(const struct kmod_module *module, int err);
/* Say why unloading it failed; returns TOOL_FAILED. */
int module_explain_unload(const struct kmod_module *module, int err);

/* Say which processes hold nodes, of all systems where that is NULL. */
void module_print_owners(const char *system);

#endif /* PIMDIMM_MODULE_H */
