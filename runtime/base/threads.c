// SPDX-License-Identifier: MIT
/* Starting the library's own threads. */
#include "runtime/base/signals.h"
#include "runtime/base/threads.h"

/* the program's default, unless that is too little */
static int enough_stack(pthread_attr_t *attr)
{
	size_t bytes;
	int err = pthread_attr_getstacksize(attr, &bytes);

	if (!err && bytes < PD_STACK_BYTES)
		err = pthread_attr_setstacksize(attr, PD_STACK_BYTES);
	return err;
}

int pd_thread_start(pthread_t *id, void *(*run)(void *), void *arg)
{
	pthread_attr_t attr;
	sigset_t old;
	int err = pthread_attr_init(&attr);

	if (err)
		return err;
	err = enough_stack(&attr);
	if (!err) {
		pd_signals_block(&old);
		err = pthread_create(id, &attr, run, arg);
		pthread_sigmask(SIG_SETMASK, &old, NULL);
	}
	pthread_attr_destroy(&attr);
	return err;
}
