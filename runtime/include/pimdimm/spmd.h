/* SPDX-License-Identifier: MIT */
/*
 * Resident kernels: every tasklet of every PE is there from the beginning to the end,
 * so that PEs may wait for each other. A tasklet that waits hands its thread of this
 * process to another one, of its PE or of another.
 *
 * Threads move between PEs: pimdimm_parcel() starts one on another PE,
 * pimdimm_migrate() takes the calling one there. Both arrive in order of sending. If
 * nobody runs in the PE at that moment, the sender's thread of this process runs what
 * arrives at once, so that nothing waits for a PE that is not scheduled.
 *
 * What <pimdimm/pimdimm.h> offers to kernels works in resident ones, too. Under
 * pimdimm_launch() nothing of this header does but pimdimm_yield().
 */
#ifndef PIMDIMM_SPMD_H
#define PIMDIMM_SPMD_H

#include <stddef.h>
#include <stdint.h>

#include <pimdimm/pimdimm.h>

#ifdef __cplusplus
extern "C" {
#endif

/** define PIMDIMM_FRAME_BYTES - the most that a parcel carries: four wide words */
#define PIMDIMM_FRAME_BYTES 128
/** define PIMDIMM_TRAVELLER - pimdimm_tasklet_id() of what a parcel has started */
#define PIMDIMM_TRAVELLER 0xffffffffu

/**
 * struct pimdimm_spmd - how resident kernels run, and what came of it
 * @size: sizeof(struct pimdimm_spmd), so that it can grow
 * @nr_tasklets: of each PE, 1 to 24
 * @stack_bytes: of each thread, a multiple of 4096 from 16384 to 8 MiB; 0 is 65536.
 *   Kernels that call the library's host side (transfers and the like) need 262144
 * @reserved: 0
 * @seed: 0, or what the order in which threads run is drawn from. One thread of this
 *   process then runs all, and the order is the same each time
 * @order: receives a hash of the order in which threads ran
 * @hops: receives how often a thread went to another PE: parcels and migrations
 * @switches: receives how often the thread that runs was exchanged for another
 * @ns: receives the duration
 *
 * Results are written whatever pimdimm_spmd() returns, once threads have run.
 */
struct pimdimm_spmd {
	uint32_t size;
	uint32_t nr_tasklets;
	uint32_t stack_bytes;
	uint32_t reserved;
	uint64_t seed;
	uint64_t order;
	uint64_t hops;
	uint64_t switches;
	uint64_t ns;
};

/**
 * pimdimm_spmd() - run a resident kernel on PEs and wait
 * @sys: the system
 * @first_pe: first PE
 * @nr_pes: how many
 * @kernel: run once by every tasklet of every PE
 * @arg: handed to it
 * @how: tasklets, stacks, seed; receives the results
 *
 * All tasklets have their stack before any runs. As many threads of this process as the
 * system has workers, the caller's one of them, take PEs, one in a PE at a time; where
 * these are taken by another call the caller's runs all. In a PE one thread runs until
 * it waits, yields or ends; threads of one PE never run at the same time, so that what
 * they share needs no locks as long as none of these comes between. An MRAM access lets
 * arrived threads run, too. A kernel that blocks in the operating system blocks its
 * thread of this process.
 *
 * Each thread has registers, floating-point environment and errno of its own.
 * Thread-local variables and the signal mask are those of the thread of this process,
 * which may be another one after a wait; so may pimdimm_errmsg() be. Below each stack
 * lies a guard, so that an overflow raises SIGSEGV; where there would be more mappings
 * than the system lets a process have, an overflow is reported as a fault.
 *
 * The run is over when every thread has ended. When none can run any more and some have
 * not ended, they wait in vain: that is -EDEADLK, and they are given up where they wait.
 * What they hold, memory say, is not given back, and destructors do not run. The
 * sentence names those of the lowest PEs, what for, and a cycle if there is one.
 *
 * PIM Lite's continuations and parcels, in: Rodrigues and others, Implications of a PIM
 * Architectural Model for MPI, section 2.
 *
 * Return: 0 when every thread has ended without a fault; -EDEADLK; -EFAULT for a
 * refused access, as pimdimm_launch() has it; -EINVAL; -ENOMEM before any tasklet ran,
 * or when there is no stack for a parcel's thread; with strict=1, -EBUSY as of
 * pimdimm_launch(). Whatever it returns, the ranks belong to the host again.
 */
int pimdimm_spmd(struct pimdimm *sys, uint32_t first_pe, uint32_t nr_pes,
		 pimdimm_kernel kernel, void *arg, struct pimdimm_spmd *how);

/**
 * pimdimm_yield() - let others run
 * @pe: the thread's handle
 *
 * First the other threads of this PE that can, then those of other PEs, each once before
 * the calling one again. Under pimdimm_launch() the other tasklets of the PE.
 */
void pimdimm_yield(struct pimdimm_pe *pe);

/**
 * pimdimm_parcel() - start a thread on a PE
 * @pe: the sender's handle
 * @to: the PE, one of those of the pimdimm_spmd() under way; the own is possible
 * @entry: where the thread begins; it ends by returning. It gets its own handle and
 *   the address of its copy of the frame, aligned to 32 bytes
 * @frame: what is copied; NULL with no bytes
 * @bytes: how many, up to PIMDIMM_FRAME_BYTES
 *
 * Threads that one sends to a PE begin there in order of sending. Its handle says
 * PIMDIMM_TRAVELLER for a tasklet; it takes no part in pimdimm_barrier().
 *
 * Return: 0; -EINVAL; -ENOMEM; -EOPNOTSUPP under pimdimm_launch().
 */
int pimdimm_parcel(struct pimdimm_pe *pe, uint32_t to,
		   void (*entry)(struct pimdimm_pe *pe, void *frame),
		   const void *frame, size_t bytes);

/**
 * pimdimm_migrate() - go on in another PE
 * @pe: the thread's handle
 * @to: the PE, one of those of the pimdimm_spmd() under way
 *
 * When it returns 0, @pe names the new PE: pimdimm_pe_id() is @to, WRAM and MRAM are
 * those of @to. Pointers into the old PE's WRAM are no longer to be used. The stack
 * comes along. pimdimm_tasklet_id() stays what it was, though @to has a tasklet of that
 * number, too. A tasklet that is away is none of those that pimdimm_barrier() waits for,
 * neither in its own PE, until it has come back, nor elsewhere.
 *
 * Return: 0; -EINVAL and the thread is where it was; -EOPNOTSUPP under
 * pimdimm_launch().
 */
int pimdimm_migrate(struct pimdimm_pe *pe, uint32_t to);

/**
 * struct pimdimm_wide - a wide word of WRAM, which is full or empty
 * @word: its 32 bytes
 *
 * All are empty when a PE's tasklets start. Whoever waits is served in order of coming:
 * when a word becomes full, first all who read and leave it full, then one who reads and
 * leaves it empty; when it becomes empty, one who waits to write.
 */
struct pimdimm_wide {
	uint64_t word[4];
} __attribute__((aligned(32)));

/**
 * pimdimm_wide_write_ef() - wait until a word is empty, store it, leave it full
 * @pe: the thread's handle
 * @wide: the word, in the PE's WRAM, aligned to 32 bytes
 * @value: what to store
 *
 * Return: 0; -EINVAL for what is no word of the PE's WRAM, which pimdimm_spmd() reports
 * too; -EOPNOTSUPP under pimdimm_launch().
 */
int pimdimm_wide_write_ef(struct pimdimm_pe *pe, struct pimdimm_wide *wide,
			  const struct pimdimm_wide *value);

/**
 * pimdimm_wide_write_xf() - store a word, empty or not, and leave it full
 * @pe: the thread's handle
 * @wide: the word, in the PE's WRAM, aligned to 32 bytes
 * @value: what to store
 *
 * Return: as pimdimm_wide_write_ef().
 */
int pimdimm_wide_write_xf(struct pimdimm_pe *pe, struct pimdimm_wide *wide,
			  const struct pimdimm_wide *value);

/**
 * pimdimm_wide_read_fe() - wait until a word is full, load it, leave it empty
 * @pe: the thread's handle
 * @wide: the word, in the PE's WRAM, aligned to 32 bytes
 * @value: receives it
 *
 * Return: as pimdimm_wide_write_ef().
 */
int pimdimm_wide_read_fe(struct pimdimm_pe *pe, struct pimdimm_wide *wide,
			 struct pimdimm_wide *value);

/**
 * pimdimm_wide_read_ff() - wait until a word is full, load it, leave it full
 * @pe: the thread's handle
 * @wide: the word, in the PE's WRAM, aligned to 32 bytes
 * @value: receives it
 *
 * Return: as pimdimm_wide_write_ef().
 */
int pimdimm_wide_read_ff(struct pimdimm_pe *pe, struct pimdimm_wide *wide,
			 struct pimdimm_wide *value);

/**
 * pimdimm_wide_set_empty() - make a word empty, whatever it is
 * @pe: the thread's handle
 * @wide: the word, in the PE's WRAM, aligned to 32 bytes
 *
 * Return: as pimdimm_wide_write_ef().
 */
int pimdimm_wide_set_empty(struct pimdimm_pe *pe, struct pimdimm_wide *wide);

/**
 * pimdimm_wide_is_full() - look at a word's bit
 * @pe: the thread's handle
 * @wide: the word, in the PE's WRAM, aligned to 32 bytes
 *
 * Return: 1 if it is full at this moment, else 0; otherwise as
 * pimdimm_wide_write_ef().
 */
int pimdimm_wide_is_full(struct pimdimm_pe *pe,
			 const struct pimdimm_wide *wide);

#ifdef __cplusplus
}
#endif

#endif /* PIMDIMM_SPMD_H */
