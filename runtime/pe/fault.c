// SPDX-License-Identifier: MIT
/* The sentences that tell of faults of PEs. */
#include <stdbool.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runtime/pe/fault.h"
#include "runtime/pe/program/places.h"

/* A sentence that is cut where its buffer ends. */
struct sentence {
	char *text;
	size_t room, used;
	bool called;
};

__attribute__((format(printf, 2, 3)))
static void add_words(struct sentence *s, const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(s->text + s->used, s->room - s->used, format, ap);
	va_end(ap);
	if (n > 0)
		s->used += (size_t)n;
	if (s->used >= s->room)
		s->used = s->room - 1;
}

/* Text that the program's file holds, made harmless: its end, or so many bytes. */
static void add_foreign(struct sentence *s, const char *text, size_t bytes)
{
	for (; bytes && *text && s->used < s->room - 1; text++, bytes--)
		s->text[s->used++] = *text >= ' ' && *text <= '~' ? *text : '?';
	s->text[s->used] = '\0';
}

/* The source line of a pc, or the pc. */
static void add_place(struct sentence *s, const struct pimdimm_program *program,
		      uint64_t pc)
{
	char line[512];

	if (pc - PE_TEXT_BASE >= program->text_bytes) {
		if (pc)
			add_words(s, ", at %#llx, which is no code of the program",
				  (unsigned long long)pc);
		return;
	}
	if (pimdimm_program_line(program, (uint32_t)(pc - PE_TEXT_BASE), line,
				 sizeof(line)))
		add_words(s, ", at %#llx of the text",
			  (unsigned long long)(pc - PE_TEXT_BASE));
	else
		add_words(s, ", at %s", line);
}

/* A frame that nobody asks for: the library's code from which main() is called. */
static bool is_start(const struct pimdimm_program *program, uint64_t pc)
{
	struct pd_place places[PD_MAX_INLINED + 1];

	return pd_places_find(program, (uint32_t)(pc - PE_TEXT_BASE), places) == 1 &&
	       places->file && places->function &&
	       !strcmp(places->function, "pe_start") && !strcmp(places->file, "start.c");
}

/* Which calls have led there; of a recursion each once. */
static void add_callers(struct sentence *s, const struct pd_end *end,
			const struct pimdimm_program *program)
{
	uint32_t nr = end->nr_callers, times = 1;
	char line[512];

	for (uint32_t i = 0; i < nr; i++, times++) {
		uint64_t pc = end->callers[i];

		if (i + 1 < nr && end->callers[i + 1] == pc)
			continue;
		if ((i + 1 == nr && is_start(program, pc)) ||
		    pimdimm_program_line(program, (uint32_t)(pc - PE_TEXT_BASE), line,
					 sizeof(line)))
			return;
		add_words(s, "%s%s", s->called ? ", " : "; called from ", line);
		if (times > 1)
			add_words(s, " %u times", times);
		s->called = true;
		times = 0;
	}
}

/* The program's name for what lies at an address of WRAM; else nothing. */
static void add_object(struct sentence *s, const struct pimdimm_program *program,
		       uint64_t address)
{
	for (uint32_t i = 0; i < program->nr_symbols; i++) {
		const struct pimdimm_symbol *o = &program->symbols[i];

		if (o->space != PIMDIMM_WRAM ||
		    address - PE_WRAM_BASE - o->address >= o->bytes)
			continue;
		add_words(s, ", ");
		add_foreign(s, o->name, SIZE_MAX);
		return;
	}
}

/* A string of the program's, of its constants or its WRAM, made harmless; else nothing. */
static void add_text(struct sentence *s, const struct pd_end *end,
		     const struct pimdimm_program *program)
{
	uint64_t at = end->report.text - PE_TEXT_BASE;

	if (!*end->said && at >= program->text_bytes)
		return;
	add_words(s, ": ");
	if (*end->said) {
		add_foreign(s, end->said, sizeof(end->said));
		return;
	}
	add_foreign(s, (const char *)program->text + at,
		    program->text_bytes - at);
}

/* What is touched, in the program's own terms. */
static void add_address(struct sentence *s, uint64_t a)
{
	if (a - PE_WRAM_BASE < PE_WRAM_BYTES)
		add_words(s, "WRAM %#llx", (unsigned long long)(a - PE_WRAM_BASE));
	else if (a - PE_MRAM_BASE < PE_MRAM_MAX)
		add_words(s, "MRAM %#llx", (unsigned long long)(a - PE_MRAM_BASE));
	else if (a - PE_TEXT_BASE < PE_TEXT_MAX)
		add_words(s, "%#llx of the text, which is read-only",
			  (unsigned long long)(a - PE_TEXT_BASE));
	else
		add_words(s, "%#llx, which is no memory of a PE",
			  (unsigned long long)a);
}

static void tell_dma(struct sentence *s, const struct pe_report *r)
{
	static const char *const rules[] = {
		[PE_DMA_MRAM_ALIGNED] = "the MRAM address is no multiple of 8",
		[PE_DMA_WRAM_ALIGNED] = "the WRAM address is no multiple of 8",
		[PE_DMA_BYTES] = "expected a multiple of 8 bytes from 8 to 2048",
		[PE_DMA_MRAM_RANGE] = "the MRAM ends before",
		[PE_DMA_WRAM_RANGE] = "the WRAM address is none, or the WRAM ends before",
	};
	const char *rule = "out of the rules";

	if (r->rule < sizeof(rules) / sizeof(*rules) && rules[r->rule])
		rule = rules[r->rule];
	add_words(s, "mram_%s of %llu bytes, MRAM %#llx, WRAM %#llx: %s",
		  r->write ? "write" : "read", (unsigned long long)r->bytes,
		  (unsigned long long)r->mram,
		  (unsigned long long)(r->wram - PE_WRAM_BASE < PE_WRAM_BYTES ?
				       r->wram - PE_WRAM_BASE : r->wram), rule);
}

static void tell_runtime(struct sentence *s, const struct pe_report *r)
{
	static const char *const refusals[] = {
		[PE_REFUSED_NOT] = "the program broke out of its run",
		[PE_REFUSED_PE] = "it does not run this program in this launch",
		[PE_REFUSED_ENTRY] = "its entry is no code of the program",
		[PE_REFUSED_BYTES] = "expected a frame of up to 128 bytes, and 65536 bytes of payload or what there is of it",
		[PE_REFUSED_MEMORY] = "the host has no memory for it",
		[PE_REFUSED_MRAM] = "the MRAM ends before its payload",
	};

	if (r->text)
		add_words(s, "misuse of the run-time library");
	else if (!r->rule || r->rule >= sizeof(refusals) / sizeof(*refusals))
		add_words(s, "%s", refusals[0]);
	else
		add_words(s, "parcel to PE %llu: %s",
			  (unsigned long long)r->address, refusals[r->rule]);
}

/* whether no tasklet before waits for the same: its name has not been said */
static bool first_there(const struct pd_end *end, uint32_t t)
{
	for (uint32_t u = 0; u < t; u++) {
		if (end->tasklets[u].object == end->tasklets[t].object)
			return false;
	}
	return true;
}

static void tell_wait(struct sentence *s, const struct pd_end *end,
		      const struct pimdimm_program *program, uint32_t t)
{
	static const char *const waits[] = {
		[PE_WAIT_NOTHING] = "runs",
		[PE_WAIT_BARRIER] = "waits at a barrier",
		[PE_WAIT_MUTEX] = "waits for a mutex",
		[PE_WAIT_SEMAPHORE] = "waits for a semaphore",
		[PE_WAIT_HANDSHAKE] = "waits for a handshake",
		[PE_WAIT_FULL] = "waits for a word to be full",
		[PE_WAIT_EMPTY] = "waits for a word to be empty",
		[PE_WAIT_DMA] = "waits for a transfer",
		[PE_WAIT_ROOM] = "waits for room for a parcel to PE",
		[PE_ENDED] = "has ended",
	};
	const struct pe_tasklet *w = &end->tasklets[t];
	uint32_t wait = w->wait;

	if (wait >= sizeof(waits) / sizeof(*waits)) {
		add_words(s, "waits");
		return;
	}
	add_words(s, "%s", waits[wait]);
	if (wait == PE_WAIT_ROOM) {
		add_words(s, " %llu", (unsigned long long)w->object);
	} else if (wait != PE_WAIT_NOTHING && wait != PE_ENDED && w->object) {
		add_words(s, " (");
		add_address(s, w->object);
		if (first_there(end, t))
			add_object(s, program, w->object);
		add_words(s, ")");
	}
}

/* of tasklets all, of travellers those that are under way */
static void tell_waits(struct sentence *s, const struct pd_end *end,
		       const struct pimdimm_program *program)
{
	for (uint32_t t = 0; t < PE_PLACES; t++) {
		const struct pe_tasklet *w = &end->tasklets[t];

		if (t >= end->nr_tasklets &&
		    !(pe_is_traveller(t) && w->sp && w->wait != PE_ENDED))
			continue;
		add_words(s, "%s %s ", t ? "," : ":", pd_tasklet_name(t).text);
		tell_wait(s, end, program, t);
	}
}

static void tell_access(struct sentence *s, const struct pe_report *r)
{
	add_words(s, r->kind == PE_FAULT_RACE ? "a race of tasklets, to " : "access to ");
	add_address(s, r->address);
}

/* What is in use of a stack, where the report tells, and what there should be. */
static void tell_stack(struct sentence *s, const struct pe_report *r,
		       const struct pimdimm_program *program)
{
	uint32_t t = r->tasklet;
	uint32_t declared = pd_stack_declared(program, t), more = pd_stack_more(program);
	const char *with = more ? " with those that its checks have" : "";
	uint64_t used = PE_STACK_TOP(t) - r->address;

	add_words(s, "stack overflow: ");
	if (used < PE_STACK_SLOT)
		add_words(s, "%llu bytes in use, ", (unsigned long long)used);
	if (pe_is_traveller(t))
		add_words(s, "a traveller has %u, which are %u here%s", declared - more,
			  PE_STACK_BYTES(declared), with);
	else
		add_words(s, "%u are declared for tasklet %u, which are %u here%s; STACK_SIZE_DEFAULT or STACK_SIZE_TASKLET_%u declares more",
			  declared - more, t, PE_STACK_BYTES(declared), with, t);
}

/* faults that need no more words */
static const char *const plain[] = {
	[PE_FAULT_HEAP] = "mem_alloc: the heap exceeds the WRAM",
	[PE_FAULT_DIVIDE] = "division by zero",
	[PE_FAULT_ASSERT] = "assertion failed",
	[PE_FAULT_HALT] = "halt",
	[PE_FAULT_LOG] = "printf: the log buffer is full",
	[PE_FAULT_PROFILE_START] = "profiling started twice",
	[PE_FAULT_PROFILE_END] = "profiling ended that had not started",
	[PE_FAULT_ALIGNMENT] = "mram_write_unaligned out of step",
	[PE_FAULT_INSTRUCTION] = "an instruction that a PE does not have",
	[PE_FAULT_DEADLOCK] = "deadlock",
	[PE_FAULT_TRANSFER] = "no memory to keep the PE's WRAM or stacks in",
	[PE_FAULT_UNDEFINED] = "a use of undefined memory",
};

static void tell_kind(struct sentence *s, const struct pd_end *end,
		      const struct pimdimm_program *program)
{
	const struct pe_report *r = &end->report;

	switch (r->kind) {
	case PE_FAULT_DMA:
		tell_dma(s, r);
		break;
	case PE_FAULT_ACCESS:
	case PE_FAULT_RACE:
		tell_access(s, r);
		break;
	case PE_FAULT_STACK:
		tell_stack(s, r, program);
		break;
	case PE_FAULT_SYSCALL:
		add_words(s, "system call %llu", (unsigned long long)r->address);
		break;
	case PE_FAULT_TIMEOUT:
		add_words(s, "did not end in %u ms, %s", end->timeout_ms,
			  end->asked ? "which timeout_ms gave it" :
			  "PIMDIMM_WATCHDOG gives it more");
		break;
	case PE_FAULT_DIED:
		add_words(s, "the worker process was %s", end->death);
		break;
	case PE_FAULT_RUNTIME:
		tell_runtime(s, r);
		break;
	default:
		if (r->kind < sizeof(plain) / sizeof(*plain) && plain[r->kind])
			add_words(s, "%s", plain[r->kind]);
		else
			add_words(s, "fault %u", r->kind);
		break;
	}
	add_text(s, end, program);
}

/* At the end of a sentence, in place of what there is no room for. */
static void add_end(struct sentence *s, const char *more)
{
	size_t bytes = strlen(more) + 2;

	if (!*more)
		return;
	if (s->used > s->room - 1 - bytes)
		s->used = s->room - 1 - bytes;
	add_words(s, "; %s", more);
}

struct pd_tasklet_name pd_tasklet_name(uint32_t t)
{
	struct pd_tasklet_name name;

	if (pe_is_traveller(t))
		snprintf(name.text, sizeof(name.text), "traveller %u", t - PE_MAX_TASKLETS);
	else
		snprintf(name.text, sizeof(name.text), "tasklet %u", t);
	return name;
}

void pd_fault_tell(const struct pd_end *end,
		   const struct pimdimm_program *program,
		   struct pimdimm_fault *fault)
{
	const struct pe_report *r = &end->report;
	struct sentence s = { .text = fault->text, .room = sizeof(fault->text) };

	fault->pe = end->pe;
	fault->tasklet = r->tasklet;
	fault->kind = r->kind;
	fault->address = r->address;
	fault->text[0] = '\0';
	tell_kind(&s, end, program);
	add_place(&s, program, r->kind == PE_FAULT_TIMEOUT ? end->ticked :
			       r->pc);
	if (r->kind == PE_FAULT_DEADLOCK || r->kind == PE_FAULT_TIMEOUT)
		tell_waits(&s, end, program);
	add_callers(&s, end, program);
	add_end(&s, end->told);
}

void pd_fault_tell_stopped(struct pimdimm_fault *fault, bool own,
			   uint32_t nr_stopped)
{
	size_t used = strlen(fault->text), room;
	char more[80];

	if (!nr_stopped)
		return;
	if (!own) {
		snprintf(fault->text, sizeof(fault->text),
			 "%u PEs were stopped, or did not begin, since another part of the launch did not end in time",
			 nr_stopped);
		return;
	}
	room = sizeof(fault->text) -
	       (size_t)snprintf(more, sizeof(more),
				"; %u other PEs were stopped, or did not begin",
				nr_stopped) - 1;
	strcpy(fault->text + (used < room ? used : room), more);
}
