// SPDX-License-Identifier: MIT
/* Ranks of the kernel module, a node each. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <linux/pimdimm.h>

#include "runtime/base/error.h"
#include "runtime/ranks/backend.h"
#include "runtime/ranks/system.h"
#include "runtime/ranks/uri.h"

static const char *advice(int err)
{
	switch (err) {
	case ENOENT:
		return "load the module: pimdimm load";
	case EACCES:
	case EPERM:
		return "join the group pimdimm, or be root";
	case EBUSY:
		return "another process has it open";
	case ENODEV:
		return "the rank is gone (an injected fault), or it is no rank";
	case ENXIO:
	case ENOTTY:
		return "it is no rank of pimdimm";
	default:
		return "cannot be used";
	}
}

static int node_fail(int err, const char *path, const char *what)
{
	/* what is no rank answers ENOTTY to our calls */
	int code = err == ENOTTY || err == ENXIO ? ENODEV : err;

	return pd_error(code, "%s: %s: %s (%s)", path, what, strerror(err),
			advice(err));
}

static int node_query(int fd, const char *path, struct pimdimm_query *query)
{
	*query = (struct pimdimm_query){ .size = sizeof(*query) };
	if (ioctl(fd, PIMDIMM_IOC_QUERY, query))
		return node_fail(errno, path, "query");
	if (query->out_abi != PIMDIMM_ABI)
		return pd_error(EOPNOTSUPP,
				"%s: the module speaks ABI %u, this library %u",
				path, query->out_abi, PIMDIMM_ABI);
	if (query->out_layout >= PIMDIMM_NR_LAYOUTS)
		return pd_error(EOPNOTSUPP,
				"%s: layout %u, which this library does not know",
				path, query->out_layout);
	if (query->out_window_size !=
	    pimdimm_layout_span(query->out_layout, query->out_mram_size))
		return pd_error(EIO, "%s: a window of %llu bytes for MRAM of %llu",
				path,
				(unsigned long long)query->out_window_size,
				(unsigned long long)query->out_mram_size);
	return 0;
}

static int node_map(const char *path, const struct pimdimm_query *query,
		    const struct pd_rank *rank, uint64_t offset, uint8_t **view)
{
	void *map = mmap(NULL, query->out_window_size, PROT_READ | PROT_WRITE,
			 MAP_SHARED, rank->fd, (off_t)offset);

	if (map == MAP_FAILED)
		return node_fail(errno, path, "mmap");
	*view = map;
	if (query->out_layout == PIMDIMM_LAYOUT_LINEAR)
		madvise(map, query->out_window_size, MADV_HUGEPAGE);
	return 0;
}

static int node_mux(const struct pd_rank *rank, uint32_t owner)
{
	struct pimdimm_mux mux = { .size = sizeof(mux), .owner = owner };

	return ioctl(rank->fd, PIMDIMM_IOC_MUX, &mux) ? -errno : 0;
}

/* The library's own view is the PEs', which is there at any time. */
static int node_map_views(const char *path, const struct pimdimm_query *query,
			  struct pd_rank *rank)
{
	int ret;

	if (!(query->out_features & PIMDIMM_FEATURE_MUX))
		return pd_error(EOPNOTSUPP,
				"%s: the module cannot hand ranks to their PEs, which strict=1 asks for",
				path);
	/* from here on what is mapped can be taken away, a child's views too */
	ret = node_mux(rank, PIMDIMM_MUX_HOST);
	if (ret)
		return node_fail(-ret, path, "mux");
	ret = node_map(path, query, rank, PIMDIMM_MMAP_PE, &rank->window);
	if (ret)
		return ret;
	return node_map(path, query, rank, 0, &rank->host);
}

/* A page that tells whether transfers are to ask the module. */
static int node_map_status(const char *path, const struct pimdimm_query *query,
			   struct pd_rank *rank)
{
	void *status;

	if (!(query->out_features & PIMDIMM_FEATURE_INJECT))
		return 0;
	status = mmap(NULL, sizeof(*rank->status), PROT_READ, MAP_SHARED,
		      rank->fd, PIMDIMM_MMAP_STATUS);
	if (status == MAP_FAILED)
		return node_fail(errno, path, "mmap of the status");
	rank->status = status;
	return 0;
}

static void node_unmap(struct pd_rank *rank)
{
	if (rank->window)
		munmap(rank->window, rank->bytes);
	if (rank->host && rank->host != rank->window)
		munmap(rank->host, rank->bytes);
	if (rank->status)
		munmap((void *)rank->status, sizeof(*rank->status));
	close(rank->fd);
}

static int node_open(const char *path, bool strict, struct pimdimm_query *query,
		     struct pd_rank *rank)
{
	int ret;

	rank->fd = open(path, O_RDWR | O_CLOEXEC);
	if (rank->fd < 0)
		return node_fail(errno, path, "open");
	ret = node_query(rank->fd, path, query);
	rank->bytes = ret ? 0 : query->out_window_size;
	if (!ret)
		ret = strict ? node_map_views(path, query, rank) :
			       node_map(path, query, rank, 0, &rank->window);
	if (!ret)
		ret = node_map_status(path, query, rank);
	if (ret) {
		node_unmap(rank);
		*rank = (struct pd_rank){ .fd = -1 };
		return ret;
	}
	if (!strict)
		rank->host = rank->window;
	return 0;
}

static void dev_close(struct pimdimm *sys)
{
	for (uint32_t i = 0; i < sys->nr_ranks; i++)
		node_unmap(&sys->ranks[i]);
	free(sys->ranks);
}

static int is_node(const struct dirent *entry)
{
	uint64_t number;

	return !strncmp(entry->d_name, "pimdimm", 7) &&
	       pd_parse_number(entry->d_name + 7, strlen(entry->d_name + 7),
			       false, UINT32_MAX, &number);
}

/* the paths of all nodes by number; 0 or -errno */
static int find_nodes(char ***paths, uint32_t *count)
{
	struct dirent **entries = NULL;
	int n = scandir("/dev", &entries, is_node, versionsort);
	int ret = 0;

	if (n < 0)
		return pd_error(errno, "/dev: %s", strerror(errno));
	*count = 0;
	*paths = calloc((size_t)n + 1, sizeof(**paths));
	if (!*paths)
		ret = -ENOMEM;
	for (int i = 0; i < n; i++) {
		if (!ret && asprintf(&(*paths)[*count], "/dev/%s",
				     entries[i]->d_name) < 0)
			ret = -ENOMEM;
		*count += !ret;
		free(entries[i]);
	}
	free(entries);
	return ret ? pd_error(ENOMEM, "dev: no memory for node names") : 0;
}

/* whether the module says that the node is of this system */
static bool is_of(const char *path, const char *system)
{
	char file[64], name[64] = "";
	struct stat st;
	FILE *f;

	if (stat(path, &st))
		return false;
	snprintf(file, sizeof(file), "/sys/dev/char/%u:%u/system",
		 major(st.st_rdev), minor(st.st_rdev));
	f = fopen(file, "re");
	if (!f)
		return false;
	if (fgets(name, sizeof(name), f))
		name[strcspn(name, "\n")] = '\0';
	fclose(f);
	return !strcmp(name, system);
}

/* Leave the nodes of one system; 0 or -errno. */
static int keep_nodes(char **paths, uint32_t *count, const char *system)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < *count; i++) {
		if (is_of(paths[i], system))
			paths[kept++] = paths[i];
		else
			free(paths[i]);
	}
	*count = kept;
	if (kept)
		return 0;
	return pd_error(ENOENT,
			"dev: system=%s has no nodes here (pimdimm list shows the systems)",
			system);
}

static void free_nodes(char **paths, uint32_t count)
{
	for (uint32_t i = 0; paths && i < count; i++)
		free(paths[i]);
	free(paths);
}

static bool same_kind(const struct pimdimm_query *a,
		      const struct pimdimm_query *b)
{
	return a->out_mram_size == b->out_mram_size &&
	       a->out_layout == b->out_layout;
}

/* whether the ranks opened so far are, in order, the first of the system */
static bool in_order(const struct pimdimm_query *q, uint32_t index)
{
	return q->out_channel * q->out_ranks + q->out_rank == index;
}

struct opening {
	struct pimdimm_query first;
	bool all_in_order;
};

static int add_node(struct pimdimm *sys, const char *path,
		    struct opening *opening)
{
	struct pimdimm_query query;
	int ret = node_open(path, sys->strict, &query,
			    &sys->ranks[sys->nr_ranks]);

	if (ret)
		return ret;
	if (!sys->nr_ranks) {
		opening->first = query;
		opening->all_in_order = true;
	}
	opening->all_in_order &= in_order(&query, sys->nr_ranks);
	sys->nr_ranks++;
	if (same_kind(&query, &opening->first))
		return 0;
	return pd_error(EINVAL,
			"%s: MRAM of %llu bytes and layout %s, expected %llu and %s as the ranks before it (system=NAME takes the ranks of one system)",
			path, (unsigned long long)query.out_mram_size,
			pimdimm_layout_name(query.out_layout),
			(unsigned long long)opening->first.out_mram_size,
			pimdimm_layout_name(opening->first.out_layout));
}

/* Open `want` of the nodes, or all; `skip` passes over those that do not open. */
static int add_nodes(struct pimdimm *sys, char *const paths[], uint32_t count,
		     uint32_t want, bool skip, struct opening *opening)
{
	int failed = 0;

	for (uint32_t i = 0; i < count && (!want || sys->nr_ranks < want); i++) {
		uint32_t before = sys->nr_ranks;
		int ret = add_node(sys, paths[i], opening);

		if (ret && (!skip || sys->nr_ranks > before))
			return ret;
		if (!failed)
			failed = ret;
	}
	if (!count)
		return pd_error(ENOENT, "dev: no /dev/pimdimm* (%s)",
				advice(ENOENT));
	if (!sys->nr_ranks)
		return failed;
	if (sys->nr_ranks < want)
		return pd_error(failed ? -failed : ENOENT,
				"dev: ranks=%u, but only %u of %u nodes open",
				want, sys->nr_ranks, count);
	return 0;
}

static void set_geometry(struct pimdimm *sys, const struct opening *opening)
{
	const struct pimdimm_query *q = &opening->first;
	uint32_t channels = 1;

	if (opening->all_in_order &&
	    sys->nr_ranks == q->out_channels * q->out_ranks)
		channels = q->out_channels;
	pd_geometry_set(&sys->geometry, channels, sys->nr_ranks / channels,
			q->out_mram_size, q->out_layout);
}

static int dev_open(struct pimdimm *sys, const struct pd_uri *uri)
{
	bool named = uri->nr_nodes;
	uint32_t count = uri->nr_nodes;
	char **paths = uri->nodes;
	struct opening opening = { 0 };
	int ret = named ? 0 : find_nodes(&paths, &count);

	if (!ret && uri->system)
		ret = keep_nodes(paths, &count, uri->system);
	if (!ret) {
		sys->ranks = calloc(count + 1, sizeof(*sys->ranks));
		if (!sys->ranks)
			ret = pd_error(ENOMEM, "dev: no memory for %u ranks",
				       count);
	}
	if (!ret)
		ret = add_nodes(sys, paths, count, uri->ranks,
				!named || uri->ranks, &opening);
	if (!named)
		free_nodes(paths, count);
	if (ret)
		dev_close(sys);
	else
		set_geometry(sys, &opening);
	return ret;
}

static const char *export_advice(int err)
{
	switch (err) {
	case ENOMEM:
		return "no memory that can be pinned, or more than RLIMIT_MEMLOCK (ulimit -l) lets this user pin";
	case EAGAIN:
		return "the kernel moves its pages about; try again";
	case EBUSY:
		return "its PEs own it, or it is being reset";
	case EOPNOTSUPP:
		return "this kernel has no dma-bufs";
	default:
		return strerror(err);
	}
}

static int dev_export(struct pimdimm *sys, uint32_t rank, uint64_t off,
		      uint64_t bytes)
{
	struct pimdimm_export arg = {
		.size = sizeof(arg),
		.offset = off,
		.bytes = bytes,
	};

	if (ioctl(sys->ranks[rank].fd, PIMDIMM_IOC_EXPORT, &arg))
		return pd_error(errno, "export of %llu bytes of rank %u: %s",
				(unsigned long long)bytes, rank,
				export_advice(errno));
	return arg.out_fd;
}

static int dev_hand(struct pimdimm *sys, uint32_t rank, bool to_pes)
{
	int ret = node_mux(&sys->ranks[rank],
			   to_pes ? PIMDIMM_MUX_PES : PIMDIMM_MUX_HOST);

	if (!ret)
		return 0;
	return pd_error(-ret, "rank %u cannot be handed to its %s: %s%s", rank,
			to_pes ? "PEs" : "host", strerror(-ret),
			ret == -EBUSY ? " (a dma-buf of it exists)" : "");
}

const struct pd_backend pd_backend_dev = {
	.name = "dev",
	.export_holds = true,
	.open = dev_open,
	.close = dev_close,
	.export = dev_export,
	.hand = dev_hand,
};
