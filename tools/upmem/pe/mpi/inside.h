/* SPDX-License-Identifier: MIT */
/*
 * What the parts of <mpi.h> share. A PE's node of the engine, its memory and its tables
 * are used between pe_enter() and pe_leave() only: one tasklet or traveller at a time.
 */
#ifndef MPI_INSIDE_H
#define MPI_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>
#include <pe_abi.h>

#include "collectives/messages/engine/node.h"
#include "pe.h"

/* of data that a launch has by itself: cleared at every boot */
#define MPI_BOOT	__attribute__((section(".bss.pe.boot")))

/* errors.c: who called, for faults, and whose handler says what errors are */
struct mpi_call {
	const void *caller;
	struct mpi_comm *comm;
};

/* what a public function begins with */
#define MPI_CALL(comm)	{ __builtin_return_address(0), mpi_comm_of_errors(comm) }

/* the world, if it is none */
struct mpi_comm *mpi_comm_of_errors(struct mpi_comm *comm);
/* inside: NULL is MPI_ERRORS_ARE_FATAL */
const struct mpi_errhandler *mpi_errhandler_get(const struct mpi_errhandler *handler);
void mpi_errhandler_put(const struct mpi_errhandler *handler);
/* outside: a fault at the caller's line, or the handler's, and `error`; text: static */
int mpi_fail(const struct mpi_call *call, int error, const char *text, uint64_t value);
/* of the engine's negative errno; 0 is MPI_SUCCESS */
int mpi_error_of(int error);
const char *mpi_error_text(int error);

/* memory.c: of WRAM where it is small and there is some, else of the pool */
void *mpi_alloc(uint32_t bytes);
/* the same in WRAM alone, or in MRAM alone */
void *mpi_alloc_wram(uint32_t bytes);
void *mpi_alloc_mram(uint32_t bytes);
void mpi_free(void *memory, uint32_t bytes);
/* inside: until some has been freed */
void mpi_wait_memory(void);
static inline bool mpi_in_mram(const void *p)
{
	return (uintptr_t)p - PE_MRAM_BASE < PE_MRAM_MAX;
}

/* copy.c: between any two memories, with the time that it takes */
void mpi_copy(void *to, const void *from, uint64_t bytes);
/* the time of transfers of MRAM that is dereferenced */
void mpi_charge_mram(uint64_t address, uint64_t bytes, bool write);

/*
 * types.c: the sequence of a type's elements. Where all are alike, which they are and how
 * many says it; others are a polynomial of them, whose power of its base is kept, so that
 * those of sequences behind one another follow from their parts'.
 */
struct mpi_sig {
	uint64_t element;	/* 0: of several kinds */
	uint64_t sum, power;	/* then */
	uint64_t nr;
	bool packed;		/* agrees with all */
};

struct mpi_block {
	int64_t at;
	uint64_t count;
	const struct mpi_type *child;
};

enum mpi_type_kind {
	MPI_KIND_BASIC,
	MPI_KIND_LOOP,	/* n times the one block, stride apart */
	MPI_KIND_LIST,	/* n blocks */
};

/* what operations may do with a basic type */
enum mpi_class {
	MPI_CLASS_NONE,
	MPI_CLASS_BITS,
	MPI_CLASS_INTEGER,
	MPI_CLASS_LOGICAL,
	MPI_CLASS_FLOATING,
	MPI_CLASS_COMPLEX,
	MPI_CLASS_PAIR,
};

enum mpi_scalar {
	MPI_I8, MPI_I16, MPI_I32, MPI_I64, MPI_U8, MPI_U16, MPI_U32, MPI_U64,
	MPI_F32, MPI_F64, MPI_FLONG,
};

/* whether a type has any byte twice, and so cannot be received */
enum mpi_apart {
	MPI_APART_UNKNOWN,
	MPI_APART_YES,
	MPI_APART_NO,
};

#define MPI_TYPE_MAGIC	0x7e57ab1eu
#define MPI_COMM_MAGIC	0xc0881e57u

struct mpi_type {
	uint32_t magic;			/* as long as it has a handle */
	uint32_t users;			/* handles, types and requests */
	uint8_t kind, class, scalar, depth;
	bool committed;
	bool dense;			/* one run of bytes, in order */
	bool bounded;			/* lb and ub are set, not those of the data */
	uint8_t apart;			/* enum mpi_apart */
	uint32_t align;			/* of its largest element */
	uint64_t size;			/* bytes of data */
	int64_t lb, ub, true_lb, true_ub;
	struct mpi_sig sig;
	uint64_t n;
	int64_t stride;
	const struct mpi_block *blocks;
	uint32_t nr_blocks, room;	/* of a list n, of a loop one at most */
};

const struct mpi_type *mpi_type_get(const struct mpi_type *type);
void mpi_type_put(const struct mpi_type *type);
struct mpi_sig mpi_sig_repeat(struct mpi_sig sig, uint64_t n);
/*
 * A product that 32 bits hold: a buffer that was checked has no more than 2^31 bytes, nor has
 * a type. Where it is inlined it becomes one of 64 bits, which takes a DPU far longer.
 */
uint32_t mpi_product(uint32_t a, uint32_t b);
/* of the elements in the first bytes of `count` of a type; false: they end inside one */
bool mpi_sig_of_begin(const struct mpi_type *type, uint64_t count, uint64_t bytes,
		      struct mpi_sig *sig);
uint64_t mpi_sig_hash(struct mpi_sig sig);
static inline int64_t mpi_extent(const struct mpi_type *type)
{
	return type->ub - type->lb;
}

struct mpi_sig mpi_sig_join(struct mpi_sig a, struct mpi_sig b);
/* whether an object of the library's may be there, to look at */
static inline bool mpi_may_be(const void *p)
{
	uintptr_t a = (uintptr_t)p;

	return a % 8 == 0 && (a - PE_WRAM_BASE < PE_WRAM_BYTES ||
			      a - PE_TEXT_BASE < PE_TEXT_MAX || mpi_in_mram(p));
}

/* MPI_SUCCESS, or MPI_ERR_... told by the call */
int mpi_check_type(const struct mpi_call *call, const struct mpi_type *type);
int mpi_check_part(const struct mpi_call *call, const void *buf, int64_t count,
		   const struct mpi_type *type, bool receives);

/* payload.c: so many of a type at an address; and as buffers of the engine */
struct mpi_part {
	uint8_t *base;
	uint64_t count;
	const struct mpi_type *type;
};

/* `bytes` of the part's stream from `at` on, to or from one run in any memory */
void mpi_stream(const struct mpi_part *part, uint64_t at, void *run, uint64_t bytes,
		bool to_part);
/* the same to the part, of what the running traveller has aboard */
void mpi_stream_aboard(const struct mpi_part *part, uint64_t at, uint32_t bytes);
/* one run of bytes, without gaps */
bool mpi_is_dense(const struct mpi_part *part);
/* from part to part, of one type and as many */
void mpi_copy_part(const struct mpi_part *to, const struct mpi_part *from);
/* of its elements, as messages carry it */
uint64_t mpi_signature(const struct mpi_part *part);
struct me_buffer mpi_buffer_of(const void *buf, uint64_t count,
			       const struct mpi_type *type);
struct mpi_part mpi_part_of(const struct me_buffer *buffer);
void mpi_buffer_release(struct me_buffer *buffer);

/* mismatch.c: inside, of a receive that a message of other elements has come for; and that, said */
void mpi_note_mismatch(const struct me_request *receive);
const char *mpi_mismatch(void);

/* port.c: the node, and travellers */
extern struct me_node mpi_node;
extern const struct me_port mpi_port;
/* begin and end of what is done with the node; those that it made leave go */
void mpi_node_enter(void);
void mpi_node_leave(void);
/* what runs of its own accord needs no more calls of MPI */
void mpi_node_finish(void);
/* wait, inside, until something has happened; then look again */
void mpi_wait_event(void);
void mpi_event(void);
/* whoever asks in vain lets others run: tasklets, and now and then other PEs */
void mpi_give_way(void);

/* comms.c */
struct mpi_comm {
	uint32_t magic;			/* as long as it has a handle */
	uint32_t users;			/* handles and requests */
	const struct mpi_errhandler *handler;	/* NULL: errors are faults */
	uint32_t context, size, rank;
	uint32_t first;			/* rank 0's node, where nodes is NULL */
	uint16_t *nodes;
};

/* whether MPI_Init() was called, of a communicator that is */
int mpi_check_comm(const struct mpi_call *call, const struct mpi_comm *comm);
uint32_t mpi_node_of(const struct mpi_comm *comm, uint32_t rank);
int mpi_rank_of(const struct mpi_comm *comm, uint32_t node);
void mpi_comm_put(struct mpi_comm *comm);

/* messages.c: sends and receives, checked */
enum mpi_contexts {
	MPI_USERS,	/* messages of the program */
	MPI_OWN,	/* of the library: collectives */
};

struct mpi_peer {
	struct mpi_comm *comm;
	int rank, tag;
	enum mpi_contexts which;
	bool synchronous;
};

/* the request of what MPI_PROC_NULL is asked for */
#define MPI_REQUEST_NOBODY	((MPI_Request)-1)

struct me_key mpi_key_of(const struct mpi_peer *from);
int mpi_check_probe(const struct mpi_call *call, const struct mpi_peer *from);
int mpi_isend(const struct mpi_call *call, const struct mpi_part *part,
	      const struct mpi_peer *to, MPI_Request *request);
int mpi_irecv(const struct mpi_call *call, const struct mpi_part *part,
	      const struct mpi_peer *from, MPI_Request *request);
/* a part is sent, and one of its kind received in its place */
int mpi_replace(const struct mpi_call *call, const struct mpi_part *part,
		const struct mpi_peer *to, const struct mpi_peer *from, MPI_Status *status);
/* of a message that a probe took */
int mpi_imrecv(const struct mpi_call *call, const struct mpi_part *part,
	       struct mpi_comm *comm, struct me_parcel *message, MPI_Request *request);

/* requests.c */
MPI_Request mpi_request_handle(const struct me_request *request);
int mpi_wait(const struct mpi_call *call, MPI_Request *request, MPI_Status *status);
void mpi_status_set(MPI_Status *status, const struct mpi_comm *comm,
		    const struct me_status *from);
void mpi_status_empty(MPI_Status *status);

/* collectives.c, for communicators */
int mpi_allreduce_max(const struct mpi_call *call, struct mpi_comm *comm, uint32_t *value);
int mpi_allgather_bytes(const struct mpi_call *call, struct mpi_comm *comm, void *all,
			uint32_t bytes);

/* ops.c */
struct mpi_op;
int mpi_check_op(const struct mpi_call *call, const struct mpi_op *op,
		 const struct mpi_type *type);
/* inout = in op inout */
void mpi_op_apply(const struct mpi_op *op, void *in, void *inout, int count,
		  MPI_Datatype type);

#endif /* MPI_INSIDE_H */
