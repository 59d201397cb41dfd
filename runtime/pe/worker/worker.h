/* SPDX-License-Identifier: MIT */
/*
 * The worker: a process that runs PE programs, one PE at a time. It has no
 * libc, no variables of its own and, once sealed, hardly a system call: all its
 * state is in struct pe_shared, which the broker sets anew for each PE.
 */
#ifndef PE_WORKER_H
#define PE_WORKER_H

#include <stdint.h>
#include <sys/syscall.h>

#include "runtime/pe/shared/shared.h"
#include "runtime/pe/worker/machine.h"

#define PE_STATE	((struct pe_shared *)(uintptr_t)PE_SHARED)

/* assembly */
void pe_switch(uint64_t *save, uint64_t sp);
void pe_park(void) __attribute__((noreturn));
void pe_restorer(void);
extern const char pe_idle_ip[], pe_idle_ip_pkeys[];
/* the alternate stack for signals, as sigaltstack() takes it */
extern const char pe_signal_stack[];
/* in between a worker is parked, or on its way to the first step of a PE */
extern const char pe_parking[], pe_started[];

/* setup.c: from process start, with the stack as it is then, to the sandbox */
void pe_setup(const uint64_t *start);
void pe_seal(void) __attribute__((noreturn));

/* schedule.c */
void pe_enter(void) __attribute__((noreturn));
/* one more tick, or none */
void pe_next_tick(int wanted);
/* let all signals come */
void pe_unblock(void);
int pe_start_timer(void);
void pe_yield(void);
void pe_wait(uint32_t kind, const volatile void *object);
void pe_wake(const volatile void *object, uint32_t max);
void pe_exit(void) __attribute__((noreturn));
void pe_sync(void);
uint32_t pe_turn(uint32_t (*op)(void *arg), void *arg, const volatile void *object);
/* inside a service: this tasklet has come to an event of the clock, if it has one */
void pe_tell(enum pe_goal goal);
/* inside a service: wait for the time when what it has executed is done */
void pe_keep_time(void);
/* the same, if its program counts */
void pe_be_on_time(void);
/* let another tasklet run, inside a service */
void pe_next(void);
/* let another run, where a signal has stopped this one, if there is another */
void pe_preempt(void *context);

/* begin with a tasklet, or a traveller, at a place */
void pe_start_tasklet(uint32_t t, void (*steps)(void));
/* inside a service: wait, which others let run; call it again where it is in vain */
void pe_wait_inside(uint32_t kind, uint64_t object);
/* inside a service: all that wait for that, whatever the object */
void pe_wake_kind(uint32_t kind);
/* inside a service: end the tasklet that runs */
void pe_end_tasklet(void) __attribute__((noreturn));

/* parcels.c: a traveller each for parcels that there are, as far as there are places */
void pe_start_travellers(void);
void pe_parcel(uint32_t pe, void (*entry)(uint64_t), uint64_t arg);
void pe_send(const struct pe_sending *what);
void pe_unload(void *to, uint32_t at, uint32_t bytes);

/* waits.c: tasklet @t starts; the one that runs goes on, having waited for that */
void pe_note_start(uint32_t t);
void pe_note_wait(uint32_t kind);

/* preempt.c: a place for a tasklet's state, below `top`, to go on at steps() */
uint64_t pe_first_frame(uint64_t top, void (*steps)(void));
/* have the running tasklet go on from a signal's context; 0: there is no room */
int pe_put_aside(void *context);
/* the operand that the instruction at a context changes is read now */
void pe_keep_operand(const void *context);

/* random.c: any of these tasklets, whose number is not 0 */
uint32_t pe_random_tasklet(uint32_t tasklets);
/* a tasklet begins to run: how many instructions of it are stepped through */
void pe_random_burst(void);
/* one of them has been */
void pe_random_step(void *context);
void pe_random_tick(void *context);
/* what a PE may use of them: a tenth of a second at most */
#define PE_STEPS	20000u

/* host.c: calls to the broker */
void pe_call(uint32_t what);
/* let who has asked for it look at the PE, and change it: enum pe_stopped */
void pe_stop(uint32_t why);
/* call and park */
void pe_leave(uint32_t what) __attribute__((noreturn));
void pe_end(void) __attribute__((noreturn));
/* assembly, which goes on in pe_failed() */
void pe_fail(uint32_t kind, uint64_t address, uint64_t pc)
	__attribute__((noreturn));
void pe_failed(uint32_t kind, uint64_t address, uint64_t pc)
	__attribute__((noreturn));
void pe_close_window(void);

/* mram.c */
void pe_mram_read(uint32_t mram, void *wram, uint32_t bytes);
void pe_mram_write(uint32_t mram, const void *wram, uint32_t bytes);
void pe_mram_copy_in(uint32_t mram, void *wram, uint32_t bytes);
void pe_mram_copy_out(uint32_t mram, const void *wram, uint32_t bytes);
void pe_mram_pass(uint32_t bytes, uint32_t write);
/*
 * Inside a service: copy between any memory of a PE and the worker's own, without a
 * cost; what lies in neither WRAM, stacks, MRAM nor, to read, constants is a fault.
 */
void pe_copy_from_pe(void *to, uint64_t from, uint32_t bytes);
void pe_copy_to_pe(uint64_t to, const void *from, uint32_t bytes);
/* make a page's bytes be in the window, to be written to as well */
void pe_need_page(uint32_t page, uint8_t flags);
/* the program dereferenced an address of the window */
void pe_open_page(uint32_t page, int write);

/*
 * divide.c: what a division is that the processor has refused, and others refuse none;
 * PE_FAULT_NONE: it has been done
 */
uint32_t pe_divide(void *context);

/* signals.c: 0 or the error of the first that could not be set */
int pe_catch_signals(void);

static inline int pe_in_program(uint64_t pc)
{
	return pc >= PE_TEXT_BASE && pc - PE_TEXT_BASE < PE_STATE->text_bytes;
}

/* Inside a service, on the stack of the tasklet that goes on. */
static inline void pe_waited(uint32_t kind)
{
	if (__builtin_expect(PE_STATE->watched, 0))
		pe_note_wait(kind);
}

/* Services run with preemption off. */
static inline void pe_service_enter(void)
{
	PE_STATE->inside = 1;
	__asm__ volatile("" ::: "memory");
}

/*
 * With the processor to stop after each instruction, where steps are taken, and not before
 * the tasklet may be switched from.
 */
static inline void pe_service_leave(void)
{
	__asm__ volatile("" ::: "memory");
	PE_STATE->inside = 0;
	if (__builtin_expect(!PE_STATE->steps, 1))
		return;
	if (PE_STATE->self.critical)
		PE_STATE->self.critical |= PE_PUT_OFF;
	else
		pe_begin_steps();
}

/* in the call, not behind it, where another line or function may begin */
#define PE_CALLER() ((uint64_t)(uintptr_t)__builtin_return_address(0) - 1)

#endif /* PE_WORKER_H */
