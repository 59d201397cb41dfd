/* SPDX-License-Identifier: MIT */
/*
 * The host interface of UPMEM's SDK: sets of DPUs (PEs), programs, transfers,
 * launches. Every function returns a dpu_error_t; dpu_error_detail() says what
 * failed in a sentence.
 *
 * What names a `struct dpu_set_t` is a set of ranks or a single DPU. Calls with
 * DPU_XFER_ASYNC, DPU_ASYNCHRONOUS or DPU_CALLBACK_ASYNC join a queue that each
 * rank has, first in, first out; every other call takes its turn there too and
 * waits. A full queue (profile nrJobsPerRank, 16) makes callers wait.
 */
#ifndef DPU_H
#define DPU_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <dpu_checkpoint.h>
#include <dpu_error.h>
#include <dpu_macro_utils.h>
#include <dpu_types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum _dpu_launch_policy_t {
	DPU_ASYNCHRONOUS,
	DPU_SYNCHRONOUS,
} dpu_launch_policy_t;

typedef enum _dpu_xfer_t {
	DPU_XFER_TO_DPU,
	DPU_XFER_FROM_DPU,
} dpu_xfer_t;

typedef enum _dpu_xfer_flags_t {
	DPU_XFER_DEFAULT = 0,
	DPU_XFER_NO_RESET = 1 << 0,	/* buffers stay prepared */
	DPU_XFER_ASYNC = 1 << 1,
	DPU_XFER_PARALLEL = 1 << 2,	/* beside a launch, to WRAM */
} dpu_xfer_flags_t;

typedef enum _dpu_sg_xfer_flags_t {
	DPU_SG_XFER_DEFAULT = 0,
	DPU_SG_XFER_ASYNC = 1 << 1,
	DPU_SG_XFER_DISABLE_LENGTH_CHECK = 1 << 2,
} dpu_sg_xfer_flags_t;

typedef enum _dpu_callback_flags_t {
	DPU_CALLBACK_DEFAULT = 0,
	DPU_CALLBACK_ASYNC = 1 << 0,
	DPU_CALLBACK_NONBLOCKING = 1 << 1,
	DPU_CALLBACK_SINGLE_CALL = 1 << 2,
} dpu_callback_flags_t;

/* run a statement; say it and run another where it failed */
#define DPU_CHECK(statement, on_error)                                      \
	do {                                                                \
		dpu_error_t _dpu_status = (statement);                      \
		if (_dpu_status != DPU_OK) {                                \
			_dpu_check_failed(__FILE__, __LINE__, __func__,     \
					  _dpu_status);                     \
			on_error;                                           \
		}                                                           \
	} while (0)

/* run a statement; say it and exit where it failed */
#define DPU_ASSERT(statement) DPU_CHECK(statement, exit(EXIT_FAILURE))

/* as many as there are */
#define DPU_ALLOCATE_ALL (UINT_MAX)

/**
 * dpu_alloc() - take ranks of so many DPUs together
 * @nr_dpus: how many DPUs, or DPU_ALLOCATE_ALL
 * @profile: keys and values, "key=value,..."; NULL or "" for none
 * @dpu_set: receives the set
 *
 * Surplus DPUs of the last rank needed are disabled, line by line.
 *
 * Return: DPU_OK; DPU_ERR_ALLOCATION when there are not so many;
 * DPU_ERR_INVALID_PROFILE; DPU_ERR_SYSTEM.
 */
dpu_error_t dpu_alloc(uint32_t nr_dpus, const char *profile,
		      struct dpu_set_t *dpu_set);

/**
 * dpu_alloc_ranks() - take so many ranks
 * @nr_ranks: how many, or DPU_ALLOCATE_ALL
 * @profile: as in dpu_alloc()
 * @dpu_set: receives the set
 *
 * Return: as dpu_alloc().
 */
dpu_error_t dpu_alloc_ranks(uint32_t nr_ranks, const char *profile,
			    struct dpu_set_t *dpu_set);

/**
 * dpu_alloc_comm() - take DPUs of ranks with all of their 64, as PID-Comm does
 * @nr_dpus: how many DPUs, or DPU_ALLOCATE_ALL
 * @profile: as in dpu_alloc()
 * @dpu_set: receives the set
 * @comm_type: 1: surplus DPUs are disabled by line; 2: by chip
 *
 * Return: as dpu_alloc().
 */
dpu_error_t dpu_alloc_comm(uint32_t nr_dpus, const char *profile,
			   struct dpu_set_t *dpu_set, int comm_type);

/**
 * dpu_free() - give the ranks of a set back
 * @dpu_set: a set as dpu_alloc() and the like gave it; waits for its jobs
 *
 * Return: DPU_OK; DPU_ERR_INVALID_DPU_SET for any other set, a freed one too.
 */
dpu_error_t dpu_free(struct dpu_set_t dpu_set);

/**
 * dpu_get_nr_ranks() - how many ranks a set has
 * @dpu_set: the set
 * @nr_ranks: receives it; 1 for a single DPU
 *
 * Return: DPU_OK or DPU_ERR_INTERNAL.
 */
dpu_error_t dpu_get_nr_ranks(struct dpu_set_t dpu_set, uint32_t *nr_ranks);

/**
 * dpu_get_nr_dpus() - how many enabled DPUs a set has
 * @dpu_set: the set
 * @nr_dpus: receives it
 *
 * Return: DPU_OK or DPU_ERR_INTERNAL.
 */
dpu_error_t dpu_get_nr_dpus(struct dpu_set_t dpu_set, uint32_t *nr_dpus);

struct dpu_set_rank_iterator_t {
	struct dpu_set_t *set;
	uint32_t count;
	uint32_t next_idx;
	bool has_next;
	struct dpu_set_t next;
};

struct dpu_set_dpu_iterator_t {
	struct dpu_set_rank_iterator_t rank_iterator;
	uint32_t count;
	uint32_t next_idx;
	bool has_next;
	struct dpu_set_t next;
};

/* what the loops below stand on */
struct dpu_set_rank_iterator_t
dpu_set_rank_iterator_from(struct dpu_set_t *set);
void dpu_set_rank_iterator_next(struct dpu_set_rank_iterator_t *iterator);
struct dpu_set_dpu_iterator_t dpu_set_dpu_iterator_from(struct dpu_set_t *set);
void dpu_set_dpu_iterator_next(struct dpu_set_dpu_iterator_t *iterator);
struct dpu_set_dpu_iterator_t
dpu_set_dpu_iterator_from_entangled_group(struct dpu_set_t *set);
void dpu_set_dpu_iterator_next_entangled_group(
	struct dpu_set_dpu_iterator_t *iterator, uint32_t cube_size);

/* for all ranks of a set, each as a set: (set, rank) or (set, rank, index) */
#define DPU_RANK_FOREACH(...)                                               \
	_DPU_FOREACH_PICK(__VA_ARGS__, _DPU_RANK_FOREACH_I,                 \
			  _DPU_RANK_FOREACH_X, _)(__VA_ARGS__)
#define _DPU_RANK_FOREACH_X(set, rank)                                      \
	for (struct dpu_set_rank_iterator_t __rank_it =                     \
		     dpu_set_rank_iterator_from(&set);                      \
	     rank = __rank_it.next, __rank_it.has_next;                     \
	     dpu_set_rank_iterator_next(&__rank_it))
#define _DPU_RANK_FOREACH_I(set, rank, i)                                   \
	for (struct dpu_set_rank_iterator_t __rank_it =                     \
		     dpu_set_rank_iterator_from(&set);                      \
	     i = __rank_it.count, rank = __rank_it.next,                    \
		     __rank_it.has_next;                                    \
	     dpu_set_rank_iterator_next(&__rank_it))

/*
 * For all enabled DPUs of a set, each as a set, the DPUs of chip 0 first:
 * (set, dpu) or (set, dpu, index).
 */
#define DPU_FOREACH(...)                                                    \
	_DPU_FOREACH_PICK(__VA_ARGS__, _DPU_FOREACH_I, _DPU_FOREACH_X, _)   \
	(__VA_ARGS__)
#define _DPU_FOREACH_X(set, dpu)                                            \
	for (struct dpu_set_dpu_iterator_t __dpu_it =                       \
		     dpu_set_dpu_iterator_from(&set);                       \
	     dpu = __dpu_it.next, __dpu_it.has_next;                        \
	     dpu_set_dpu_iterator_next(&__dpu_it))
#define _DPU_FOREACH_I(set, dpu, i)                                         \
	for (struct dpu_set_dpu_iterator_t __dpu_it =                       \
		     dpu_set_dpu_iterator_from(&set);                       \
	     i = __dpu_it.count, dpu = __dpu_it.next, __dpu_it.has_next;    \
	     dpu_set_dpu_iterator_next(&__dpu_it))

/* PID-Comm's order: those that share bus lines one after the other */
#define DPU_FOREACH_ENTANGLED_GROUP(set, dpu, i, cube_size)                 \
	for (struct dpu_set_dpu_iterator_t __dpu_it =                       \
		     dpu_set_dpu_iterator_from_entangled_group(&set);       \
	     i = __dpu_it.count, dpu = __dpu_it.next, __dpu_it.has_next;    \
	     dpu_set_dpu_iterator_next_entangled_group(&__dpu_it, cube_size))
#define DPU_FOREACH_ROTATE_GROUP DPU_FOREACH_ENTANGLED_GROUP

/**
 * dpu_load() - load a program into all DPUs of a set
 * @dpu_set: the set
 * @binary_path: its file
 * @program: receives the program, valid until dpu_free(); or NULL
 *
 * Sets WRAM and the initialised objects in MRAM; the rest of MRAM stays.
 *
 * Return: DPU_OK; DPU_ERR_ELF_NO_SUCH_FILE; DPU_ERR_ELF_INVALID_FILE for no
 * program, or one made for UPMEM's hardware; DPU_ERR_INVALID_MRAM_ACCESS where
 * ranks have less MRAM than the program needs.
 */
dpu_error_t dpu_load(struct dpu_set_t dpu_set, const char *binary_path,
		     struct dpu_program_t **program);

/**
 * dpu_load_from_memory() - load a program that lies in memory
 * @dpu_set: the set
 * @buffer: the bytes of its file
 * @buffer_size: how many
 * @program: as in dpu_load()
 *
 * Return: as dpu_load().
 */
dpu_error_t dpu_load_from_memory(struct dpu_set_t dpu_set, uint8_t *buffer,
				 size_t buffer_size,
				 struct dpu_program_t **program);

/**
 * dpu_load_from_incbin() - load a program that DPU_INCBIN embedded
 * @dpu_set: the set
 * @incbin: what DPU_INCBIN defined: reports call the program by its path, without folders
 * @program: as in dpu_load()
 *
 * Return: as dpu_load().
 */
dpu_error_t dpu_load_from_incbin(struct dpu_set_t dpu_set,
				 struct dpu_incbin_t *incbin,
				 struct dpu_program_t **program);

/**
 * dpu_get_symbol() - find an object of a program
 * @program: the program
 * @symbol_name: the object's name
 * @symbol: receives its address and size
 *
 * Return: DPU_OK or DPU_ERR_UNKNOWN_SYMBOL.
 */
dpu_error_t dpu_get_symbol(struct dpu_program_t *program,
			   const char *symbol_name,
			   struct dpu_symbol_t *symbol);

/**
 * dpu_launch() - run the loaded program on all DPUs of a set
 * @dpu_set: the set
 * @policy: whether to wait for the end
 *
 * Return: DPU_OK; DPU_ERR_DPU_FAULT where a DPU stopped before its end;
 * DPU_ERR_NO_PROGRAM_LOADED; DPU_ERR_INVALID_LAUNCH_POLICY.
 */
dpu_error_t dpu_launch(struct dpu_set_t dpu_set, dpu_launch_policy_t policy);

/**
 * dpu_status() - wait for the jobs of a set and ask how its DPUs do
 * @dpu_set: the set
 * @done: receives whether all have ended
 * @fault: receives whether one faulted in its last launch
 *
 * Return: DPU_OK or DPU_ERR_INTERNAL.
 */
dpu_error_t dpu_status(struct dpu_set_t dpu_set, bool *done, bool *fault);

/**
 * dpu_sync() - wait for the jobs of a set
 * @dpu_set: the set
 *
 * Return: DPU_OK, or the first error of an asynchronous job since the last
 * call: DPU_ERR_ASYNC_JOBS, the job's type and the error in one. Jobs of the
 * rank that were queued behind it have not been done.
 */
dpu_error_t dpu_sync(struct dpu_set_t dpu_set);

/**
 * dpu_copy_to() - copy host memory to all DPUs of a set
 * @dpu_set: the set
 * @symbol_name: the object of the program to write
 * @symbol_offset: first byte of it
 * @src: host memory
 * @length: bytes
 *
 * Return: as dpu_push_xfer().
 */
dpu_error_t dpu_copy_to(struct dpu_set_t dpu_set, const char *symbol_name,
			uint32_t symbol_offset, const void *src, size_t length);

/**
 * dpu_copy_from() - copy from one DPU
 * @dpu_set: a single DPU
 * @symbol_name: the object of the program to read
 * @symbol_offset: first byte of it
 * @dst: host memory
 * @length: bytes
 *
 * Return: as dpu_push_xfer(); DPU_ERR_INVALID_DPU_SET for a set of ranks.
 */
dpu_error_t dpu_copy_from(struct dpu_set_t dpu_set, const char *symbol_name,
			  uint32_t symbol_offset, void *dst, size_t length);

/**
 * dpu_copy_to_symbol() - dpu_copy_to() to an object that was looked up
 * @dpu_set: the set
 * @symbol: the object
 * @symbol_offset: first byte of it
 * @src: host memory
 * @length: bytes
 *
 * Return: as dpu_push_xfer().
 */
dpu_error_t dpu_copy_to_symbol(struct dpu_set_t dpu_set,
			       struct dpu_symbol_t symbol,
			       uint32_t symbol_offset, const void *src,
			       size_t length);

/**
 * dpu_copy_from_symbol() - dpu_copy_from() from an object that was looked up
 * @dpu_set: a single DPU
 * @symbol: the object
 * @symbol_offset: first byte of it
 * @dst: host memory
 * @length: bytes
 *
 * Return: as dpu_copy_from().
 */
dpu_error_t dpu_copy_from_symbol(struct dpu_set_t dpu_set,
				 struct dpu_symbol_t symbol,
				 uint32_t symbol_offset, void *dst,
				 size_t length);

/**
 * dpu_prepare_xfer() - say the buffer of DPUs in the next transfer
 * @dpu_set: the DPUs, which all get the same one
 * @buffer: host memory, or NULL to leave them out
 *
 * Return: DPU_OK, also where there was one; DPU_ERR_DPU_DISABLED.
 */
dpu_error_t dpu_prepare_xfer(struct dpu_set_t dpu_set, void *buffer);

/**
 * dpu_push_xfer() - transfer between prepared buffers and DPUs
 * @dpu_set: the DPUs; those without a buffer are left out
 * @xfer: the direction
 * @symbol_name: the object of the program to write or read
 * @symbol_offset: first byte of it
 * @length: bytes of each DPU
 * @flags: DPU_XFER_ASYNC: at its turn, buffers must live until then;
 *	DPU_XFER_NO_RESET alone: buffers stay prepared; DPU_XFER_PARALLEL: of
 *	WRAM only. DPUs take turns on the machine's cores: a transfer beside a
 *	launch comes after it here.
 *
 * In WRAM, offset and length are multiples of 4, in MRAM of 8.
 *
 * Return: DPU_OK; DPU_ERR_NO_PROGRAM_LOADED; DPU_ERR_DIFFERENT_DPU_PROGRAMS;
 * DPU_ERR_UNKNOWN_SYMBOL; DPU_ERR_INVALID_SYMBOL_ACCESS beyond the object;
 * DPU_ERR_INVALID_WRAM_ACCESS, DPU_ERR_INVALID_MRAM_ACCESS or
 * DPU_ERR_INVALID_IRAM_ACCESS; DPU_ERR_INVALID_MEMORY_TRANSFER.
 */
dpu_error_t dpu_push_xfer(struct dpu_set_t dpu_set, dpu_xfer_t xfer,
			  const char *symbol_name, uint32_t symbol_offset,
			  size_t length, dpu_xfer_flags_t flags);

/**
 * dpu_push_xfer_symbol() - dpu_push_xfer() of an object that was looked up
 * @dpu_set: the DPUs
 * @xfer: the direction
 * @symbol: the object
 * @symbol_offset: first byte of it
 * @length: bytes of each DPU
 * @flags: as in dpu_push_xfer()
 *
 * Return: as dpu_push_xfer().
 */
dpu_error_t dpu_push_xfer_symbol(struct dpu_set_t dpu_set, dpu_xfer_t xfer,
				 struct dpu_symbol_t symbol,
				 uint32_t symbol_offset, size_t length,
				 dpu_xfer_flags_t flags);

/**
 * dpu_broadcast_to() - transfer one buffer to all DPUs of a set
 * @dpu_set: the set
 * @symbol_name: the object of the program to write
 * @symbol_offset: first byte of it
 * @src: host memory
 * @length: bytes
 * @flags: DPU_XFER_ASYNC: at its turn
 *
 * Return: as dpu_push_xfer().
 */
dpu_error_t dpu_broadcast_to(struct dpu_set_t dpu_set, const char *symbol_name,
			     uint32_t symbol_offset, const void *src,
			     size_t length, dpu_xfer_flags_t flags);

/**
 * dpu_broadcast_to_symbol() - dpu_broadcast_to() to an object looked up
 * @dpu_set: the set
 * @symbol: the object
 * @symbol_offset: first byte of it
 * @src: host memory
 * @length: bytes
 * @flags: as in dpu_broadcast_to()
 *
 * Return: as dpu_push_xfer().
 */
dpu_error_t dpu_broadcast_to_symbol(struct dpu_set_t dpu_set,
				    struct dpu_symbol_t symbol,
				    uint32_t symbol_offset, const void *src,
				    size_t length, dpu_xfer_flags_t flags);

/* a piece of host memory in a scattered or gathered transfer */
struct sg_block_info {
	uint8_t *addr;
	uint32_t length;
};

/* tells block block_index of DPU dpu_index of the set; false: there is none */
typedef bool (*get_block_func_t)(struct sg_block_info *out, uint32_t dpu_index,
				 uint32_t block_index, void *args);

typedef struct get_block_t {
	get_block_func_t f;
	void *args;		/* copied at the call */
	size_t args_size;
} get_block_t;

/**
 * dpu_push_sg_xfer() - transfer between blocks of host memory and DPUs
 * @dpu_set: ranks, of a profile with sgXferEnable=true
 * @xfer: the direction
 * @symbol_name: the object of the program, in MRAM
 * @symbol_offset: first byte of it
 * @length: bytes of each DPU
 * @get_block_info: tells the blocks, one after the other in MRAM
 * @flags: DPU_SG_XFER_ASYNC: at its turn; DPU_SG_XFER_DISABLE_LENGTH_CHECK: the
 *	blocks of a DPU need not be @length together
 *
 * Return: as dpu_push_xfer(); DPU_ERR_SG_NOT_MRAM_SYMBOL;
 * DPU_ERR_SG_NOT_ACTIVATED; DPU_ERR_SG_LENGTH_MISMATCH;
 * DPU_ERR_SG_TOO_MANY_BLOCKS for more than profile sgXferMaxBlocksPerDpu.
 */
dpu_error_t dpu_push_sg_xfer(struct dpu_set_t dpu_set, dpu_xfer_t xfer,
			     const char *symbol_name, uint32_t symbol_offset,
			     size_t length, get_block_t *get_block_info,
			     dpu_sg_xfer_flags_t flags);

/**
 * dpu_push_sg_xfer_symbol() - dpu_push_sg_xfer() of an object looked up
 * @dpu_set: as in dpu_push_sg_xfer()
 * @xfer: the direction
 * @symbol: the object
 * @symbol_offset: first byte of it
 * @length: bytes of each DPU
 * @get_block_info: tells the blocks
 * @flags: as in dpu_push_sg_xfer()
 *
 * Return: as dpu_push_sg_xfer().
 */
dpu_error_t dpu_push_sg_xfer_symbol(struct dpu_set_t dpu_set, dpu_xfer_t xfer,
				    struct dpu_symbol_t symbol,
				    uint32_t symbol_offset, size_t length,
				    get_block_t *get_block_info,
				    dpu_sg_xfer_flags_t flags);

/**
 * dpu_callback() - call a function for the ranks of a set
 * @dpu_set: the set
 * @callback: called with a set, the rank's index in @dpu_set and @args
 * @args: handed to it
 * @flags: DPU_CALLBACK_ASYNC: at its turn in each rank's queue;
 *	DPU_CALLBACK_NONBLOCKING: the queue goes on meanwhile;
 *	DPU_CALLBACK_SINGLE_CALL: once, with @dpu_set and index UINT32_MAX, when
 *	all ranks have come to it
 *
 * The function may use its ranks itself; transfers that it prepares are its own.
 *
 * Return: DPU_OK; without DPU_CALLBACK_ASYNC what the function returned;
 * DPU_ERR_NONBLOCKING_SYNC_CALLBACK.
 */
dpu_error_t dpu_callback(struct dpu_set_t dpu_set,
			 dpu_error_t (*callback)(struct dpu_set_t, uint32_t,
						 void *),
			 void *args, dpu_callback_flags_t flags);

/**
 * dpu_log_read() - write what a DPU printed in its last launch
 * @set: a single DPU
 * @stream: where to
 *
 * Return: DPU_OK; DPU_ERR_INVALID_DPU_SET for a set of ranks;
 * DPU_ERR_LOG_CONTEXT_MISSING where the program does not print;
 * DPU_ERR_LOG_BUFFER_TOO_SMALL where it printed more than its buffer holds;
 * DPU_ERR_LOG_FORMAT where the buffer holds something else.
 */
dpu_error_t dpu_log_read(struct dpu_set_t set, FILE *stream);

/* a program's file in the host program, and struct dpu_incbin_t name for it */
#define DPU_INCBIN(name, file)                                              \
	__asm__(".pushsection .rodata.dpu_incbin, \"a\", @progbits\n"       \
		".balign 16\n"                                              \
		".Ldpu_incbin_" _STR(name) ":\n"                            \
		".incbin \"" file "\"\n"                                    \
		".Ldpu_incbin_end_" _STR(name) ":\n"                        \
		".Ldpu_incbin_path_" _STR(name) ":\n"                       \
		".asciz \"" file "\"\n"                                     \
		".popsection\n"                                             \
		".pushsection .data.dpu_incbin, \"aw\", @progbits\n"        \
		".balign 8\n"                                               \
		".global " _STR(name) "\n"                                  \
		".type " _STR(name) ", @object\n"                           \
		_STR(name) ":\n"                                            \
		".quad .Ldpu_incbin_" _STR(name) "\n"                       \
		".quad .Ldpu_incbin_end_" _STR(name)                        \
		" - .Ldpu_incbin_" _STR(name) "\n"                          \
		".quad .Ldpu_incbin_path_" _STR(name) "\n"                  \
		".size " _STR(name) ", 24\n"                                \
		".popsection\n");                                           \
	extern struct dpu_incbin_t name;

#ifdef __cplusplus
}
#endif

#endif /* DPU_H */
