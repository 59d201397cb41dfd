// SPDX-License-Identifier: MIT
/*
 * A communicator's hosts are made in its first call that is served, known by an attribute
 * from then on, and left when that is deleted: by MPI_Comm_free(), or by MPI_Finalize().
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/mpi/mpi_transport.h"
#include "collectives/mpi/served.h"

/* copies of communicators last until MPI_Finalize(), and MPI has some thousand at most */
#define MOST_SERVED	256

static const char *const names[SERVED_CALLS] = {
	"allreduce", "reduce", "reduce_scatter", "reduce_scatter_block", "bcast", "allgather",
};

/* a child of fork() does not call MPI, so that it asks for no lock of this library */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int served_key = MPI_KEYVAL_INVALID, end_key = MPI_KEYVAL_INVALID;
static struct served *all;
static struct served nobody;	/* for want of memory */
static unsigned int made;
static _Atomic uint64_t calls[SERVED_CALLS][2];

/*
 * PIMDIMM_MPI: 1, 0 or a list of calls. Without it, programs that were linked with this
 * library ask for hosts themselves, and those that it was loaded into have them.
 */
static unsigned int wanted(void)
{
	const char *text = secure_getenv("PIMDIMM_MPI"), *loaded = getenv("LD_PRELOAD");
	unsigned int bits = 0;

	if (!text)
		return loaded && strstr(loaded, "libpimdimm-") ? (1u << SERVED_CALLS) - 1 : 0;
	if (!strcmp(text, "1"))
		return (1u << SERVED_CALLS) - 1;
	for (unsigned int i = 0; i < SERVED_CALLS; i++) {
		for (const char *at = text; *at; at += strcspn(at, ","), at += *at == ',') {
			size_t n = strcspn(at, ",");

			if (n == strlen(names[i]) && !strncmp(at, names[i], n))
				bits |= 1u << i;
		}
	}
	return bits;
}

static void leave(struct served *s)
{
	struct served **at = &all;

	if (s == &nobody)
		return;
	pthread_mutex_lock(&lock);
	while (*at && *at != s)
		at = &(*at)->next;
	if (*at)
		*at = s->next;
	pthread_mutex_unlock(&lock);
	pimdimm_hosts_leave(s->hosts);
	free(s);
}

static int deleted(MPI_Comm comm, int key, void *value, void *extra)
{
	(void)comm;
	(void)key;
	(void)extra;
	leave(value);
	return MPI_SUCCESS;
}

static void print_statistics(void)
{
	const char *log = secure_getenv("PIMDIMM_LOG");
	char line[512];
	size_t n;
	int rank = 0;

	if (!log || !strstr(log, "hosts"))
		return;
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	n = (size_t)snprintf(line, sizeof(line), "pimdimm: process %d: calls served:", rank);
	for (unsigned int i = 0; i < SERVED_CALLS && n < sizeof(line); i++) {
		unsigned long long by_hosts = calls[i][1], by_mpi = calls[i][0];

		n += (size_t)snprintf(line + n, sizeof(line) - n, " %s %llu of %llu%s", names[i],
				      by_hosts, by_hosts + by_mpi,
				      i + 1 < SERVED_CALLS ? "," : "\n");
	}
	/* in one piece: newer C libraries print to stderr by parts, between which others' come */
	fputs(line, stderr);
}

static int make_keys(void)
{
	int ret = MPI_SUCCESS;

	pthread_mutex_lock(&lock);
	if (served_key == MPI_KEYVAL_INVALID)
		ret = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, deleted, &served_key, NULL);
	pthread_mutex_unlock(&lock);
	return ret;
}

/* Asked for in the environment of each, and there is room for at each. */
static unsigned int agreed(MPI_Comm comm)
{
	unsigned int mine = wanted(), ours = 0;

	if (made >= MOST_SERVED)
		mine = 0;
	if (PMPI_Allreduce(&mine, &ours, 1, MPI_UNSIGNED, MPI_BAND, comm) != MPI_SUCCESS)
		return 0;
	return ours;
}

/* A request that does not end before MPI does: to test it moves all others on, in any MPI. */
static pthread_mutex_t progress_lock = PTHREAD_MUTEX_INITIALIZER;
static MPI_Request never = MPI_REQUEST_NULL;

/*
 * MPI may be used by others while hosts wait for each other: a process that waits here
 * moves on what it has begun.
 */
static void progress(void *at)
{
	int flag;

	(void)at;
	if (pthread_mutex_trylock(&progress_lock))
		return;
	PMPI_Test(&never, &flag, MPI_STATUS_IGNORE);
	pthread_mutex_unlock(&progress_lock);
}

static int query_never(void *extra, MPI_Status *status)
{
	(void)extra;
	PMPI_Status_set_elements(status, MPI_BYTE, 0);
	PMPI_Status_set_cancelled(status, 0);
	return MPI_SUCCESS;
}

static int free_never(void *extra)
{
	(void)extra;
	return MPI_SUCCESS;
}

static int cancel_never(void *extra, int complete)
{
	(void)extra;
	(void)complete;
	return MPI_SUCCESS;
}

static void begin_never(void)
{
	pthread_mutex_lock(&progress_lock);
	if (never == MPI_REQUEST_NULL)
		PMPI_Grequest_start(query_never, free_never, cancel_never, NULL, &never);
	pthread_mutex_unlock(&progress_lock);
}

static void end_never(void)
{
	if (never == MPI_REQUEST_NULL)
		return;
	PMPI_Grequest_complete(never);
	PMPI_Wait(&never, MPI_STATUS_IGNORE);
}

/* MPI_Finalize() begins: attributes of MPI_COMM_SELF go first, the last one set before others. */
static int ending(MPI_Comm self, int key, void *value, void *extra)
{
	(void)self;
	(void)key;
	(void)value;
	(void)extra;
	print_statistics();
	for (struct served *s = all; s; s = s->next) {
		pimdimm_hosts_leave(s->hosts);
		s->hosts = NULL;
	}
	end_never();
	return MPI_SUCCESS;
}

/* After the first hosts: what carries their messages is to end later. */
static void await_end(void)
{
	pthread_mutex_lock(&lock);
	if (end_key == MPI_KEYVAL_INVALID &&
	    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, ending, &end_key, NULL) == MPI_SUCCESS)
		PMPI_Comm_set_attr(MPI_COMM_SELF, end_key, NULL);
	pthread_mutex_unlock(&lock);
}

/* No program waits for less than MPI would, unless somebody says so. */
static void make_hosts(MPI_Comm comm, struct served *s)
{
	const struct pimdimm_hosts_options options = {
		.size = sizeof(options),
		.timeout_ms = secure_getenv("PIMDIMM_TIMEOUT") ? 0 : UINT32_MAX,
	};
	struct pimdimm_transport t;
	MPI_Comm copy;
	int ok, all_ok = 0;

	/* attributes of others are not copied on the way */
	if (PMPI_Comm_split(comm, 0, s->rank, &copy) != MPI_SUCCESS)
		return;
	begin_never();
	mpi_transport(copy, &t);
	t.progress = progress;
	ok = !pimdimm_hosts_from_transport(&t, &options, &s->hosts);
	if (!ok)
		s->hosts = NULL;
	PMPI_Allreduce(&ok, &all_ok, 1, MPI_INT, MPI_MIN, comm);
	if (all_ok) {
		PMPI_Comm_free(&copy);
		await_end();
	} else {
		pimdimm_hosts_leave(s->hosts);
		s->hosts = NULL;
	}
}

static struct served *make_served(MPI_Comm comm)
{
	int ok, inter = 0, all_ok = 0;
	struct served *s;

	PMPI_Comm_test_inter(comm, &inter);
	if (inter)
		return NULL;
	s = calloc(1, sizeof(*s));
	ok = s && !make_keys();
	/* known to all as a communicator that nobody serves: none is to ask again alone */
	if (!s)
		s = &nobody;
	if (PMPI_Comm_set_attr(comm, served_key, s) != MPI_SUCCESS)
		ok = 0;
	PMPI_Allreduce(&ok, &all_ok, 1, MPI_INT, MPI_MIN, comm);
	if (s == &nobody)
		return NULL;
	PMPI_Comm_rank(comm, &s->rank);
	PMPI_Comm_size(comm, &s->size);
	if (all_ok && s->size > 1 && s->size <= HOSTS_MOST)
		s->calls = agreed(comm);
	if (s->calls)
		make_hosts(comm, s);
	pthread_mutex_lock(&lock);
	made += s->hosts != NULL;
	s->next = all;
	all = s;
	pthread_mutex_unlock(&lock);
	return s;
}

struct served *served_by(MPI_Comm comm, enum served_call call)
{
	struct served *s = NULL;
	int found = 0;

	if (comm == MPI_COMM_NULL)
		return NULL;
	if (served_key != MPI_KEYVAL_INVALID &&
	    PMPI_Comm_get_attr(comm, served_key, &s, &found) != MPI_SUCCESS)
		return NULL;
	if (!found)
		s = make_served(comm);
	return s && s->hosts && s->calls & 1u << call ? s : NULL;
}

void served_count(enum served_call call, bool by_hosts)
{
	calls[call][by_hosts]++;
}

int served_ended(MPI_Comm comm, int ret)
{
	int code;

	if (!ret)
		return MPI_SUCCESS;
	if (PMPI_Add_error_code(MPI_ERR_OTHER, &code) != MPI_SUCCESS)
		code = MPI_ERR_OTHER;
	else
		PMPI_Add_error_string(code, pimdimm_errmsg());
	PMPI_Comm_call_errhandler(comm, code);
	return code;
}

int served_lacks(MPI_Comm comm, struct served *s, const char *what)
{
	pimdimm_hosts_abort(s->hosts, what);
	PMPI_Comm_call_errhandler(comm, MPI_ERR_NO_MEM);
	return MPI_ERR_NO_MEM;
}
