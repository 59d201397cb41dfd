// SPDX-License-Identifier: MIT
/*
 * Which function is there for what in MPI libraries. Those of Debian are stripped: static functions
 * have addresses for names, which mean something in one build of their object alone. Where
 * another build is installed they have no sort, and are told of.
 */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/perf/suites/messages/sorts/sorts_mpi.h"
#include "tools/tool.h"

#define BUILD_ID_TEXT	65
#define MOST_OBJECTS	64	/* whose builds are remembered */

/* The first line that fits says it: how an object's and a function's name begin. */
static const struct {
	const char *object, *function;	/* NULL: whatever the object has */
	enum message_sort sort;
} lines[] = {
	/* arguments are checked there, communicators and datatypes looked up */
	{ "libmpi", "PMPI_", MESSAGE_CHECKS },
	/* Open MPI */
	{ "libmpi.so", "ompi_request_", MESSAGE_STATE },
	{ "mca_pml_ob1", "mca_pml_ob1_recv_frag_callback_match", MESSAGE_QUEUES },
	{ "mca_pml_ob1", "mca_pml_ob1_recv_req_start", MESSAGE_QUEUES },
	{ "mca_pml_ob1", "mca_pml_ob1_recv_frag_match", MESSAGE_QUEUES },
	{ "mca_pml_ob1", "mca_pml_ob1_recv_request_get_frag", MESSAGE_COPIES },
	{ "mca_pml_ob1", "mca_pml_ob1_recv_frag_callback_", MESSAGE_STATE },
	{ "mca_pml_ob1", "mca_pml_ob1_recv_request_", MESSAGE_STATE },
	{ "mca_pml_ob1", "mca_pml_ob1_send", MESSAGE_STATE },
	{ "mca_pml_ob1", "mca_pml_ob1_recv", MESSAGE_STATE },
	{ "mca_pml_ob1", "mca_pml_ob1_irecv", MESSAGE_STATE },
	{ "mca_pml_ob1", "mca_pml_ob1_isend", MESSAGE_STATE },
	{ "mca_pml_ob1", "mca_pml_ob1_probe", MESSAGE_STATE },
	{ "mca_pml_ob1", "mca_pml_ob1_rdma_btls", MESSAGE_STATE },
	{ "mca_allocator", "mca_allocator_bucket_free", MESSAGE_CLEANUP },
	{ "mca_allocator", "mca_allocator_bucket_alloc", MESSAGE_STATE },
	{ "mca_btl_", NULL, MESSAGE_NETWORK },
	{ "libopen-pal", "opal_convertor_prepare", MESSAGE_CHECKS },
	{ "libopen-pal", "opal_convertor_", MESSAGE_COPIES },
	{ "libopen-pal", "opal_progress", MESSAGE_NETWORK },
	{ "libopen-pal", "opal_free_list_", MESSAGE_STATE },
	{ "libopen-pal", "opal_class_", MESSAGE_STATE },
	{ "libopen-pal", "opal_getpagesize", MESSAGE_STATE },
	{ "libevent", NULL, MESSAGE_NETWORK },
	{ "libopen-rte", NULL, MESSAGE_NETWORK },
	/* UCX, which MPICH is on; what it does again and again until something has come */
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
	{ "libucp", "ucp_tag_", MESSAGE_STATE },
	{ "libucp", "ucp_rndv_", MESSAGE_STATE },
	{ "libucp", "ucp_request_", MESSAGE_STATE },
	{ "libucp", "ucp_rkey_", MESSAGE_STATE },
	{ "libucp", "ucp_ep_rkey_", MESSAGE_STATE },
	{ "libucp", "ucp_mem_", MESSAGE_STATE },
	{ "libucp", "ucp_proto_", MESSAGE_STATE },
	{ "libuct", NULL, MESSAGE_NETWORK },
	{ "libucs", "ucs_mpool_put", MESSAGE_CLEANUP },
	{ "libucs", "ucs_mpool_", MESSAGE_STATE },
	{ "libucs", "ucs_arbiter_", MESSAGE_NETWORK },
	{ "libucs", "ucs_callbackq_", MESSAGE_NETWORK },
	{ "libucs", "ucs_log_", MESSAGE_NETWORK },
	/* what all of them call */
	{ "libc.so", "__mem", MESSAGE_COPIES },
	{ "libc.so", "mem", MESSAGE_COPIES },
	{ "libc.so", "process_vm_", MESSAGE_COPIES },
	{ "libc.so", "pthread_mutex_init", MESSAGE_STATE },
	{ "libc.so", "malloc", MESSAGE_STATE },
	{ "libc.so", "_int_malloc", MESSAGE_STATE },
	{ "libc.so", "calloc", MESSAGE_STATE },
	{ "libc.so", "unlink_chunk", MESSAGE_STATE },
	{ "libc.so", "alloc_perturb", MESSAGE_STATE },
	{ "libc.so", "free", MESSAGE_CLEANUP },
	{ "libc.so", "_int_free", MESSAGE_CLEANUP },
	/* of transports, and of what waits for them */
	{ "libc.so", "pthread_", MESSAGE_NETWORK },
	{ "libc.so", "__pthread_", MESSAGE_NETWORK },
	{ "libc.so", "sched_yield", MESSAGE_NETWORK },
	{ "libc.so", "clock_gettime", MESSAGE_NETWORK },
	{ "libc.so", "poll", MESSAGE_NETWORK },
	{ "libc.so", "epoll_", MESSAGE_NETWORK },
	/* which object a function is in */
	{ "ld-linux", NULL, MESSAGE_NETWORK },
	{ "???", NULL, MESSAGE_NETWORK },
	{ "mpich", NULL, MESSAGE_PROGRAM },
	{ "openmpi", NULL, MESSAGE_PROGRAM },
};

/* Static functions, by where they are in one build of their object. */
struct sort_build {
	const char *object, *id;
	struct {
		uint64_t at;
		enum message_sort sort;
	} of[24];
};

static const struct sort_build builds[] = {
	/* Open MPI 4.1.4-3+b1 */
	{ "mca_pml_ob1", "cc5a7ec5e99993dcc0c52e06d8a1f2b4699cac25", {
		/* searches among posted receives, and what it appends to the unexpected ones */
		{ 0x10190, MESSAGE_QUEUES },
		{ 0xfad0, MESSAGE_QUEUES },
		/* a receive's request given back */
		{ 0x132a0, MESSAGE_CLEANUP },
		/* an eager send; a message that is found; constructors of requests */
		{ 0xb500, MESSAGE_STATE },
		{ 0x10b10, MESSAGE_STATE },
		{ 0x13080, MESSAGE_STATE },
		/* what is called when a fragment has gone, or has come */
		{ 0x6b30, MESSAGE_STATE },
		{ 0x6c00, MESSAGE_STATE },
		{ 0x13a20, MESSAGE_STATE },
		{ 0x17340, MESSAGE_STATE },
		{ 0x18cf0, MESSAGE_STATE },
		{ 0x1b3f0, MESSAGE_STATE } } },
	{ "libmpi.so", "2a2f4d8c4f8dc5dcc63f6789a50f3ab49f61e168", {
		/* constructors of requests */
		{ 0x51000, MESSAGE_STATE },
		{ 0xe07f0, MESSAGE_STATE },
		{ 0xe0860, MESSAGE_STATE } } },
	{ "libopen-pal", "85e46cc75b438761041c473c7aab15698809b6f5", {
		/* what it calls for events of files */
		{ 0x2fcb0, MESSAGE_NETWORK },
		{ 0x878b0, MESSAGE_NETWORK },
		/* constructors of requests, of their convertors and their locks */
		{ 0x26890, MESSAGE_STATE },
		{ 0x361e0, MESSAGE_STATE },
		{ 0x40be0, MESSAGE_STATE },
		{ 0x75ec0, MESSAGE_STATE } } },
	/* MPICH 4.0.2-3+b1 */
	{ "libmpich", "15ff29242f0f6336eb8096d953e03de259b65bb4", {
		/* waits: progress; its hooks */
		{ 0x293470, MESSAGE_NETWORK },
		{ 0x2d9430, MESSAGE_NETWORK },
		/* requests given back */
		{ 0x29ba20, MESSAGE_CLEANUP },
		/* receives, posted and not, and their ends */
		{ 0x14f500, MESSAGE_STATE },
		{ 0x14f740, MESSAGE_STATE },
		{ 0x14f9f0, MESSAGE_STATE },
		{ 0x15daa0, MESSAGE_STATE },
		{ 0x15dd70, MESSAGE_STATE },
		{ 0x15deb0, MESSAGE_STATE },
		{ 0x15df90, MESSAGE_STATE },
		/* sends, and their ends */
		{ 0x164da0, MESSAGE_STATE },
		{ 0x165070, MESSAGE_STATE },
		{ 0x165230, MESSAGE_STATE },
		{ 0x165370, MESSAGE_STATE },
		/* waits for one and for several */
		{ 0x293230, MESSAGE_STATE },
		{ 0x296f30, MESSAGE_STATE },
		{ 0x2976e0, MESSAGE_STATE },
		{ 0x297960, MESSAGE_STATE } } },
	/* UCX 1.13.1-1 */
	{ "libucp", "22f8d37b580aa9aa63c01be332aaaed689ae0529", {
		{ 0x41cd0, MESSAGE_STATE },	/* a memory's keys */
		{ 0x4efa0, MESSAGE_STATE },	/* what a handler packs */
		{ 0x7ad40, MESSAGE_STATE },	/* the rendezvous of receives */
		{ 0x7bcb0, MESSAGE_STATE },
		{ 0x7c8d0, MESSAGE_STATE },
		{ 0x96490, MESSAGE_STATE },	/* eager sends */
		{ 0x96670, MESSAGE_STATE },
		{ 0x96ca0, MESSAGE_STATE },
		{ 0xc1b20, MESSAGE_STATE } } },	/* which all of these ask for a lane */
	{ "libucs", "8eca1c6a0f25e8a5b424f426321939013c03e89d", {
		/* queues of callbacks of transports */
		{ 0x1f2a0, MESSAGE_NETWORK },
		{ 0x1f3f0, MESSAGE_NETWORK },
		{ 0x1f5e0, MESSAGE_NETWORK },
		{ 0x1f660, MESSAGE_NETWORK },
		{ 0x1fa40, MESSAGE_NETWORK },
		{ 0x1fb50, MESSAGE_NETWORK } } },
};

/* a segment of notes longer than this has others than the linker's */
#define MOST_NOTES	4096u

static bool read_at(int fd, void *to, size_t bytes, uint64_t at)
{
	return at <= INT64_MAX && pread(fd, to, bytes, (off_t)at) == (ssize_t)bytes;
}

/* bytes of a name or a description, which the next one begins behind */
static size_t padded(uint32_t bytes)
{
	return ((size_t)bytes + 3) / 4 * 4;
}

static bool find_note(const char *notes, size_t bytes, char text[BUILD_ID_TEXT])
{
	ElfW(Nhdr) note;

	for (size_t at = 0; bytes - at >= sizeof(note);) {
		const char *name = notes + at + sizeof(note), *id;
		size_t whole;

		memcpy(&note, notes + at, sizeof(note));
		whole = sizeof(note) + padded(note.n_namesz) + padded(note.n_descsz);
		if (whole > bytes - at)
			return false;
		at += whole;
		id = name + padded(note.n_namesz);
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 || memcmp(name, "GNU", 4) ||
		    !note.n_descsz || 2 * (size_t)note.n_descsz >= BUILD_ID_TEXT)
			continue;
		for (uint32_t i = 0; i < note.n_descsz; i++)
			snprintf(text + 2 * i, 3, "%02x", (unsigned char)id[i]);
		return true;
	}
	return false;
}

static bool find_notes(int fd, char text[BUILD_ID_TEXT])
{
	char notes[MOST_NOTES];
	ElfW(Ehdr) head;
	ElfW(Phdr) part;

	if (!read_at(fd, &head, sizeof(head), 0) || memcmp(head.e_ident, ELFMAG, SELFMAG) ||
	    head.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
	    head.e_phentsize != sizeof(part))
		return false;
	for (unsigned int i = 0; i < head.e_phnum; i++) {
		if (!read_at(fd, &part, sizeof(part), head.e_phoff + i * sizeof(part)))
			return false;
		if (part.p_type == PT_NOTE && part.p_filesz <= sizeof(notes) &&
		    read_at(fd, notes, part.p_filesz, part.p_offset) &&
		    find_note(notes, part.p_filesz, text))
			return true;
	}
	return false;
}

/* which build an object is of, by the note that its linker wrote; "": there is none to be read */
static void read_build(const char *path, char text[BUILD_ID_TEXT])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || !find_notes(fd, text))
		text[0] = '\0';
	if (fd >= 0)
		close(fd);
}

/* the same, read once for each object */
static const char *build_of(const char *path)
{
	static struct {
		char *path, id[BUILD_ID_TEXT];
	} known[MOST_OBJECTS];
	static char other[BUILD_ID_TEXT];

	for (size_t i = 0; i < MOST_OBJECTS; i++) {
		if (!known[i].path) {
			read_build(path, known[i].id);
			known[i].path = strdup(path);
			return known[i].id;
		}
		if (!strcmp(known[i].path, path))
			return known[i].id;
	}
	read_build(path, other);
	return other;
}

static enum message_sort sort_of_address(const char *path, const char *object, uint64_t at)
{
	for (size_t b = 0; b < TOOL_COUNT(builds); b++) {
		const struct sort_build *build = &builds[b];

		if (strncmp(build->object, object, strlen(build->object)) ||
		    strcmp(build->id, build_of(path)))
			continue;
		for (size_t i = 0; i < TOOL_COUNT(build->of) && build->of[i].at; i++)
			if (build->of[i].at == at)
				return build->of[i].sort;
	}
	return MESSAGE_UNSORTED;
}

enum message_sort message_sort_of_mpi(const char *object, const char *function)
{
	const char *slash = strrchr(object, '/'), *name = slash ? slash + 1 : object;

	for (size_t i = 0; i < TOOL_COUNT(lines); i++) {
		const char *begin = lines[i].function;

		if (!strncmp(lines[i].object, name, strlen(lines[i].object)) &&
		    (!begin || !strncmp(begin, function, strlen(begin))))
			return lines[i].sort;
	}
	if (strncmp(function, "0x", 2))
		return MESSAGE_UNSORTED;
	return sort_of_address(object, name, strtoull(function, NULL, 16));
}
