// SPDX-License-Identifier: MIT
/* Ranks in this process: a memfd each, so that they can be shared, or all in one file. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "runtime/base/error.h"
#include "runtime/base/signals.h"
#include "runtime/ranks/backend.h"
#include "runtime/ranks/file.h"
#include "runtime/ranks/room.h"
#include "runtime/ranks/system.h"
#include "runtime/ranks/uri.h"

static void rank_release(struct pd_rank *rank)
{
	if (rank->window)
		munmap(rank->window, rank->bytes);
	if (rank->host && rank->host != rank->window)
		munmap(rank->host, rank->bytes);
	if (rank->fd >= 0)
		close(rank->fd);
}

static int rank_fail(const struct pd_rank *rank, uint32_t number,
		     const char *what)
{
	int err = errno;

	return pd_error(err, "mem: %s of %zu bytes for rank %u: %s", what,
			rank->bytes, number, strerror(err));
}

static int rank_map(const struct pimdimm *sys, uint32_t number,
		    const struct pd_rank *rank, uint8_t **view)
{
	const struct pd_file *file = sys->file;
	void *map = mmap(NULL, rank->bytes, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_NORESERVE, file ? file->fd : rank->fd,
			 file ? pd_file_begin(file, number) : 0);

	if (map == MAP_FAILED)
		return rank_fail(rank, number, "mmap");
	*view = map;
	/* a wish: kernels without huge pages for memfds refuse it */
	if (sys->geometry.layout == PIMDIMM_LAYOUT_LINEAR)
		madvise(map, rank->bytes, MADV_HUGEPAGE);
	return 0;
}

/* a process has as many ranks as it may have descriptors at most */
static int no_descriptor(const struct pimdimm *sys, const struct pd_rank *rank,
			 uint32_t number)
{
	struct rlimit limit;

	if (errno != EMFILE || getrlimit(RLIMIT_NOFILE, &limit))
		return rank_fail(rank, number, "memfd_create");
	return pd_error(EMFILE,
			"mem: no file descriptor for rank %u of %u, each of which takes one: the limit of open files is %llu (ulimit -n)",
			number, sys->nr_ranks,
			(unsigned long long)limit.rlim_cur);
}

static int rank_make_memory(const struct pimdimm *sys, uint32_t number,
			    struct pd_rank *rank)
{
	rank->fd = memfd_create("pimdimm", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (rank->fd < 0)
		return no_descriptor(sys, rank, number);
	/* whoever it is exported to must not cut it short under us */
	if (pd_set_file_size(rank->fd, (off_t)rank->bytes) ||
	    fcntl(rank->fd, F_ADD_SEALS,
		  F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return rank_fail(rank, number, "ftruncate");
	return 0;
}

static int rank_create(struct pimdimm *sys, uint32_t number, struct pd_rank *rank)
{
	const struct pimdimm_geometry *g = &sys->geometry;
	int ret = 0;

	rank->bytes = pimdimm_layout_span(g->layout, g->mram_size);
	rank->fd = -1;
	if (!sys->file)
		ret = rank_make_memory(sys, number, rank);
	if (!ret)
		ret = rank_map(sys, number, rank, &rank->window);
	if (ret)
		return ret;
	if (sys->strict)
		return rank_map(sys, number, rank, &rank->host);
	rank->host = rank->window;
	return 0;
}

/* a wish, too: containers often may not place memory */
static void deal_out(struct pimdimm *sys)
{
	if (sys->placement->nr_nodes == 1)
		return;
	for (uint32_t i = 0; i < sys->nr_ranks && !sys->near_err; i++)
		sys->near_err = pd_memory_near(sys->placement,
					       pd_rank_node(&sys->geometry,
							    sys->placement->nr_nodes,
							    i),
					       sys->ranks[i].window,
					       sys->ranks[i].bytes);
	sys->near = !sys->near_err;
}

static void mem_close(struct pimdimm *sys)
{
	for (uint32_t i = 0; i < sys->nr_ranks; i++)
		rank_release(&sys->ranks[i]);
	free(sys->ranks);
	pd_file_close(sys->file, !sys->complete);
}

/* The ranks of a geometry that is known, and what they lie in. */
static int create_ranks(struct pimdimm *sys, bool reserve)
{
	const uint32_t count = sys->geometry.nr_pes / PIMDIMM_RANK_PES;
	int ret = sys->file ? pd_room_create(sys->file, count) : 0;

	if (!ret && reserve)
		ret = pd_room_check(sys->file, &sys->geometry);
	while (sys->nr_ranks < count && !ret) {
		ret = rank_create(sys, sys->nr_ranks,
				  &sys->ranks[sys->nr_ranks]);
		sys->nr_ranks++;
	}
	if (ret)
		return ret;
	deal_out(sys);
	return reserve ? pd_room_reserve(sys) : 0;
}

static int mem_open(struct pimdimm *sys, const struct pd_uri *asked)
{
	struct pd_uri uri = *asked;
	uint32_t count;
	int ret = uri.file ? pd_file_open(&uri, &sys->file) : 0;

	if (ret)
		return ret;
	count = uri.channels * uri.ranks;
	pd_geometry_set(&sys->geometry, uri.channels, uri.ranks, uri.mram_size,
			uri.layout);
	sys->ranks = calloc(count, sizeof(*sys->ranks));
	ret = sys->ranks ? create_ranks(sys, uri.reserve) :
			   pd_error(ENOMEM, "mem: no memory for %u ranks", count);
	if (ret)
		mem_close(sys);
	return ret;
}

static int mem_export(struct pimdimm *sys, uint32_t rank, uint64_t off,
		      uint64_t bytes)
{
	int fd;

	if (sys->file)
		return pd_error(EOPNOTSUPP,
				"rank %u is a part of file=%s, which others can open as it is",
				rank, sys->file->path);
	if (off || bytes != sys->ranks[rank].bytes)
		return pd_error(EOPNOTSUPP,
				"off=%llu bytes=%llu: a mem: rank is exported whole, off 0 and %zu bytes",
				(unsigned long long)off,
				(unsigned long long)bytes,
				sys->ranks[rank].bytes);
	fd = fcntl(sys->ranks[rank].fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return pd_error(errno, "export of rank %u: %s", rank,
				strerror(errno));
	return fd;
}

/* Page protection knows no SIGBUS: what a touch raises here is SIGSEGV. */
static int mem_hand(struct pimdimm *sys, uint32_t rank, bool to_pes)
{
	const struct pd_rank *r = &sys->ranks[rank];

	if (!mprotect(r->host, r->bytes,
		      to_pes ? PROT_NONE : PROT_READ | PROT_WRITE))
		return 0;
	return pd_error(errno, "rank %u cannot be handed to its %s: mprotect: %s",
			rank, to_pes ? "PEs" : "host", strerror(errno));
}

const struct pd_backend pd_backend_mem = {
	.name = "mem",
	.open = mem_open,
	.close = mem_close,
	.export = mem_export,
	.hand = mem_hand,
};
