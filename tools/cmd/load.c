// SPDX-License-Identifier: MIT
/* `pimdimm load` and `pimdimm unload`. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tools/cmd/commands.h"
#include "tools/module/module.h"
#include "tools/module/parameter.h"
#include "tools/module/sysfs.h"
#include "tools/module/systems.h"
#include "tools/nearest.h"
#include "tools/tool.h"

/* insmod's parameter string */
struct parameters {
	char text[1024];
	size_t length;
};

static int add_parameter(const struct command *self, const char *argument,
			 struct parameters *to)
{
	size_t room = sizeof(to->text) - to->length;
	struct parameter parameter;
	int n;

	if (parameter_parse(self, argument, &parameter))
		return TOOL_USAGE;
	n = snprintf(to->text + to->length, room, "%s%s=%s",
		     to->length ? " " : "", parameter.name, parameter.value);
	if (n >= (int)room)
		return tool_usage(self, "the parameters are too long");
	to->length += (size_t)n;
	return TOOL_OK;
}

/* The kernel only logs names that it does not know, and loads the module. */
static int load_check_names(const struct command *self,
			    const struct kmod_module *module, int argc, char **argv)
{
	for (int i = optind; i < argc; i++) {
		char name[sizeof(((struct parameter *)0)->name)];
		struct pd_nearest nearest = { .given = name };

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(argv[i], "="),
			 argv[i]);
		if (!module_has_parameter(module, &nearest))
			return tool_usage_near(self, pd_nearest_found(&nearest),
					       "the module has no parameter \"%s\"",
					       name);
	}
	return TOOL_OK;
}

static int load_with(const struct command *self, struct kmod_ctx *ctx,
		     const char *path, int argc, char **argv)
{
	struct parameters parameters = { .text = "" };
	struct kmod_module *module;
	int status = TOOL_OK;

	for (int i = optind; i < argc && !status; i++)
		status = add_parameter(self, argv[i], &parameters);
	if (status)
		return status;
	if (sysfs_module((char[32]){ 0 }, 32))
		return module_explain_load(NULL, EEXIST);
	module = module_find(ctx, MODULE_NAME, path);
	if (!module)
		return TOOL_FAILED;
	status = load_check_names(self, module, argc, argv);
	if (!status)
		status = module_insert(ctx, module, parameters.text);
	if (!status)
		systems_print(MODULE_SYSTEM);
	kmod_module_unref(module);
	return status;
}

static int run_load(const struct command *self, int argc, char **argv)
{
	const char *path = NULL;
	struct kmod_ctx *ctx;
	int status;

	while (tool_getopt(self, argc, argv) != -1)
		path = optarg;
	ctx = module_begin();
	if (!ctx)
		return TOOL_FAILED;
	status = load_with(self, ctx, path, argc, argv);
	kmod_unref(ctx);
	return status;
}

static const struct tool_option load_options[] = {
	{ 'm', "module", { "PATH", .kind = TOOL_FILE },
	  .help = "this file, instead of the running kernel's installed module or the one that `make modules` built beside this program" },
	{ 0 },
};

const struct command cmd_load = {
	.name = "load",
	.summary = "load the kernel module",
	.run = run_load,
	.synopsis = "[OPTION]... [PARAMETER=VALUE]...",
	.about =
	"Loads pimdimm.ko and the modules that it needs. Parameters:\n"
	"\n"
	SYSTEMS_GEOMETRY_HELP,
	.notes = "Exit status: 0 loaded, 1 failed, 2 wrong usage.\n",
	.options = load_options,
	.operand = { "PARAMETER=VALUE", .word = systems_parameter_word },
};

/* What has to go first, the systems that were made beside the module's own. */
static int clear_systems(bool all)
{
	struct system_names names;
	int status = systems_list(&names);

	if (!status && names.count && !all) {
		tool_error("the module has systems that were made at run time; `pimdimm remove` takes them away one by one, `pimdimm unload --all` first:");
		for (size_t i = 0; i < names.count; i++)
			fprintf(stderr, "  %s\n", names.names[i]);
		status = TOOL_FAILED;
	}
	for (size_t i = 0; !status && i < names.count; i++)
		status = systems_remove(names.names[i]);
	systems_free(&names);
	return status;
}

static int remove_module(struct kmod_ctx *ctx, const char *name)
{
	struct kmod_module *module;
	int err = kmod_module_new_from_name(ctx, name, &module);
	int status = TOOL_OK;

	if (err)
		return tool_error("libkmod: %s", strerror(-err));
	err = kmod_module_remove_module(module, KMOD_REMOVE_NOWAIT);
	if (err)
		status = module_explain_unload(module, -err);
	kmod_module_unref(module);
	return status;
}

/* Looks whether the module can go before it takes away what would have to come back. */
static int check_unused(struct kmod_ctx *ctx)
{
	struct kmod_module *module;
	int err = kmod_module_new_from_name(ctx, MODULE_NAME, &module);
	int status = TOOL_OK;

	if (err)
		return tool_error("libkmod: %s", strerror(-err));
	if (!sysfs_has_module(MODULE_NAME))
		status = module_explain_unload(module, ENOENT);
	else if (module_users(module))
		status = module_explain_unload(module, EBUSY);
	kmod_module_unref(module);
	return status;
}

static int unload_modules(struct kmod_ctx *ctx, bool all)
{
	int status = check_unused(ctx);

	if (!status)
		status = clear_systems(all);
	if (!status && sysfs_has_module(MODULE_CONFIGFS))
		status = remove_module(ctx, MODULE_CONFIGFS);
	if (!status)
		status = remove_module(ctx, MODULE_NAME);
	return status;
}

static int run_unload(const struct command *self, int argc, char **argv)
{
	struct kmod_ctx *ctx;
	bool all = false;
	int status;

	while (tool_getopt(self, argc, argv) != -1)
		all = true;
	if (tool_no_operands(self, argc, argv))
		return TOOL_USAGE;
	ctx = module_begin();
	if (!ctx)
		return TOOL_FAILED;
	status = unload_modules(ctx, all);
	kmod_unref(ctx);
	return status;
}

static const struct tool_option unload_options[] = {
	{ 'a', "all", .help = "take these systems away first" },
	{ 0 },
};

const struct command cmd_unload = {
	.name = "unload",
	.summary = "unload the kernel module",
	.run = run_unload,
	.synopsis = "[OPTION]...",
	.about =
	"Unloads the kernel module, and pimdimm_configfs.ko with it. It stays while a node\n"
	"is open or a dma-buf alive: the processes that hold nodes are then named. So it\n"
	"does while there are systems that `pimdimm create` has made.\n",
	.notes = "Exit status: 0 unloaded, 1 failed, 2 wrong usage.\n",
	.options = unload_options,
};
