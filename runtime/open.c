// SPDX-License-Identifier: MIT
/*
 * Systems of ranks: opened, closed, and what the caller may have of them. All parts
 * of the runtime come together here.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/error.h"
#include "runtime/base/threads.h"
#include "runtime/pe/options.h"
#include "runtime/pe/shared/cost.h"
#include "runtime/pe/state.h"
#include "runtime/ranks/backend.h"
#include "runtime/ranks/inject.h"
#include "runtime/ranks/owner.h"
#include "runtime/ranks/system.h"
#include "runtime/ranks/uri.h"
#include "runtime/watch/report_file.h"
#include "runtime/watch/timeline.h"

static int read_environment(struct pimdimm *sys, unsigned int *threads)
{
	struct pd_options options;
	struct pd_env_log log;
	int ret = pd_env_threads(threads);

	if (!ret)
		ret = pd_options_read(&options);
	if (!ret)
		ret = pd_cost_check();
	if (!ret)
		ret = pd_env_check_others();
	if (!ret)
		ret = pd_env_nt(&sys->nt);
	if (!ret)
		ret = pd_env_log(&log);
	if (!ret)
		sys->trace = log.trace;
	if (!ret)
		ret = pd_isa_choose(&sys->isa);
	if (!ret)
		ret = pd_timeline_open();
	if (!ret)
		pd_report_open();
	return ret;
}

static int open_backend(struct pimdimm *sys, const char *text)
{
	struct pd_uri uri;
	int ret = pd_uri_parse(text, &uri);

	if (ret)
		return ret;
	sys->strict = uri.strict;
	sys->backend = uri.scheme == PD_SCHEME_MEM ? &pd_backend_mem :
						     &pd_backend_dev;
	ret = sys->backend->open(sys, &uri);
	if (!ret) {
		ret = pd_inject_create(sys, uri.inject);
		if (ret)
			sys->backend->close(sys);
	}
	pd_uri_free(&uri);
	return ret;
}

static int list_windows(struct pimdimm *sys)
{
	sys->windows = calloc(sys->nr_ranks, sizeof(*sys->windows));
	if (!sys->windows)
		return pd_error(ENOMEM, "no memory for %u ranks",
				sys->nr_ranks);
	for (uint32_t i = 0; i < sys->nr_ranks; i++)
		sys->windows[i] = (struct pd_range){ sys->ranks[i].window,
						     sys->ranks[i].bytes };
	return 0;
}

static int open_system(struct pimdimm *sys, const char *uri)
{
	struct pd_env_check check;
	unsigned int threads;
	int ret = read_environment(sys, &threads);

	if (!ret)
		ret = pd_env_check(&check);
	if (ret)
		return ret;
	sys->blocks = pd_isa_blocks(sys->isa);
	sys->asks_first = pd_isa_asks_first(sys->isa);
	ret = pd_placement_make(threads, NULL, 0, &sys->placement);
	if (ret)
		return ret;
	sys->cache_bytes = sys->placement->cache_bytes;
	ret = open_backend(sys, uri);
	if (ret)
		goto err_placement;
	ret = list_windows(sys);
	if (!ret && (sys->strict || check.host))
		ret = pd_owners_create(sys, check.host);
	if (!ret)
		ret = pd_workers_create(sys->placement, &sys->workers);
	if (!ret)
		return 0;
	pd_owners_destroy(sys);
	free(sys->windows);
	pd_inject_destroy(sys);
	sys->backend->close(sys);
err_placement:
	pd_placement_free(sys->placement);
	return ret;
}

int pimdimm_open(const char *uri, struct pimdimm **out)
{
	struct pd_error_text before;
	struct pimdimm *sys;
	int ret, cancel;

	pd_env_warn_unknown();
	pd_error_save(&before);
	if (!out)
		return pd_error(EINVAL, "sys is NULL");
	if (!uri)
		uri = secure_getenv("PIMDIMM_URI");
	if (!uri || !*uri)
		uri = "mem:";
	sys = calloc(1, sizeof(*sys));
	if (!sys)
		return pd_error(ENOMEM, "no memory for a system");
	/* the machine is looked at under a lock, and by reading files */
	cancel = pd_cancel_off();
	ret = open_system(sys, uri);
	pd_cancel_restore(cancel);
	if (ret) {
		free(sys);
		return ret;
	}
	sys->complete = true;
	pthread_mutex_init(&sys->stacks.lock, NULL);
	sys->tracks = pd_tracks_create(sys->nr_ranks);
	/* nodes that did not open where others do are no failure of the caller's */
	pd_error_restore(&before);
	*out = sys;
	return 0;
}

void pimdimm_close(struct pimdimm *sys)
{
	int before;

	if (!sys)
		return;
	before = pd_cancel_off();
	pd_pe_state_free(sys);
	pd_workers_destroy(sys->workers);
	pd_owners_destroy(sys);
	free(sys->windows);
	pd_inject_destroy(sys);
	sys->backend->close(sys);
	pd_placement_free(sys->placement);
	pd_tracks_free(sys->tracks);
	pd_stack_pool_empty(&sys->stacks);
	pthread_mutex_destroy(&sys->stacks.lock);
	free(sys);
	pd_cancel_restore(before);
}

const struct pimdimm_geometry *pimdimm_geometry(const struct pimdimm *sys)
{
	return sys ? &sys->geometry : NULL;
}

static int check_rank(const struct pimdimm *sys, uint32_t rank)
{
	if (!sys)
		return pd_error(EINVAL, "sys is NULL");
	if (rank >= sys->nr_ranks)
		return pd_error(EINVAL, "rank=%u, expected below %u", rank,
				sys->nr_ranks);
	return 0;
}

void *pimdimm_mram(struct pimdimm *sys, uint32_t rank, size_t *bytes)
{
	if (check_rank(sys, rank))
		return NULL;
	if (bytes)
		*bytes = sys->ranks[rank].bytes;
	return sys->ranks[rank].host;
}

int pimdimm_export(struct pimdimm *sys, uint32_t rank, uint64_t off,
		   uint64_t bytes)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t window;
	int ret = check_rank(sys, rank);

	if (ret)
		return ret;
	window = sys->ranks[rank].bytes;
	if (off % page || bytes % page || !bytes || off > window ||
	    bytes > window - off)
		return pd_error(EINVAL,
				"off=%llu bytes=%llu, expected pages of the window of %llu bytes",
				(unsigned long long)off,
				(unsigned long long)bytes,
				(unsigned long long)window);
	return sys->backend->export(sys, rank, off, bytes);
}

int pimdimm_import(int fd, void **map, size_t *bytes)
{
	off_t end;
	void *p;

	if (!map || !bytes)
		return pd_error(EINVAL, "%s is NULL", map ? "bytes" : "map");
	end = lseek(fd, 0, SEEK_END);
	if (end < 0)
		return pd_error(errno, "fd=%d: lseek: %s", fd, strerror(errno));
	if (!end)
		return pd_error(EINVAL, "fd=%d is empty", fd);
	p = mmap(NULL, (size_t)end, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return pd_error(errno, "fd=%d: mmap of %lld bytes: %s", fd,
				(long long)end, strerror(errno));
	*map = p;
	*bytes = (size_t)end;
	return 0;
}
