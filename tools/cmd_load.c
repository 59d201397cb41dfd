// SPDX-License-Identifier: MIT
/* `pimdimm load` and `pimdimm unload`. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "module.h"
#include "sysfs.h"
#include "tool.h"
#include "runtime/env.h"

/* insmod's parameter string */
struct parameters {
	char text[1024];
	size_t length;
};

static bool ends_with(const char *text, size_t length, const char *end)
{
	return length >= strlen(end) &&
	       !strncmp(text + length - strlen(end), end, strlen(end));
}

/* Append "key=value", sizes as the kernel takes them. */
static int add_parameter(const struct command *self, const char *argument,
			 struct parameters *to)
{
	size_t key = strcspn(argument, "="), room = sizeof(to->text) - to->length;
	const char *value = argument + key + 1;
	uint64_t bytes;
	int n;

	if (!argument[key] || !key || !*value || strpbrk(argument, " \t\n\""))
		return tool_usage(self, "\"%s\" is no PARAMETER=VALUE",
				  argument);
	if (ends_with(argument, key, "_size")) {
		if (!pd_parse_number(value, strlen(value), true, UINT64_MAX,
				     &bytes))
			return tool_usage(self,
					  "\"%s\": expected bytes, or a number with K, M or G",
					  argument);
		n = snprintf(to->text + to->length, room, "%s%.*s=%" PRIu64,
			     to->length ? " " : "", (int)key, argument, bytes);
	} else {
		n = snprintf(to->text + to->length, room, "%s%s",
			     to->length ? " " : "", argument);
	}
	if (n >= (int)room)
		return tool_usage(self, "the parameters are too long");
	to->length += (size_t)n;
	return TOOL_OK;
}

/* The kernel only logs names that it does not know, and loads the module. */
static int check_names(const struct command *self,
		       const struct kmod_module *module, int argc, char **argv)
{
	for (int i = optind; i < argc; i++) {
		size_t length = strcspn(argv[i], "=");

		if (!module_has_parameter(module, argv[i], length))
			return tool_usage(self,
					  "the module has no parameter \"%.*s\"",
					  (int)length, argv[i]);
	}
	return TOOL_OK;
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

static int insert(struct kmod_ctx *ctx, struct kmod_module *module,
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

static void report_ranks(void)
{
	struct sysfs_ranks ranks;

	if (sysfs_read(SYSFS_CLASS, &ranks))
		return;
	if (ranks.count)
		printf("%zu ranks, %s of MRAM a PE, layout %s: /dev/pimdimm0 to %zu\n",
		       ranks.count, tool_size(ranks.ranks[0].mram_size),
		       ranks.ranks[0].layout, ranks.count - 1);
	sysfs_free(&ranks);
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
	module = module_find(ctx, path);
	if (!module)
		return TOOL_FAILED;
	status = check_names(self, module, argc, argv);
	if (!status)
		status = insert(ctx, module, parameters.text);
	if (!status)
		report_ranks();
	kmod_module_unref(module);
	return status;
}

static struct kmod_ctx *open_kmod(void)
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

static int run_load(const struct command *self, int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "module", required_argument, NULL, 'm' },
		{ 0 },
	};
	const char *path = NULL;
	struct kmod_ctx *ctx;
	int status;

	while (tool_getopt(self, argc, argv, options) != -1)
		path = optarg;
	ctx = open_kmod();
	if (!ctx)
		return TOOL_FAILED;
	status = load_with(self, ctx, path, argc, argv);
	kmod_unref(ctx);
	return status;
}

const struct command cmd_load = {
	.name = "load",
	.summary = "load the kernel module",
	.run = run_load,
	.help =
	"Usage: pimdimm load [--module PATH] [PARAMETER=VALUE]...\n"
	"\n"
	"Loads pimdimm.ko and the modules that it needs. Parameters:\n"
	"\n"
	"  channels=N     memory channels (1)\n"
	"  ranks=N        ranks of each channel (4)\n"
	"  mram_size=SIZE MRAM of each PE (1M): a multiple of 4K from 64K to 64M\n"
	"  layout=NAME    where blocks lie in a window: linear (the default), xeon_sp\n"
	"\n"
	"Sizes are bytes, or take K, M, G.\n"
	"\n"
	"  --module PATH  this file, instead of the running kernel's installed module or\n"
	"                 the one that `make modules` built beside this program\n"
	"  --help         this text\n"
	"\n"
	"Exit status: 0 loaded, 1 failed, 2 wrong usage.\n",
};

static int unload(struct kmod_ctx *ctx)
{
	struct kmod_module *module;
	int err = kmod_module_new_from_name(ctx, MODULE_NAME, &module);
	int status = TOOL_OK;

	if (err)
		return tool_error("libkmod: %s", strerror(-err));
	if (!sysfs_module((char[32]){ 0 }, 32))
		err = -ENOENT;
	else
		err = kmod_module_remove_module(module, KMOD_REMOVE_NOWAIT);
	if (err)
		status = module_explain_unload(module, -err);
	kmod_module_unref(module);
	return status;
}

static int run_unload(const struct command *self, int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct kmod_ctx *ctx;
	int status;

	while (tool_getopt(self, argc, argv, options) != -1)
		;
	if (tool_no_operands(self, argc, argv))
		return TOOL_USAGE;
	ctx = open_kmod();
	if (!ctx)
		return TOOL_FAILED;
	status = unload(ctx);
	kmod_unref(ctx);
	return status;
}

const struct command cmd_unload = {
	.name = "unload",
	.summary = "unload the kernel module",
	.run = run_unload,
	.help =
	"Usage: pimdimm unload\n"
	"\n"
	"Unloads the kernel module. It stays while a node is open or a dma-buf alive;\n"
	"the processes that hold nodes are then named.\n"
	"\n"
	"  --help  this text\n"
	"\n"
	"Exit status: 0 unloaded, 1 failed, 2 wrong usage.\n",
};
