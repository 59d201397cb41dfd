// SPDX-License-Identifier: MIT
/*
 * ownership: on hardware, MRAM belongs to the host or to the PEs, and a host that
 * polls it while PEs run reads garbage. Opened with strict=1, emulated ranks tell:
 * touching MRAM during a launch is a signal, transfers are -EBUSY.
 *
 *     make ownership && ./ownership	# on a rank of the kernel module, SIGBUS
 *     ./ownership mem:strict=1		# on a rank of this process, SIGSEGV
 *
 * Exit status 77: the module is not loaded, so that there is no rank to open.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <pimdimm/pimdimm.h>

static sem_t started, looked;
static sigjmp_buf refused;
static void *volatile touched;

static int fail(const char *what)
{
	fprintf(stderr, "ownership: %s\n", what);
	return 1;
}

/* Sets its flag in MRAM when the host has had time to look for it too early. */
static void work(struct pimdimm_pe *pe, void *arg)
{
	uint64_t *done = pimdimm_wram_alloc(pe, sizeof(*done));

	(void)arg;
	sem_post(&started);
	while (sem_wait(&looked))
		;
	*done = 1;
	pimdimm_mram_write(pe, 0, done, sizeof(*done));
}

/* Its result is the launch's own: NULL, or the sentence. */
static void *launch(void *sys)
{
	static char sentence[256];

	if (!pimdimm_launch(sys, 0, 1, 1, work, NULL))
		return NULL;
	snprintf(sentence, sizeof(sentence), "%s", pimdimm_errmsg());
	sem_post(&started);
	return sentence;
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	(void)context;
	touched = info->si_addr;
	siglongjmp(refused, number);
}

static int catch_signals(void)
{
	struct sigaction action = { .sa_sigaction = on_signal,
				    .sa_flags = SA_SIGINFO };

	return sigaction(SIGBUS, &action, NULL) ||
	       sigaction(SIGSEGV, &action, NULL);
}

/* Looks for the flag, which the PEs' MRAM must refuse in either way. */
static int look_too_early(struct pimdimm *sys)
{
	volatile uint8_t *flag = pimdimm_mram(sys, 0, NULL);
	uint64_t done;
	int number = sigsetjmp(refused, 1);

	if (!number) {
		(void)*flag;
		return fail("the host could look: not opened with strict=1?");
	}
	if (touched != (void *)flag)
		return fail("the signal has another address than the flag's");
	if (pimdimm_read(sys, 0, 0, &done, sizeof(done)) != -EBUSY)
		return fail("pimdimm_read() was not -EBUSY");
	printf("ownership: looking at MRAM during the launch: %s\n",
	       strsignal(number));
	printf("ownership: reading it: %s\n", pimdimm_errmsg());
	return 0;
}

/* After the launch the rank is the host's again. */
static int look_in_time(struct pimdimm *sys)
{
	uint64_t done = 0;

	if (pimdimm_read(sys, 0, 0, &done, sizeof(done)))
		return fail(pimdimm_errmsg());
	if (done != 1)
		return fail("the flag is not set after the launch");
	printf("ownership: after the launch the flag is set\n");
	return 0;
}

static int run(struct pimdimm *sys)
{
	pthread_t thread;
	void *sentence;
	int status;

	if (sem_init(&started, 0, 0) || sem_init(&looked, 0, 0) ||
	    catch_signals() || pthread_create(&thread, NULL, launch, sys))
		return fail("no semaphore, signal handler or thread to be had");
	while (sem_wait(&started))
		;
	status = look_too_early(sys);
	sem_post(&looked);
	if (pthread_join(thread, &sentence))
		return fail("the thread cannot be joined");
	if (sentence)
		return fail(sentence);
	return status ? status : look_in_time(sys);
}

int main(int argc, char **argv)
{
	const char *uri = argc > 1 ? argv[1] : "dev:ranks=1,strict=1";
	struct pimdimm *sys;
	int ret = pimdimm_open(uri, &sys);

	if (ret) {
		fail(pimdimm_errmsg());
		return ret == -ENOENT ? 77 : 1;
	}
	ret = run(sys);
	pimdimm_close(sys);
	return ret;
}
