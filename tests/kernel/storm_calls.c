// SPDX-License-Identifier: MIT
/* The storm's ioctls, of nodes and of dma-bufs. */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/dma-buf.h>

#include "tests/kernel/harness.h"
#include "tests/kernel/storm.h"

/*
 * A structure of @bytes, at times with a bit flipped or its size told wrongly, in
 * memory that other threads are writing to.
 */
static int call(struct thread *t, int fd, unsigned long number, void *arg,
		size_t bytes)
{
	uint8_t *spot = storm.host + any_of(t, STORM_HOST / 2);
	void *at = spot;

	if (any_of(t, 16) == 0)
		((uint8_t *)arg)[any_of(t, bytes)] ^= 1 << any_of(t, 8);
	if (any_of(t, 32) == 0)
		*(uint32_t *)arg = (uint32_t)any_number(t);
	memcpy(spot, arg, bytes);
	if (any_of(t, 64) == 0)
		at = (void *)(uintptr_t)any_address(t);
	return ioctl(fd, number, at) < 0 ? -1 : 0;
}

static void do_query(struct thread *t)
{
	struct pimdimm_query query = { .size = sizeof(query) };

	count(t, call(t, any_node(t), PIMDIMM_IOC_QUERY, &query,
		      sizeof(query)));
}

/* One address a PE, most of them good: what lies about there would seldom be. */
static uint64_t any_addresses(struct thread *t, uint8_t *memory, size_t room,
			      size_t align)
{
	uint64_t *addrs = (uint64_t *)(storm.host + STORM_HOST) -
			  (1 + any_of(t, 16)) * PIMDIMM_RANK_PES;

	for (unsigned int pe = 0; pe < PIMDIMM_RANK_PES; pe++)
		addrs[pe] = (uintptr_t)memory + any_of(t, room / align) * align;
	if (any_of(t, 4) == 0)
		addrs[any_of(t, PIMDIMM_RANK_PES)] = any_address(t);
	return (uintptr_t)addrs;
}

static uint64_t any_mask(struct thread *t)
{
	switch (any_of(t, 4)) {
	case 0:
		return UINT64_MAX;
	case 1:
		return 1ULL << any_of(t, PIMDIMM_RANK_PES);
	default:
		return random_next(&t->random) & any_number(t);
	}
}

/* Of a group, long enough for the module to have a hold of the buffers' pages. */
static void with_own_pages(struct thread *t, struct pimdimm_xfer *arg)
{
	arg->flags &= PIMDIMM_XFER_FROM_MRAM;
	arg->pe_mask = 0xffull << 8 * any_of(t, 8);
	if (any_of(t, 4) == 0)
		arg->pe_mask &= random_next(&t->random);
	arg->offset = any_of(t, 1024) * 8;
	arg->bytes = any_of(t, STORM_OWN / 2 / 8) * 8;
	arg->addrs = any_addresses(t, storm.own, STORM_OWN / 2, 8);
	arg->stride = 0;
}

static void do_xfer(struct thread *t)
{
	struct pimdimm_xfer arg = {
		.size = sizeof(arg),
		.flags = (uint32_t)any_of(t, 4),
		.pe_mask = any_mask(t),
		.offset = any_of(t, 8) ? any_of(t, 8192) * 8 : any_number(t),
		/* mostly few, so that many calls are made */
		.bytes = any_of(t, 32) ? any_of(t, 128) * 8 : any_number(t),
		.addrs = any_address(t),
	};

	if (arg.flags & PIMDIMM_XFER_STRIDED)
		arg.stride = any_of(t, 4) ? any_of(t, 1024) :
					    any_wild(t, STORM_ROOM / 128);
	else if (any_of(t, 4))
		arg.addrs = any_addresses(t, storm.host, STORM_HOST / 2, 1);
	if (any_of(t, 16) == 0)
		with_own_pages(t, &arg);
	count(t, call(t, any_node(t), PIMDIMM_IOC_XFER, &arg, sizeof(arg)));
}

static void do_reset(struct thread *t)
{
	struct pimdimm_reset reset = { .size = sizeof(reset) };

	count(t, call(t, any_node(t), PIMDIMM_IOC_RESET, &reset,
		      sizeof(reset)));
}

static void do_mux(struct thread *t)
{
	struct pimdimm_mux mux = {
		.size = sizeof(mux),
		.owner = any_of(t, 3) ? PIMDIMM_MUX_HOST : PIMDIMM_MUX_PES,
	};

	count(t, call(t, any_node(t), PIMDIMM_IOC_MUX, &mux, sizeof(mux)));
}

static void do_touch_by_ioctl(struct thread *t)
{
	struct pimdimm_touch touch = {
		.size = sizeof(touch),
		.words = any_number(t),
	};

	count(t, call(t, any_node(t), PIMDIMM_IOC_TOUCH, &touch,
		      sizeof(touch)));
}

/* The structure lies where nobody writes: out_fd must be what we were given. */
static void do_export(struct thread *t)
{
	struct pimdimm_export export = {
		.size = sizeof(export),
		.flags = any_of(t, 32) ? 0 : (uint32_t)any_number(t),
		.offset = any_of(t, 4) ? any_of(t, 64) * page_size() :
					 any_number(t),
		.bytes = any_of(t, 4) ? any_of(t, 64) * page_size() :
					any_number(t),
		.out_fd = -1,
		.reserved = any_of(t, 32) ? 0 : (uint32_t)any_number(t),
	};
	int result;

	if (any_of(t, 32) == 0)
		export.size = (uint32_t)any_number(t);
	result = ioctl(any_node(t), PIMDIMM_IOC_EXPORT, &export);
	count(t, result);
	if (result == 0 && export.out_fd >= 0) {
		if (any_of(t, 4) == 0)
			dup3(export.out_fd, any_buffer(t), O_CLOEXEC);
		close(export.out_fd);
	}
}

/* Nobody could close what EXPORT returns here: its number is left out. */
static void do_unknown(struct thread *t)
{
	uint8_t bytes[512];
	unsigned long number = (uint32_t)random_next(&t->random);

	random_fill(&t->random, bytes, sizeof(bytes));
	if (any_of(t, 2))
		number = _IO(PIMDIMM_IOC_MAGIC,
			     _IOC_NR(PIMDIMM_IOC_TOUCH) + 1 + any_of(t, 250));
	count(t, call(t, any_node(t), number, bytes, sizeof(bytes)));
}

static void do_sync(struct thread *t)
{
	struct dma_buf_sync sync = { .flags = any_of(t, 8) };

	count(t, ioctl(any_buffer(t), DMA_BUF_IOCTL_SYNC, &sync));
}

const struct act storm_calls[] = {
	{ 400, do_xfer, "XFER" },
	{ 60, do_query, "QUERY" },
	{ 30, do_reset, "RESET" },
	{ 40, do_mux, "MUX" },
	{ 40, do_touch_by_ioctl, "TOUCH" },
	{ 60, do_export, "EXPORT" },
	{ 40, do_unknown, "no ioctl" },
	{ 80, do_sync, "SYNC" },
	{ 0 },
};
