// SPDX-License-Identifier: MIT
/* Where plug-ins lie, and why one cannot be had. */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <pimdimm/pimdimm.h>

#include "tools/perf/cpu/plugins.h"
#include "tools/tool.h"

/* as `make install` puts them behind PREFIX/bin, and as `make` leaves them */
static const char *const folders[] = { "../libexec/pimdimm/cpu", "cpu" };

static bool find_plugin(const char *name, char *path, size_t size)
{
	for (size_t i = 0; i < TOOL_COUNT(folders); i++) {
		int length = snprintf(path, size, "%s/%s/%s.so", tool_folder(),
				      folders[i], name);

		if (length > 0 && (size_t)length < size && !access(path, R_OK))
			return true;
	}
	return false;
}

const struct cpu_plugin *cpu_plugin_open(const char *name, char *why, size_t size)
{
	const struct cpu_plugin *plugin;
	char path[PATH_MAX];
	void *handle;

	if (!find_plugin(name, path, sizeof(path))) {
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
