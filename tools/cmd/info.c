// SPDX-License-Identifier: MIT
/* `pimdimm info`: versions, ranks, machine, environment, algorithms. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>
#include <linux/pimdimm.h>
#include <pimdimm/pimdimm.h>

#include "tools/cmd/commands.h"
#include "tools/cmd/info/info_cost.h"
#include "tools/cmd/info/info_drm.h"
#include "tools/cmd/info/info_hosts.h"
#include "tools/cmd/info/info_topology.h"
#include "tools/inside.h"
#include "tools/module/sysfs.h"
#include "tools/tool.h"

#define MAX_HOSTS	128u

struct info {
	bool loaded;
	char module[32];	/* its version */
	struct sysfs_ranks ranks;
	const char *tier;
	unsigned int threads;	/* 0: see the environment's value */
	struct pd_placement *placement;	/* of these threads; or NULL */
};

/* What a wrong value of the environment breaks is told, and the rest shown. */
static int info_collect(struct info *info, const char *folder)
{
	enum pd_isa isa;

	info->loaded = sysfs_module(info->module, sizeof(info->module));
	if (sysfs_read(folder, &info->ranks))
		return TOOL_FAILED;
	info->tier = "unknown";
	if (pd_isa_choose(&isa))
		tool_error("%s", pimdimm_errmsg());
	else
		info->tier = pd_isa_name(isa);
	if (pd_env_threads(&info->threads) ||
	    pd_placement_make(info->threads, NULL, 0, &info->placement))
		tool_error("%s", pimdimm_errmsg());
	return TOOL_OK;
}

static void print_versions(const struct info *info)
{
	printf("header   %s, ABI %d\n", PIMDIMM_VERSION, PIMDIMM_ABI);
	printf("library  %s\n", pimdimm_version());
	if (!info->loaded)
		puts("module   not loaded");
	else
		printf("module   %s\n", *info->module ? info->module :
							"of unknown version");
}

static void print_ranks(const struct info *info)
{
	const struct sysfs_rank *first = info->ranks.ranks;
	uint64_t allocated = 0;

	if (!info->ranks.count) {
		puts("ranks    none");
		return;
	}
	for (size_t i = 0; i < info->ranks.count; i++)
		allocated += info->ranks.ranks[i].allocated;
	printf("ranks    %zu: %" PRIu64 " channels of %" PRIu64 ", ABI %" PRIu64 "\n",
	       info->ranks.count, first->channels, first->ranks, first->abi);
	printf("         %s of MRAM a PE, window %s, layout %s; %s allocated\n",
	       tool_size(first->mram_size), tool_size(first->window_size),
	       first->layout, tool_size(allocated));
}

static void print_environment(void)
{
	size_t count;
	const struct pd_env_var *vars = pd_env_vars(&count);

	puts("\nEnvironment:");
	for (size_t i = 0; i < count; i++) {
		const char *value = getenv(vars[i].name);

		printf("  %-16s %-10s %s\n", vars[i].name,
		       value ? value : "(unset)", vars[i].desc);
	}
}

static void info_print_text(const struct info *info)
{
	print_versions(info);
	print_ranks(info);
	printf("CPU      %s\n", info->tier);
	if (info->threads)
		printf("threads  %u\n", info->threads);
	if (info->placement)
		info_topology_print(info->placement);
	print_environment();
}

static struct json_object *environment_json(void)
{
	struct json_object *object = json_object_new_object();
	size_t count;
	const struct pd_env_var *vars = pd_env_vars(&count);

	for (size_t i = 0; i < count; i++) {
		const char *value = getenv(vars[i].name);

		/* json-c's null is NULL: not tool_json_add() */
		json_object_object_add(object, vars[i].name,
				       value ? tool_json_string(value) : NULL);
	}
	return object;
}

static struct json_object *module_json(const struct info *info)
{
	const struct sysfs_rank *first = info->ranks.ranks;
	struct json_object *object = json_object_new_object();

	tool_json_add(object, "loaded", json_object_new_boolean(info->loaded));
	tool_json_add(object, "version", tool_json_string(info->module));
	tool_json_add(object, "ranks",
		      json_object_new_uint64(info->ranks.count));
	if (info->ranks.count) {
		tool_json_add(object, "abi",
			      json_object_new_uint64(first->abi));
		tool_json_add(object, "mram_size",
			      json_object_new_uint64(first->mram_size));
		tool_json_add(object, "layout",
			      tool_json_string(first->layout));
	}
	return object;
}

static void info_print_json(const struct info *info)
{
	struct json_object *object = json_object_new_object();

	tool_json_add(object, "header", tool_json_string(PIMDIMM_VERSION));
	tool_json_add(object, "abi", json_object_new_int(PIMDIMM_ABI));
	tool_json_add(object, "library", tool_json_string(pimdimm_version()));
	tool_json_add(object, "module", module_json(info));
	tool_json_add(object, "isa", tool_json_string(info->tier));
	tool_json_add(object, "threads",
		      json_object_new_uint64(info->threads));
	if (info->placement)
		tool_json_add(object, "topology",
			      info_topology_json(info->placement));
	tool_json_add(object, "environment", environment_json());
	tool_print_json(object);
}

static void print_algorithms(void)
{
	size_t count;
	const struct pc_algorithm *const *table = pc_algorithms(&count);

	printf("%-15s %-13s %-28s %s\n", "COLLECTIVE", "ALGORITHM", "SERVES",
	       "WHAT IT DOES");
	for (size_t i = 0; i < count; i++)
		printf("%-15s %-13s %-28s %s\n",
		       pc_collective_name(table[i]->collective), table[i]->name,
		       table[i]->serves, table[i]->desc);
}

static void print_algorithms_json(void)
{
	struct json_object *object = json_object_new_object();
	struct json_object *array = json_object_new_array();
	size_t count;
	const struct pc_algorithm *const *table = pc_algorithms(&count);

	tool_json_add(object, "algorithms", array);
	for (size_t i = 0; i < count; i++) {
		struct json_object *item = json_object_new_object();
		const struct pc_algorithm *row = table[i];
		const char *of = pc_collective_name(row->collective);

		tool_json_add(item, "collective", tool_json_string(of));
		tool_json_add(item, "name", tool_json_string(row->name));
		tool_json_add(item, "serves", tool_json_string(row->serves));
		tool_json_add(item, "description",
			      tool_json_string(row->desc));
		json_object_array_add(array, item);
	}
	tool_print_json(object);
}

static int info_show(const char *folder, bool json)
{
	struct info info = { 0 };

	if (info_collect(&info, folder))
		return TOOL_FAILED;
	if (json)
		info_print_json(&info);
	else
		info_print_text(&info);
	pd_placement_free(info.placement);
	sysfs_free(&info.ranks);
	return TOOL_OK;
}

static bool read_hosts(const char *text, unsigned long *hosts)
{
	char *end;

	*hosts = strtoul(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && *hosts && *hosts <= MAX_HOSTS;
}

static int run_info(const struct command *self, int argc, char **argv)
{
	const char *folder = SYSFS_CLASS;
	bool json = false, algorithms = false, cost = false, drm = false;
	unsigned long hosts = 0;
	int c;

	while ((c = tool_getopt(self, argc, argv)) != -1) {
		json |= c == 'j';
		algorithms |= c == 'a';
		cost |= c == 'c';
		drm |= c == 'd';
		if (c == 's')
			folder = optarg;
		if (c == 'H' && !read_hosts(optarg, &hosts))
			return tool_usage(self, "--hosts %s: expected 1 to %u", optarg, MAX_HOSTS);
	}
	if (tool_no_operands(self, argc, argv))
		return TOOL_USAGE;
	if (algorithms + cost + drm + !!hosts > 1)
		return tool_usage(self, "--algorithms, --cost, --drm and --hosts exclude each other");
	if (hosts)
		return info_hosts((uint32_t)hosts, json);
	if (drm)
		return info_drm(json);
	if (cost)
		return info_cost(json);
	if (!algorithms)
		return info_show(folder, json);
	if (json)
		print_algorithms_json();
	else
		print_algorithms();
	return TOOL_OK;
}

static const struct tool_option options[] = {
	{ 'a', "algorithms",
	  .help = "instead, the algorithms of each collective: names for pidcomm_set_algorithm(), what they serve and what they do" },
	{ 'c', "cost",
	  .help = "instead, the parameters of the cost model in use, those that PIMDIMM_COST changes among them, with units and sources; a file that it names may have these lines" },
	{ 'd', "drm",
	  .help = "instead, the DRM devices of this machine, what they say of PRIME, and whether each imports a page of a rank: the first free one is opened for that, for a moment" },
	{ 'H', "hosts", { .name = "N" },
	  .help = "instead, N hosts: where each is, by which path it is reached, and from which size on which algorithm serves buffers. They are processes made for that" },
	{ 'j', "json",
	  .help = "an object; with --algorithms one with an array `algorithms`, with --cost one with `set` and an array `cost`, with --drm one with an array `drm`, with --hosts one with arrays `hosts` and `switches`" },
	{ 's', "sysfs", { "DIR", .kind = TOOL_FOLDER },
	  .help = "read DIR instead of " SYSFS_CLASS },
	{ 0 },
};

const struct command cmd_info = {
	.name = "info",
	.summary = "tell versions, ranks, environment and algorithms",
	.run = run_info,
	.synopsis = "[OPTION]...",
	.about =
	"Tells the versions of header, library and kernel module, the ranks, the\n"
	"instruction set and the threads that the library would use, the processing\n"
	"units that each thread would keep to (the caller's excepted), caches and NUMA\n"
	"nodes and who told of them, and the variables of the environment that the\n"
	"library reads. Opens no node, but with --drm.\n",
	.notes = "Exit status: 0, 1 failed, 2 wrong usage.\n",
	.options = options,
};
