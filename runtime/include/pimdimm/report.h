/* SPDX-License-Identifier: MIT */
/*
 * What a program did with its PEs, and how long: rows of what was measured here and
 * of what a model says of hardware, side by side. With PIMDIMM_REPORT a program need
 * do nothing for it: the rows are written when it ends.
 *
 * Every function returns 0 or a negative errno unless it says otherwise, and
 * pimdimm_errmsg() says it in a sentence, as in <pimdimm/pimdimm.h>.
 */
#ifndef PIMDIMM_REPORT_H
#define PIMDIMM_REPORT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * enum pimdimm_report_kind - what the calls of a row are
 * @PIMDIMM_REPORT_LOAD: programs loaded into PEs: pimdimm_load()
 * @PIMDIMM_REPORT_TO_PES: transfers to PEs: pimdimm_write(), pimdimm_push(),
 *	pimdimm_wram_write()
 * @PIMDIMM_REPORT_FROM_PES: transfers from PEs: pimdimm_read(), pimdimm_pull(),
 *	pimdimm_wram_read()
 * @PIMDIMM_REPORT_COLLECTIVE: collectives of <pimdimm/pidcomm.h>
 * @PIMDIMM_REPORT_PROGRAM: launches of PE programs: pimdimm_run()
 * @PIMDIMM_REPORT_KERNEL: launches of PE kernels: pimdimm_launch(). They are code of
 *	the host, so nothing of them is counted
 */
enum pimdimm_report_kind {
	PIMDIMM_REPORT_LOAD,
	PIMDIMM_REPORT_TO_PES,
	PIMDIMM_REPORT_FROM_PES,
	PIMDIMM_REPORT_COLLECTIVE,
	PIMDIMM_REPORT_PROGRAM,
	PIMDIMM_REPORT_KERNEL,
};

/**
 * struct pimdimm_report_row - all calls of one kind and name in one phase
 * @size: sizeof(struct pimdimm_report_row), so that it can grow
 * @kind: an enum pimdimm_report_kind value
 * @phase: the phase they were made in: pimdimm_report_phase(); empty before the first
 * @name: the collective; the transfer, "broadcast" for a push of one buffer to several
 *	PEs; the file of the program, without its folders, or "(memory)"
 * @axes: of a collective, else empty
 * @algorithm: of a collective, else empty
 * @calls: how many succeeded; of programs, how many ran
 * @uncounted: how many of them have no modelled time of PEs, though PEs worked
 * @mram_bytes: bytes read and written in MRAM: by the host, of programs by DMA
 * @host_bytes: bytes read and written in memory of the host
 * @bus_bytes: bytes that hardware's bus would carry, whole bursts
 * @host_ns: measured: time of the host. None for programs and PE kernels
 * @pe_ns: modelled: time of hardware's PEs, the slowest of each launch, and @launch_ns
 * @bus_ns: modelled: time of hardware's transfers; for collectives that of their
 *	bytes on the bus alone, at the rate of all its channels. Not to be added to
 *	@host_ns, which holds what stands for it here
 * @emulation_ns: measured: time that stands for work of PEs, which hardware's
 *	host would not spend
 * @cycles: modelled: what @pe_ns is of; of programs that do not count, DMA alone
 * @instructions: counted, of the PE that counted most in each launch
 * @faults: PEs that faulted
 * @launch_ns: modelled: time of the launches themselves
 * @forced: launches whose cycles may differ from run to run: PIMDIMM_CLOCK_FORCED
 * @issued: of the slowest PEs' cycles, those that issued an instruction
 * @spun: those that tasklets took to try for mutexes
 * @dma_slots: those lost to a transfer that went on
 * @idle_dma: those idle since tasklets waited for transfers
 * @idle_stop: those idle since they stood at barriers and the like
 * @idle_few: those idle since there were fewer tasklets than the pipeline needs
 * @all_cycles: cycles of all PEs of all launches
 * @room_cycles: what they would be if all PEs of a launch took what the slowest does
 * @longest_cycles: cycles of the longest launch
 * @slowest_pe: the slowest PE of that launch
 * @stack_used: of a program, bytes of the fullest stack
 * @stack_room: how many it could hold
 * @reserved: 0
 */
struct pimdimm_report_row {
	uint32_t size;
	uint32_t kind;
	char phase[32];
	char name[64];
	char axes[24];
	char algorithm[40];
	uint64_t calls;
	uint64_t uncounted;
	uint64_t mram_bytes;
	uint64_t host_bytes;
	uint64_t bus_bytes;
	uint64_t host_ns;
	uint64_t pe_ns;
	uint64_t bus_ns;
	uint64_t emulation_ns;
	uint64_t cycles;
	uint64_t instructions;
	uint64_t faults;
	uint64_t launch_ns;
	uint64_t forced;
	uint64_t issued;
	uint64_t spun;
	uint64_t dma_slots;
	uint64_t idle_dma;
	uint64_t idle_stop;
	uint64_t idle_few;
	uint64_t all_cycles;
	uint64_t room_cycles;
	uint64_t longest_cycles;
	uint32_t slowest_pe;
	uint32_t stack_used;
	uint32_t stack_room;
	uint32_t reserved;
};

/**
 * enum pimdimm_report_format - what a report is written as
 * @PIMDIMM_REPORT_TEXT: totals, then a table, for people
 * @PIMDIMM_REPORT_JSON: an object with the arrays "rows" and "phases"
 * @PIMDIMM_REPORT_CSV: a line a row, after one of names
 */
enum pimdimm_report_format {
	PIMDIMM_REPORT_TEXT,
	PIMDIMM_REPORT_JSON,
	PIMDIMM_REPORT_CSV,
};

/**
 * pimdimm_report_start() - collect rows from now on
 *
 * Opening a system does so, too, where PIMDIMM_REPORT is set. Collecting costs each
 * call a fraction of a microsecond.
 */
void pimdimm_report_start(void);

/**
 * pimdimm_report_phase() - begin a phase: calls from now on are of it
 * @name: its name, of which 31 bytes are kept; NULL or "" is that of the beginning
 *
 * A phase is the whole process's. One that comes again goes on with its rows.
 */
void pimdimm_report_phase(const char *name);

/**
 * pimdimm_report_read() - what has been collected
 * @index: of a row, from 0 on, in the order of their first calls
 * @row: receives it; @row->size is sizeof(struct pimdimm_report_row)
 *
 * Return: 0; -ENOENT where there is no such row; -EINVAL.
 */
int pimdimm_report_read(uint32_t index, struct pimdimm_report_row *row);

/**
 * pimdimm_report_write() - write what has been collected
 * @fd: where to
 * @format: an enum pimdimm_report_format value
 *
 * Return: 0; -EINVAL; -ENOMEM; an error of write(2).
 */
int pimdimm_report_write(int fd, enum pimdimm_report_format format);

/**
 * pimdimm_report_enter() - begin a call that is made of several
 * @kind: an enum pimdimm_report_kind value: what it is
 *
 * For libraries on top of this one. Until pimdimm_report_leave() the calling thread's
 * calls of this kind count as one, under the name of the last of them, and those of
 * another kind are not shown: they are how it is done. What is entered inside of it is
 * part of it.
 */
void pimdimm_report_enter(enum pimdimm_report_kind kind);

/**
 * pimdimm_report_leave() - end what pimdimm_report_enter() began
 *
 * Its time is that between the two.
 */
void pimdimm_report_leave(void);

/**
 * pimdimm_report_add() - tell of a call that the library has not seen as one
 * @row: what it is and took; @row->size is sizeof(struct pimdimm_report_row). Its
 *	@phase is the present one, whatever stands there
 *
 * For libraries on top of this one, whose collectives are made of transfers: between
 * pimdimm_report_enter() and pimdimm_report_leave() of the same kind it is what they
 * made, and its @host_ns the time between the two. A collective whose @bus_ns is 0 has
 * that of its @bus_bytes. Nothing happens before pimdimm_report_start().
 *
 * Return: 0; -EINVAL.
 */
int pimdimm_report_add(const struct pimdimm_report_row *row);

#ifdef __cplusplus
}
#endif

#endif /* PIMDIMM_REPORT_H */
