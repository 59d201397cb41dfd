/* SPDX-License-Identifier: MIT */
/* The gdb that comes to a PE of this process, and where it finds it. */
#ifndef PD_DEBUGGER_H
#define PD_DEBUGGER_H

#include "runtime/pe/debug/scene.h"

/* in the folder that whoever starts gdb knows */
#define PD_DEBUGGER_PROGRAM	"program.elf"
#define PD_DEBUGGER_SOCKET	"gdb"

struct pd_debugger;

/* PIMDIMM_DEBUG: PE:FOLDER. 0, or -EINVAL, -EOPNOTSUPP and a sentence */
int pd_debugger_check(void);
/*
 * The debugger of a PE that is to run this program; NULL: it has none. Of programs
 * it is the first that the PE runs. text_fd: what its worker is to execute.
 */
struct pd_debugger *pd_debugger_take(uint32_t pe, struct pimdimm_program *program,
				     int *text_fd);
void pd_debugger_give(struct pd_debugger *d);

/* A run begins; the first waits for gdb. Returns what the worker stops at: PE_STOPS_. */
uint32_t pd_debugger_begin(struct pd_debugger *d, struct pd_slot *slot, uint32_t pe);
/* The worker has stopped; `fault`: where that is why, its kind, and a sentence. */
void pd_debugger_stopped(struct pd_debugger *d, const struct pd_scene *scene,
			 uint32_t fault, const char *sentence);
/* whether a stop is asked for, while the PE runs */
bool pd_debugger_asks(struct pd_debugger *d);
void pd_debugger_end(struct pd_debugger *d, const struct pd_scene *scene);

/*
 * Keep a PE that has stopped for a gdb that somebody starts, who is told of the folder,
 * until it has come and gone. 0, or an errno.
 */
int pd_debugger_wait(const struct pd_scene *scene, uint32_t fault,
		     void (*told)(void *ctx, const char *folder), void *ctx);

#endif /* PD_DEBUGGER_H */
