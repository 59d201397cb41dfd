// SPDX-License-Identifier: MIT
/*
 * Which function is there for what, on the host: of the engine in resident kernels, and of MPI
 * libraries. What Debian 12 has of these is stripped: static functions have addresses for names,
 * and are of what their object is for.
 */
#include <stddef.h>
#include <string.h>

#include "tools/perf/suites/messages/sorts_x86.h"
#include "tools/tool.h"

/* The first line that fits says it: how a path ends, or begins, how a function's name begins. */
struct sort_line {
	const char *file, *function;
	enum message_sort sort;
};

static const struct sort_line of_kernels[] = {
	/* the engine, as it is sorted where it runs on PEs */
	{ "messages/engine/", NULL, MESSAGE_UNSORTED },
	/* its port: a node's lock; parcels and their travel */
	{ "messages/carrier.c", "carrier_lock", MESSAGE_QUEUES },
	{ "messages/carrier.c", "carrier_enter", MESSAGE_QUEUES },
	{ "messages/carrier.c", "carrier_unlock", MESSAGE_CLEANUP },
	{ "messages/carrier.c", "carrier_free", MESSAGE_CLEANUP },
	{ "messages/carrier.c", "carrier_drop", MESSAGE_CLEANUP },
	{ "messages/carrier.c", "carrier_gather", MESSAGE_COPIES },
	{ "messages/carrier.c", "carrier_scatter", MESSAGE_COPIES },
	{ "messages/carrier.c", "carrier_copy", MESSAGE_COPIES },
	{ "messages/carrier.c", "carrier_put", MESSAGE_COPIES },
	{ "messages/carrier.c", "carrier_alloc", MESSAGE_STATE },
	{ "messages/carrier.c", "carrier_parcel", MESSAGE_STATE },
	{ "messages/carrier.c", "carrier_reserve", MESSAGE_STATE },
	{ "messages/carrier.c", "carrier_unreserve", MESSAGE_STATE },
	{ "messages/carrier.c", NULL, MESSAGE_NETWORK },
	{ "messages/collected.c", NULL, MESSAGE_COPIES },
	{ "messages/port.c", "pm_port_agree", MESSAGE_CHECKS },
	{ "messages/port.c", NULL, MESSAGE_STATE },
	{ "messages/payload.c", "pm_gather", MESSAGE_COPIES },
	{ "messages/payload.c", "pm_scatter", MESSAGE_COPIES },
	{ "messages/payload.c", "pm_copy_buffers", MESSAGE_COPIES },
	{ "messages/payload.", NULL, MESSAGE_CHECKS },
	/* its calls */
	{ "messages/sends.h", NULL, MESSAGE_CHECKS },
	{ "messages/sends.c", "pm_key_of", MESSAGE_CHECKS },
	{ "messages/sends.c", "send_of", MESSAGE_CHECKS },
	{ "messages/sends.c", "receive_begin", MESSAGE_CHECKS },
	{ "messages/sends.c", "pimmsg_isend", MESSAGE_CHECKS },
	{ "messages/sends.c", "pimmsg_irecv", MESSAGE_CHECKS },
	{ "messages/sends.c", NULL, MESSAGE_STATE },
	{ "messages/requests.", NULL, MESSAGE_STATE },
	{ "messages/probes.c", "pimmsg_probe", MESSAGE_CHECKS },
	{ "messages/probes.c", NULL, MESSAGE_STATE },
	{ "messages/waits.c", NULL, MESSAGE_STATE },
	{ "messages/memory.c", NULL, MESSAGE_STATE },
	{ "messages/world.", NULL, MESSAGE_CHECKS },
	{ "messages/worlds.c", NULL, MESSAGE_NETWORK },
	{ "collectives/types/", NULL, MESSAGE_CHECKS },
	/* switches between threads, which R03's machine does by itself */
	{ "runtime/", NULL, MESSAGE_NETWORK },
	{ "pthread_", NULL, MESSAGE_NETWORK },
	{ "/mem", NULL, MESSAGE_COPIES },
	{ "perf/rounds/", NULL, MESSAGE_PROGRAM },
	/* of the C library, behind the scheduler of resident kernels */
	{ "", "pthread_", MESSAGE_NETWORK },
	{ "", "clock_gettime", MESSAGE_NETWORK },
	{ "", "__tls_get_addr", MESSAGE_NETWORK },
	{ "", "__errno_location", MESSAGE_NETWORK },
	/* what writes profiles */
	{ "", "_IO_", MESSAGE_PROGRAM },
	{ "", "printf", MESSAGE_PROGRAM },
	{ "", "vfprintf", MESSAGE_PROGRAM },
	{ "", "mem", MESSAGE_COPIES },
	{ "", "__mem", MESSAGE_COPIES },
	/* what a copy checks, where the C library's headers have it inline */
	{ "string_fortified.h", NULL, MESSAGE_COPIES },
};

static const struct sort_line of_mpi[] = {
	/* arguments are checked there, communicators and datatypes looked up */
	{ "libmpi", "PMPI_", MESSAGE_CHECKS },
	/* Open MPI */
	{ "mca_pml_ob1", "mca_pml_ob1_recv_frag_callback_match", MESSAGE_QUEUES },
	{ "mca_pml_ob1", "mca_pml_ob1_recv_req_start", MESSAGE_QUEUES },
	{ "mca_pml_ob1", "mca_pml_ob1_recv_frag_match", MESSAGE_QUEUES },
	{ "mca_pml_ob1", "mca_pml_ob1_recv_request_get_frag", MESSAGE_COPIES },
	/* searches among posted receives, and what it appends to the unexpected ones */
	{ "mca_pml_ob1", "0x0000000000010190", MESSAGE_QUEUES },
	{ "mca_pml_ob1", "0x000000000000fad0", MESSAGE_QUEUES },
	/* a receive's request given back */
	{ "mca_pml_ob1", "0x00000000000132a0", MESSAGE_CLEANUP },
	{ "mca_pml_ob1", NULL, MESSAGE_STATE },
	{ "mca_allocator", "mca_allocator_bucket_free", MESSAGE_CLEANUP },
	{ "mca_allocator", NULL, MESSAGE_STATE },
	{ "mca_btl_", NULL, MESSAGE_NETWORK },
	{ "libopen-pal", "opal_convertor_prepare", MESSAGE_CHECKS },
	{ "libopen-pal", "opal_convertor_", MESSAGE_COPIES },
	{ "libopen-pal", "opal_progress", MESSAGE_NETWORK },
	/* what it calls for events of files */
	{ "libopen-pal", "0x000000000002fcb0", MESSAGE_NETWORK },
	{ "libopen-pal", "0x00000000000878b0", MESSAGE_NETWORK },
	{ "libopen-pal", NULL, MESSAGE_STATE },
	{ "libevent", NULL, MESSAGE_NETWORK },
	{ "libopen-rte", NULL, MESSAGE_NETWORK },
	{ "libmpi.so", NULL, MESSAGE_STATE },
	/* MPICH, on UCX */
	{ "libmpich", "0x0000000000293470", MESSAGE_NETWORK },	/* waits: progress */
	{ "libmpich", "0x00000000002d9430", MESSAGE_NETWORK },	/* hooks of progress */
	{ "libmpich", "0x000000000029ba20", MESSAGE_CLEANUP },	/* requests given back */
	{ "libmpich", NULL, MESSAGE_STATE },
	/* what it does again and again until something has come */
	{ "libucp", "ucp_worker_progress", MESSAGE_NETWORK },
	{ "libucp", "ucp_tag_probe_nb", MESSAGE_NETWORK },
	{ "libucp", "ucp_eager_only_handler", MESSAGE_QUEUES },
	{ "libucp", "ucp_tag_exp_search", MESSAGE_QUEUES },
	{ "libucp", "ucp_tag_unexp_search", MESSAGE_QUEUES },
	{ "libucp", "ucp_tag_recv_nb", MESSAGE_QUEUES },
	{ "libucp", "ucp_tag_rndv_process_rts", MESSAGE_QUEUES },
	{ "libucp", "ucp_request_release", MESSAGE_CLEANUP },
	{ "libucp", "ucp_rkey_destroy", MESSAGE_CLEANUP },
	{ "libucp", "ucp_request_memory_dereg", MESSAGE_CLEANUP },
	{ "libucp", "ucp_dt_", MESSAGE_COPIES },
	{ "libucp", "ucp_rndv_progress_rma", MESSAGE_COPIES },
	{ "libucp", "ucp_do_am_", MESSAGE_NETWORK },
	{ "libucp", NULL, MESSAGE_STATE },
	{ "libuct", NULL, MESSAGE_NETWORK },
	{ "libucs", "ucs_mpool_put", MESSAGE_CLEANUP },
	{ "libucs", "ucs_mpool_", MESSAGE_STATE },
	{ "libucs", NULL, MESSAGE_NETWORK },
	/* what all of them call */
	{ "libc.so", "__mem", MESSAGE_COPIES },
	{ "libc.so", "mem", MESSAGE_COPIES },
	{ "libc.so", "process_vm_", MESSAGE_COPIES },
	{ "libc.so", "pthread_mutex_init", MESSAGE_STATE },
	{ "libc.so", "malloc", MESSAGE_STATE },
	{ "libc.so", "_int_malloc", MESSAGE_STATE },
	{ "libc.so", "free", MESSAGE_CLEANUP },
	{ "libc.so", "_int_free", MESSAGE_CLEANUP },
	{ "libc.so", NULL, MESSAGE_NETWORK },
	{ "ld-linux", NULL, MESSAGE_NETWORK },
	/* stubs between objects */
	{ "???", NULL, MESSAGE_NETWORK },
	{ "mpich", NULL, MESSAGE_PROGRAM },
	{ "openmpi", NULL, MESSAGE_PROGRAM },
};

static bool function_fits(const struct sort_line *line, const char *function)
{
	return !line->function || !strncmp(line->function, function, strlen(line->function));
}

enum message_sort message_sort_of_kernels(const char *file, const char *function)
{
	for (size_t i = 0; i < TOOL_COUNT(of_kernels); i++) {
		const struct sort_line *line = &of_kernels[i];

		if (!strstr(file, line->file) || !function_fits(line, function))
			continue;
		return i ? line->sort : message_sort_of(file, function);
	}
	return MESSAGE_UNSORTED;
}

enum message_sort message_sort_of_mpi(const char *object, const char *function)
{
	const char *slash = strrchr(object, '/');

	object = slash ? slash + 1 : object;
	for (size_t i = 0; i < TOOL_COUNT(of_mpi); i++) {
		const struct sort_line *line = &of_mpi[i];

		if (!strncmp(line->file, object, strlen(line->file)) &&
		    function_fits(line, function))
			return line->sort;
	}
	return MESSAGE_UNSORTED;
}
