// SPDX-License-Identifier: MIT
/* mpirun of Open MPI, mpirun and mpiexec of MPICH and its kin, and srun say who is who. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/env.h"
#include "runtime/base/error.h"
#include "collectives/hosts/launcher.h"
#include "collectives/hosts/page.h"

/*
 * Variables of a launcher: this process's number, how many there are, how many of them are on
 * this machine, and what tells jobs apart. Without the latter it is the process that has
 * started them all.
 */
struct launcher {
	const char *rank, *size, *local_size;
	const char *job[2];
};

/* who runs within another's job comes first */
static const struct launcher launchers[] = {
	{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE",
	  { "PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid" } },
	{ "PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS", { NULL } },
	{ "PMIX_RANK", "SLURM_NTASKS", NULL, { "PMIX_NAMESPACE", NULL } },
	{ "SLURM_PROCID", "SLURM_NTASKS", NULL, { "SLURM_JOB_ID", "SLURM_STEP_ID" } },
};

static int launcher_number(const char *name, uint64_t most, uint64_t *number)
{
	const char *text = secure_getenv(name);

	if (text && pd_parse_number(text, strlen(text), false, most, number))
		return 0;
	return pd_error(EINVAL, "%s is \"%s\", expected %s0 to %llu", name, text ? text : "",
			text ? "" : "a number of the launcher's, ", (unsigned long long)most);
}

/* Set by srun in each process, whichever way it says who is who: machines of the step. */
static const char slurm_nodes[] = "SLURM_STEP_NUM_NODES";

static const struct launcher *find_launcher(void)
{
	for (size_t i = 0; i < sizeof(launchers) / sizeof(*launchers); i++) {
		if (secure_getenv(launchers[i].rank) && secure_getenv(launchers[i].size))
			return &launchers[i];
	}
	return NULL;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
	while (*text)
		hash = (hash ^ (unsigned char)*text++) * UINT64_C(0x100000001b3);
	return hash;
}

/* The same at all processes of a job, and of no other one of this user and machine. */
static void name_meeting(const struct launcher *l, char path[PC_HOSTS_PATH])
{
	const char *folder = secure_getenv("XDG_RUNTIME_DIR");
	uint64_t job = hash_text(UINT64_C(0xcbf29ce484222325), l->rank);
	const char *first = l->job[0] ? secure_getenv(l->job[0]) : NULL;

	for (int i = 0; first && i < 2; i++) {
		const char *text = l->job[i] ? secure_getenv(l->job[i]) : NULL;

		job = hash_text(job, text ? text : "");
	}
	if (!folder || *folder != '/' || strlen(folder) > PC_HOSTS_PATH - 64 ||
	    access(folder, W_OK))
		folder = "/tmp";
	snprintf(path, PC_HOSTS_PATH, "%s/pimdimm-%u-%016llx-%d", folder, (unsigned int)getuid(),
		 (unsigned long long)job, first ? 0 : (int)getppid());
}

/* All processes are of this machine, as far as the launcher says; size: how many there are. */
static int check_machines(const struct launcher *l, uint64_t size)
{
	uint64_t local = size, nodes = 1;
	int ret = 0;

	/* mpirun's processes may be all on one of the machines that a step of Slurm's has */
	if (l->local_size && secure_getenv(l->local_size))
		ret = launcher_number(l->local_size, PC_HOSTS_MOST, &local);
	else if (secure_getenv(slurm_nodes))
		ret = launcher_number(slurm_nodes, UINT32_MAX, &nodes);
	if (ret)
		return ret;
	if (local != size)
		return pd_error(EOPNOTSUPP,
				"%s=%llu of %s=%llu: processes of several machines share no memory",
				l->local_size, (unsigned long long)local, l->size,
				(unsigned long long)size);
	if (nodes > 1)
		return pd_error(EOPNOTSUPP,
				"%s=%llu, expected 1: processes of several machines share no memory",
				slurm_nodes, (unsigned long long)nodes);
	return 0;
}

int pc_hosts_launched(struct pc_hosts_launched *launched)
{
	const struct launcher *l = find_launcher();
	uint64_t rank = 0, size = 0;
	int ret;

	if (!l)
		return pd_error(EINVAL,
				"meeting is NULL, expected a path, or a launcher's OMPI_COMM_WORLD_RANK, PMI_RANK or SLURM_PROCID in the environment");
	ret = launcher_number(l->size, PC_HOSTS_MOST, &size);
	if (!ret && !size)
		ret = pd_error(EINVAL, "%s is 0, expected 1 at least", l->size);
	if (!ret)
		ret = launcher_number(l->rank, size - 1, &rank);
	if (!ret)
		ret = check_machines(l, size);
	if (ret)
		return ret;
	launched->host = (uint32_t)rank;
	launched->count = (uint32_t)size;
	name_meeting(l, launched->meeting);
	return 0;
}
