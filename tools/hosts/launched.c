// SPDX-License-Identifier: MIT
/*
 * A launcher says in the environment how many processes there are, and by that which MPI is
 * to connect them. Its library is opened here, so that the tool depends on none.
 */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PIMDIMM_WITHOUT_MPI
#include <pimdimm/mpi.h>

#include "tools/hosts/launched.h"
#include "tools/inside.h"
#include "tools/tool.h"

#define MOST_HOSTS 128

struct launcher {
	const char *rank, *size, *mpi;
};

/* who runs within another's job comes first */
static const struct launcher launchers[] = {
	{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "openmpi" },
	{ "PMI_RANK", "PMI_SIZE", "mpich" },
	{ "PMIX_RANK", "SLURM_NTASKS", "openmpi" },
	{ "SLURM_PROCID", "SLURM_NTASKS", NULL },
};

static void (*end_mpi)(void);
static __typeof__(&pimdimm_mpi_call) call_mpi;

static const struct launcher *find_launcher(uint32_t *hosts)
{
	for (size_t i = 0; i < TOOL_COUNT(launchers); i++) {
		const char *size = getenv(launchers[i].size);
		uint64_t n = 0;

		if (!size || !getenv(launchers[i].rank) ||
		    !pd_parse_number(size, strlen(size), false, UINT32_MAX, &n))
			continue;
		*hosts = (uint32_t)n;
		return &launchers[i];
	}
	*hosts = 1;
	return NULL;
}

uint32_t launched_hosts(void)
{
	uint32_t hosts;

	find_launcher(&hosts);
	return hosts;
}

/*
 * As `make` leaves it beside the tool, as `make install` puts it, or wherever the system
 * looks. It needs the shared libpimdimm, which is found by its name once it is open.
 */
static void *open_library(const char *mpi)
{
	static const char *const folders[] = { "", "../lib/" };
	char path[PATH_MAX];
	void *library;

	for (size_t i = 0; i < TOOL_COUNT(folders); i++) {
		int n = snprintf(path, sizeof(path), "%s/%slibpimdimm-%s.so." PIMDIMM_SOVERSION,
				 tool_folder(), folders[i], mpi);

		if (n < 0 || (size_t)n >= sizeof(path) || access(path, R_OK))
			continue;
		n = snprintf(path, sizeof(path), "%s/%slibpimdimm.so." PIMDIMM_SOVERSION,
			     tool_folder(), folders[i]);
		if (n < 0 || (size_t)n >= sizeof(path) || !dlopen(path, RTLD_NOW | RTLD_LOCAL))
			continue;
		snprintf(path, sizeof(path), "%s/%slibpimdimm-%s.so." PIMDIMM_SOVERSION,
			 tool_folder(), folders[i], mpi);
		library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
		if (library)
			return library;
	}
	snprintf(path, sizeof(path), "libpimdimm-%s.so." PIMDIMM_SOVERSION, mpi);
	return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/* 1: joined; 0: there is no such library; TOOL_FAILED negated after a message */
static int join_by_mpi(const char *mpi, uint32_t count, struct pimdimm_hosts **hosts)
{
	struct pimdimm_transport transport = { .size = sizeof(transport) };
	void *library = open_library(mpi);
	__typeof__(&pimdimm_mpi_begin) begin;

	if (!library)
		return 0;
	*(void **)&begin = dlsym(library, "pimdimm_mpi_begin");
	*(void **)&end_mpi = dlsym(library, "pimdimm_mpi_end");
	*(void **)&call_mpi = dlsym(library, "pimdimm_mpi_call");
	if (!begin || !end_mpi)
		return 0;
	if (begin(&transport)) {
		tool_error("libpimdimm-%s: MPI cannot be initialized", mpi);
		return -TOOL_FAILED;
	}
	/* Ubuntu 24.04 has such an MPICH: each process would be the only one */
	if (transport.hosts != count) {
		tool_error("libpimdimm-%s: the launcher has started %u processes, of which MPI itself sees %u: it was built for another launcher",
			   mpi, count, transport.hosts);
		return -TOOL_FAILED;
	}
	/* by the library that the tool is linked with, whose hypercubes they are for */
	if (pimdimm_hosts_from_transport(&transport, NULL, hosts)) {
		tool_error("libpimdimm-%s: %s", mpi, pimdimm_errmsg());
		return -TOOL_FAILED;
	}
	return 1;
}

int launched_join(struct pimdimm_hosts **hosts)
{
	uint32_t count;
	const struct launcher *l = find_launcher(&count);
	int ret = 0;

	if (count > MOST_HOSTS)
		return tool_error("%s is %u, expected at most %u", l->size, count, MOST_HOSTS);
	if (l && l->mpi)
		ret = join_by_mpi(l->mpi, count, hosts);
	if (ret)
		return ret > 0 ? TOOL_OK : TOOL_FAILED;
	if (!pimdimm_hosts_join(NULL, 0, 0, NULL, hosts))
		return TOOL_OK;
	return tool_error("%s%s%s", pimdimm_errmsg(),
			  l && l->mpi ? "; they would meet through libpimdimm-" : "",
			  l && l->mpi ? l->mpi : "");
}

bool launched_by_mpi(void)
{
	return call_mpi;
}

int launched_call(const char *collective, const void *src, void *dst, uint64_t count,
		  const uint64_t counts[])
{
	int ret = call_mpi(collective, src, dst, count, counts);

	return ret ? tool_error("%s by MPI: %s", collective, strerror(-ret)) : TOOL_OK;
}

void launched_end(void)
{
	if (end_mpi)
		end_mpi();
	end_mpi = NULL;
	call_mpi = NULL;
}
