/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * The ioctls of /dev/pimdimmN. Installed as <linux/pimdimm.h>.
 */
#ifndef _UAPI_PIMDIMM_H
#define _UAPI_PIMDIMM_H

#include <linux/ioctl.h>
#include <linux/types.h>

/**
 * DOC: General ioctl format
 *
 * Every structure begins with its size in bytes, as the caller knows it, and
 * grows at its end only: a module takes a shorter structure as if the missing
 * fields were zero, and a longer one if all that it does not know is zero.
 * Lengths, offsets and pointers are 64 bits wide on every architecture; fields
 * whose name begins with out_ are written by the module, the others are not.
 *
 * All calls share these errors:
 *
 * - ENOTTY: unknown call
 * - E2BIG: the structure is longer than the module knows and its tail is set
 * - EOPNOTSUPP: a flag or value that the module does not know
 * - EINVAL: a wrong value, a size too small, or a reserved field that is set
 * - EFAULT: the structure lies outside the caller's memory
 * - ENODEV: the rank is gone, which PIMDIMM_IOC_QUERY alone does not mind
 */
#define PIMDIMM_IOC_MAGIC	0xC8

/** define PIMDIMM_ABI - the ABI's number, &struct pimdimm_query.out_abi */
#define PIMDIMM_ABI		1

/**
 * DOC: The two views
 *
 * mmap() at offset 0 shows a rank's window as the host sees it, mmap() at
 * %PIMDIMM_MMAP_PE the same bytes as its PEs do. On hardware a multiplexer gives
 * a rank's DRAM either to the host or to the PEs; whoever touches it at the wrong
 * time reads garbage or writes into the void. PIMDIMM_IOC_MUX makes that an error
 * that is seen: while the PEs own the rank, touching a host view raises SIGBUS
 * with the address, system calls that are given such memory fail with EFAULT,
 * and the calls that touch MRAM for the host fail with EBUSY. PE views go on.
 *
 * A newly opened rank belongs to the host until PIMDIMM_IOC_MUX is called. Mappings
 * that outlive the descriptor belong to the host.
 *
 * Host views, of whatever process, keep the module loaded as long as they live.
 * They cannot grow, are not locked by mlock(), and userfaultfd(2) does not take
 * them; PE views are shared memory like any other.
 */

/** define PIMDIMM_MMAP_PE - mmap offset at which the PE view of a rank begins */
#define PIMDIMM_MMAP_PE		(1ULL << 40)

/**
 * define PIMDIMM_MMAP_STATUS - mmap offset of a rank's status
 *
 * A page, for reading alone, that begins with a &struct pimdimm_status. The mapping
 * counts as a descriptor: the rank keeps its owner while it is there.
 */
#define PIMDIMM_MMAP_STATUS	(1ULL << 41)

/* Bits of &struct pimdimm_query.out_features */
#define PIMDIMM_FEATURE_EXPORT	(1ULL << 0)	/* PIMDIMM_IOC_EXPORT works */
#define PIMDIMM_FEATURE_MUX	(1ULL << 1)	/* PIMDIMM_IOC_MUX and the PE view work */
#define PIMDIMM_FEATURE_INJECT	(1ULL << 2)	/* PIMDIMM_IOC_TOUCH and the status work */

/**
 * struct pimdimm_query - PIMDIMM_IOC_QUERY
 * @size: sizeof(struct pimdimm_query)
 * @flags: must be 0
 * @out_abi: %PIMDIMM_ABI of the module
 * @out_layout: where blocks lie, a PIMDIMM_LAYOUT_ value
 * @out_channel: channel of this rank
 * @out_rank: rank in its channel
 * @out_channels: channels of the system
 * @out_ranks: ranks of a channel
 * @out_mram_size: bytes of MRAM of a PE
 * @out_window_size: bytes that mmap offers
 * @out_features: PIMDIMM_FEATURE_ bits
 *
 * Tells the position and geometry of the rank.
 */
struct pimdimm_query {
	__u32 size;
	__u32 flags;
	__u32 out_abi;
	__u32 out_layout;
	__u32 out_channel;
	__u32 out_rank;
	__u32 out_channels;
	__u32 out_ranks;
	__aligned_u64 out_mram_size;
	__aligned_u64 out_window_size;
	__aligned_u64 out_features;
};
#define PIMDIMM_IOC_QUERY	_IO(PIMDIMM_IOC_MAGIC, 0)

#define PIMDIMM_XFER_FROM_MRAM	(1U << 0)	/* from MRAM to host memory */
#define PIMDIMM_XFER_STRIDED	(1U << 1)	/* @addrs is a base, not an array */

/**
 * struct pimdimm_xfer - PIMDIMM_IOC_XFER
 * @size: sizeof(struct pimdimm_xfer)
 * @flags: %PIMDIMM_XFER_FROM_MRAM, else to MRAM; %PIMDIMM_XFER_STRIDED
 * @pe_mask: the PEs that take part: bit 8*bank + chip; 0 does nothing, and
 *           has all of @bytes complete
 * @offset: first byte in each PE's MRAM, a multiple of 8
 * @bytes: bytes of each PE, a multiple of 8; 0 does nothing
 * @addrs: address of a __u64[64] with each selected PE's host buffer by mask
 *         bit; with %PIMDIMM_XFER_STRIDED the buffer of bit 0 itself. Buffers
 *         have any alignment
 * @stride: with %PIMDIMM_XFER_STRIDED, the buffer of bit i lies at
 *          @addrs + @stride * i; else must be 0
 * @out_bytes: how many of the first bytes are complete for every selected PE
 *
 * Moves bytes between host buffers and the MRAM of the selected PEs, through
 * the domain transfer. PEs that are not selected keep their bytes. A call that
 * is interrupted or meets a bad address after a part returns 0 with @out_bytes
 * short of @bytes; bytes beyond @out_bytes may have been transferred for some
 * PEs.
 *
 * Errors besides the common ones: EINVAL where offset and bytes are misaligned
 * or reach past the MRAM; EBADF where the descriptor is not open for writing,
 * or with %PIMDIMM_XFER_FROM_MRAM for reading; EINTR when a signal came, EFAULT
 * when a buffer is bad, ENOMEM, or EIO when swap cannot be read, before any
 * word was complete; EBUSY while the PEs own the rank, unless words were complete
 * before they took it; EIO, where the bytes may have been transferred, and ENODEV of
 * injected faults. Nothing is written to @out_bytes then.
 */
struct pimdimm_xfer {
	__u32 size;
	__u32 flags;
	__aligned_u64 pe_mask;
	__aligned_u64 offset;
	__aligned_u64 bytes;
	__aligned_u64 addrs;
	__aligned_u64 stride;
	__aligned_u64 out_bytes;
};
#define PIMDIMM_IOC_XFER	_IO(PIMDIMM_IOC_MAGIC, 1)

/**
 * struct pimdimm_reset - PIMDIMM_IOC_RESET
 * @size: sizeof(struct pimdimm_reset)
 * @flags: must be 0
 *
 * Zeroes the whole window and gives its pages back. Mappings stay valid.
 *
 * Errors besides the common ones: EBADF where the descriptor is not open for
 * writing; EBUSY while the PEs own the rank or a dma-buf of it is there. Nothing
 * has changed then.
 */
struct pimdimm_reset {
	__u32 size;
	__u32 flags;
};
#define PIMDIMM_IOC_RESET	_IO(PIMDIMM_IOC_MAGIC, 2)

/**
 * struct pimdimm_export - PIMDIMM_IOC_EXPORT
 * @size: sizeof(struct pimdimm_export)
 * @flags: must be 0
 * @offset: first byte of the window, a multiple of the page size
 * @bytes: length, a multiple of the page size, not 0
 * @out_fd: the dma-buf's descriptor, close-on-exec
 * @reserved: must be 0
 *
 * Makes a dma-buf of a part of the window: for other processes to map, shared,
 * that part and no byte beyond, and for devices to import. Its pages are
 * allocated and pinned until the last descriptor, mapping and import of it is
 * gone, after the node's last close too: the next owner has other pages. Until
 * then RESET, and handing the rank to its PEs, is EBUSY. Ranges may overlap.
 *
 * The pages count against RLIMIT_MEMLOCK, summed over all processes of the user
 * and once for each dma-buf, unless the caller has CAP_IPC_LOCK. A dma-buf keeps
 * the pages it was made of: where madvise(MADV_REMOVE) on a mapping of the node
 * takes some from the rank, the two no longer show the same bytes there.
 *
 * Errors besides the common ones: EBADF unless the descriptor is open for
 * reading and writing; EINVAL where offset and bytes are misaligned or reach
 * past the window, or bytes is 0; ENOMEM where there is no memory, in the
 * caller's memory cgroup either, or RLIMIT_MEMLOCK does not allow it, or, before
 * Linux 6.11, pages lie in memory that is to stay movable; EAGAIN where pages were
 * moved about all the while; EBUSY while the PEs own the rank, or another
 * thread's RESET runs; EMFILE or ENFILE without a free descriptor; EINTR when the
 * caller is being killed; EIO when swap cannot be read; EOPNOTSUPP unless
 * %PIMDIMM_FEATURE_EXPORT is offered. Nothing is pinned and no descriptor open
 * then.
 *
 * Calls on the descriptor: mmap is EINVAL for MAP_PRIVATE, or past the end; its
 * mappings cannot grow (mremap is EFAULT), nor be used for direct I/O or by
 * another process's process_vm_readv (EFAULT); lseek to the end tells the length.
 * An import is ENOMEM where there is no memory for its list of pages, or what the
 * DMA mapping of the device says.
 */
struct pimdimm_export {
	__u32 size;
	__u32 flags;
	__aligned_u64 offset;
	__aligned_u64 bytes;
	__s32 out_fd;
	__u32 reserved;
};
#define PIMDIMM_IOC_EXPORT	_IO(PIMDIMM_IOC_MAGIC, 3)

#define PIMDIMM_MUX_HOST	0u
#define PIMDIMM_MUX_PES		1u

/**
 * struct pimdimm_mux - PIMDIMM_IOC_MUX
 * @size: sizeof(struct pimdimm_mux)
 * @flags: must be 0
 * @owner: who may touch MRAM from now on, %PIMDIMM_MUX_HOST or %PIMDIMM_MUX_PES
 * @reserved: must be 0
 *
 * Hands the rank to its PEs or back to the host; to whom it belongs already, is
 * no error. When the call returns, no load or store through a host view and no
 * PIMDIMM_IOC_XFER of the former owner is under way: none can be late.
 *
 * It concerns the host views of every process, whenever they were mapped;
 * madvise(MADV_REMOVE) in them fails with EBUSY while the PEs own the rank.
 *
 * What the kernel does on behalf of a system call that began before, with pages
 * it has pinned (O_DIRECT, registered buffers of io_uring), goes on.
 *
 * Errors besides the common ones: EBADF where the descriptor is not open for
 * writing; EBUSY, of %PIMDIMM_MUX_PES, where a dma-buf of the rank exists; EINTR
 * on a fatal signal. An error changes no owner. EOPNOTSUPP unless %PIMDIMM_FEATURE_MUX is
 * offered.
 */
struct pimdimm_mux {
	__u32 size;
	__u32 flags;
	__u32 owner;
	__u32 reserved;
};
#define PIMDIMM_IOC_MUX		_IO(PIMDIMM_IOC_MAGIC, 4)

#define PIMDIMM_STATUS_ARMED	(1U << 0)	/* transfers may be made to fail */
#define PIMDIMM_STATUS_GONE	(1U << 1)	/* the rank is gone */

/**
 * struct pimdimm_status - what %PIMDIMM_MMAP_STATUS shows
 * @flags: PIMDIMM_STATUS_ bits, which may change at any time
 *
 * Whoever moves bytes through the window looks here first, and calls
 * PIMDIMM_IOC_TOUCH if any flag is set: injected faults concern these transfers
 * too, and a look costs nothing.
 */
struct pimdimm_status {
	__u32 flags;
};

/**
 * struct pimdimm_touch - PIMDIMM_IOC_TOUCH
 * @size: sizeof(struct pimdimm_touch)
 * @flags: must be 0
 * @words: words of all PEs that are to be moved through the window, at most 2^29
 * @out_fails: 1: the transfer is to be taken for failed
 * @out_late: 1: after its last byte, 0: before its first
 * @out_flips: bits to be flipped among these words, before they are read or after
 *             they were written
 * @out_draw: where the random numbers begin that choose these bits
 *
 * Tells what injected faults do to a transfer through the window, which is
 * counted and delayed like one of PIMDIMM_IOC_XFER; for the rest the caller sees
 * to it. ENODEV where the rank is gone: it stays so for this descriptor, as do
 * its mappings, which are memory without contents now.
 */
struct pimdimm_touch {
	__u32 size;
	__u32 flags;
	__aligned_u64 words;
	__u32 out_fails;
	__u32 out_late;
	__aligned_u64 out_flips;
	__aligned_u64 out_draw;
};
#define PIMDIMM_IOC_TOUCH	_IO(PIMDIMM_IOC_MAGIC, 5)

#endif /* _UAPI_PIMDIMM_H */
