/* SPDX-License-Identifier: MIT */
/* Opens plug-ins, each of which has a library behind it. */
#ifndef PIMDIMM_PERF_CPU_PLUGINS_H
#define PIMDIMM_PERF_CPU_PLUGINS_H

#include "tools/perf/cpu/own/plugin.h"

/*
 * The plug-in of that name, which stays open, or NULL with a sentence why it cannot be
 * had. It lies in the folder `cpu` beside the command, or where that is installed.
 */
const struct cpu_plugin *cpu_plugin_open(const char *name, char *why, size_t size);

#endif /* PIMDIMM_PERF_CPU_PLUGINS_H */
