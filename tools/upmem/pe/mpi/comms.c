// SPDX-License-Identifier: MIT
/* Communicators: ranks and nodes; begin and end of MPI in a launch. */
#include <pimdimm.h>
#include <string.h>

#include "shares.h"

/* a communicator has a context for its users' messages and one for the library's */
#define CONTEXTS	2u

struct mpi_comm mpi_comm_world MPI_BOOT, mpi_comm_self MPI_BOOT;

static struct {
	bool initialized, finalized;
	uint32_t next_context;
} state MPI_BOOT;

static void open_comm(struct mpi_comm *comm, uint32_t context, uint32_t first, uint32_t size,
		      uint32_t rank)
{
	*comm = (struct mpi_comm){
		.magic = MPI_COMM_MAGIC,
		.users = 1,
		.context = context,
		.size = size,
		.rank = rank,
		.first = first,
	};
}

/* inside */
static void open_world(void)
{
	uint32_t me = PE_SELF->pe - PE_SELF->first_pe;

	open_comm(MPI_COMM_WORLD, 0, 0, PE_SELF->nr_pes, me);
	open_comm(MPI_COMM_SELF, CONTEXTS, me, 1, 0);
	state.next_context = 2 * CONTEXTS;
	state.initialized = true;
	if (PE_SELF->host)
		mpi_greet_host();
}

static int init(const struct mpi_call *call)
{
	bool before;

	if (!PE_SELF->nr_pes)
		return mpi_fail(call, MPI_ERR_OTHER,
				"MPI_Init: the PEs of the launch are not numbered in a row", 0);
	/* tasklets may all come here at once */
	mpi_node_enter();
	before = state.initialized;
	if (!before)
		open_world();
	mpi_node_leave();
	if (before)
		return mpi_fail(call, MPI_ERR_OTHER,
				"MPI_Init was called before: one tasklet of a PE calls it, once",
				0);
	return MPI_SUCCESS;
}

int MPI_Init(int *argc, char ***argv)
{
	struct mpi_call call = MPI_CALL(NULL);

	(void)argc;
	(void)argv;
	return init(&call);
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
	struct mpi_call call = MPI_CALL(NULL);

	(void)argc;
	(void)argv;
	(void)required;
	*provided = MPI_THREAD_MULTIPLE;
	return init(&call);
}

int MPI_Query_thread(int *provided)
{
	*provided = MPI_THREAD_MULTIPLE;
	return MPI_SUCCESS;
}

int MPI_Initialized(int *flag)
{
	*flag = state.initialized;
	return MPI_SUCCESS;
}

int MPI_Finalized(int *flag)
{
	*flag = state.finalized;
	return MPI_SUCCESS;
}

int MPI_Finalize(void)
{
	struct mpi_call call = MPI_CALL(NULL);
	int error = mpi_check_comm(&call, MPI_COMM_WORLD);

	if (!error)
		mpi_node_finish();
	state.finalized = true;
	return error;
}

double MPI_Wtime(void)
{
	return (double)PE_SVC->count(0) / PE_SELF->clock_hz;
}

double MPI_Wtick(void)
{
	return 1.0 / PE_SELF->clock_hz;
}

int MPI_Get_version(int *version, int *subversion)
{
	*version = MPI_VERSION;
	*subversion = MPI_SUBVERSION;
	return MPI_SUCCESS;
}

int MPI_Get_processor_name(char *name, int *length)
{
	uint32_t pe = PE_SELF->pe, scale = 1;

	while (pe / scale >= 10)
		scale *= 10;
	memcpy(name, "PE ", 3);
	for (*length = 3; scale; scale /= 10)
		name[(*length)++] = (char)('0' + pe / scale % 10);
	name[*length] = '\0';
	return MPI_SUCCESS;
}

int mpi_check_comm(const struct mpi_call *call, const struct mpi_comm *comm)
{
	if (!state.initialized || state.finalized)
		pe_fault_at(call->caller, PE_FAULT_RUNTIME, 0,
			    state.finalized ? "a call after MPI_Finalize" :
					      "a call before MPI_Init");
	if (!mpi_may_be(comm) || comm->magic != MPI_COMM_MAGIC)
		return mpi_fail(call, MPI_ERR_COMM,
				comm ? "MPI_ERR_COMM: the communicator was freed, or is none" :
				       "MPI_ERR_COMM: the communicator is MPI_COMM_NULL",
				(uintptr_t)comm);
	return MPI_SUCCESS;
}

uint32_t mpi_node_of(const struct mpi_comm *comm, uint32_t rank)
{
	uint16_t node;

	if (rank == (uint32_t)MPIX_HOST)
		return PE_SELF->nr_pes;
	if (!comm->nodes)
		return comm->first + rank;
	mpi_copy(&node, &comm->nodes[rank], sizeof(node));
	return node;
}

int mpi_rank_of(const struct mpi_comm *comm, uint32_t node)
{
	if (node == PE_SELF->nr_pes)
		return MPIX_HOST;
	if (!comm->nodes)
		return (int)(node - comm->first);
	for (uint32_t rank = 0; rank < comm->size; rank++) {
		if (mpi_node_of(comm, rank) == node)
			return (int)rank;
	}
	return MPI_UNDEFINED;
}

void mpi_comm_put(struct mpi_comm *comm)
{
	if (--comm->users || comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF)
		return;
	comm->magic = 0;
	mpi_errhandler_put(comm->handler);
	mpi_free(comm->nodes, comm->size * (uint32_t)sizeof(*comm->nodes));
	mpi_free(comm, sizeof(*comm));
}

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
	struct mpi_call call = MPI_CALL(comm);
	int error = mpi_check_comm(&call, comm);

	if (!error)
		*rank = (int)comm->rank;
	return error;
}

int MPI_Comm_size(MPI_Comm comm, int *size)
{
	struct mpi_call call = MPI_CALL(comm);
	int error = mpi_check_comm(&call, comm);

	if (!error)
		*size = (int)comm->size;
	return error;
}

int MPI_Comm_free(MPI_Comm *comm)
{
	struct mpi_call call = MPI_CALL(comm ? *comm : NULL);
	int error = mpi_check_comm(&call, comm ? *comm : NULL);

	if (error)
		return error;
	if (*comm == MPI_COMM_WORLD || *comm == MPI_COMM_SELF)
		return mpi_fail(&call, MPI_ERR_COMM, "MPI_ERR_COMM: the communicator is predefined",
				(uintptr_t)*comm);
	pe_enter();
	(*comm)->magic = 0;
	mpi_comm_put(*comm);
	pe_leave();
	*comm = MPI_COMM_NULL;
	return MPI_SUCCESS;
}

/* memory for a communicator and what it needs on its way */
static struct mpi_comm *comm_new(struct mpi_comm *parent, uint32_t size, bool listed)
{
	struct mpi_comm *new;
	uint16_t *nodes = NULL;

	pe_enter();
	new = mpi_alloc(sizeof(*new));
	if (new && listed)
		nodes = mpi_alloc(size * (uint32_t)sizeof(*nodes));
	if (listed && !nodes) {
		mpi_free(new, sizeof(*new));
		new = NULL;
	}
	if (new) {
		open_comm(new, 0, parent->first, size, parent->rank);
		new->handler = mpi_errhandler_get(parent->handler);
		new->nodes = nodes;
	}
	pe_leave();
	return new;
}

static int no_memory(const struct mpi_call *call)
{
	return mpi_fail(call, MPI_ERR_NO_MEM, "MPI_ERR_NO_MEM: no memory for a communicator", 0);
}

/* a context that none of the ranks has for anything else */
static int agree_on_context(const struct mpi_call *call, struct mpi_comm *comm,
			    uint32_t *context)
{
	int error;

	*context = state.next_context;
	error = mpi_allreduce_max(call, comm, context);
	if (!error && *context >= state.next_context)
		state.next_context = *context + CONTEXTS;
	return error;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm)
{
	struct mpi_call call = MPI_CALL(comm);
	int error = mpi_check_comm(&call, comm);
	struct mpi_comm *new;
	uint32_t context;

	if (!error)
		error = agree_on_context(&call, comm, &context);
	if (error)
		return error;
	new = comm_new(comm, comm->size, comm->nodes);
	if (!new)
		return no_memory(&call);
	if (comm->nodes)
		mpi_copy(new->nodes, comm->nodes, comm->size * sizeof(*comm->nodes));
	new->context = context;
	*newcomm = new;
	return MPI_SUCCESS;
}

/* what a rank wants, and which it is */
struct wish {
	int32_t color, key;
	uint32_t rank, node;
};

static int by_wish(const void *a, const void *b)
{
	const struct wish *x = a, *y = b;

	if (x->color != y->color)
		return x->color < y->color ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->rank < y->rank ? -1 : 1;
}

/* from all wishes, in their order, those of this rank's color */
static int split_made(const struct mpi_call *call, struct mpi_comm *comm,
		      const struct wish *wishes, int color, struct mpi_comm **made)
{
	uint32_t first = 0, n = 0;

	*made = MPI_COMM_NULL;
	if (color == MPI_UNDEFINED)
		return MPI_SUCCESS;
	while (wishes[first].color != color)
		first++;
	while (first + n < comm->size && wishes[first + n].color == color)
		n++;
	*made = comm_new(comm, n, true);
	if (!*made)
		return no_memory(call);
	for (uint32_t i = 0; i < n; i++) {
		uint16_t node = (uint16_t)wishes[first + i].node;

		mpi_copy(&(*made)->nodes[i], &node, sizeof(node));
		if (wishes[first + i].rank == comm->rank)
			(*made)->rank = i;
	}
	return MPI_SUCCESS;
}

static int split(const struct mpi_call *call, struct mpi_comm *comm, int color, int key,
		 struct wish *wishes, struct mpi_comm **made)
{
	struct wish own = { color, key, comm->rank, mpi_node_of(comm, comm->rank) };
	uint32_t context;
	int error;

	mpi_copy(&wishes[comm->rank], &own, sizeof(own));
	error = mpi_allgather_bytes(call, comm, wishes, sizeof(own));
	if (!error)
		error = agree_on_context(call, comm, &context);
	if (error)
		return error;
	if (mpi_in_mram(wishes))
		mpi_charge_mram((uintptr_t)wishes, comm->size * sizeof(*wishes), false);
	qsort(wishes, comm->size, sizeof(*wishes), by_wish);
	error = split_made(call, comm, wishes, color, made);
	if (*made)
		(*made)->context = context;
	return error;
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm)
{
	struct mpi_call call = MPI_CALL(comm);
	int error = mpi_check_comm(&call, comm);
	uint32_t bytes = error ? 0 : comm->size * (uint32_t)sizeof(struct wish);
	struct wish *wishes;

	if (error)
		return error;
	if (color < 0 && color != MPI_UNDEFINED)
		return mpi_fail(&call, MPI_ERR_ARG,
				"MPI_ERR_ARG: color is negative, and not MPI_UNDEFINED",
				(uint64_t)color);
	pe_enter();
	wishes = mpi_alloc(bytes);
	pe_leave();
	if (!wishes)
		return no_memory(&call);
	error = split(&call, comm, color, key, wishes, newcomm);
	pe_enter();
	mpi_free(wishes, bytes);
	pe_leave();
	return error;
}
