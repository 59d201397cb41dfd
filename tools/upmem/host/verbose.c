// SPDX-License-Identifier: MIT
/*
 * libdpuverbose: programs are linked to it by name. What it held is in libdpu;
 * a shared library must define something.
 */
extern const char dpu_verbose_version[];
const char dpu_verbose_version[] __attribute__((visibility("default"))) =
	"libdpu has it";
