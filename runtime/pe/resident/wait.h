/* SPDX-License-Identifier: MIT */
/* What threads of resident kernels wait for, and what layers above do meanwhile. */
#ifndef PD_WAIT_H
#define PD_WAIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PD_NO_PE UINT32_MAX

struct pd_run;
struct pd_thread;
struct pimdimm_pe;

/*
 * What a thread waits for: usually on its stack, zeroed but for `told`. It is used once,
 * and must last until the wait has returned.
 */
struct pd_wait {
	/*
	 * What comes after "PE 3, tasklet 0 " in the sentence of a deadlock, such as
	 * "waits for a message of PE 4, tag 7", as snprintf() would write it. Returns
	 * the PE that could end the wait, or PD_NO_PE where that is not one. Called
	 * when no thread runs.
	 */
	uint32_t (*told)(const struct pd_wait *wait, char *text, size_t bytes);
	struct pd_thread *thread;	/* from here on the runtime's own */
	_Atomic uint32_t state;
};

/*
 * What a layer above has done in runs of a system, as of pd_resident_set_hooks(); NULL
 * members are left out. ctx is its own.
 */
struct pd_resident_hooks {
	void *ctx;
	/* no thread runs yet, and none does any more */
	void (*begin)(void *ctx, struct pd_run *run);
	void (*end)(void *ctx, struct pd_run *run, int ret);
	/*
	 * The thread is about to wait, yields, or has moved bytes between MRAM and
	 * WRAM. It must not wait itself.
	 */
	void (*progress)(void *ctx, struct pimdimm_pe *pe);
	/*
	 * One of the run's threads of this process finds nothing to run: copies that
	 * were collected, say, are made now. On several at once. Returns whether it
	 * did something; it is asked again until it did not, and a deadlock is one
	 * only after that.
	 */
	bool (*idle)(void *ctx, struct pd_run *run);
};

#endif /* PD_WAIT_H */
