// SPDX-License-Identifier: MIT
/* A transport of MPI's messages, none of whose functions waits. */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "collectives/mpi/mpi_transport.h"

/* a message, or a copy of a communicator: begun once that is there */
struct carrier_request {
	struct carrier_request *next;
	bool begun, sends;
	void *buf;
	int bytes, peer, tag;
	MPI_Request request;
};

struct carrier {
	struct carrier *next;
	MPI_Comm comm;
	bool connected;
	bool any_thread;
	bool forgot;		/* requests that had not ended */
	MPI_Request connecting;
	/* not begun, in order */
	struct carrier_request *waiting;
};

/* what is not over before MPI_Finalize() */
struct carrier_rest {
	struct carrier_rest *next;
	struct carrier_request **requests;
	size_t count;
	void *memory;
};

static pthread_mutex_t rests_lock = PTHREAD_MUTEX_INITIALIZER;
static struct carrier_rest *rests;
static struct carrier *carriers;
static int rests_key = MPI_KEYVAL_INVALID;

static int begin_request(struct carrier *c, struct carrier_request *r)
{
	int ret = r->sends ? PMPI_Isend(r->buf, r->bytes, MPI_BYTE, r->peer, r->tag, c->comm,
				       &r->request) :
			     PMPI_Irecv(r->buf, r->bytes, MPI_BYTE, r->peer, r->tag, c->comm,
				       &r->request);

	r->begun = true;
	return ret == MPI_SUCCESS ? 0 : -ECONNRESET;
}

/* Whether the communicator is there; what has waited for it begins. */
static bool carrier_connects(struct carrier *c)
{
	int done = c->connected;

	if (!done && PMPI_Test(&c->connecting, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
		return false;
	if (done && !c->connected) {
		PMPI_Comm_set_errhandler(c->comm, MPI_ERRORS_RETURN);
		c->connected = true;
	}
	while (done && c->waiting) {
		struct carrier_request *r = c->waiting;

		c->waiting = r->next;
		if (begin_request(c, r))
			r->request = MPI_REQUEST_NULL;
	}
	return done;
}

static int carrier_begin(struct carrier *c, const struct carrier_request *like, void **request)
{
	struct carrier_request *r = malloc(sizeof(*r)), **at = &c->waiting;
	int ret = 0;

	if (!r)
		return -ENOMEM;
	*r = *like;
	r->request = MPI_REQUEST_NULL;
	*request = r;
	if (carrier_connects(c)) {
		ret = begin_request(c, r);
		if (ret)
			free(r);
		return ret;
	}
	while (*at)
		at = &(*at)->next;
	*at = r;
	return 0;
}

static int carrier_isend(void *ctx, const void *buf, size_t bytes, uint32_t to, uint32_t tag,
			 void **request)
{
	return carrier_begin(ctx, &(struct carrier_request){ .sends = true,
			     .buf = (void *)(uintptr_t)buf, .bytes = (int)bytes, .peer = (int)to,
			     .tag = (int)tag }, request);
}

static int carrier_irecv(void *ctx, void *buf, size_t bytes, uint32_t from, uint32_t tag,
			 void **request)
{
	const int peer = from == PIMDIMM_ANY_HOST ? MPI_ANY_SOURCE : (int)from;

	return carrier_begin(ctx, &(struct carrier_request){ .buf = buf, .bytes = (int)bytes,
			     .peer = peer, .tag = (int)tag }, request);
}

static int carrier_test(void *ctx, void *request)
{
	struct carrier_request *r = request;
	int done = 0;

	if (!carrier_connects(ctx) || !r->begun)
		return 0;
	if (PMPI_Test(&r->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) {
		free(r);
		return -ECONNRESET;
	}
	if (done)
		free(r);
	return done;
}

/* Out of those that have not begun: then nothing can touch its memory. */
static bool never_begun(struct carrier *c, struct carrier_request *r)
{
	for (struct carrier_request **at = &c->waiting; *at; at = &(*at)->next) {
		if (*at == r) {
			*at = r->next;
			return true;
		}
	}
	return false;
}

static void carrier_forget(void *ctx, void *const requests[], size_t count, void *memory)
{
	struct carrier_rest *rest = calloc(1, sizeof(*rest));

	((struct carrier *)ctx)->forgot = true;
	if (rest)
		rest->requests = calloc(count, sizeof(*rest->requests));
	/* without memory for it, what MPI may write to is never given back */
	if (!rest || !rest->requests) {
		free(rest);
		return;
	}
	rest->memory = memory;
	for (size_t i = 0; i < count; i++) {
		struct carrier_request *r = requests[i];
		int done = never_begun(ctx, r);

		if (!done && !r->sends)
			PMPI_Cancel(&r->request);
		if (!done)
			PMPI_Test(&r->request, &done, MPI_STATUS_IGNORE);
		if (done)
			free(r);
		else
			rest->requests[rest->count++] = r;
	}
	pthread_mutex_lock(&rests_lock);
	rest->next = rests;
	rests = rest;
	pthread_mutex_unlock(&rests_lock);
}

static int carrier_mine(void *ctx)
{
	return ((struct carrier *)ctx)->any_thread;
}

/* The communicator ends with MPI: see finalizing(). */
static void carrier_release(void *ctx)
{
	(void)ctx;
}

static void end_rest(struct carrier_rest *rest)
{
	bool ended = true;

	for (size_t i = 0; i < rest->count; i++) {
		struct carrier_request *r = rest->requests[i];
		int done = 0;

		PMPI_Test(&r->request, &done, MPI_STATUS_IGNORE);
		if (!done)
			PMPI_Request_free(&r->request);
		ended = ended && done;
		free(r);
	}
	if (ended)
		free(rest->memory);
	free(rest->requests);
	free(rest);
}

/*
 * MPICH ends a program that frees a communicator with messages that nobody has received:
 * one whose calls broke off is left to MPI_Finalize().
 */
static bool may_free(const struct carrier *c)
{
	int unreceived = 0;

	return c->connected && !c->forgot &&
	       PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, c->comm, &unreceived,
			   MPI_STATUS_IGNORE) == MPI_SUCCESS && !unreceived;
}

/* MPI_Finalize() begins. */
static int finalizing(MPI_Comm self, int key, void *value, void *extra)
{
	(void)self;
	(void)key;
	(void)value;
	(void)extra;
	while (rests) {
		struct carrier_rest *rest = rests;

		rests = rest->next;
		end_rest(rest);
	}
	while (carriers) {
		struct carrier *c = carriers;

		carriers = c->next;
		if (may_free(c))
			PMPI_Comm_free(&c->comm);
		free(c);
	}
	PMPI_Comm_free_keyval(&rests_key);
	return MPI_SUCCESS;
}

static int attach_to_finalize(struct carrier *c)
{
	int ret = MPI_SUCCESS;

	pthread_mutex_lock(&rests_lock);
	if (rests_key == MPI_KEYVAL_INVALID) {
		ret = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, finalizing, &rests_key, NULL);
		if (ret == MPI_SUCCESS)
			ret = PMPI_Comm_set_attr(MPI_COMM_SELF, rests_key, NULL);
	}
	if (ret == MPI_SUCCESS) {
		c->next = carriers;
		carriers = c;
	}
	pthread_mutex_unlock(&rests_lock);
	return ret;
}

/* NULL, or why comm cannot be a carrier's */
static const char *refused(MPI_Comm comm)
{
	int begun = 0, ended = 0, inter = 0;

	PMPI_Initialized(&begun);
	PMPI_Finalized(&ended);
	if (!begun || ended)
		return begun ? "MPI is finalized" : "MPI is not initialized";
	if (comm == MPI_COMM_NULL)
		return "comm is MPI_COMM_NULL";
	PMPI_Comm_test_inter(comm, &inter);
	return inter ? "comm is an intercommunicator" : NULL;
}

static const char *open_carrier(MPI_Comm comm, struct pimdimm_transport *t)
{
	const char *why = refused(comm);
	int rank, size, level;
	struct carrier *c;

	if (why)
		return why;
	PMPI_Comm_rank(comm, &rank);
	PMPI_Comm_size(comm, &size);
	PMPI_Query_thread(&level);
	c = calloc(1, sizeof(*c));
	if (!c || PMPI_Comm_idup(comm, &c->comm, &c->connecting) != MPI_SUCCESS) {
		free(c);
		return "comm cannot be duplicated";
	}
	if (attach_to_finalize(c) != MPI_SUCCESS)
		return "MPI_COMM_SELF takes no attribute";
	c->any_thread = level == MPI_THREAD_MULTIPLE;
	t->host = (uint32_t)rank;
	t->hosts = (uint32_t)size;
	t->ctx = c;
	return NULL;
}

void mpi_transport(MPI_Comm comm, struct pimdimm_transport *t)
{
	*t = (struct pimdimm_transport){
		.size = sizeof(*t),
		.max_bytes = 1u << 30,
		.isend = carrier_isend,
		.irecv = carrier_irecv,
		.test = carrier_test,
		.forget = carrier_forget,
		.mine = carrier_mine,
		.release = carrier_release,
	};
	t->refused = open_carrier(comm, t);
}
