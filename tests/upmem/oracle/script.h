/* SPDX-License-Identifier: MIT */
/* What the tasklets of script.c do: scripts of steps, by random, that oracle.c writes. */
#ifndef SCRIPT_H
#define SCRIPT_H

#include <stdint.h>

#define TASKLETS	6
#define STEPS		32
#define MUTEXES		2
#define SEMAPHORES	2
#define SLOTS		4	/* of WRAM, 8 bytes each */
#define FAR_WORDS	4	/* of MRAM */
#define LOG_ENTRIES	(TASKLETS * STEPS)

enum step_op {
	STEP_END,
	STEP_LOCK,		/* which: a mutex */
	STEP_UNLOCK,
	STEP_MEET,		/* all, at the barrier */
	STEP_NOTIFY,
	STEP_AWAIT,		/* which: a tasklet */
	STEP_GIVE,		/* which: a semaphore */
	STEP_TAKE,
	STEP_READ,		/* which: a slot; `bytes` at `at` of it */
	STEP_WRITE,
	STEP_FILL,		/* which: a slot, by DMA */
	STEP_FAR_READ,		/* which: a word; `bytes` from there on, by DMA */
	STEP_FAR_WRITE,
};

struct step {
	uint8_t op, which, at, bytes;
};

#endif /* SCRIPT_H */
