/* SPDX-License-Identifier: MIT */
/*
 * Signals belong to the program's own threads, and the library's threads begin
 * with them blocked. Those alone are not that a thread brings upon itself: there
 * the program's handler is to tell what went wrong, as it would in its own.
 */
#ifndef PD_SIGNALS_H
#define PD_SIGNALS_H

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

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

/*
 * Around what may make a file longer than RLIMIT_FSIZE lets it be: -EFBIG tells
 * that, and SIGXFSZ would end the program. `too_big`: it was so. errno stays.
 */
struct pd_xfsz {
	sigset_t old;
	bool pending;	/* before: it is not the library's to take */
};

static inline void pd_xfsz_block(struct pd_xfsz *x)
{
	sigset_t set;

	sigpending(&set);
	x->pending = sigismember(&set, SIGXFSZ) == 1;
	sigemptyset(&set);
	sigaddset(&set, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &set, &x->old);
}

static inline void pd_xfsz_unblock(const struct pd_xfsz *x, bool too_big)
{
	const struct timespec at_once = { 0 };
	int err = errno;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGXFSZ);
	while (too_big && !x->pending &&
	       sigtimedwait(&set, NULL, &at_once) < 0 && errno == EINTR)
		;
	pthread_sigmask(SIG_SETMASK, &x->old, NULL);
	errno = err;
}

/* ftruncate() of a file that may not be as long as that: -1 and EFBIG, no signal */
static inline int pd_set_file_size(int fd, off_t bytes)
{
	struct pd_xfsz xfsz;
	int ret;

	pd_xfsz_block(&xfsz);
	ret = ftruncate(fd, bytes);
	pd_xfsz_unblock(&xfsz, ret && errno == EFBIG);
	return ret;
}

#endif /* PD_SIGNALS_H */
