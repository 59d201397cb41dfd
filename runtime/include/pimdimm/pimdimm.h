/* SPDX-License-Identifier: MIT */
/*
 * A system of PIM ranks: open it, move bytes between the host and the MRAM of
 * its PEs, run kernels on the PEs.
 *
 * PEs are numbered chip, bank, rank, channel with chip fastest:
 * pe = ((channel * ranks + rank) * 8 + bank) * 8 + chip. The 8 PEs of one bank
 * number form an entangled group: eg = pe / 8, lane = pe % 8.
 *
 * Every function returns 0 or a negative errno unless said otherwise:
 * -EINVAL a wrong argument, -ENOENT no such node, -EACCES permission refused,
 * -EBUSY node taken, or MRAM owned by the PEs, -ENODEV rank gone, -EIO a failed
 * transfer, -ENOMEM, -EOPNOTSUPP something the backend cannot do. Injected faults are
 * -EIO and -ENODEV; every call that moves bytes can meet one.
 * pimdimm_errmsg() says it in a sentence. A struct pimdimm may be used from any
 * thread, but pimdimm_close() must be the last use.
 */
#ifndef PIMDIMM_PIMDIMM_H
#define PIMDIMM_PIMDIMM_H

#include <stddef.h>
#include <stdint.h>

#include <pimdimm/pimdimm_layout.h>

#ifdef __cplusplus
extern "C" {
#endif

/** define PIMDIMM_VERSION - the version of these headers */
#define PIMDIMM_VERSION "0.2.0"

struct pimdimm;
struct pimdimm_pe;

/**
 * struct pimdimm_geometry - what a system is made of
 * @channels: memory channels; 1 where the ranks do not fill several channels equally
 * @ranks_per_channel: ranks of each channel
 * @banks: banks of a chip: entangled groups of a rank, 8
 * @chips: chips of a rank: PEs of an entangled group, 8
 * @nr_pes: PEs of the whole system, 64 for each rank
 * @max_tasklets: the most tasklets that pimdimm_launch() takes, 24
 * @mram_size: bytes of MRAM of a PE
 * @wram_size: bytes of WRAM of a PE, 65536
 * @layout: where blocks lie in a rank's window, a PIMDIMM_LAYOUT_ value
 */
struct pimdimm_geometry {
	uint32_t channels;
	uint32_t ranks_per_channel;
	uint32_t banks;
	uint32_t chips;
	uint32_t nr_pes;
	uint32_t max_tasklets;
	uint64_t mram_size;
	uint64_t wram_size;
	uint32_t layout;
};

/**
 * pimdimm_version() - the library's version
 *
 * Return: a string such as "0.2.0".
 */
const char *pimdimm_version(void);

/**
 * pimdimm_errmsg() - the calling thread's last failure in a sentence
 *
 * The sentence names the argument, its value and what was expected. It stays
 * until the thread's next failing call.
 *
 * Return: the sentence; an empty string before any failure.
 */
const char *pimdimm_errmsg(void);

/**
 * pimdimm_error() - tell of a failure as this library's functions do
 * @error: an errno, positive
 * @format: what pimdimm_errmsg() says from now on, as for printf()
 *
 * For functions that others build upon this library, so that their callers look for the
 * sentence in one place: `return pimdimm_error(EINVAL, "rows=%d, expected 1 at least", rows)`.
 * More than 511 characters are cut off.
 *
 * Return: -@error.
 */
__attribute__((format(printf, 2, 3)))
int pimdimm_error(int error, const char *format, ...);

/**
 * pimdimm_open() - open a system of ranks
 * @uri: which ranks, or NULL for the environment's PIMDIMM_URI, else "mem:"
 * @sys: receives the system
 *
 * "mem:channels=1,ranks=4,mram=64M,layout=linear" makes ranks in this process, a
 * file descriptor each; these are the values of keys left out, ranks counts those
 * of a channel, sizes take the suffixes K, M and G, layout is linear or xeon_sp.
 *
 * With file=PATH the MRAM of "mem:" is that file's, which is made if it is not there
 * and takes space on disk where MRAM is written to: contents outlive the system, and
 * may be larger than memory. Keys left out are then those that the file was made with,
 * others must agree with it. One system has it at a time. Calls that write to MRAM are
 * -ENOSPC on a full disk, and write nothing then; but what the program writes itself by
 * pimdimm_mram() is SIGBUS there. With reserve=1 "mem:" takes all the memory or the disk
 * space that MRAM can need when it is opened, and is refused where there is not so much,
 * so that neither happens later, nor the OOM killer comes.
 *
 * "dev:" takes every /dev/pimdimm* that opens, by number;
 * "dev:/dev/pimdimm0,/dev/pimdimm1" these nodes, their PEs numbered in the order
 * given; "dev:ranks=2" the first two free ones. Where the module has several
 * systems, "dev:system=NAME" takes the nodes of that one; without it they all
 * count, by number. Ranks that differ in MRAM size or layout are refused.
 *
 * "inject=KNOB:VALUE[@RANK]+..." injects faults into every rank, or with @RANK into
 * one, to test how a program copes with them; PIMDIMM_INJECT does so where the URI has
 * no such key. A transfer is one call of this library as seen by one rank. fail_nth:N
 * makes the Nth from now on fail with -EIO, fail_ppm:N so many of a million. gone_nth:N
 * makes the rank go at the Nth, with -ENODEV from then on, gone:1 from the start.
 * flip_ppm:N flips a bit in so many of a million words moved, before they are read or
 * after they were written; delay_us:N makes each transfer take longer. seed:N starts the
 * random numbers: the same seed gives the same faults. The module has the same knobs
 * for its ranks, see pimdimm(4); both apply to transfers of "dev:".
 *
 * The system has as many threads as the calling thread's affinity mask has
 * processing units, or fewer where the CPU quota of its control groups is less
 * (rounded up), or as PIMDIMM_THREADS says, the caller's counted. Each but the
 * caller's is bound to a share of those units unless there are more threads.
 * Threads that call this library need 256 KiB of stack.
 * On several NUMA nodes the channels of "mem:" are dealt out over them.
 *
 * With strict=1, in either kind of URI, MRAM has one owner at a time, as on hardware:
 * while a launch runs, the ranks it uses, and only those, belong to the PEs. Touching
 * the window of such a rank, see pimdimm_mram(), raises SIGBUS for "dev:" and SIGSEGV
 * for "mem:", with the address. Transfers and collectives that concern the rank are
 * -EBUSY, and so is a launch while one of these is under way there. Nothing waits.
 * A collective in which PEs help ("pr" and the like) has its ranks to itself, and they
 * belong to the PEs while these work. PE kernels are refused what PEs of hardware
 * cannot do: an MRAM access whose other side is not in the PE's WRAM is -EINVAL, and
 * reported by the launch; launches and collectives are -EBUSY.
 *
 * Return: 0; -EINVAL for a URI that is not of this form or a geometry that is
 * not possible; -ENOENT, -EACCES, -EBUSY, -ENODEV for a node that is absent,
 * not permitted, taken or of no rank; -EOPNOTSUPP for a module whose ABI is
 * another, or that cannot do strict=1; -ENOMEM. For file= and reserve=1: -EBUSY while
 * another system has the file; -EINVAL where it is of another geometry or no regular
 * file; -EBADMSG where it is no file of MRAM, damaged or of another size; -ENOSPC;
 * -EOPNOTSUPP where its file system cannot reserve space; other errors of open(2).
 */
int pimdimm_open(const char *uri, struct pimdimm **sys);

/**
 * pimdimm_close() - give the ranks back
 * @sys: the system, or NULL
 *
 * The contents of its MRAM are gone unless they are kept by file=, pointers from
 * pimdimm_mram() invalid.
 */
void pimdimm_close(struct pimdimm *sys);

/**
 * pimdimm_geometry() - what the system is made of
 * @sys: the system
 *
 * Return: its geometry, valid until pimdimm_close().
 */
const struct pimdimm_geometry *pimdimm_geometry(const struct pimdimm *sys);

/**
 * pimdimm_write() - copy host memory into the MRAM of one PE
 * @sys: the system
 * @pe: the PE
 * @off: first byte in its MRAM, of any alignment
 * @src: host memory of @bytes
 * @bytes: how many; @off + @bytes at most the MRAM's size
 *
 * No byte of another PE is touched, whoever writes it at the same time.
 *
 * Return: 0; -EINVAL; -EBUSY while the PEs own the rank, with strict=1; -EIO, when
 * bytes may have been written, or -ENODEV.
 */
int pimdimm_write(struct pimdimm *sys, uint32_t pe, uint64_t off,
		  const void *src, size_t bytes);

/**
 * pimdimm_read() - copy the MRAM of one PE into host memory
 * @sys: the system
 * @pe: the PE
 * @off: first byte in its MRAM, of any alignment
 * @dst: host memory of @bytes
 * @bytes: how many; @off + @bytes at most the MRAM's size
 *
 * Return: 0; -EINVAL; -EBUSY while the PEs own the rank, with strict=1; -EIO, when
 * bytes may have been read, or -ENODEV.
 */
int pimdimm_read(struct pimdimm *sys, uint32_t pe, uint64_t off, void *dst,
		 size_t bytes);

/**
 * pimdimm_push() - copy host buffers into the MRAM of many PEs
 * @sys: the system
 * @first_pe: PE of @bufs[0]
 * @nr_pes: how many PEs, and entries of @bufs
 * @off: first byte in each PE's MRAM, a multiple of 8
 * @bufs: @bufs[i] is the buffer, of any alignment, for PE @first_pe + i;
 *        NULL leaves the PE out. Buffers may coincide
 * @bytes: of each PE, a multiple of 8
 *
 * Whole entangled groups go through the domain transfer, by all threads.
 *
 * Return: 0; -EINVAL, or -EBUSY while the PEs own one of the ranks, with strict=1,
 * and nothing has changed; -EIO, when bytes of any of the PEs may have been moved,
 * or -ENODEV.
 */
int pimdimm_push(struct pimdimm *sys, uint32_t first_pe, uint32_t nr_pes,
		 uint64_t off, const void *const bufs[], size_t bytes);

/**
 * pimdimm_pull() - copy the MRAM of many PEs into host buffers
 * @sys: the system
 * @first_pe: PE of @bufs[0]
 * @nr_pes: how many PEs, and entries of @bufs
 * @off: first byte in each PE's MRAM, a multiple of 8
 * @bufs: @bufs[i] is the buffer, of any alignment, for PE @first_pe + i;
 *        NULL leaves the PE out. Buffers must not overlap
 * @bytes: of each PE, a multiple of 8
 *
 * Return: 0; -EINVAL, or -EBUSY while the PEs own one of the ranks, with strict=1,
 * and nothing has changed; -EIO, when bytes of any of the PEs may have been moved,
 * or -ENODEV.
 */
int pimdimm_pull(struct pimdimm *sys, uint32_t first_pe, uint32_t nr_pes,
		 uint64_t off, void *const bufs[], size_t bytes);

/**
 * pimdimm_mram() - a rank's window
 * @sys: the system
 * @rank: number of the rank, counted over all channels
 * @bytes: receives the window's size, unless NULL
 *
 * The window shows the PIM domain, blocks where pimdimm_layout_offset() says. With
 * strict=1 it must not be touched while a launch runs on the rank.
 *
 * Return: its address, valid until pimdimm_close(); NULL for a rank that the
 * system does not have.
 */
void *pimdimm_mram(struct pimdimm *sys, uint32_t rank, size_t *bytes);

/**
 * pimdimm_domain_transfer() - transpose blocks between host and PIM domain
 * @dst: @blocks times 64 bytes, of any alignment; may be @src itself, any
 *       other overlap is not allowed
 * @src: @blocks times 64 bytes, of any alignment
 * @blocks: how many
 *
 * Byte 8*i + j of each block becomes byte 8*j + i: its own inverse. PID-Comm,
 * section II-B.
 */
void pimdimm_domain_transfer(void *dst, const void *src, size_t blocks);

/**
 * pimdimm_export() - a descriptor for a part of a rank's window
 * @sys: the system
 * @rank: number of the rank
 * @off: first byte of the window, a multiple of the page size
 * @bytes: length, a multiple of the page size
 *
 * Of a "dev:" rank it is a dma-buf, which other processes map and devices import:
 * DRM's by drmPrimeFDToHandle(). Its pages are pinned until the last descriptor,
 * mapping and import of it is gone, pimdimm_close() or not, and count against
 * RLIMIT_MEMLOCK, summed over the user's processes, without CAP_IPC_LOCK. A
 * "mem:" rank can only be exported whole: @off 0, @bytes its window; one that file=
 * keeps cannot.
 *
 * Return: a close-on-exec descriptor that another process can import;
 * -EINVAL; -ENOMEM where there is no memory or RLIMIT_MEMLOCK does not allow it;
 * -EBUSY while the PEs own the rank; -EMFILE or -ENFILE; -EOPNOTSUPP where the
 * backend cannot export that.
 */
int pimdimm_export(struct pimdimm *sys, uint32_t rank, uint64_t off,
		   uint64_t bytes);

/**
 * pimdimm_import() - map what another process exported
 * @fd: the descriptor; it may be closed afterwards
 * @map: receives the address; munmap() it when done
 * @bytes: receives the length
 *
 * It shows the PIM domain, as pimdimm_mram() does. Where a device that does not
 * see the CPU's caches works on a dma-buf, accesses belong between two
 * DMA_BUF_IOCTL_SYNC calls on its descriptor. A mapping of a dma-buf is not for
 * direct I/O: O_DIRECT on it is EFAULT. Whoever can shorten the file that @fd is
 * kills those who touch the mapping beyond its new end (SIGBUS): of one that comes
 * from somebody else look for F_SEAL_SHRINK (fcntl F_GET_SEALS) first, which ranks
 * of "mem:" have; dma-bufs have their size for good.
 *
 * Return: 0; -EINVAL; the errno of lseek or mmap.
 */
int pimdimm_import(int fd, void **map, size_t *bytes);

/**
 * pimdimm_save() - write all that a system holds to a file
 * @sys: the system; no other thread changes what it holds meanwhile
 * @path: the file, which is replaced if it is there, a symbolic link as such
 *
 * MRAM of all PEs, the programs that they have loaded with all their symbols, and their
 * WRAM as programs left it. MRAM takes space where it is not zero. The file is written
 * beside @path under a name of its own and gets the name when all of it is on disk, so
 * that whatever happens @path is what it was or the whole. It has a version and
 * checksums, which tell damage, but not a forger's work.
 *
 * Return: 0; -EINVAL, also where @path is a device or FIFO; -EBUSY while a PE runs and,
 * with strict=1, while a launch runs; -ENODEV for a rank that is gone; -ENOMEM; -ENOSPC,
 * -EACCES and other errors of open(2), write(2), fsync(2) and rename(2).
 */
int pimdimm_save(struct pimdimm *sys, const char *path);

/**
 * pimdimm_restore() - make a system hold what was saved
 * @sys: a system of as many channels and ranks, and of the same MRAM size; its layout
 *       and backend may be others. No other thread uses it meanwhile
 * @path: what pimdimm_save() has written
 *
 * Everything that the system held before is gone: MRAM, programs, WRAM. The file is read
 * and checked as a whole before anything changes. Programs are had by
 * pimdimm_program_of().
 *
 * Return: 0; -EINVAL for a system of another geometry, or a file that is not regular;
 * -EBADMSG for a file that is none of pimdimm_save(), is of another version, or damaged:
 * pimdimm_errmsg() names the offset; -ENOEXEC for a program in it that cannot be loaded;
 * -EBUSY as pimdimm_save(); -ENODEV; -ENOMEM; -ENOSPC where the system is in a file on a
 * full disk; errors of open(2). In all these cases nothing has changed, unless the file
 * changes while it is read, or reading it fails the second time: then MRAM is undefined.
 */
int pimdimm_restore(struct pimdimm *sys, const char *path);

/**
 * typedef pimdimm_kernel - a kernel: what each tasklet of each PE runs
 * @pe: the tasklet's handle, valid until it returns
 * @arg: as given to pimdimm_launch()
 *
 * It runs on a thread of this process, in the default floating-point
 * environment, and must return: pthread_exit() and longjmp() out of it are not for
 * kernels. It is the host's code with all of the host's rights, so that a wild
 * pointer in it is the host's, too, and may end the process; programs that
 * <pimdimm/program.h> runs are kept apart.
 */
typedef void (*pimdimm_kernel)(struct pimdimm_pe *pe, void *arg);

/**
 * pimdimm_launch() - run a kernel on PEs and wait
 * @sys: the system
 * @first_pe: first PE
 * @nr_pes: how many
 * @nr_tasklets: of each PE, 1 to 24
 * @kernel: run once by every tasklet of every PE
 * @arg: handed to it
 *
 * PEs run in any order, as many at once as there are workers; the calling thread
 * is one of these. The tasklets of a PE share one thread: one of them runs until it
 * waits in pimdimm_barrier(), has made some dozens of MRAM accesses, or ends, and
 * the next one goes on. So a tasklet must not wait for another in any further way,
 * such as by a lock or by looking at WRAM again and again. Each has registers,
 * floating-point environment, errno and a stack of 8 MiB of its own, of which only
 * what is touched takes memory; one that is alone has that of the thread it runs
 * on. Thread-local variables and the signal mask are those of the thread, which are
 * other tasklets', too.
 *
 * A tasklet whose MRAM access is refused goes on; the launch reports it. The call is
 * no cancellation point, nor is anything that kernels call.
 *
 * Return: 0 when every tasklet has ended without a fault; -EFAULT when one made
 * an MRAM access that is refused: pimdimm_errmsg() names the lowest such PE, its
 * tasklet and the cause; -EINVAL; -ENOMEM before any tasklet ran; with
 * strict=1, -EBUSY in a kernel, while a transfer or a collective is under way on
 * one of the ranks, or where others could touch a rank by a dma-buf or a mapping.
 * Whatever it returns, the ranks belong to the host again.
 */
int pimdimm_launch(struct pimdimm *sys, uint32_t first_pe, uint32_t nr_pes,
		   unsigned nr_tasklets, pimdimm_kernel kernel, void *arg);

/**
 * pimdimm_pe_id() - which PE this tasklet runs on
 * @pe: the tasklet's handle
 *
 * Return: the PE's number in the system.
 */
uint32_t pimdimm_pe_id(const struct pimdimm_pe *pe);

/**
 * pimdimm_tasklet_id() - which tasklet of its PE this is
 * @pe: the tasklet's handle
 *
 * Return: 0 to the launch's tasklets - 1.
 */
unsigned pimdimm_tasklet_id(const struct pimdimm_pe *pe);

/**
 * pimdimm_mram_read() - DMA from the PE's own MRAM into WRAM
 * @pe: the tasklet's handle
 * @off: first byte of the PE's MRAM, a multiple of 8
 * @wram: destination, aligned to 8; with strict=1 it lies in the PE's WRAM
 * @bytes: a multiple of 8, 8 to 2048
 *
 * Return: 0; -EINVAL for what the hardware's DMA refuses, which the launch
 * reports too.
 */
int pimdimm_mram_read(struct pimdimm_pe *pe, uint64_t off, void *wram,
		      size_t bytes);

/**
 * pimdimm_mram_write() - DMA from WRAM into the PE's own MRAM
 * @pe: the tasklet's handle
 * @off: first byte of the PE's MRAM, a multiple of 8
 * @wram: source, aligned to 8; with strict=1 it lies in the PE's WRAM
 * @bytes: a multiple of 8, 8 to 2048
 *
 * Return: 0; -EINVAL for what the hardware's DMA refuses, which the launch
 * reports too.
 */
int pimdimm_mram_write(struct pimdimm_pe *pe, uint64_t off, const void *wram,
		       size_t bytes);

/**
 * pimdimm_wram() - the PE's WRAM
 * @pe: the tasklet's handle
 *
 * Return: its 64 KiB, one for all tasklets of the PE, zero when the PE's
 * tasklets start.
 */
void *pimdimm_wram(struct pimdimm_pe *pe);

/**
 * pimdimm_wram_alloc() - take a piece of the PE's WRAM
 * @pe: the tasklet's handle
 * @bytes: how many
 *
 * Pieces are taken from the end of the WRAM downwards, so that a kernel may lay
 * out its beginning by hand. They last until the PE's tasklets have ended.
 *
 * Return: an address aligned to 8; NULL when the WRAM is spent or @bytes is 0.
 */
void *pimdimm_wram_alloc(struct pimdimm_pe *pe, size_t bytes);

/**
 * pimdimm_barrier() - wait for the PE's other tasklets
 * @pe: the tasklet's handle
 *
 * Returns when every tasklet of this PE that has not ended has arrived.
 */
void pimdimm_barrier(struct pimdimm_pe *pe);

#ifdef __cplusplus
}
#endif

#endif /* PIMDIMM_PIMDIMM_H */
