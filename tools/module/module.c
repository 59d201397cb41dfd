// SPDX-License-Identifier: MIT
/* Finds, loads and unloads the kernel modules, and explains why that failed. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "tools/module/module.h"
#include "tools/module/sysfs.h"
#include "tools/tool.h"

static const char *module_release(void)
{
	static struct utsname name;

	uname(&name);
	return name.release;
}

static struct kmod_module *from_path(struct kmod_ctx *ctx, const char *path)
{
	struct kmod_module *module;
	int err;

	/* libkmod takes its word for it until the module is loaded */
	if (access(path, R_OK)) {
		tool_error("%s: %s", path, strerror(errno));
		return NULL;
	}
	err = kmod_module_new_from_path(ctx, path, &module);
	if (!err)
		return module;
	tool_error("%s: %s", path, strerror(-err));
	return NULL;
}

/* `make modules` puts it beside this program, where `make` has put that. */
static bool module_beside(const char *name, char *path, size_t bytes)
{
	return snprintf(path, bytes, "%s/kmod-%s/%s.ko", tool_folder(),
			module_release(), name) < (int)bytes &&
	       !access(path, F_OK);
}

static void explain_missing(const char *name)
{
	if (access("/proc/modules", F_OK)) {
		tool_error("the running kernel, %s, cannot load modules at all: it was built without CONFIG_MODULES",
			   module_release());
		return;
	}
	tool_error("no %s.ko for the running kernel, %s: looked in /lib/modules/%s and %s/kmod-%s.\n"
		   "Build it where the source is, with `make modules` (needs the package linux-headers-%s), then\n"
		   "`make install-modules`, or name it with --module PATH",
		   name, module_release(), module_release(), tool_folder(), module_release(),
		   module_release());
}

struct kmod_ctx *module_begin(void)
{
	struct kmod_ctx *ctx = kmod_new(NULL, NULL);

	if (!ctx) {
		tool_error("libkmod does not start: no memory");
		return NULL;
	}
	/* failures are explained here, and better */
	kmod_set_log_priority(ctx, 0);
	return ctx;
}

struct kmod_module *module_find(struct kmod_ctx *ctx, const char *name,
				const char *path)
{
	struct kmod_list *list = NULL;
	struct kmod_module *module = NULL;
	char near[PATH_MAX];

	if (path)
		return from_path(ctx, path);
	if (!kmod_module_new_from_lookup(ctx, name, &list) && list) {
		module = kmod_module_get_module(list);
		kmod_module_unref_list(list);
		if (kmod_module_get_path(module))
			return module;
		kmod_module_unref(module);
	}
	if (module_beside(name, near, sizeof(near)))
		return from_path(ctx, near);
	explain_missing(name);
	return NULL;
}

bool module_info(const struct kmod_module *module, const char *key, char *value,
		 size_t bytes)
{
	struct kmod_list *list = NULL, *item;
	bool found = false;

	if (kmod_module_get_info(module, &list) < 0)
		return false;
	kmod_list_foreach(item, list) {
		if (strcmp(kmod_module_info_get_key(item), key))
			continue;
		snprintf(value, bytes, "%s", kmod_module_info_get_value(item));
		found = true;
	}
	kmod_module_info_free_list(list);
	return found;
}

bool module_has_parameter(const struct kmod_module *module,
			  struct pd_nearest *nearest)
{
	struct kmod_list *list = NULL, *item;
	bool found = false;

	if (kmod_module_get_info(module, &list) < 0)
		return true;	/* not to be told: the kernel will check */
	/* parmtype=ranks:uint stands there for every parameter */
	kmod_list_foreach(item, list) {
		const char *value = kmod_module_info_get_value(item);
		char name[64];

		if (strcmp(kmod_module_info_get_key(item), "parmtype"))
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(value, ":"),
			 value);
		found |= !strcmp(name, nearest->given);
		pd_nearest_offer(nearest, name);
	}
	kmod_module_info_free_list(list);
	return found;
}

static int explain_format(const struct kmod_module *module)
{
	char vermagic[256] = "";

	module_info(module, "vermagic", vermagic, sizeof(vermagic));
	if (!*vermagic)
		return tool_error("%s: this is no kernel module",
				  kmod_module_get_path(module));
	if (strcspn(vermagic, " ") != strlen(module_release()) ||
	    strncmp(vermagic, module_release(), strlen(module_release())))
		return tool_error("%s was built for kernel %.*s, but %s runs: build it again with `make modules`",
				  kmod_module_get_path(module),
				  (int)strcspn(vermagic, " "), vermagic,
				  module_release());
	return tool_error("the kernel refuses the format of %s, which was built for \"%s\"; the kernel's log says more",
			  kmod_module_get_path(module), vermagic);
}

static int explain_permission(void)
{
	char line[128];

	if (geteuid())
		return tool_error("loading a module is for root: try sudo");
	if (sysfs_line("/proc/sys/kernel/modules_disabled", line,
		       sizeof(line)) &&
	    *line == '1')
		return tool_error("this kernel forbids modules until it is booted again (sysctl kernel.modules_disabled is 1)");
	if (sysfs_line("/sys/kernel/security/lockdown", line, sizeof(line)) &&
	    !strstr(line, "[none]"))
		return tool_error("this kernel is locked down (%s) and takes signed modules alone",
				  line);
	return tool_error("the kernel refuses to load modules here: no CAP_SYS_MODULE, as in most containers, or a security module forbids it");
}

int module_explain_load(const struct kmod_module *module, int err)
{
	switch (err) {
	case EEXIST:
		return tool_error("the module is already loaded; `pimdimm unload` takes it out");
	case EPERM:
	case EACCES:
		return explain_permission();
	case ENOEXEC:
		return explain_format(module);
	case EKEYREJECTED:
	case ENOKEY:
	case EBADMSG:
		return tool_error("this kernel takes signed modules alone (Secure Boot) and does not know the key of %s: sign it with an enrolled key",
				  kmod_module_get_path(module));
	case ENOSYS:
		return tool_error("the running kernel, %s, cannot load modules at all: it was built without CONFIG_MODULES",
				  module_release());
	case EINVAL:
		return tool_error("the module refuses its parameters; the kernel's log (dmesg) says which and why");
	case ENOENT:
		return tool_error("%s uses symbols that the running kernel, %s, does not have; the kernel's log (dmesg) names them",
				  kmod_module_get_path(module), module_release());
	default:
		return tool_error("cannot load %s: %s; the kernel's log (dmesg) may say more",
				  kmod_module_get_path(module), strerror(err));
	}
}

/* What a module from the modules directory needs, its index knows. */
static int load_dependencies(struct kmod_ctx *ctx,
			     const struct kmod_module *module)
{
	struct kmod_module *needed;
	char list[512], *name, *rest = list;
	int err = 0;

	if (!module_info(module, "depends", list, sizeof(list)))
		return 0;
	while (!err && (name = strsep(&rest, ","))) {
		if (!*name)
			continue;
		err = kmod_module_new_from_name(ctx, name, &needed);
		if (err)
			break;
		err = kmod_module_probe_insert_module(needed, 0, NULL, NULL,
						      NULL, NULL);
		kmod_module_unref(needed);
	}
	if (err)
		tool_error("cannot load a module that this one needs: %s",
			   strerror(abs(err)));
	return err;
}

int module_insert(struct kmod_ctx *ctx, struct kmod_module *module,
		  const char *parameters)
{
	int err;

	if (load_dependencies(ctx, module))
		return TOOL_FAILED;
	err = kmod_module_probe_insert_module(module,
					      KMOD_PROBE_FAIL_ON_LOADED,
					      parameters, NULL, NULL, NULL);
	if (err)
		return module_explain_load(module, abs(err));
	return TOOL_OK;
}

int module_users(const struct kmod_module *module)
{
	struct kmod_list *holders = kmod_module_get_holders(module), *item;
	int users = kmod_module_get_refcnt(module);

	kmod_list_foreach(item, holders)
		users--;
	kmod_module_unref_list(holders);
	return users > 0 ? users : 0;
}

void module_print_owners(const char *system)
{
	struct sysfs_ranks ranks;
	char name[32];

	if (sysfs_read(SYSFS_CLASS, &ranks))
		return;
	for (size_t i = 0; i < ranks.count; i++) {
		const struct sysfs_rank *rank = &ranks.ranks[i];

		if (!rank->owner || (system && strcmp(rank->system, system)))
			continue;
		sysfs_process_name(rank->owner, name, sizeof(name));
		if (rank->owner > 0)
			fprintf(stderr,
				"  /dev/pimdimm%" PRIu32 ": %s, process %" PRId64 "\n",
				rank->number, name, rank->owner);
		else
			fprintf(stderr,
				"  /dev/pimdimm%" PRIu32 ": a process that is not visible\n",
				rank->number);
	}
	sysfs_free(&ranks);
}

int module_explain_unload(const struct kmod_module *module, int err)
{
	switch (err) {
	case EAGAIN:
	case EBUSY:
		if (strcmp(kmod_module_get_name(module), MODULE_NAME))
			return tool_error("%s is in use: there are systems that it made, in a configfs that is mounted elsewhere",
					  kmod_module_get_name(module));
		tool_error("the module is in use (%d references): nodes are open, or dma-bufs alive",
			   module_users(module));
		module_print_owners(NULL);
		return TOOL_FAILED;
	case ENOENT:
		return tool_error("the module is not loaded");
	case EPERM:
		if (geteuid())
			return tool_error("unloading a module is for root: try sudo");
		return tool_error("the kernel refuses to unload modules here: no CAP_SYS_MODULE, or sysctl kernel.modules_disabled is 1");
	case ENOSYS:
		return tool_error("the running kernel, %s, cannot unload modules",
				  module_release());
	default:
		return tool_error("cannot unload the module: %s",
				  strerror(err));
	}
}
