/* SPDX-License-Identifier: MIT */
/* A stopped PE as gdb sees it through its remote protocol: tasklets are threads. */
#ifndef PD_GDB_H
#define PD_GDB_H

#include "runtime/pe/debug/packets.h"
#include "runtime/pe/debug/scene.h"
#include "runtime/pe/debug/traps.h"

struct pd_gdb {
	struct pd_packets packets;
	struct pd_traps *traps;		/* NULL: the PE is at its end, and can only be looked at */
	uint32_t tasklet;		/* whose registers are asked for */
	bool owed;			/* an answer, when it stops */
	int signal;			/* why it has */
	bool breakpoint;
};

/* Answer gdb until the PE is to go on, or gdb is gone. */
void pd_gdb_serve(struct pd_gdb *g, const struct pd_scene *scene);

#endif /* PD_GDB_H */
