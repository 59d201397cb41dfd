// SPDX-License-Identifier: MIT
/* Where plug-ins lie, and why one cannot be had. */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <pimdimm/pimdimm.h>

#include "tools/perf/cpu/plugins.h"
#include "tools/tool.h"

const struct cpu_plugin *cpu_plugin_open(const char *name, char *why, size_t size)
{
	const struct cpu_plugin *plugin;
	char path[PATH_MAX], file[NAME_MAX];
	void *handle;

	snprintf(file, sizeof(file), "%s.so", name);
	if (!tool_part("cpu", file, path, sizeof(path))) {
		snprintf(why, size, "the library was not there when pimdimm was built");
		return NULL;
	}
	handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	plugin = handle ? dlsym(handle, "cpu_plugin") : NULL;
	if (!plugin) {
		snprintf(why, size, "%s", dlerror());
		return NULL;
	}
	if (strcmp(plugin->built_for, PIMDIMM_VERSION)) {
		snprintf(why, size, "%s was built for pimdimm %s, this is %s", path,
			 plugin->built_for, PIMDIMM_VERSION);
		return NULL;
	}
	return plugin;
}
