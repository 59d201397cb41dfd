// SPDX-License-Identifier: MIT
/*
 * A communicator's hosts are made in its first call that is served, known by an attribute
 * from then on, and left when that is deleted: by MPI_Comm_free(), or by MPI_Finalize().
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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
static MPI_Comm copies[MOST_SERVED];	/* of communicators, as many as are made */
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
	if (!s->broken)
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

/* PIMDIMM_TIMEOUT, which hosts refuse where it is no number; 0: for ever, as MPI does. */
static uint64_t most_milliseconds(void)
{
	const char *text = secure_getenv("PIMDIMM_TIMEOUT");

	return text ? strtoull(text, NULL, 10) : 0;
}

static uint64_t milliseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Whether what MPI has begun ends as long as hosts would wait for it. */
static bool ends_in_time(MPI_Request *request)
{
	const uint64_t most = most_milliseconds(), begin = milliseconds();
	int done = 0;

	while (PMPI_Test(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done) {
		if (most && milliseconds() - begin >= most)
			return false;
		sched_yield();
	}
	return done;
}

/*
 * The bits that all processes say, into s->ours. False: not all have come, and none can go
 * on without them. Who is missing, or what it did last, no call of MPI tells.
 */
static bool all_say(MPI_Comm comm, struct served *s, unsigned int mine)
{
	MPI_Request request;

	s->mine = mine;
	s->ours = 0;
	if (PMPI_Iallreduce(&s->mine, &s->ours, 1, MPI_UNSIGNED, MPI_BAND, comm, &request) ==
	    MPI_SUCCESS && ends_in_time(&request))
		return true;
	s->broken = true;
	snprintf(s->why, sizeof(s->why),
		 "a communicator's first call: MPI did not bring its %d processes together in PIMDIMM_TIMEOUT=%" PRIu64 " milliseconds",
		 s->size, most_milliseconds());
	return false;
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
	for (unsigned int i = 0; i < made; i++)
		PMPI_Comm_free(&copies[i]);
	made = 0;
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

/* Of several threads that have found the last place one has it; others' copies end with MPI. */
static void keep_copy(MPI_Comm copy)
{
	pthread_mutex_lock(&lock);
	if (made < MOST_SERVED)
		copies[made++] = copy;
	pthread_mutex_unlock(&lock);
}

/*
 * No program waits for less than MPI would, unless somebody says so.
 *
 * MPI_Comm_split() waits for all, and nothing that MPI begins can replace it: a copy made by
 * MPI_Comm_idup() takes along what others have attached. Hence it is called when all have just
 * come to this point, and who dies before it ends is not noticed. The copy is freed, by a
 * call of all, in MPI_Finalize(), which waits anyhow.
 */
static void make_hosts(MPI_Comm comm, struct served *s)
{
	const struct pimdimm_hosts_options options = {
		.size = sizeof(options),
		.timeout_ms = secure_getenv("PIMDIMM_TIMEOUT") ? 0 : UINT32_MAX,
	};
	struct pimdimm_transport t;
	MPI_Comm copy;

	if (PMPI_Comm_split(comm, 0, s->rank, &copy) != MPI_SUCCESS)
		return;
	begin_never();
	mpi_transport(copy, &t);
	t.progress = progress;
	t.together = 1;
	if (pimdimm_hosts_from_transport(&t, &options, &s->hosts))
		s->hosts = NULL;
	if (all_say(comm, s, s->hosts ? ~0u : 0) && s->ours) {
		await_end();
		keep_copy(copy);
	} else {
		pimdimm_hosts_leave(s->hosts);
		s->hosts = NULL;
	}
}

/* Hosts for what is asked for in the environment of each process, if there is room at each. */
static void serve(MPI_Comm comm, struct served *s, bool ok)
{
	PMPI_Comm_rank(comm, &s->rank);
	PMPI_Comm_size(comm, &s->size);
	if (s->size < 2 || s->size > HOSTS_MOST)
		return;
	s->calls = ok && made < MOST_SERVED ? wanted() : 0;
	if (!all_say(comm, s, s->calls))
		return;
	s->calls = s->ours;
	if (s->calls)
		make_hosts(comm, s);
}

static struct served *make_served(MPI_Comm comm)
{
	int inter = 0;
	struct served *s;
	bool ok;

	PMPI_Comm_test_inter(comm, &inter);
	if (inter)
		return NULL;
	s = calloc(1, sizeof(*s));
	ok = s && !make_keys();
	/* known to all as a communicator that nobody serves: none is to ask again alone */
	if (!s)
		s = &nobody;
	if (PMPI_Comm_set_attr(comm, served_key, s) != MPI_SUCCESS)
		ok = false;
	serve(comm, s, ok);
	if (s == &nobody)
		return NULL;
	pthread_mutex_lock(&lock);
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
	return s && (s->hosts || s->broken) && s->calls & 1u << call ? s : NULL;
}

void served_count(enum served_call call, bool by_hosts)
{
	calls[call][by_hosts]++;
}

/*
 * MPI's code for what hosts tell, whose words are those of the last error. It is a class of
 * its own, since MPICH finds no words of codes that are added to a class of MPI's.
 */
static int error_code(const char *why)
{
	static int code = MPI_ERR_OTHER;
	char words[MPI_MAX_ERROR_STRING];
	int own;

	/* some take no more than they have room for */
	snprintf(words, sizeof(words), "%s", why);
	pthread_mutex_lock(&lock);
	if (code == MPI_ERR_OTHER && PMPI_Add_error_class(&own) == MPI_SUCCESS)
		code = own;
	if (code != MPI_ERR_OTHER)
		PMPI_Add_error_string(code, words);
	pthread_mutex_unlock(&lock);
	return code;
}

int served_ended(MPI_Comm comm, const struct served *s, int ret)
{
	int code;

	if (!ret)
		return MPI_SUCCESS;
	code = error_code(s->broken ? s->why : pimdimm_errmsg());
	PMPI_Comm_call_errhandler(comm, code);
	return code;
}

int served_lacks(MPI_Comm comm, struct served *s, const char *what)
{
	pimdimm_hosts_abort(s->hosts, what);
	PMPI_Comm_call_errhandler(comm, MPI_ERR_NO_MEM);
	return MPI_ERR_NO_MEM;
}
