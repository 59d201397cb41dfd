// SPDX-License-Identifier: MIT
/* The cost model's parameters as they are in use, with units and sources. */
#include <stdio.h>

#include <json-c/json.h>
#include <pimdimm/pimdimm.h>

#include "tools/cmd/info/info_cost.h"
#include "tools/inside.h"
#include "tools/tool.h"

static void cost_print(void)
{
	struct pd_cost_parameter p;

	/* as a file of PIMDIMM_COST has them */
	printf("%-27s = %-10s # what these values begin with\n", "set", pd_cost_set());
	for (size_t i = 0; i < pd_cost_parameter(i, &p); i++)
		printf("%-27s = %-10u # %s; %s\n", p.name, p.value, p.unit, p.source);
}

static void cost_print_json(void)
{
	struct json_object *object = json_object_new_object();
	struct json_object *array = json_object_new_array();
	struct pd_cost_parameter p;

	tool_json_add(object, "set", tool_json_string(pd_cost_set()));
	tool_json_add(object, "cost", array);
	for (size_t i = 0; i < pd_cost_parameter(i, &p); i++) {
		struct json_object *row = json_object_new_object();

		tool_json_add(row, "name", tool_json_string(p.name));
		tool_json_add(row, "value", json_object_new_uint64(p.value));
		tool_json_add(row, "unit", tool_json_string(p.unit));
		tool_json_add(row, "source", tool_json_string(p.source));
		json_object_array_add(array, row);
	}
	tool_print_json(object);
}

int info_cost(bool json)
{
	if (pd_cost_check()) {
		tool_error("%s", pimdimm_errmsg());
		return TOOL_FAILED;
	}
	if (json)
		cost_print_json();
	else
		cost_print();
	return TOOL_OK;
}
