/* SPDX-License-Identifier: MIT */
/*
 * Messages between the PEs of a launch: a subset of MPI 4.1, as pimdimm-messages(7) lists
 * it. A rank is a PE. Its tasklets share it, and may call at once after one of them, and
 * no other, has called MPI_Init(). Buffers lie in WRAM or in MRAM, which their addresses
 * tell. Functions mean what MPI says of them; what is said here is what MPI leaves to
 * implementations.
 */
#ifndef MPI_H
#define MPI_H

#include <stddef.h>
#include <stdint.h>

#include <attributes.h>

#define MPI_VERSION	4
#define MPI_SUBVERSION	1

typedef long MPI_Aint;
typedef long MPI_Count;
typedef long long MPI_Offset;
typedef struct mpi_comm *MPI_Comm;
typedef const struct mpi_type *MPI_Datatype;
typedef const struct mpi_op *MPI_Op;
typedef struct mpi_request *MPI_Request;
typedef struct mpi_message *MPI_Message;
typedef const struct mpi_errhandler *MPI_Errhandler;

typedef struct {
	int MPI_SOURCE;
	int MPI_TAG;
	int MPI_ERROR;
	int mpi_cancelled;
	MPI_Count mpi_bytes;
} MPI_Status;

/* of an error on a communicator, which the call that made it returns then */
typedef void MPI_Comm_errhandler_function(MPI_Comm *comm, int *errorcode, ...);

/* inout = in op inout, of so many of a type; in comes from the lower ranks */
typedef void MPI_User_function(void *in, void *inout, int *len, MPI_Datatype *type);

#define MPI_ANY_SOURCE		(-1)
#define MPI_ANY_TAG		(-1)
#define MPI_PROC_NULL		(-2)
#define MPI_ROOT		(-3)
/* on MPI_COMM_WORLD: the host, where it has an end of the launch: pimmsg_programs() */
#define MPIX_HOST		(-4)
#define MPI_UNDEFINED		(-32766)
/* the largest tag; there are no attributes to ask */
#define MPIX_TAG_MAX		0x7fffffff
#define MPI_BOTTOM		((void *)0)
#define MPI_IN_PLACE		((void *)-1)
#define MPI_STATUS_IGNORE	((MPI_Status *)0)
#define MPI_STATUSES_IGNORE	((MPI_Status *)0)
#define MPI_REQUEST_NULL	((MPI_Request)0)
#define MPI_MESSAGE_NULL	((MPI_Message)0)
#define MPI_MESSAGE_NO_PROC	((MPI_Message)-1)
#define MPI_COMM_NULL		((MPI_Comm)0)
#define MPI_DATATYPE_NULL	((MPI_Datatype)0)
#define MPI_OP_NULL		((MPI_Op)0)
#define MPI_ERRHANDLER_NULL	((MPI_Errhandler)0)

#define MPI_MAX_ERROR_STRING	64
#define MPI_MAX_PROCESSOR_NAME	16

enum {
	MPI_SUCCESS,
	MPI_ERR_BUFFER,
	MPI_ERR_COUNT,
	MPI_ERR_TYPE,
	MPI_ERR_TAG,
	MPI_ERR_COMM,
	MPI_ERR_RANK,
	MPI_ERR_REQUEST,
	MPI_ERR_ROOT,
	MPI_ERR_OP,
	MPI_ERR_ARG,
	MPI_ERR_TRUNCATE,
	MPI_ERR_OTHER,
	MPI_ERR_IN_STATUS,
	MPI_ERR_PENDING,
	MPI_ERR_NO_MEM,
	MPI_ERR_LASTCODE,
};

enum { MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE };
enum { MPI_ORDER_C, MPI_ORDER_FORTRAN };
enum { MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC };
#define MPI_DISTRIBUTE_DFLT_DARG (-1)

/*
 * The predefined objects. MPI_FLOAT_INT and its kin are a value and a place, for
 * MPI_MINLOC and MPI_MAXLOC.
 */
extern const struct mpi_type mpi_type_byte, mpi_type_packed, mpi_type_char,
	mpi_type_signed_char, mpi_type_unsigned_char, mpi_type_short, mpi_type_unsigned_short,
	mpi_type_int, mpi_type_unsigned, mpi_type_long, mpi_type_unsigned_long,
	mpi_type_long_long, mpi_type_unsigned_long_long, mpi_type_int8_t, mpi_type_int16_t,
	mpi_type_int32_t, mpi_type_int64_t, mpi_type_uint8_t, mpi_type_uint16_t,
	mpi_type_uint32_t, mpi_type_uint64_t, mpi_type_c_bool, mpi_type_aint, mpi_type_count,
	mpi_type_float, mpi_type_double, mpi_type_float_int, mpi_type_double_int,
	mpi_type_long_int, mpi_type_2int, mpi_type_short_int, mpi_type_long_double,
	mpi_type_long_double_int, mpi_type_c_float_complex, mpi_type_c_double_complex,
	mpi_type_c_long_double_complex;
#define MPI_BYTE		(&mpi_type_byte)
#define MPI_PACKED		(&mpi_type_packed)
#define MPI_CHAR		(&mpi_type_char)
#define MPI_SIGNED_CHAR		(&mpi_type_signed_char)
#define MPI_UNSIGNED_CHAR	(&mpi_type_unsigned_char)
#define MPI_SHORT		(&mpi_type_short)
#define MPI_UNSIGNED_SHORT	(&mpi_type_unsigned_short)
#define MPI_INT			(&mpi_type_int)
#define MPI_UNSIGNED		(&mpi_type_unsigned)
#define MPI_LONG		(&mpi_type_long)
#define MPI_UNSIGNED_LONG	(&mpi_type_unsigned_long)
#define MPI_LONG_LONG		(&mpi_type_long_long)
#define MPI_UNSIGNED_LONG_LONG	(&mpi_type_unsigned_long_long)
#define MPI_INT8_T		(&mpi_type_int8_t)
#define MPI_INT16_T		(&mpi_type_int16_t)
#define MPI_INT32_T		(&mpi_type_int32_t)
#define MPI_INT64_T		(&mpi_type_int64_t)
#define MPI_UINT8_T		(&mpi_type_uint8_t)
#define MPI_UINT16_T		(&mpi_type_uint16_t)
#define MPI_UINT32_T		(&mpi_type_uint32_t)
#define MPI_UINT64_T		(&mpi_type_uint64_t)
#define MPI_C_BOOL		(&mpi_type_c_bool)
#define MPI_AINT		(&mpi_type_aint)
#define MPI_COUNT		(&mpi_type_count)
#define MPI_FLOAT		(&mpi_type_float)
#define MPI_DOUBLE		(&mpi_type_double)
#define MPI_LONG_DOUBLE		(&mpi_type_long_double)
#define MPI_C_FLOAT_COMPLEX	(&mpi_type_c_float_complex)
#define MPI_C_DOUBLE_COMPLEX	(&mpi_type_c_double_complex)
#define MPI_C_LONG_DOUBLE_COMPLEX (&mpi_type_c_long_double_complex)
#define MPI_C_COMPLEX		MPI_C_FLOAT_COMPLEX
#define MPI_FLOAT_INT		(&mpi_type_float_int)
#define MPI_DOUBLE_INT		(&mpi_type_double_int)
#define MPI_LONG_INT		(&mpi_type_long_int)
#define MPI_2INT		(&mpi_type_2int)
#define MPI_SHORT_INT		(&mpi_type_short_int)
#define MPI_LONG_DOUBLE_INT	(&mpi_type_long_double_int)
#define MPI_LONG_LONG_INT	MPI_LONG_LONG
/* elements of one representation agree, whatever they are called */
#define MPI_WCHAR		MPI_INT32_T
#define MPI_OFFSET		MPI_INT64_T

extern const struct mpi_op mpi_op_max, mpi_op_min, mpi_op_sum, mpi_op_prod, mpi_op_land,
	mpi_op_band, mpi_op_lor, mpi_op_bor, mpi_op_lxor, mpi_op_bxor, mpi_op_minloc,
	mpi_op_maxloc;
#define MPI_MAX		(&mpi_op_max)
#define MPI_MIN		(&mpi_op_min)
#define MPI_SUM		(&mpi_op_sum)
#define MPI_PROD		(&mpi_op_prod)
#define MPI_LAND		(&mpi_op_land)
#define MPI_BAND		(&mpi_op_band)
#define MPI_LOR		(&mpi_op_lor)
#define MPI_BOR		(&mpi_op_bor)
#define MPI_LXOR		(&mpi_op_lxor)
#define MPI_BXOR		(&mpi_op_bxor)
#define MPI_MINLOC		(&mpi_op_minloc)
#define MPI_MAXLOC		(&mpi_op_maxloc)

extern struct mpi_comm mpi_comm_world, mpi_comm_self;
#define MPI_COMM_WORLD		(&mpi_comm_world)
#define MPI_COMM_SELF		(&mpi_comm_self)

/* a fault of the PE, told with the line of the call; or the call returns MPI_ERR_... */
extern const struct mpi_errhandler mpi_errors_are_fatal, mpi_errors_return;
#define MPI_ERRORS_ARE_FATAL	(&mpi_errors_are_fatal)
#define MPI_ERRORS_RETURN	(&mpi_errors_return)
#define MPI_ERRORS_ABORT	MPI_ERRORS_ARE_FATAL

/*
 * So many bytes of MRAM for messages that wait, a multiple of 8, instead of the 512 KiB
 * that a program has without this line outside of its functions. Other ranks may have so
 * much of it taken by messages that nobody has received as pimdimm-messages(7) says;
 * whatever does not fit waits at its sender.
 */
#define MPIX_POOL_INIT(size)						\
	_Static_assert((size) >= 4096 && (size) % 8 == 0,		\
		       "a pool is a multiple of 8 bytes, 4096 at least");	\
	__mram_ptr unsigned char mpi_pool[size]				\
		__section(".bss.mram.noinit") __dma_aligned;		\
	const uint32_t mpi_pool_bytes = (size);

/* the launch's PEs are numbered in a row, and run one program */
int MPI_Init(int *argc, char ***argv);
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided);
int MPI_Initialized(int *flag);
int MPI_Finalize(void);
int MPI_Finalized(int *flag);
int MPI_Query_thread(int *provided);
/* stops the PE, as halt() does */
int MPI_Abort(MPI_Comm comm, int errorcode);
/* seconds of the PE's clock since the launch began */
double MPI_Wtime(void);
double MPI_Wtick(void);
int MPI_Get_version(int *version, int *subversion);
int MPI_Get_processor_name(char *name, int *length);
int MPI_Error_class(int errorcode, int *errorclass);
int MPI_Error_string(int errorcode, char *string, int *length);

int MPI_Comm_rank(MPI_Comm comm, int *rank);
int MPI_Comm_size(MPI_Comm comm, int *size);
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm);
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm);
int MPI_Comm_free(MPI_Comm *comm);
int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function *function,
			       MPI_Errhandler *errhandler);
int MPI_Errhandler_free(MPI_Errhandler *errhandler);
int MPI_Comm_call_errhandler(MPI_Comm comm, int errorcode);
int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler);
int MPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *errhandler);

int MPI_Send(const void *buf, int count, MPI_Datatype type, int dest, int tag,
	     MPI_Comm comm);
int MPI_Ssend(const void *buf, int count, MPI_Datatype type, int dest, int tag,
	      MPI_Comm comm);
int MPI_Isend(const void *buf, int count, MPI_Datatype type, int dest, int tag,
	      MPI_Comm comm, MPI_Request *request);
int MPI_Issend(const void *buf, int count, MPI_Datatype type, int dest, int tag,
	       MPI_Comm comm, MPI_Request *request);
int MPI_Recv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
	     MPI_Status *status);
int MPI_Irecv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
	      MPI_Request *request);
int MPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest,
		 int sendtag, void *recvbuf, int recvcount, MPI_Datatype recvtype,
		 int source, int recvtag, MPI_Comm comm, MPI_Status *status);
int MPI_Sendrecv_replace(void *buf, int count, MPI_Datatype type, int dest, int sendtag,
			 int source, int recvtag, MPI_Comm comm, MPI_Status *status);

int MPI_Wait(MPI_Request *request, MPI_Status *status);
int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]);
int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status);
int MPI_Waitsome(int count, MPI_Request requests[], int *done, int indices[],
		 MPI_Status statuses[]);
int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status);
int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[]);
int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status);
int MPI_Testsome(int count, MPI_Request requests[], int *done, int indices[],
		 MPI_Status statuses[]);
int MPI_Cancel(MPI_Request *request);
int MPI_Test_cancelled(const MPI_Status *status, int *flag);
int MPI_Request_free(MPI_Request *request);
int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count);
int MPI_Get_elements(const MPI_Status *status, MPI_Datatype type, int *count);

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status);
int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status);
int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message,
	       MPI_Status *status);
int MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
		MPI_Status *status);
int MPI_Mrecv(void *buf, int count, MPI_Datatype type, MPI_Message *message,
	      MPI_Status *status);
int MPI_Imrecv(void *buf, int count, MPI_Datatype type, MPI_Message *message,
	       MPI_Request *request);

int MPI_Type_contiguous(int count, MPI_Datatype old, MPI_Datatype *type);
int MPI_Type_vector(int count, int blocklength, int stride, MPI_Datatype old,
		    MPI_Datatype *type);
int MPI_Type_create_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype old,
			    MPI_Datatype *type);
int MPI_Type_indexed(int count, const int blocklengths[], const int displacements[],
		     MPI_Datatype old, MPI_Datatype *type);
int MPI_Type_create_hindexed(int count, const int blocklengths[],
			     const MPI_Aint displacements[], MPI_Datatype old,
			     MPI_Datatype *type);
int MPI_Type_create_indexed_block(int count, int blocklength, const int displacements[],
				  MPI_Datatype old, MPI_Datatype *type);
int MPI_Type_create_hindexed_block(int count, int blocklength,
				   const MPI_Aint displacements[], MPI_Datatype old,
				   MPI_Datatype *type);
int MPI_Type_create_struct(int count, const int blocklengths[],
			   const MPI_Aint displacements[], const MPI_Datatype types[],
			   MPI_Datatype *type);
int MPI_Type_create_subarray(int ndims, const int sizes[], const int subsizes[],
			     const int starts[], int order, MPI_Datatype old,
			     MPI_Datatype *type);
int MPI_Type_create_darray(int size, int rank, int ndims, const int gsizes[],
			   const int distribs[], const int dargs[], const int psizes[],
			   int order, MPI_Datatype old, MPI_Datatype *type);
int MPI_Type_create_resized(MPI_Datatype old, MPI_Aint lb, MPI_Aint extent,
			    MPI_Datatype *type);
int MPI_Type_dup(MPI_Datatype old, MPI_Datatype *type);
int MPI_Type_commit(MPI_Datatype *type);
int MPI_Type_free(MPI_Datatype *type);
/* commit and free for all ranks of a communicator; here nobody has to be asked */
int MPIX_Type_commit_comm(MPI_Datatype *type, MPI_Comm comm);
int MPIX_Type_free_comm(MPI_Datatype *type, MPI_Comm comm);
int MPI_Type_size(MPI_Datatype type, int *size);
int MPI_Type_get_extent(MPI_Datatype type, MPI_Aint *lb, MPI_Aint *extent);
int MPI_Type_get_true_extent(MPI_Datatype type, MPI_Aint *lb, MPI_Aint *extent);
int MPI_Get_address(const void *location, MPI_Aint *address);
int MPI_Pack(const void *inbuf, int incount, MPI_Datatype type, void *outbuf, int outsize,
	     int *position, MPI_Comm comm);
int MPI_Unpack(const void *inbuf, int insize, int *position, void *outbuf, int outcount,
	       MPI_Datatype type, MPI_Comm comm);
int MPI_Pack_size(int incount, MPI_Datatype type, MPI_Comm comm, int *size);

/* reductions are folded in the order of ranks, by halves: the same bits each time */
int MPI_Barrier(MPI_Comm comm);
int MPI_Bcast(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm);
int MPI_Reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
	       int root, MPI_Comm comm);
int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type,
		  MPI_Op op, MPI_Comm comm);
int MPI_Gather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
	       int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
int MPI_Scatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
		int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
int MPI_Allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
		  int recvcount, MPI_Datatype recvtype, MPI_Comm comm);
int MPI_Alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
		 int recvcount, MPI_Datatype recvtype, MPI_Comm comm);
int MPI_Gatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
		const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
		MPI_Comm comm);
int MPI_Scatterv(const void *sendbuf, const int sendcounts[], const int displs[],
		 MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
		 int root, MPI_Comm comm);
int MPI_Allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
		   const int recvcounts[], const int displs[], MPI_Datatype recvtype,
		   MPI_Comm comm);
int MPI_Alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[],
		  MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
		  const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm);
int MPI_Scan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
	     MPI_Comm comm);
int MPI_Exscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
	       MPI_Comm comm);
int MPI_Op_create(MPI_User_function *function, int commute, MPI_Op *op);
int MPI_Op_free(MPI_Op *op);

#endif /* MPI_H */
