// SPDX-License-Identifier: MIT
/*
 * mux: what ownership shows, without the library, by the calls of /dev/pimdimmN.
 * Hands a rank to its PEs, lets one of them add to a number through their view
 * while the host's view is closed, and takes the rank back.
 *
 *     make mux && ./mux			# on /dev/pimdimm0
 *     ./mux /dev/pimdimm1
 *
 * Exit status 77: there is no such node, since the module is not loaded.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/pimdimm.h>
#include <pimdimm/pimdimm_layout.h>

#define PAGE 4096

static sigjmp_buf refused;

static void fail(const char *what, int error)
{
	fprintf(stderr, "mux: %s: %s\n", what, strerror(error));
	exit(error == ENOENT ? 77 : 1);
}

/* What must not be, where no call has failed. */
static void wrong(const char *what)
{
	fprintf(stderr, "mux: %s\n", what);
	exit(1);
}

/* Moves the first word of PE 0 from or to MRAM. */
static int transfer(int fd, uint64_t *word, uint32_t direction)
{
	struct pimdimm_xfer xfer = {
		.size = sizeof(xfer),
		.flags = PIMDIMM_XFER_STRIDED | direction,
		.pe_mask = 1,
		.bytes = sizeof(*word),
		.addrs = (uintptr_t)word,
	};

	if (ioctl(fd, PIMDIMM_IOC_XFER, &xfer))
		return -errno;
	/* short, after a signal */
	return xfer.out_bytes == sizeof(*word) ? 0 : -EINTR;
}

static void hand_to(int fd, uint32_t owner)
{
	struct pimdimm_mux mux = { .size = sizeof(mux), .owner = owner };

	if (ioctl(fd, PIMDIMM_IOC_MUX, &mux))
		fail("PIMDIMM_IOC_MUX", errno);
}

static volatile uint8_t *map(int fd, off_t view)
{
	void *at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			view);

	if (at == MAP_FAILED)
		fail("mmap", errno);
	return at;
}

static void on_signal(int number)
{
	siglongjmp(refused, number);
}

/* The signal that a look at the host's view brings, or 0. */
static int look(volatile uint8_t *host)
{
	int number = sigsetjmp(refused, 1);

	if (!number)
		(void)*host;
	return number;
}

/*
 * What a PE does: adds to its first word. In the window, byte b of the word of
 * chip 0 lies at byte 8 * b of the block.
 */
static void add(volatile uint8_t *block, uint64_t summand)
{
	uint64_t word = 0;

	for (int b = 0; b < 8; b++)
		word |= (uint64_t)block[8 * b] << 8 * b;
	word += summand;
	for (int b = 0; b < 8; b++)
		block[8 * b] = (uint8_t)(word >> 8 * b);
}

int main(int argc, char **argv)
{
	const char *node = argc > 1 ? argv[1] : "/dev/pimdimm0";
	struct pimdimm_query query = { .size = sizeof(query) };
	struct sigaction action = { .sa_handler = on_signal };
	volatile uint8_t *host, *pes;
	uint64_t word = 40, at;
	int fd = open(node, O_RDWR | O_CLOEXEC), ret;

	if (fd < 0)
		fail(node, errno);
	if (ioctl(fd, PIMDIMM_IOC_QUERY, &query))
		fail("PIMDIMM_IOC_QUERY", errno);
	if (query.out_abi != PIMDIMM_ABI ||
	    !(query.out_features & PIMDIMM_FEATURE_MUX))
		wrong("this module has no PIMDIMM_IOC_MUX");
	if (sigaction(SIGBUS, &action, NULL))
		fail("sigaction", errno);
	/* word 0 of bank 0 lies in the first page of the window in either layout */
	host = map(fd, 0);
	pes = map(fd, PIMDIMM_MMAP_PE);
	at = pimdimm_layout_offset(query.out_layout, query.out_mram_size, 0, 0);
	ret = transfer(fd, &word, 0);
	if (ret)
		fail("writing", -ret);

	hand_to(fd, PIMDIMM_MUX_PES);
	add(pes + at, 2);
	if (look(host) != SIGBUS)
		wrong("the host could look while the PEs own the rank");
	if (transfer(fd, &word, PIMDIMM_XFER_FROM_MRAM) != -EBUSY)
		wrong("the host could read while the PEs own the rank");

	hand_to(fd, PIMDIMM_MUX_HOST);
	ret = transfer(fd, &word, PIMDIMM_XFER_FROM_MRAM);
	if (ret)
		fail("reading", -ret);
	if (look(host))
		wrong("the host's view is closed after its rank has come back");
	if (word != 42)
		wrong("the sum is not 42, which the PE was to make of 40");
	printf("mux: the PE has made 42 of 40, unseen by the host\n");
	close(fd);
	return 0;
}
