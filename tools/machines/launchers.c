// SPDX-License-Identifier: MIT
/* Files and variables by which Open MPI and MPICH find their way to the machines. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/machines/launchers.h"
#include "tools/machines/namespaces.h"
#include "tools/machines/network.h"
#include "tools/tool.h"

#define SHELL		LAUNCHERS_FOLDER "/shell"
#define OPENMPI_HOSTS	LAUNCHERS_FOLDER "/openmpi"
#define MPICH_HOSTS	LAUNCHERS_FOLDER "/mpich"
#define NAMES		LAUNCHERS_FOLDER "/hosts"

/*
 * Where processes go, and how they are reached. Daemons are started from outside alone, each of
 * which would bind its processes to the first core.
 */
static const char *const necessary[][2] = {
	{ LAUNCHERS_VARIABLE, LAUNCHERS_FOLDER },
	{ "OMPI_MCA_plm", "rsh" },
	{ "OMPI_MCA_plm_rsh_agent", SHELL },
	{ "OMPI_MCA_plm_rsh_no_tree_spawn", "1" },
	{ "OMPI_MCA_orte_default_hostfile", OPENMPI_HOSTS },
	{ "OMPI_MCA_orte_tmpdir_base", "/dev/shm" },
	{ "OMPI_MCA_oob_tcp_if_include", NETWORK_SUBNET },
	{ "OMPI_MCA_btl_tcp_if_include", NETWORK_SUBNET },
	{ "HYDRA_LAUNCHER", "rsh" },
	{ "HYDRA_LAUNCHER_EXEC", SHELL },
	{ "HYDRA_HOST_FILE", MPICH_HOSTS },
	{ "HYDRA_IFACE", NETWORK_BRIDGE },
};

/* What the user may want otherwise: between machines by TCP, within one by shared memory. */
static const char *const usual[][2] = {
	{ "OMPI_MCA_pml", "ob1" },
	{ "OMPI_MCA_btl", "self,vader,tcp" },
	{ "OMPI_MCA_hwloc_base_binding_policy", "none" },
	{ "OMPI_MCA_rmaps_base_oversubscribe", "1" },
	{ "PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe" },
	{ "PRTE_MCA_hwloc_default_binding_policy", "none" },
	{ "OMPI_MCA_mpi_yield_when_idle", "1" },
	{ "UCX_TLS", "tcp,self" },
	{ "UCX_NET_DEVICES", NETWORK_LINK },
};

static int failed(const char *path)
{
	int err = errno;

	tool_error("%s: %s", path, strerror(err));
	return -err;
}

/* A line for each machine: format takes its number, then what is given. */
__attribute__((format(printf, 3, 0)))
static int write_lines(const char *path, uint32_t machines, const char *format, uint32_t given)
{
	FILE *file = fopen(path, "w");

	if (!file)
		return failed(path);
	for (uint32_t i = 0; i < machines; i++) {
		fprintf(file, format, i, given);
		fputc('\n', file);
	}
	return fclose(file) ? failed(path) : 0;
}

/* Names as ever, and those of the machines. */
static int write_names(uint32_t machines)
{
	FILE *old = fopen("/etc/hosts", "r"), *file = fopen(NAMES, "w");
	int c;

	if (!file)
		return failed(NAMES);
	while (old && (c = fgetc(old)) != EOF)
		fputc(c, file);
	if (old)
		fclose(old);
	for (uint32_t i = 0; i < machines; i++)
		fprintf(file, "\n10.77.0.%u m%u", i + 1, i);
	fputc('\n', file);
	return fclose(file) ? failed(NAMES) : 0;
}

/* It is called as rsh is: the machine, then words for a shell there. */
static int write_shell(void)
{
	char self[4096];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	FILE *file = fopen(SHELL, "w");

	if (!file)
		return failed(SHELL);
	if (length <= 0) {
		fclose(file);
		return failed("/proc/self/exe");
	}
	self[length] = 0;
	fputs("#!/bin/sh\nexec '", file);
	for (const char *c = self; *c; c++)
		fputs(*c == '\'' ? "'\\''" : (const char[]){ *c, 0 }, file);
	fputs("' machines --on \"$@\"\n", file);
	if (fclose(file) || chmod(SHELL, 0700))
		return failed(SHELL);
	return 0;
}

int launchers_prepare(uint32_t machines, uint32_t slots)
{
	int ret;

	if (mkdir(LAUNCHERS_FOLDER, 0700))
		return failed(LAUNCHERS_FOLDER);
	ret = write_shell();
	if (!ret)
		ret = write_lines(OPENMPI_HOSTS, machines, "m%u slots=%u", slots);
	if (!ret)
		ret = write_lines(MPICH_HOSTS, machines, "m%u:%u", slots);
	if (!ret)
		ret = write_names(machines);
	for (size_t i = 0; i < TOOL_COUNT(necessary); i++)
		setenv(necessary[i][0], necessary[i][1], 1);
	for (size_t i = 0; i < TOOL_COUNT(usual); i++)
		setenv(usual[i][0], usual[i][1], 0);
	/* each machine has one of its own */
	unsetenv("PIMDIMM_MACHINE");
	return ret;
}

int launchers_name_hosts(void)
{
	int ret = namespaces_replace("/etc/hosts", NAMES);

	if (ret)
		tool_error("/etc/hosts: %s", strerror(-ret));
	return ret;
}
