/* SPDX-License-Identifier: MIT */
/*
 * What a PE program, the worker process that runs it and the host library
 * share: the memory map, the page between them, the worker's services, the note
 * in a program's file. A program is a static executable (ET_EXEC) of this machine,
 * x86-64 or aarch64, linked to this map; a worker is a process that sees one PE at a time.
 */
#ifndef PE_ABI_H
#define PE_ABI_H

#include <stdint.h>

#define PE_ABI_VERSION	2

/* on aarch64: the instruction that pe-count puts where a divisor is 0, BRK 0xd1 */
#define PE_TRAP_DIVIDE	0xd4201a20u
/* and clang's -fsanitize-trap=integer-divide-by-zero, BRK 0x5503 */
#define PE_TRAP_DIVREM	0xd42aa060u

#define PE_MAX_TASKLETS	24
/* places for threads that parcels start, behind those of tasklets */
#define PE_TRAVELLERS	8
#define PE_PLACES	32	/* of both */
/* what a traveller's stack has, as if its program declared it */
#define PE_TRAVELLER_STACK	4096
/* of a parcel, in bytes: what it carries at most */
#define PE_FRAME_MAX	128
#define PE_PAYLOAD_MAX	0x00010000u
/* where a payload goes that stays with its traveller */
#define PE_ABOARD	0xffffffffu

/*
 * The memory map of a worker, all below 4 GiB, where pointers that programs
 * keep in 32 bits still point. A symbol's space follows from its address.
 */
#define PE_WRAM_BASE	0x00400000u	/* data, then the heap */
#define PE_WRAM_BYTES	0x00010000u
#define PE_MRAM_BASE	0x08000000u	/* as on hardware: what a program dereferences */
#define PE_MRAM_MAX	0x04000000u
#define PE_TEXT_BASE	0x10000000u	/* code and constants, read-only */
#define PE_TEXT_MAX	0x00400000u	/* of the map, not of a PE */
#define PE_STACK_BASE	0x20000000u	/* tasklet t's slot: a guard, then its stack */
#define PE_STACK_SLOT	0x00040000u
#define PE_FRAME_BYTES	0x00004000u	/* at the slot's end: what the worker keeps of it */
#define PE_SERVICES	0x30000000u	/* struct pe_services, at the start of the worker */
#define PE_SHARED	0x38000000u	/* struct pe_shared */
#define PE_MRAM_DMA	0x40000000u	/* the window again, for checked copies */
#define PE_CHECK	0x44000000u	/* what a program that is checked notes of accesses */
#define PE_CHECK_BYTES	0x0c000000u	/* mapped for such programs only */

#define PE_PAGE		4096u
#define PE_MRAM_PAGES	(PE_MRAM_MAX / PE_PAGE)

/*
 * Where a stack begins: at different lines of a page, 5 apart, since 5 is odd and all
 * sets are used. Slots are so far apart that all tasklets' frames would meet in one
 * set of the caches.
 */
#define PE_STACK_COLOUR	320u
#define PE_STACK_TOP(t) (PE_STACK_BASE + ((t) + 1) * PE_STACK_SLOT - \
			 PE_FRAME_BYTES - (t) * PE_STACK_COLOUR)

/*
 * How far a stack reaches that a program declares so many bytes for. Native code
 * takes more than hardware's: registers, and so pointers and return addresses, are
 * twice as wide, so are the multiples of bytes that frames come in; and where
 * hardware spends a DMA instruction or one of a mutex, a service is called. On aarch64 a
 * function that calls another keeps 32 bytes at least. What is below the page that the
 * last of these bytes lies in is not there.
 */
#if defined(__aarch64__) || defined(__pe_aarch64__)
#define PE_STACK_FACTOR	3
#else
#define PE_STACK_FACTOR	2
#endif
#define PE_STACK_BYTES(declared) (PE_STACK_FACTOR * (declared) + 1024u)
#define PE_STACK_BOTTOM(t, declared) \
	((PE_STACK_TOP(t) - PE_STACK_BYTES(declared)) & ~(PE_PAGE - 1))

/* why a PE stopped; the first eight numbers are the hardware's */
enum pe_fault {
	PE_FAULT_NONE = 0,
	PE_FAULT_HEAP = 1,		/* mem_alloc beyond the WRAM */
	PE_FAULT_DIVIDE = 2,
	PE_FAULT_ASSERT = 3,		/* assert, __builtin_trap */
	PE_FAULT_HALT = 4,
	PE_FAULT_LOG = 5,		/* printf beyond its buffer */
	PE_FAULT_PROFILE_START = 6,
	PE_FAULT_PROFILE_END = 7,
	PE_FAULT_ALIGNMENT = 8,		/* mram_write_unaligned out of step */
	PE_FAULT_DMA = 9,		/* alignment, size or range; strict mode */
	PE_FAULT_ACCESS = 10,		/* a wild pointer */
	PE_FAULT_STACK = 11,		/* overflow */
	PE_FAULT_INSTRUCTION = 12,	/* no such, or no permission */
	PE_FAULT_SYSCALL = 13,
	PE_FAULT_DEADLOCK = 14,		/* every tasklet waits */
	PE_FAULT_TIMEOUT = 15,		/* the watchdog's word */
	PE_FAULT_DIED = 16,		/* the worker is gone */
	PE_FAULT_TRANSFER = 17,		/* the rank failed to give or take MRAM */
	PE_FAULT_RUNTIME = 18,		/* misuse of the PE runtime: text says what */
	PE_FAULT_RACE = 19,		/* PIMDIMM_CHECK=races,stop */
	PE_FAULT_UNDEFINED = 20,	/* PIMDIMM_CHECK=memory,stop */
};

/* what a tasklet waits for */
enum pe_wait {
	PE_WAIT_NOTHING = 0,		/* runs, or may */
	PE_WAIT_BARRIER,
	PE_WAIT_MUTEX,
	PE_WAIT_SEMAPHORE,
	PE_WAIT_HANDSHAKE,
	PE_WAIT_FULL,			/* a wide word to be full */
	PE_WAIT_EMPTY,			/* or empty */
	PE_WAIT_DMA,
	PE_WAIT_ROOM,			/* for a parcel to PE number `object` */
	PE_ENDED,
};

/* a parcel that is sent */
struct pe_sending {
	uint64_t entry;
	uint64_t arg;		/* for entry, where there is no frame */
	uint64_t frame;		/* its address; */
	uint32_t bytes;		/* 0 to PE_FRAME_MAX of it */
	uint32_t pe;		/* to which it goes */
	uint64_t from;		/* the payload, in WRAM or MRAM; */
	uint32_t payload;	/* 0 to PE_PAYLOAD_MAX bytes of it */
	uint32_t to_mram;	/* of the other PE: an offset, a tagged address; PE_ABOARD */
};

/*
 * Called by programs, in the context of a tasklet. All are constants in the
 * worker; a program finds them at PE_SERVICES. New ones are added at the end.
 */
struct pe_services {
	uint32_t abi;		/* PE_ABI_VERSION */
	uint32_t size;		/* of this structure */
	/* let the other tasklets run */
	void (*yield)(void);
	/* wait until woken; may return early, so test the condition again */
	void (*wait)(uint32_t kind, const volatile void *object);
	/* wake at most `max` of those that wait for object, longest first */
	void (*wake)(const volatile void *object, uint32_t max);
	/*
	 * mram: an offset or a tagged address. Checked as enum pe_fault says
	 * or, in compat mode, done as hardware would.
	 */
	void (*mram_read)(uint32_t mram, void *wram, uint32_t bytes);
	void (*mram_write)(uint32_t mram, const void *wram, uint32_t bytes);
	/* copies without the DMA's limits of size and alignment and without a
	 * cost: for the runtime's own (log buffer, tests) */
	void (*mram_copy_in)(uint32_t mram, void *wram, uint32_t bytes);
	void (*mram_copy_out)(uint32_t mram, const void *wram, uint32_t bytes);
	/* end this PE's run; text: a constant, or in WRAM, or NULL */
	void (*fault)(uint32_t kind, uint64_t address, const char *text)
		__attribute__((noreturn));
	/* end this tasklet */
	void (*exit)(void) __attribute__((noreturn));
	/* what the cost model says of this PE since boot: 0 cycles, 1 instructions */
	uint64_t (*count)(uint32_t what);
	/* start entry(arg) as a traveller on a PE, this one included, once a
	 * place of it is free; runs before the launch ends */
	void (*parcel)(uint32_t pe, void (*entry)(uint64_t), uint64_t arg);
	/* the time of a transfer, of 8 to 2048 bytes, without one: for MRAM that a
	 * program dereferences */
	void (*mram_pass)(uint32_t bytes, uint32_t write);
	/* wait until what this tasklet has executed so far is done on the PE's clock;
	 * nothing where pe_self.critical is set */
	void (*sync)(void);
	/*
	 * In this tasklet's turn, as sync() has it, and again each time that it is woken,
	 * call op(arg) until that is PE_WAIT_NOTHING; what else it is says how the tasklet
	 * waits for object. Others' stacks serve for it, so that no tasklet is switched to
	 * which then waits: op() looks at nothing of its own tasklet's but arg. 0: it has
	 * not been called, and the caller is to do the same by wait().
	 */
	uint32_t (*turn)(uint32_t (*op)(void *arg), void *arg,
			 const volatile void *object);
	/* the same as parcel, with more aboard; waits while too many are on their way */
	void (*send)(const struct pe_sending *what);
	/* of what this traveller has aboard, copy `bytes` at `at` to WRAM or MRAM */
	void (*unload)(void *to, uint32_t at, uint32_t bytes);
};

_Static_assert(PE_MAX_TASKLETS + PE_TRAVELLERS == PE_PLACES, "places");

#define PE_SVC	((const struct pe_services *)(uintptr_t)PE_SERVICES)

/* what instructions are, where a program that is profiled counts them by that */
enum pe_class {
	PE_CLASS_ARITHMETIC,	/* addresses and comparisons that do not jump, too */
	PE_CLASS_LOAD,
	PE_CLASS_STORE,
	PE_CLASS_CONTROL,	/* jumps with their comparisons, calls, returns */
	PE_CLASS_MULTIPLY,	/* and divide */
	PE_CLASS_FLOAT,
	PE_CLASS_DMA,
	PE_CLASS_OTHER,		/* atomic ones, builtins, assembly */
	PE_NR_CLASSES,
};

/* in pe_self.critical, set by the worker: steps wait for the end of what is not preempted */
#define PE_PUT_OFF	2u

/* what a program reads and may write of the page between it and its host */
struct pe_self {
	volatile uint32_t tasklet;	/* the one that runs: me() */
	/* not 0: do not preempt; a wait, a yield and an exit clear it. Whoever clears it
	 * otherwise calls sync() if PE_PUT_OFF was set in it */
	volatile uint32_t critical;
	uint32_t nr_tasklets;
	uint32_t pe;			/* its number in the system */
	uint32_t lane;
	uint32_t mram_bytes;
	uint32_t clock_hz;		/* CLOCKS_PER_SEC */
	/* not 0: the program has read a counter that stands still, since it is not
	 * compiled to count; its host says so */
	volatile uint32_t uncounted;
	/* added to by code that the compiler was asked to put in */
	volatile uint64_t instructions[PE_PLACES];
	/* where that code calls sync() before it reads or writes what is volatile */
	volatile uint64_t pace[PE_PLACES];
	/* where a program is profiled: of the call that a tasklet makes, or made last,
	 * the cells that its waits are added to, PE_NR_WAITED of them */
	volatile uint32_t site[PE_PLACES];
	/* and its instructions by class, but for those of the PE library */
	volatile uint64_t classes[PE_PLACES][PE_NR_CLASSES];
	/* bytes of payload that each traveller has aboard */
	volatile uint32_t aboard[PE_TRAVELLERS];
	/* the PEs of the launch, where they are numbered in a row; else none */
	uint32_t first_pe, nr_pes;
	/* not 0: the host takes parcels, at PE_HOST */
	uint32_t host;
	/* of which PE each traveller is, whatever its parcel says; PE_NOBODY: of none */
	volatile uint32_t sender[PE_TRAVELLERS];
	/* PIMDIMM_EAGER, of PE_PAYLOAD_MAX at most; not 0: PIMDIMM_LOITER=poll */
	uint32_t eager, poll;
};

/* to whom parcels to the host go, and whose are those that come from there */
#define PE_HOST		0xffffffffu
#define PE_NOBODY	0xfffffffeu

/* what a tasklet's cycles went to besides its own instructions */
enum pe_waited {
	PE_WAITED_DMA,
	PE_WAITED_BARRIER,
	PE_WAITED_MUTEX,
	PE_WAITED_SEMAPHORE,
	PE_WAITED_HANDSHAKE,
	PE_WAITED_WORD,		/* wide ones, to be full or empty */
	PE_WAITED_PIPELINE,	/* others had it */
	PE_NR_WAITED,
};

/* struct pe_shared begins with it; the rest is the worker's and the host's */
#define PE_SELF	((struct pe_self *)(uintptr_t)PE_SHARED)


/* the note in a program's file: section .note.pimdimm, name "pimdimm" */
#define PE_NOTE_NAME	"pimdimm"
#define PE_NOTE_TYPE	1
#define PE_NOTE_LOG	1u	/* flags: has a log buffer */
#define PE_NOTE_CHECK	2u	/* is compiled to be checked, as below */
#define PE_NOTE_MEMORY	4u	/* then for undefined memory, not for races */
#define PE_NOTE_UNCOUNTED 8u	/* its PE library does not count instructions */
struct pe_note {
	uint32_t abi;
	uint32_t flags;
	uint32_t nr_tasklets;
	uint32_t reserved;
	/* bytes that each tasklet's stack takes of the WRAM on hardware */
	uint32_t stack_bytes[PE_MAX_TASKLETS];
};

/*
 * Symbols of a program that the host library knows:
 *   __sys_used_mram_end	first free byte of MRAM: the host sees it as long
 *				as the MRAM that is left
 *   __sys_heap_start		first byte of WRAM that mem_alloc gives
 *   __sys_log			struct pe_log in WRAM, where there is a log
 *   CLOCKS_PER_SEC		written at load
 * e_entry is void entry(void): every tasklet starts there and ends by return.
 * Tasklet 0 runs first, with pe_self.critical set, so that it is alone while it
 * clears what a boot clears (log, locks); it must then store 0 there.
 */
struct pe_log {
	uint32_t buffer;	/* MRAM offset */
	uint32_t bytes;		/* size of the buffer */
	uint32_t used;
	uint32_t lost;		/* not 0: messages that did not fit */
};

/*
 * The log: records of 8-byte words, one after the other. format and strings are
 * copied into it, so that the host needs nothing but the buffer.
 */
struct pe_log_record {
	uint32_t bytes;		/* with this header and padding */
	uint16_t nr_args;	/* words that follow */
	uint16_t format_bytes;	/* after them, with the final 0 */
	/* uint64_t args[nr_args]: integers sign- or zero-extended as given,
	 * doubles by their bits, %s: the offset of its bytes in this record
	 * uint8_t format[format_bytes], then the strings' bytes */
};

/*
 * What a program that is compiled to be checked has found, at PE_CHECK_TABLE, which is
 * zero at each PE's begin. Such a program has PE_CHECK_STACK more for each stack than it
 * declares, which its checks take.
 */
#define PE_CHECK_TABLE	0x3801c000u
#define PE_CHECK_FOUND	256u
#define PE_CHECK_STACK	2048u
/* with PE_NOTE_MEMORY */
#define PE_MEMORY_STACK	16384u

enum pe_finding {
	PE_FOUND_RACE,		/* two accesses of which nothing orders one before the other */
	PE_FOUND_DMA,		/* a transfer that hardware bends; of [0] bytes is the WRAM's address */
	PE_FOUND_END,		/* more than the detector keeps: it has ended there */
	PE_FOUND_UNDEFINED,	/* a use of undefined memory; its address is an origin */
};

/* where undefined memory is from: in the upper bits of an origin; below them: */
enum pe_origin {
	PE_ORIGIN_LOCAL,	/* a variable: nothing */
	PE_ORIGIN_STACK,	/* a variable: its "----NAME@FUNCTION", an offset of the text */
	PE_ORIGIN_HEAP,		/* whoever allocated it, an offset of the text, or 0 */
	PE_ORIGIN_MRAM,		/* where its page begins */
};
#define PE_ORIGIN_SHIFT	29u

/* the access that was found is [1], one that was made before it [0] */
struct pe_found {
	uint32_t kind;		/* enum pe_finding */
	uint32_t address;
	uint32_t pc[2];		/* offsets of the text */
	uint32_t bytes[2];
	uint8_t tasklet[2];
	uint8_t write[2];
};

struct pe_check_table {
	uint32_t on;		/* the program's own: it has notes of this run */
	uint32_t nr;
	uint32_t lost;		/* findings that did not fit */
	/* MRAM that nobody ever wrote to, a bit each page; set at a PE's begin */
	uint8_t blank[PE_MRAM_PAGES / 8];
	struct pe_found found[PE_CHECK_FOUND];
};

#endif /* PE_ABI_H */
