/* SPDX-License-Identifier: MIT */
/*
 * Signals belong to the program's own threads, and the library's threads begin
 * with them blocked. Those alone are not that a thread brings upon itself: there
 * the program's handler is to tell what went wrong, as it would in its own.
 */
#ifndef PD_SIGNALS_H
#define PD_SIGNALS_H

#include <signal.h>

/* Around pthread_create(); pthread_sigmask() with what is left in *old undoes it. */
static inline void pd_signals_block(sigset_t *old)
{
	static const int own[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP };
	sigset_t set;

	sigfillset(&set);
	for (unsigned int i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		sigdelset(&set, own[i]);
	pthread_sigmask(SIG_SETMASK, &set, old);
}

#endif /* PD_SIGNALS_H */
