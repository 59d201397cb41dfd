/* SPDX-License-Identifier: MIT */
/* Core files of PEs, as gdb opens them. */
#ifndef PD_CORE_H
#define PD_CORE_H

#include "runtime/pe/debug/scene.h"

/*
 * Write a stopped PE to a new file in a folder, whose name goes to `path`: each tasklet
 * is a thread of it, the one at fault the first; memory that is zero takes no space. 0, or
 * an errno: there is no file then, nor a part of one.
 */
int pd_core_write(const struct pd_scene *scene, uint32_t fault, const char *folder,
		  char *path, size_t bytes);

/* the number of the signal that says best what a fault is */
int pd_core_signal(uint32_t fault);

#endif /* PD_CORE_H */
