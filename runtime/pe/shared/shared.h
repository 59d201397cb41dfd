/* SPDX-License-Identifier: MIT */
/*
 * The memory between a worker process and its broker in the host, and how the
 * two talk. The program can write all of it: the broker believes nothing that
 * it reads here, and sets all of it anew before each PE.
 *
 * A PE's run: the worker is parked, which the kernel attests (see pd_parked()).
 * The broker fills in the PE's memory and wakes it; the worker calls, once for
 * each page that it misses and once at the end, and parks again.
 */
#ifndef PE_SHARED_H
#define PE_SHARED_H

/* what the worker's assembly and its filter of system calls name: see below */
#define PE_SHARED_IDLE	0x38001000
#define PE_SHARED_GO	0x38001040
#define PE_SHARED_CALL	0x38001080
#define PE_SHARED_REPLY	0x380010c0
/* the registers that functions keep, the stack pointer and the PC of what has given up a PE */
#define PE_SHARED_SAVED	0x38001100
#define PE_CONTROL_BOTTOM	0x38008000
#define PE_CONTROL_TOP	0x3800c000
/* the worker's constants: what the processor has that is not on all of its kind */
#define PE_HAS_PKEYS	0x300ff000
#define PE_HAS_XSAVE	0x300ff004
#define PE_HAS_FSGSBASE	0x300ff008
#define PE_HAS_OWN	0x300ff00c	/* registers of aarch64's: */
#define PE_OWN_SME	0		/* bits */
#define PE_OWN_FPMR	1
#define PE_OWN_OVERLAYS	2
/* where each tasklet's stack begins to be there */
#define PE_STACK_BOTTOMS	0x300ff040
/* as far down as the worker's own frames on its control stack reach */
#define PE_CONTROL_USED	0x3800a000
/* the alternate stack for signals, above it */
#define PE_SIGNAL_BOTTOM	0x3800c000
#define PE_SIGNAL_STACK		0x00010000
/* behind it */
#define PE_PROFILE	0x3801c000
#define PE_PROFILE_BYTES	0x00080000
/* and behind that, what tasklets waited for, where it is drawn */
#define PE_WAITS	0x3809c000
#define PE_WAITS_BYTES	0x00030000
/* parcels that come and go, payloads that go, and those that travellers have aboard */
#define PE_MAIL		0x380cc000
#define PE_MAIL_BYTES	0x00008000
#define PE_OUT		0x380d4000
#define PE_OUT_BYTES	0x00040000
#define PE_HOLD		0x38114000
#define PE_HOLD_BYTES	0x00080000

#ifndef __ASSEMBLER__

#include "runtime/pe/shared/abi.h"
#include "runtime/pe/shared/clock.h"

/* descriptors that a worker starts with */
enum {
	PE_FD_ARENA,
	PE_FD_TEXT,
	PE_FD_WORKER,
	PE_NR_FDS,
};

/* its argument: the number of the process that has started it, a letter for each four bits */
#define PE_PARENT_LETTERS	8

/*
 * The arena: what a worker shares with its broker. One file with the MRAM window
 * behind it, so that one look tells whether there are pages that nobody made but
 * the program.
 */
#define PE_SHARED_BYTES		0x00008000u
#define PE_CONTROL_STACK	0x00004000u
#define PE_ARENA_CONTROL	PE_SHARED_BYTES
#define PE_ARENA_SIGNAL		(PE_ARENA_CONTROL + PE_CONTROL_STACK)
/* a program that is profiled counts here; zero at each PE's begin */
#define PE_ARENA_PROFILE	(PE_ARENA_SIGNAL + PE_SIGNAL_STACK)
#define PE_ARENA_WAITS		(PE_ARENA_PROFILE + PE_PROFILE_BYTES)
#define PE_ARENA_MAIL		(PE_ARENA_WAITS + PE_WAITS_BYTES)
#define PE_ARENA_OUT		(PE_ARENA_MAIL + PE_MAIL_BYTES)
#define PE_ARENA_HOLD		(PE_ARENA_OUT + PE_OUT_BYTES)
#define PE_ARENA_WRAM		(PE_ARENA_HOLD + PE_HOLD_BYTES)
#define PE_ARENA_STACKS		(PE_ARENA_WRAM + PE_WRAM_BYTES)
#define PE_STACKS_BYTES		(PE_PLACES * PE_STACK_SLOT)
#define PE_ARENA_WINDOW		(PE_ARENA_STACKS + PE_STACKS_BYTES)
#define PE_ARENA_BYTES		PE_ARENA_WINDOW

/*
 * Flags of a page of the window. A blank one is there, but MRAM's bytes are not:
 * a program that writes whole quarters of it needs none of them.
 */
#define PE_PAGE_RESIDENT	1u	/* holds this PE's bytes */
#define PE_PAGE_TOUCHED		2u	/* was of use to it */
#define PE_PAGE_DIRTY		4u	/* differs from MRAM */
#define PE_PAGE_QUARTER		8u	/* the first was written, and so on: */
#define PE_PAGE_QUARTERS	0x78u
#define PE_PAGE_BLANK		0x80u

#define PE_QUARTER_BYTES	(PE_PAGE / 4)

/* whether a tasklet's number is a traveller's place */
static inline int pe_is_traveller(uint32_t t)
{
	return t >= PE_MAX_TASKLETS && t < PE_PLACES;
}

/* what a worker calls for */
enum pe_call {
	PE_CALL_READY = 1,	/* it has started */
	PE_CALL_FILL,		/* a page of MRAM */
	PE_CALL_END,		/* the PE's run is over */
	PE_CALL_SUSPEND,	/* all wait, some for what other PEs may send */
	PE_CALL_PARCELS,	/* take what is sent: there is no room for more */
	PE_CALL_STOPPED,	/* for who wants to look at the PE: enum pe_stopped */
};

/* what a PE is stopped at, where the broker wants it to be */
#define PE_STOPS_FAULTS	1u
#define PE_STOPS_TRAPS	2u

enum pe_stopped {
	PE_STOPPED_FAULT,	/* the report is there; then the run ends */
	PE_STOPPED_TRAP,	/* a breakpoint, or a step taken */
	PE_STOPPED_ASKED,	/* `ask` was set */
};

/* parcels that a PE is given when it is entered; the others wait for the next */
#define PE_INBOX	64
/* that it sends before its host has to take them */
#define PE_OUTBOX	64

/* a thread to start on a PE */
struct pe_parcel {
	uint64_t entry;
	uint64_t arg;		/* where there is no frame */
	uint64_t pc;		/* of its sender, */
	uint32_t tasklet;	/* in which that was */
	uint32_t pe;		/* to which it goes; once it is there: whose it is */
	uint32_t bytes;		/* of the frame */
	uint32_t payload;	/* so many bytes, */
	uint32_t at;		/* of PE_OUT or PE_HOLD */
	uint32_t to_mram;	/* an offset, or PE_ABOARD */
	uint8_t frame[PE_FRAME_MAX];
};

/* at PE_MAIL */
struct pe_mail {
	struct pe_parcel in[PE_INBOX];
	struct pe_parcel out[PE_OUTBOX];
};

/* why a parcel is not taken */
enum pe_refusal {
	PE_REFUSED_NOT = 0,
	PE_REFUSED_PE,		/* no PE of the launch, or of another program */
	PE_REFUSED_ENTRY,	/* no code */
	PE_REFUSED_BYTES,	/* too large a frame, or payload */
	PE_REFUSED_MEMORY,	/* the host has none for it */
	PE_REFUSED_MRAM,	/* the payload goes beyond its end */
};

enum pe_dma_rule {
	PE_DMA_MRAM_ALIGNED = 1,
	PE_DMA_WRAM_ALIGNED,
	PE_DMA_BYTES,
	PE_DMA_MRAM_RANGE,
	PE_DMA_WRAM_RANGE,
};

struct pe_report {
	uint32_t kind;		/* enum pe_fault */
	uint32_t tasklet;
	uint64_t address;
	uint64_t pc;
	uint64_t text;		/* in the program, or 0 */
	/* PE_FAULT_DMA; PE_FAULT_RUNTIME: a parcel for PE `address` */
	uint32_t rule;		/* enum pe_dma_rule, enum pe_refusal */
	uint32_t write;
	uint64_t mram, wram, bytes;
};

struct pe_tasklet {
	uint64_t sp;
	uint64_t since;		/* when it began to wait, on the clock of waits */
	uint64_t object;	/* what it waits for */
	uint32_t wait;		/* enum pe_wait */
	/* set where a signal stopped it: what it had read, and where; its ucontext_t */
	uint32_t stale_bytes;
	uint64_t stale, stale_at;
	uint32_t hold, reserved;	/* where a traveller's payload is, in PE_HOLD */
	uint64_t context;
	/* what it does in its turn, or 0 */
	uint64_t op, arg;
};

/* a signal's frame, and below it what resumes a tasklet there */
#define PE_RESUME_BYTES	512u
#define PE_FRAME(t)	(PE_STACK_BASE + ((t) + 1) * PE_STACK_SLOT - \
			 PE_FRAME_BYTES + PE_RESUME_BYTES)

/* what was noted of a tasklet when it went on last: see struct pe_clock */
struct pe_noted {
	uint64_t now, dma_wait, stop_wait, spin_wait, instructions;
};

#define PE_WATCH_PLACES	1u	/* by the place that waits */
#define PE_WATCH_SPANS	2u	/* one by one, at PE_WAITS, the first of them */

struct pe_wait_span {
	uint64_t begin, end;	/* on the PE's clock */
	uint32_t tasklet, kind;	/* enum pe_wait */
};

enum pe_saved {
#ifdef __aarch64__
	PE_SAVED_X19,		/* and so on */
	PE_SAVED_X29 = PE_SAVED_X19 + 10,
	PE_SAVED_SP,
#else
	PE_SAVED_RBX,
	PE_SAVED_RBP,
	PE_SAVED_R12,
	PE_SAVED_R13,
	PE_SAVED_R14,
	PE_SAVED_R15,
	PE_SAVED_RSP,
#endif
	PE_SAVED_PC,
	PE_NR_SAVED,
};

#define PE_WAITS_MAX	(PE_WAITS_BYTES / (uint32_t)sizeof(struct pe_wait_span))

struct pe_shared {
	struct pe_self self;

	/* set for a worker's start: bytes that its program declares */
	uint32_t stack_bytes[PE_PLACES];
	uint32_t check;		/* it is compiled to be checked: map PE_CHECK */

	/* futexes, a cache line each */
	_Alignas(0x1000) volatile uint32_t idle;	/* 0; a parked worker's */
	_Alignas(64) volatile uint32_t go;	/* where the broker moves it */
	_Alignas(64) volatile uint32_t call;	/* number of the call */
	_Alignas(64) volatile uint32_t reply;	/* of the one answered last */

	/* where no signal has: context */
	_Alignas(64) uint64_t saved[PE_NR_SAVED];
	uint64_t context;	/* of the signal that is dealt with: its ucontext_t */

	/* the call */
	_Alignas(64) uint32_t what;	/* enum pe_call */
	uint32_t page;
	uint32_t blank;		/* without MRAM's bytes: it is written over */
	uint32_t close;		/* answer: pages that were opened are not there */
	volatile uint32_t asleep;	/* the broker, until it is called */
	/* answer to parcels: they are taken; or enum pe_refusal, and of which */
	uint32_t taken, refused, refused_parcel;

	uint32_t stopped;	/* enum pe_stopped */
	uint32_t ours;		/* answer to a trap: it is none of the program's */

	/* set by the broker */
	uint32_t stops;		/* PE_STOPS_ */
	volatile uint32_t ask;	/* for a stop, where the timer finds the program */
	volatile uint32_t hold;	/* the timer lets the tasklet be that runs */
	uint32_t text_bytes;
	uint32_t entry;
	uint32_t compat;
	/* the program does not count: tasklets go straight on to where they wait, since
	 * there is no time of hardware's to keep an order by */
	uint32_t straight;
	uint32_t mram_pages;
	struct pe_cost cost;
	uint32_t again;		/* tasklets that are alive are as they were left */
	uint32_t shuffle;	/* tasklets are switched at random, from: */
	uint64_t random;
	uint32_t watched;	/* what tasklets wait for is noted: PE_WATCH_ */
	uint32_t nr_in;		/* parcels, at PE_MAIL */
	uint32_t room;		/* whoever waited for it tries again */

	/* the worker's */
	uint32_t next_in;
	uint32_t nr_out, out_bytes;
	volatile uint32_t inside;	/* a service: do not switch */
	uint32_t running;	/* a PE: keep the timer going */
	volatile uint32_t ticks;	/* of the timer in this PE's run */
	/* in random order: instructions until the next switch, or 0; those that
	 * may still be stepped through */
	volatile uint32_t steps;
	uint32_t budget;
	uint32_t stalled;	/* ticks since the last switch */
	uint32_t runnable;	/* tasklets, a bit each */
	uint32_t alive;
	uint64_t waits;		/* clock of waits */
	uint64_t caller;	/* of the service, for faults in it */
	volatile uint64_t ticked;	/* where the timer found the program last */
	struct pe_tasklet tasklets[PE_PLACES];
	struct pe_clock clock;
	struct pe_noted noted[PE_PLACES];
	uint32_t nr_waits;	/* the first PE_WAITS_MAX are kept at PE_WAITS */
	struct pe_report report;

	_Alignas(0x1000) uint8_t pages[PE_MRAM_PAGES];	/* PE_PAGE_ flags */
};

_Static_assert(sizeof(struct pe_shared) <= PE_SHARED_BYTES, "arena");
_Static_assert(PE_SHARED + PE_ARENA_CONTROL + PE_CONTROL_STACK ==
	       PE_CONTROL_TOP, "control stack");
_Static_assert(PE_CONTROL_TOP - PE_CONTROL_STACK == PE_CONTROL_BOTTOM,
	       "control stack");
_Static_assert(PE_SHARED + PE_ARENA_SIGNAL == PE_SIGNAL_BOTTOM, "signal stack");
_Static_assert(PE_SHARED + PE_ARENA_PROFILE == PE_PROFILE, "profile");
_Static_assert(PE_SHARED + PE_ARENA_WAITS == PE_WAITS, "waits");
_Static_assert(PE_SHARED + PE_ARENA_MAIL == PE_MAIL, "mail");
_Static_assert(PE_SHARED + PE_ARENA_OUT == PE_OUT, "payloads");
_Static_assert(PE_SHARED + PE_ARENA_HOLD == PE_HOLD, "payloads aboard");
_Static_assert(sizeof(struct pe_mail) <= PE_MAIL_BYTES, "mail");
_Static_assert(PE_TRAVELLERS * PE_PAYLOAD_MAX <= PE_HOLD_BYTES, "payloads aboard");
/* no program is both profiled and checked */
_Static_assert(PE_CHECK_TABLE == PE_PROFILE &&
	       sizeof(struct pe_check_table) <= PE_PROFILE_BYTES, "check");
_Static_assert(PE_CHECK == PE_MRAM_DMA + PE_MRAM_MAX, "check");
_Static_assert(__builtin_offsetof(struct pe_shared, idle) ==
	       PE_SHARED_IDLE - PE_SHARED, "idle");
_Static_assert(__builtin_offsetof(struct pe_shared, go) ==
	       PE_SHARED_GO - PE_SHARED, "go");
_Static_assert(__builtin_offsetof(struct pe_shared, call) ==
	       PE_SHARED_CALL - PE_SHARED, "call");
_Static_assert(__builtin_offsetof(struct pe_shared, reply) ==
	       PE_SHARED_REPLY - PE_SHARED, "reply");
_Static_assert(__builtin_offsetof(struct pe_shared, saved) ==
	       PE_SHARED_SAVED - PE_SHARED, "saved");

#endif /* __ASSEMBLER__ */

#endif /* PE_SHARED_H */
