// SPDX-License-Identifier: MIT
/* Touches the views of a rank and tells which signal that brought. */
#include <setjmp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "tests/kernel/harness.h"
#include "tests/kernel/views.h"

static __thread sigjmp_buf after_signal;
static __thread siginfo_t seen;

static void on_signal(int number, siginfo_t *info, void *context)
{
	(void)context;
	seen = *info;
	siglongjmp(after_signal, number);
}

static void catch_signals(void)
{
	struct sigaction action = {
		.sa_sigaction = on_signal,
		.sa_flags = SA_SIGINFO,
	};

	sigaction(SIGBUS, &action, NULL);
	sigaction(SIGSEGV, &action, NULL);
}

int touch(volatile uint8_t *address, bool store)
{
	int number = sigsetjmp(after_signal, 1);

	if (number)
		return number;
	if (store)
		*address = 1;
	else
		(void)*address;
	return 0;
}

const siginfo_t *touch_signal(void)
{
	return &seen;
}

int mux(int fd, uint32_t owner)
{
	struct pimdimm_mux arg = { .size = sizeof(arg), .owner = owner };

	return ioctl(fd, PIMDIMM_IOC_MUX, &arg);
}

void to_pes(const struct rank *rank)
{
	ASSERT_EQ(0, mux(rank->fd, PIMDIMM_MUX_PES));
}

void to_host(const struct rank *rank)
{
	ASSERT_EQ(0, mux(rank->fd, PIMDIMM_MUX_HOST));
}

void views_open(struct rank *rank)
{
	rank_open(rank);
	if (!(rank->query.out_features & PIMDIMM_FEATURE_MUX))
		SKIP("this module does not offer MUX");
	catch_signals();
}

uint8_t *views_map_pe(const struct rank *rank)
{
	uint8_t *pe = mmap(NULL, rank->query.out_window_size,
			   PROT_READ | PROT_WRITE, MAP_SHARED, rank->fd,
			   (off_t)PIMDIMM_MMAP_PE);

	ASSERT_TRUE(pe != MAP_FAILED);
	return pe;
}

void views_start(struct views *views, bool mapped_first)
{
	views_open(&views->rank);
	if (!mapped_first)
		to_host(&views->rank);
	rank_map(&views->rank);
	views->pe = views_map_pe(&views->rank);
	views->size = views->rank.query.out_window_size;
}
