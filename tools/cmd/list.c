// SPDX-License-Identifier: MIT
/* `pimdimm list`: the ranks of the loaded module. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <json-c/json.h>

#include "tools/cmd/commands.h"
#include "tools/module/sysfs.h"
#include "tools/tool.h"

/* A number, or null of what is hidden from this user. */
static void list_add_number(struct json_object *object, const char *name,
			    bool hidden, int64_t value)
{
	if (hidden)
		json_object_object_add(object, name, NULL);
	else
		tool_json_add(object, name, json_object_new_int64(value));
}

static struct json_object *rank_json(const struct sysfs_rank *rank)
{
	const struct {
		const char *name;
		uint64_t value;
	} numbers[] = {
		{ "channel", rank->channel },
		{ "rank", rank->rank },
		{ "channels", rank->channels },
		{ "ranks", rank->ranks },
		{ "mram_size", rank->mram_size },
		{ "window_size", rank->window_size },
		{ "allocated", rank->allocated },
		{ "opens", rank->opens },
		{ "resets", rank->resets },
		{ "exports", rank->exports },
		{ "errors", rank->errors },
		{ "pinned", rank->pinned },
		{ "abi", rank->abi },
	};
	struct json_object *object = json_object_new_object();
	char node[32];

	snprintf(node, sizeof(node), "/dev/pimdimm%" PRIu32, rank->number);
	tool_json_add(object, "node", tool_json_string(node));
	tool_json_add(object, "system", tool_json_string(rank->system));
	tool_json_add(object, "layout", tool_json_string(rank->layout));
	tool_json_add(object, "mux", tool_json_string(rank->mux));
	for (size_t i = 0; i < TOOL_COUNT(numbers); i++)
		tool_json_add(object, numbers[i].name,
			      json_object_new_uint64(numbers[i].value));
	list_add_number(object, "transfers_to_mram", rank->hidden,
			(int64_t)rank->transfers_to_mram);
	list_add_number(object, "bytes_to_mram", rank->hidden,
			(int64_t)rank->bytes_to_mram);
	list_add_number(object, "transfers_from_mram", rank->hidden,
			(int64_t)rank->transfers_from_mram);
	list_add_number(object, "bytes_from_mram", rank->hidden,
			(int64_t)rank->bytes_from_mram);
	list_add_number(object, "owner", rank->hidden, rank->owner);
	return object;
}

static void list_print_json(const struct sysfs_ranks *ranks)
{
	struct json_object *array = json_object_new_array();
	struct json_object *object = json_object_new_object();

	tool_json_add(object, "ranks", array);
	for (size_t i = 0; i < ranks->count; i++)
		json_object_array_add(array, rank_json(&ranks->ranks[i]));
	tool_print_json(object);
}

static void print_table(const struct sysfs_ranks *ranks)
{
	printf("%-15s %-10s %7s %4s %8s %-7s %10s %12s %12s  %s\n", "NODE",
	       "SYSTEM", "CHANNEL", "RANK", "MRAM", "LAYOUT", "ALLOCATED",
	       "TO MRAM", "FROM MRAM", "OWNER");
	for (size_t i = 0; i < ranks->count; i++) {
		const struct sysfs_rank *r = &ranks->ranks[i];
		char node[32], owner[64];

		sysfs_owner(r, owner, sizeof(owner));
		snprintf(node, sizeof(node), "/dev/pimdimm%" PRIu32, r->number);
		printf("%-15s %-10s %7" PRIu64 " %4" PRIu64
		       " %8s %-7s %10s %12s %12s  %s\n",
		       node, r->system, r->channel, r->rank, tool_size(r->mram_size),
		       r->layout, tool_size(r->allocated),
		       r->hidden ? "?" : tool_size(r->bytes_to_mram),
		       r->hidden ? "?" : tool_size(r->bytes_from_mram), owner);
	}
}

static int run_list(const struct command *self, int argc, char **argv)
{
	const char *folder = SYSFS_CLASS;
	struct sysfs_ranks ranks;
	bool json = false;
	int c;

	while ((c = tool_getopt(self, argc, argv)) != -1) {
		if (c == 'j')
			json = true;
		else
			folder = optarg;
	}
	if (tool_no_operands(self, argc, argv))
		return TOOL_USAGE;
	if (sysfs_read(folder, &ranks))
		return TOOL_FAILED;
	if (json)
		list_print_json(&ranks);
	else if (ranks.count)
		print_table(&ranks);
	else
		puts("no ranks: the module is not loaded (`pimdimm load` does that)");
	sysfs_free(&ranks);
	return TOOL_OK;
}

static const struct tool_option options[] = {
	{ 'j', "json",
	  .help = "an object with an array `ranks`, sizes in bytes; owner is a process, 0 nobody, -1 one that is not visible; mux is host or pes, whichever may touch its MRAM" },
	{ 's', "sysfs", { "DIR", .kind = TOOL_FOLDER },
	  .help = "read DIR instead of " SYSFS_CLASS },
	{ 0 },
};

const struct command cmd_list = {
	.name = "list",
	.summary = "list the ranks of the loaded module",
	.run = run_list,
	.synopsis = "[OPTION]...",
	.about =
	"Lists the ranks of the loaded kernel module: node, system, position, MRAM of a\n"
	"PE, layout, memory allocated, bytes moved by the transfer ioctl, and the process\n"
	"that opened the node. Reads sysfs and opens no node.\n",
	.notes = "Exit status: 0, also without any rank; 1 failed; 2 wrong usage.\n",
	.options = options,
};
