// SPDX-License-Identifier: MIT
/* The storm's mappings, and loads and stores through them. */
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/kernel/harness.h"
#include "tests/kernel/storm.h"

static __thread sigjmp_buf landing;
static __thread volatile sig_atomic_t flying;

static void on_fault(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (flying)
		siglongjmp(landing, 1);
	test_fail(__FILE__, __LINE__, "signal %d at %p", number, info->si_addr);
	test_stop();
}

static uint8_t *any_page(struct thread *t)
{
	return storm.arena + any_of(t, STORM_ARENA / page_size()) * page_size();
}

/* So many pages from one on, but none behind the arena. */
static size_t any_length(struct thread *t, const uint8_t *page, uint64_t pages)
{
	size_t size = (1 + any_of(t, pages)) * page_size();
	size_t room = (size_t)(storm.arena + STORM_ARENA - page);

	return size < room ? size : room;
}

static void *clear(uint8_t *page, size_t size)
{
	return mmap(page, size, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
		    0);
}

/* The views, and the page of a rank's status. */
static uint64_t any_offset(struct thread *t)
{
	static const uint64_t views[] = { 0, 0, 0, PIMDIMM_MMAP_PE,
					  PIMDIMM_MMAP_PE,
					  PIMDIMM_MMAP_STATUS };
	uint64_t view = views[any_of(t, 6)];

	if (any_of(t, 16) == 0)
		return any_number(t) & -page_size();
	if (view == PIMDIMM_MMAP_STATUS && any_of(t, 4))
		return view;
	return view + any_of(t, 512) * page_size();
}

static void *map_own(void *page, size_t size)
{
	return mmap(page, size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

static void do_map(struct thread *t)
{
	uint8_t *page = any_page(t);
	size_t size = any_length(t, page, 32);
	uint64_t offset = any_offset(t);
	int flags = any_of(t, 16) ? MAP_SHARED : MAP_PRIVATE;
	int fd = any_of(t, 3) ? any_node(t) : any_buffer(t);
	int protection = any_of(t, 4) ? PROT_READ | PROT_WRITE :
					(int)any_of(t, 4);
	void *map;

	if (offset == PIMDIMM_MMAP_STATUS && any_of(t, 4)) {
		size = page_size();
		protection = PROT_READ;
	}
	if (any_of(t, 64) == 0)
		flags |= MAP_POPULATE;
	map = mmap(page, size, protection, flags | MAP_FIXED, fd,
		   (off_t)offset);
	/* EPERM, EOVERFLOW, ENXIO: mmap itself, of wild offsets */
	if (map != MAP_FAILED ||
	    (errno != EOVERFLOW && errno != EPERM && errno != ENXIO))
		count(t, map == MAP_FAILED ? -1 : 0);
}

static void do_unmap(struct thread *t)
{
	uint8_t *page = any_page(t);
	size_t size = any_length(t, page, 16);

	count(t, clear(page, size) == MAP_FAILED ? -1 : 0);
}

static void do_advise(struct thread *t)
{
	static const int advices[] = {
		MADV_DONTNEED, MADV_REMOVE,   MADV_WILLNEED,	 MADV_DONTFORK,
		MADV_DOFORK,   MADV_HUGEPAGE, MADV_POPULATE_READ,
		MADV_POPULATE_WRITE,
	};
	uint8_t *page = any_page(t);
	size_t size = any_length(t, page, 4);
	int result;

	switch (any_of(t, 8)) {
	case 0:
		result = mlock(page, size);
		break;
	case 1:
		result = munlock(page, size);
		break;
	case 2:
		result = msync(page, size, MS_SYNC);
		break;
	case 3:
		result = mprotect(page, size, (int)any_of(t, 4));
		break;
	default:
		result = madvise(page, size, advices[any_of(t, 8)]);
	}
	tally(t, result);
}

static void do_touch(struct thread *t)
{
	volatile uint8_t *byte = any_page(t) + any_of(t, page_size());

	if (sigsetjmp(landing, 1)) {
		flying = 0;
		errno = EFAULT;
		tally(t, -1);
		return;
	}
	flying = 1;
	if (any_of(t, 2))
		*byte = (uint8_t)any_of(t, 256);
	else
		(void)*byte;
	flying = 0;
	tally(t, 0);
}

/* What transfers may have a hold of at this moment. */
static void do_own_pages(struct thread *t)
{
	uint8_t *page = storm.own +
			any_of(t, STORM_OWN / page_size()) * page_size();
	const size_t left = (size_t)(storm.own + STORM_OWN - page);
	size_t size = (1 + any_of(t, left / page_size())) * page_size();
	int result = 0;

	switch (any_of(t, 4)) {
	case 0:
		result = madvise(page, size, MADV_DONTNEED);
		break;
	case 1:
		result = mprotect(page, size, (int)any_of(t, 4));
		break;
	default:
		if (map_own(page, size) == MAP_FAILED)
			result = -1;
	}
	tally(t, result);
}

/* The kernel works on pages of the arena that it has a hold of. */
static void do_reach(struct thread *t)
{
	uint8_t *page = any_page(t);
	struct iovec there = { page, any_length(t, page, 4) };
	struct iovec here = { storm.host, there.iov_len };
	ssize_t done;

	if (any_of(t, 2))
		done = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
	else
		done = process_vm_writev(getpid(), &here, 1, &there, 1, 0);
	count(t, done < 0 ? -1 : 0);
}

const struct act storm_memory[] = {
	{ 60, do_map, "mmap" },
	{ 30, do_unmap, "munmap" },
	{ 30, do_advise, "madvise" },
	{ 60, do_touch, "load, store" },
	{ 10, do_reach, "process_vm" },
	{ 10, do_own_pages, "own pages" },
	{ 0 },
};

void storm_memory_start(void)
{
	struct sigaction fault = { .sa_sigaction = on_fault,
				   .sa_flags = SA_SIGINFO | SA_NODEFER };
	uint8_t *room;

	room = mmap(NULL, 2 * STORM_ROOM, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	ASSERT_TRUE(room != MAP_FAILED);
	/* in the middle of the room, which no flip of a low bit leaves */
	room += STORM_ROOM - (uintptr_t)room % STORM_ROOM;
	storm.arena = room + STORM_ROOM / 4;
	/* shared with children */
	storm.host = mmap(room + STORM_ROOM / 2, STORM_HOST,
			  PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	ASSERT_TRUE(storm.host == room + STORM_ROOM / 2);
	storm.own = map_own(room + STORM_ROOM / 4 * 3, STORM_OWN);
	ASSERT_TRUE(storm.own == room + STORM_ROOM / 4 * 3);
	storm.tally = mmap(NULL, sizeof(*storm.tally), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_TRUE(storm.tally != MAP_FAILED);
	ASSERT_EQ(0, sigaction(SIGSEGV, &fault, NULL));
	ASSERT_EQ(0, sigaction(SIGBUS, &fault, NULL));
}

void storm_memory_end(void)
{
	ASSERT_TRUE(clear(storm.arena, STORM_ARENA) == storm.arena);
}
