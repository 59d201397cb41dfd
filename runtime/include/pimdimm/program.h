/* SPDX-License-Identifier: MIT */
/*
 * PE programs: foreign code in files, compiled for PEs by the tool chain that
 * comes with this library. They run in worker processes that see one PE's WRAM
 * and MRAM and nothing else of the system.
 *
 * Every function returns 0 or a negative errno, and pimdimm_errmsg() says it in
 * a sentence, as in <pimdimm/pimdimm.h>.
 */
#ifndef PIMDIMM_PROGRAM_H
#define PIMDIMM_PROGRAM_H

#include <pimdimm/pimdimm.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pimdimm_program;

/**
 * enum pimdimm_space - a memory of a PE
 * @PIMDIMM_WRAM: its scratchpad
 * @PIMDIMM_MRAM: its bank
 * @PIMDIMM_TEXT: its program: constants and code, read-only
 */
enum pimdimm_space {
	PIMDIMM_WRAM,
	PIMDIMM_MRAM,
	PIMDIMM_TEXT,
};

/**
 * struct pimdimm_symbol - an object of a program
 * @name: its name, valid as long as the program
 * @space: the memory that it lies in
 * @address: its first byte, from the start of that memory
 * @bytes: its size
 */
struct pimdimm_symbol {
	const char *name;
	enum pimdimm_space space;
	uint32_t address;
	uint32_t bytes;
};

/**
 * struct pimdimm_program_info - what a program needs
 * @nr_tasklets: tasklets that it was built for
 * @text_bytes: code and constants
 * @wram_bytes: data in WRAM
 * @stack_bytes: stacks of all its tasklets, taken of the WRAM
 * @mram_bytes: MRAM below its heap: __mram objects and the log buffer
 * @has_log: whether it prints: pimdimm_log_read()
 */
struct pimdimm_program_info {
	uint32_t nr_tasklets;
	uint32_t text_bytes;
	uint32_t wram_bytes;
	uint32_t stack_bytes;
	uint32_t mram_bytes;
	uint32_t has_log;
};

/**
 * pimdimm_program_open() - read and check a program
 * @path: its file
 * @program: receives it
 *
 * Return: 0; -ENOENT or another error of open(2); -ENOEXEC for a file that is no
 * PE program of this ABI, a binary of real UPMEM hardware among them; -E2BIG for
 * one that exceeds a PE; -ENOMEM.
 */
int pimdimm_program_open(const char *path, struct pimdimm_program **program);

/**
 * pimdimm_program_open_memory() - read and check a program that lies in memory
 * @image: the file's bytes; not needed any more on return
 * @bytes: how many
 * @program: receives it
 *
 * Return: as pimdimm_program_open().
 */
int pimdimm_program_open_memory(const void *image, size_t bytes,
				struct pimdimm_program **program);

/**
 * pimdimm_program_close() - let go of a program
 * @program: the program, or NULL. PEs that have it loaded keep it
 */
void pimdimm_program_close(struct pimdimm_program *program);

/**
 * pimdimm_program_set_name() - what a program is called in reports
 * @program: the program, not loaded yet
 * @name: its name, of which 63 bytes are kept, or NULL for "(memory)"
 *
 * A program that was opened by its path is called by its file's name without folders,
 * and one from memory "(memory)".
 */
void pimdimm_program_set_name(struct pimdimm_program *program, const char *name);

/**
 * pimdimm_program_info() - what a program needs
 * @program: the program
 *
 * Return: valid until pimdimm_program_close().
 */
const struct pimdimm_program_info *
pimdimm_program_info(const struct pimdimm_program *program);

/**
 * pimdimm_program_symbol() - find an object of a program by name
 * @program: the program
 * @name: its name
 * @symbol: receives where it lies
 *
 * Return: 0; -ENOENT when there is none.
 */
int pimdimm_program_symbol(const struct pimdimm_program *program,
			   const char *name, struct pimdimm_symbol *symbol);

/**
 * pimdimm_program_line() - the source line of an address of code
 * @program: the program
 * @address: of an instruction, from the start of the text
 * @buf: receives "file:line (function)", without debug information
 *	"function+offset"; where code of other functions was inlined there, they follow:
 *	"..., inlined there: file:line (function), ...", the outermost first
 * @bytes: size of @buf
 *
 * Return: 0; -ENOENT where no function is known.
 */
int pimdimm_program_line(const struct pimdimm_program *program,
			 uint32_t address, char *buf, size_t bytes);

/**
 * pimdimm_clock_hz() - the clock of the PEs' cost model
 *
 * Return: cycles of a second: what programs find in CLOCKS_PER_SEC.
 */
uint64_t pimdimm_clock_hz(void);

/**
 * pimdimm_load() - load a program into PEs
 * @sys: the system
 * @pes: the PEs, each once
 * @nr_pes: how many
 * @program: the program
 *
 * Sets their WRAM, and the initialised objects in their MRAM; nothing else of
 * MRAM changes.
 *
 * Return: 0; -EINVAL; -E2BIG for MRAM smaller than the program needs; -EBUSY for a
 * PE that runs and, with strict=1 and objects in MRAM, for one whose rank the
 * PEs own; -ENOMEM.
 */
int pimdimm_load(struct pimdimm *sys, const uint32_t pes[], uint32_t nr_pes,
		 struct pimdimm_program *program);

/**
 * pimdimm_program_of() - the program that a PE has loaded
 * @sys: the system
 * @pe: the PE
 * @program: receives it, for pimdimm_program_symbol() and the like;
 *	pimdimm_program_close() it when done
 *
 * It is how a host that has called pimdimm_restore() comes by its programs.
 *
 * Return: 0; -EINVAL; -ENOEXEC for a PE without a program; -ENOMEM.
 */
int pimdimm_program_of(struct pimdimm *sys, uint32_t pe,
		       struct pimdimm_program **program);

/**
 * pimdimm_wram_write() - copy host memory into the WRAM of a PE
 * @sys: the system
 * @pe: the PE, with a program loaded and not running
 * @off: first byte, from the start of the WRAM
 * @src: host memory of @bytes
 * @bytes: how many
 *
 * Return: 0; -EINVAL; -ENOEXEC for a PE without a program.
 */
int pimdimm_wram_write(struct pimdimm *sys, uint32_t pe, uint32_t off,
		       const void *src, size_t bytes);

/**
 * pimdimm_wram_read() - copy from the WRAM of a PE
 * @sys: the system
 * @pe: the PE, with a program loaded and not running
 * @off: first byte, from the start of the WRAM
 * @dst: host memory of @bytes
 * @bytes: how many
 *
 * Return: as pimdimm_wram_write().
 */
int pimdimm_wram_read(struct pimdimm *sys, uint32_t pe, uint32_t off,
		      void *dst, size_t bytes);

/**
 * struct pimdimm_fault - why a PE stopped before its end
 * @pe: the PE
 * @tasklet: the tasklet; 24 and more: of travellers, which parcels start, the first, and so on
 * @kind: an enum pe_fault value: hardware's numbers, and further ones; 0 where it
 *	was stopped for another launch, see @over of struct pimdimm_run
 * @address: the address that was touched, where one was
 * @text: a sentence: cause, address, source line where there is one, with what was
 *	inlined there; for a launch that did not end, what every tasklet waits for;
 *	which calls led there, the nearest first
 */
struct pimdimm_fault {
	uint32_t pe;
	uint32_t tasklet;
	uint32_t kind;
	uint64_t address;
	char text[1024];
};

/**
 * struct pimdimm_times - where time of PEs went, by the cost model
 * @cycles: until the last tasklet ended
 * @instructions: executed, of programs that count
 * @transfers: between MRAM and WRAM
 * @dma_bytes: their bytes
 * @dma_wait: cycles that tasklets waited for transfers, all tasklets together
 * @stop_wait: cycles that tasklets stood at barriers, handshakes and semaphores
 * @spin_wait: cycles that tasklets tried to get mutexes
 * @spun: issue slots that this took of the pipeline, which has one a cycle
 * @dma_slots: issue slots that could not be used since a transfer was going on
 * @idle_dma: issue slots without an instruction since tasklets waited for transfers
 * @idle_stop: the same, since they stood at barriers and the like
 * @idle_few: the same, since there are fewer tasklets than the pipeline needs.
 *	@instructions and the slots from @spun on make up @cycles
 */
struct pimdimm_times {
	uint64_t cycles;
	uint64_t instructions;
	uint64_t transfers;
	uint64_t dma_bytes;
	uint64_t dma_wait;
	uint64_t stop_wait;
	uint64_t spin_wait;
	uint64_t spun;
	uint64_t dma_slots;
	uint64_t idle_dma;
	uint64_t idle_stop;
	uint64_t idle_few;
};

/* whether struct pimdimm_run's cycles are those of the cost model's clock */
enum pimdimm_clock {
	PIMDIMM_CLOCK_EXACT = 0,	/* they are the same in every run */
	PIMDIMM_CLOCK_NONE,		/* none: tasklets had a random order */
	PIMDIMM_CLOCK_FORCED,		/* they may differ: see @clock */
};

/**
 * struct pimdimm_run - a launch of programs, its options and its report
 * @size: sizeof(struct pimdimm_run), so that it can grow
 * @compat: 0: a DMA out of hardware's rules is a fault; 1: it does what hardware
 *	does with it
 * @timeout_ms: the watchdog: the longest that one PE may run; 0 takes
 *	PIMDIMM_WATCHDOG's milliseconds, else 60 s
 * @nr_faulted: receives how many PEs faulted
 * @first: receives the fault of the lowest PE that has one
 * @faulted: NULL, or @nr_pes flags that receive which PEs faulted
 * @cycles: receives the cost model's cycles of the slowest PE: modelled time; 0
 *	where PIMDIMM_SCHEDULE has tasklets take turns at random
 * @clock_hz: receives the cost model's clock: @cycles / @clock_hz seconds
 * @instructions: receives those of the PE that counted most, where the program
 *	was compiled to count
 * @dma_bytes: receives bytes between MRAM and WRAM, all PEs together
 * @ns: receives measured time of the whole call
 * @emulation_ns: receives the part of @ns that brought MRAM into windows and
 *	back: time that hardware would not have spent
 * @stack_used: receives bytes of stack that the tasklet took which came nearest to
 *	the end of its stack, of all PEs
 * @stack_room: receives how many it could: native code takes more than hardware's,
 *	so that they are twice those that its program declares and 1,024. One that
 *	takes more has faulted
 * @uncounted: receives 1 where a PE has read its performance counter and found it
 *	standing still, since the program was not compiled to count; else 0
 * @reserved: receives 0
 * @slowest_pe: receives the PE that took @cycles, the lowest of those that did
 * @clock: receives an enum pimdimm_clock; PIMDIMM_CLOCK_FORCED where a tasklet
 *	computed for long, or spun, without anything that the clock knows of, so
 *	that this machine's time decided when the others went on
 * @launch_ns: receives modelled time of the launch itself, besides @cycles
 * @total: receives sums over all PEs: @total.cycles over @nr_pes PEs to @cycles tells
 *	how evenly they were busy
 * @slowest: receives what the slowest PE did with its cycles
 * @over: NULL, or a number, 0 at first, that launches share which run at once and
 *	are to end together: the first of them of which a PE does not end in time makes
 *	it 1, and the PEs of all are stopped, or do not begin. Reports have them as one
 *	launch, which takes as long as the longest of them, and keep a number of their
 *	own there
 */
struct pimdimm_run {
	uint32_t size;
	uint32_t compat;
	uint32_t timeout_ms;
	uint32_t nr_faulted;
	struct pimdimm_fault first;
	uint8_t *faulted;
	uint64_t cycles;
	uint64_t clock_hz;
	uint64_t instructions;
	uint64_t dma_bytes;
	uint64_t ns;
	uint64_t emulation_ns;
	uint32_t stack_used;
	uint32_t stack_room;
	uint32_t uncounted;
	uint32_t reserved;
	uint32_t slowest_pe;
	uint32_t clock;
	uint64_t launch_ns;
	struct pimdimm_times total;
	struct pimdimm_times slowest;
	uint32_t *over;
};

/**
 * pimdimm_run() - run the loaded program on PEs until all have ended
 * @sys: the system
 * @pes: the PEs, each once, all with a program loaded, none running
 * @nr_pes: how many
 * @run: options and report, or NULL
 *
 * PEs that fault stop; the others run on. But the first one that does not end in
 * time ends the launch: the others are stopped, or do not begin, and count as
 * faulted. May be called from several threads for different PEs at once. Where it enters
 * PEs on no other thread, the calling one is kept on a processor meanwhile; its affinity is
 * afterwards what it was.
 *
 * Return: 0; -EFAULT when a PE faulted: pimdimm_errmsg() names the lowest one,
 * tasklet and cause; -EINVAL; -ENOEXEC for a PE without a program; -EBUSY for
 * one that runs, and with strict=1 as pimdimm_launch(); -ENOMEM, -EAGAIN when no
 * worker process can be had; -EOPNOTSUPP on other processors than x86-64 and aarch64, and
 * where the kernel's pages have more than 4096 bytes.
 */
int pimdimm_run(struct pimdimm *sys, const uint32_t pes[], uint32_t nr_pes,
		struct pimdimm_run *run);

/**
 * pimdimm_log_read() - what a PE printed in its last launch
 * @sys: the system
 * @pe: the PE, with a program loaded and not running
 * @text: receives the text, empty where it printed nothing; free() it
 *
 * printf(), puts() and putchar() of PE programs write to a buffer in MRAM, of
 * 1 MiB unless STDOUT_BUFFER_INIT() says otherwise.
 *
 * Return: 0; -EINVAL; -ENOEXEC for a PE without a program; -ENOENT for a program
 * that does not print; -ENOSPC when it printed more than its buffer holds;
 * -EBADMSG for a buffer that the program has written other things to; -EBUSY for a
 * PE that runs, and with strict=1 for one whose rank the PEs own; -ENOMEM.
 */
int pimdimm_log_read(struct pimdimm *sys, uint32_t pe, char **text);

#ifdef __cplusplus
}
#endif

#endif /* PIMDIMM_PROGRAM_H */
