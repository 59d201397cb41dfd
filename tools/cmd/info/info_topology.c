// SPDX-License-Identifier: MIT
/* What `info` tells of the machine: threads' places, memory, caches. */
#include <stdio.h>
#include <string.h>

#include <json-c/json.h>

#include "tools/cmd/info/info_topology.h"
#include "tools/csv.h"
#include "tools/inside.h"
#include "tools/tool.h"

/* columns of a line, and where what it says begins */
#define LINE	80
#define INDENT	9

static void print_shares(const struct pd_placement *p)
{
	size_t column = LINE;
	char pus[64];

	for (unsigned int i = 0; i < p->threads; i++) {
		pd_share_print(p, i, pus, sizeof(pus));
		if (column + strlen(pus) + 2 > LINE)
			column = (size_t)printf(i ? ";\n%*s%s" : "%*s%s",
						i ? INDENT : 0, "", pus) +
				 (i ? 0 : INDENT);
		else
			column += (size_t)printf("; %s", pus);
	}
	putchar('\n');
}

/* the processing units of each thread */
static void print_places(const struct pd_placement *p)
{
	fputs("places   ", stdout);
	if (p->shares && p->threads <= p->nr_pus)
		print_shares(p);
	else
		puts("wherever the scheduler puts the threads");
	if (!p->shares || p->binds)
		return;
	printf("%*snot bound: %s\n", INDENT, "",
	       p->threads > p->nr_pus ? "more threads than processing units" :
					"no processing units of this machine");
}

static void print_memory(const struct pd_placement *p)
{
	char pages[80];

	if (p->nr_nodes == 1)
		fputs("memory   where it is first touched", stdout);
	else
		fputs("memory   of mem: ranks, channel by channel on NUMA nodes", stdout);
	for (unsigned int i = 0; p->nr_nodes > 1 && i < p->nr_nodes; i++)
		printf("%s%u", i ? ", " : " ", p->nodes[i]);
	tool_mem_pages(pages, sizeof(pages));
	printf("\n%*smem: ranks have %s\n", INDENT, "", pages);
}

void info_topology_print(const struct pd_placement *p)
{
	print_places(p);
	print_memory(p);
	printf("caches   %s; %s for these threads\n", p->caches,
	       tool_size(p->cache_bytes));
	if (p->shares)
		printf("machine  processing units: %u, cores: %u, NUMA nodes: %u\n%*s",
		       p->nr_pus, p->nr_cores, p->nr_numa, INDENT, "");
	else
		fputs("machine  ", stdout);
	puts(p->source);
}

static struct json_object *shares_json(const struct pd_placement *p)
{
	struct json_object *array = json_object_new_array();

	for (unsigned int i = 0; p->shares && i < p->threads; i++) {
		struct json_object *share = json_object_new_object();
		unsigned int node = p->shares[i].node;
		char pus[256];

		pd_share_print(p, i, pus, sizeof(pus));
		tool_json_add(share, "pus", tool_json_string(pus));
		if (p->nr_nodes > 1)
			tool_json_add(share, "node",
				      json_object_new_uint64(p->nodes[node]));
		json_object_array_add(array, share);
	}
	return array;
}

struct json_object *info_topology_json(const struct pd_placement *p)
{
	struct json_object *object = json_object_new_object();
	char pages[80];

	tool_mem_pages(pages, sizeof(pages));
	tool_json_add(object, "source", tool_json_string(p->source));
	tool_json_add(object, "mem_pages", tool_json_string(pages));
	tool_json_add(object, "pus", json_object_new_uint64(p->nr_pus));
	tool_json_add(object, "cores", json_object_new_uint64(p->nr_cores));
	tool_json_add(object, "nodes", json_object_new_uint64(p->nr_numa));
	tool_json_add(object, "caches", tool_json_string(p->caches));
	tool_json_add(object, "cache_bytes",
		      json_object_new_uint64(p->cache_bytes));
	tool_json_add(object, "bound", json_object_new_boolean(p->binds));
	tool_json_add(object, "shares", shares_json(p));
	return object;
}
