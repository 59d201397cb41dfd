/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints of /dev/pimdimmN, under events/pimdimm in tracefs. Fields are
 * printed as name=value, for `pimdimm trace` and others to read.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM pimdimm

#if !defined(PIMDIMM_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define PIMDIMM_TRACE_H

#include <linux/bitops.h>
#include <linux/mm.h>
#include <linux/tracepoint.h>

#include "kmod/pimdimm.h"

TRACE_EVENT(pimdimm_open,
	TP_PROTO(const struct pimdimm_rank *rank, unsigned int flags, int ret),
	TP_ARGS(rank, flags, ret),
	TP_STRUCT__entry(
		__field(u32, rank)
		__field(u32, flags)
		__field(int, ret)
	),
	TP_fast_assign(
		__entry->rank = rank->index;
		__entry->flags = flags;
		__entry->ret = ret;
	),
	TP_printk("rank=%u flags=%#x ret=%d", __entry->rank, __entry->flags,
		  __entry->ret)
);

/* The last descriptor is gone; allocated: what the owner leaves behind. */
TRACE_EVENT(pimdimm_release,
	TP_PROTO(const struct pimdimm_rank *rank, u64 allocated),
	TP_ARGS(rank, allocated),
	TP_STRUCT__entry(
		__field(u32, rank)
		__field(u64, allocated)
	),
	TP_fast_assign(
		__entry->rank = rank->index;
		__entry->allocated = allocated;
	),
	TP_printk("rank=%u allocated=%llu", __entry->rank, __entry->allocated)
);

/* bytes: of each PE */
TRACE_EVENT(pimdimm_xfer_begin,
	TP_PROTO(const struct pimdimm_rank *rank,
		 const struct pimdimm_xfer *xfer),
	TP_ARGS(rank, xfer),
	TP_STRUCT__entry(
		__field(u32, rank)
		__field(bool, from_mram)
		__field(u64, pe_mask)
		__field(u64, offset)
		__field(u64, bytes)
	),
	TP_fast_assign(
		__entry->rank = rank->index;
		__entry->from_mram = xfer->flags & PIMDIMM_XFER_FROM_MRAM;
		__entry->pe_mask = xfer->pe_mask;
		__entry->offset = xfer->offset;
		__entry->bytes = xfer->bytes;
	),
	TP_printk("rank=%u direction=%s pe_mask=%#llx offset=%llu bytes=%llu",
		  __entry->rank, __entry->from_mram ? "from_mram" : "to_mram",
		  __entry->pe_mask, __entry->offset, __entry->bytes)
);

/* bytes: of all PEs, as /sys/class/pimdimm counts them */
TRACE_EVENT(pimdimm_xfer_end,
	TP_PROTO(const struct pimdimm_rank *rank,
		 const struct pimdimm_xfer *xfer, int ret),
	TP_ARGS(rank, xfer, ret),
	TP_STRUCT__entry(
		__field(u32, rank)
		__field(bool, from_mram)
		__field(u64, bytes)
		__field(int, ret)
	),
	TP_fast_assign(
		__entry->rank = rank->index;
		__entry->from_mram = xfer->flags & PIMDIMM_XFER_FROM_MRAM;
		__entry->bytes = ret ? 0 : xfer->out_bytes *
					   hweight64(xfer->pe_mask);
		__entry->ret = ret;
	),
	TP_printk("rank=%u direction=%s bytes=%llu ret=%d", __entry->rank,
		  __entry->from_mram ? "from_mram" : "to_mram",
		  __entry->bytes, __entry->ret)
);

TRACE_EVENT(pimdimm_reset,
	TP_PROTO(const struct pimdimm_rank *rank, int ret),
	TP_ARGS(rank, ret),
	TP_STRUCT__entry(
		__field(u32, rank)
		__field(int, ret)
	),
	TP_fast_assign(
		__entry->rank = rank->index;
		__entry->ret = ret;
	),
	TP_printk("rank=%u ret=%d", __entry->rank, __entry->ret)
);

TRACE_EVENT(pimdimm_export,
	TP_PROTO(const struct pimdimm_rank *rank,
		 const struct pimdimm_export *export, int ret),
	TP_ARGS(rank, export, ret),
	TP_STRUCT__entry(
		__field(u32, rank)
		__field(u64, offset)
		__field(u64, bytes)
		__field(int, ret)
	),
	TP_fast_assign(
		__entry->rank = rank->index;
		__entry->offset = export->offset;
		__entry->bytes = export->bytes;
		__entry->ret = ret;
	),
	TP_printk("rank=%u offset=%llu bytes=%llu ret=%d", __entry->rank,
		  __entry->offset, __entry->bytes, __entry->ret)
);

/*
 * A page fault in a host view that MUX watches over, offset bytes into the
 * window; sigbus: the PEs had the rank.
 */
TRACE_EVENT(pimdimm_fault,
	TP_PROTO(u32 rank, const struct vm_fault *vmf, vm_fault_t ret),
	TP_ARGS(rank, vmf, ret),
	TP_STRUCT__entry(
		__field(u32, rank)
		__field(u64, offset)
		__field(bool, write)
		__field(bool, sigbus)
	),
	TP_fast_assign(
		__entry->rank = rank;
		__entry->offset = (u64)vmf->pgoff << PAGE_SHIFT;
		__entry->write = vmf->flags & FAULT_FLAG_WRITE;
		__entry->sigbus = ret & VM_FAULT_SIGBUS;
	),
	TP_printk("rank=%u offset=%llu write=%d sigbus=%d", __entry->rank,
		  __entry->offset, __entry->write, __entry->sigbus)
);

/* owner: 0 the host, 1 the PEs */
TRACE_EVENT(pimdimm_mux,
	TP_PROTO(const struct pimdimm_rank *rank,
		 const struct pimdimm_mux *mux, int ret),
	TP_ARGS(rank, mux, ret),
	TP_STRUCT__entry(
		__field(u32, rank)
		__field(u32, owner)
		__field(int, ret)
	),
	TP_fast_assign(
		__entry->rank = rank->index;
		__entry->owner = mux->owner;
		__entry->ret = ret;
	),
	TP_printk("rank=%u owner=%u ret=%d", __entry->rank, __entry->owner,
		  __entry->ret)
);

/*
 * The faults injected into a transfer, as it begins; late: it fails after its last
 * byte. gone alone: a knob let the rank go.
 */
TRACE_EVENT(pimdimm_inject,
	TP_PROTO(const struct pimdimm_rank *rank,
		 const struct pimdimm_fate *fate),
	TP_ARGS(rank, fate),
	TP_STRUCT__entry(
		__field(u32, rank)
		__field(bool, gone)
		__field(bool, fails)
		__field(bool, late)
		__field(u32, delay_us)
		__field(u64, flips)
	),
	TP_fast_assign(
		__entry->rank = rank->index;
		__entry->gone = fate->gone;
		__entry->fails = fate->fails && !fate->gone;
		__entry->late = fate->late && !fate->gone;
		__entry->delay_us = fate->gone ? 0 : fate->delay_us;
		__entry->flips = fate->gone ? 0 : fate->flips;
	),
	TP_printk("rank=%u gone=%d fails=%d late=%d delay_us=%u flips=%llu",
		  __entry->rank, __entry->gone, __entry->fails, __entry->late,
		  __entry->delay_us, __entry->flips)
);

#endif /* PIMDIMM_TRACE_H */

/* Not of the kernel's own tree: Kbuild puts the root of ours among the folders searched. */
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH kmod
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
