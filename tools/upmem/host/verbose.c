// SPDX-License-Identifier: MIT
/*
 * libdpuverbose and libdpuvpd: programs are linked to them by name. What they held is
 * in libdpu; a shared library must define something.
 */
extern const char dpu_verbose_version[];
const char dpu_verbose_version[] __attribute__((visibility("default"))) =
	"libdpu has it";
