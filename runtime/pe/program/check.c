// SPDX-License-Identifier: MIT
/*
 * Tells what PEs found in programs that are compiled to be checked: races, uses of
 * undefined memory, bent transfers.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/env.h"
#include "runtime/base/error.h"
#include "runtime/pe/program/check.h"
#include "runtime/pe/program/symbols.h"

/* lines of one program that are told, so that its findings do not fill memory */
#define MAX_TOLD	1024u
#define LINE_BYTES	320u

struct pd_check {
	pthread_mutex_t lock;	/* of what follows */
	bool stop, memory;
	uint32_t nr_told;
	char (*told)[2 * LINE_BYTES];
};

/* Whether a program is compiled for what is wished; else that is told. */
static bool can_check(const struct pimdimm_program *program, const struct pd_env_check *wish)
{
	const uint32_t flags = program->note.flags;
	const char *option = wish->memory ? "-fpimdimm-check=memory" : "-fpimdimm-check";
	const char *text = wish->memory ? "memory" : "races", *stop = wish->stop ? ",stop" : "";

	if (!(flags & PE_NOTE_CHECK))
		fprintf(stderr, "pimdimm: PIMDIMM_CHECK=%s%s: a program is not compiled to be checked: compile it with %s, or with PIMDIMM_CHECK set\n",
			text, stop, option);
	else if (wish->memory != !!(flags & PE_NOTE_MEMORY))
		fprintf(stderr, "pimdimm: PIMDIMM_CHECK=%s%s: a program is compiled to be checked for %s only: compile it with %s, or with PIMDIMM_CHECK set\n",
			text, stop, wish->memory ? "races" : "undefined memory", option);
	else
		return true;
	return false;
}

static void add_stacks(struct pimdimm_program *program)
{
	for (uint32_t t = 0; t < program->note.nr_tasklets; t++)
		program->note.stack_bytes[t] += pd_stack_more(program);
}

int pd_check_open(struct pimdimm_program *program)
{
	struct pd_env_check wish;
	int err;

	add_stacks(program);
	err = pd_env_check(&wish);
	if (err || (!wish.races && !wish.memory))
		return err;
	if (!can_check(program, &wish))
		return 0;
	program->check = calloc(1, sizeof(*program->check));
	if (!program->check)
		return pd_error(ENOMEM, "no memory for what is found in a program");
	program->check->stop = wish.stop;
	program->check->memory = wish.memory;
	pthread_mutex_init(&program->check->lock, NULL);
	return 0;
}

bool pd_check_memory(const struct pd_check *check)
{
	return check && check->memory;
}

void pd_check_free(struct pd_check *check)
{
	if (!check)
		return;
	pthread_mutex_destroy(&check->lock);
	free(check->told);
	free(check);
}

/* Whether two lines are told for the first time; with the lock held. */
static bool is_new(struct pd_check *check, const char *pair)
{
	char (*more)[2 * LINE_BYTES];

	for (uint32_t i = 0; i < check->nr_told; i++)
		if (!strcmp(check->told[i], pair))
			return false;
	if (check->nr_told == MAX_TOLD)
		return false;
	/* by powers of two */
	if (!(check->nr_told & (check->nr_told - 1))) {
		more = realloc(check->told, (check->nr_told ? 2ul * check->nr_told : 1) *
					    sizeof(*more));
		if (!more)
			return false;
		check->told = more;
	}
	strcpy(check->told[check->nr_told++], pair);
	return true;
}

static void place(const struct pimdimm_program *program, uint32_t pc, char *line)
{
	if (pimdimm_program_line(program, pc, line, LINE_BYTES))
		snprintf(line, LINE_BYTES, "%#x of the text", pc);
}

/* The program's name for an address, in its own terms. */
static void name_object(const struct pimdimm_program *program, uint32_t address, char *text,
			size_t bytes)
{
	bool wram = address - PE_WRAM_BASE < PE_WRAM_BYTES;
	uint32_t at = address - (wram ? PE_WRAM_BASE : PE_MRAM_BASE);

	snprintf(text, bytes, "%s %#x", wram ? "WRAM" : "MRAM", at);
	for (uint32_t i = 0; i < program->nr_symbols; i++) {
		const struct pimdimm_symbol *s = &program->symbols[i];

		if (s->space == (wram ? PIMDIMM_WRAM : PIMDIMM_MRAM) &&
		    at - s->address < s->bytes) {
			snprintf(text, bytes, "%s %#x (%s+%u)", wram ? "WRAM" : "MRAM", at,
				 s->name, at - s->address);
			pd_make_printable(text);
			return;
		}
	}
}

static void tell_race(const struct pimdimm_program *program, uint32_t pe,
		      const struct pe_found *f)
{
	char lines[2][LINE_BYTES], pair[2 * LINE_BYTES], object[160];

	place(program, f->pc[0], lines[0]);
	place(program, f->pc[1], lines[1]);
	/* in one order, whoever came first */
	snprintf(pair, sizeof(pair), "%s\n%s", lines[strcmp(lines[0], lines[1]) > 0],
		 lines[strcmp(lines[0], lines[1]) <= 0]);
	if (!is_new(program->check, pair))
		return;
	name_object(program, f->address, object, sizeof(object));
	fprintf(stderr, "pimdimm: %s: race in PE %u at %s: %s of %u bytes by tasklet %u at %s; %s of %u bytes by tasklet %u at %s\n",
		program->name, pe, object, f->write[1] ? "write" : "read", f->bytes[1],
		f->tasklet[1], lines[1], f->write[0] ? "write" : "read", f->bytes[0],
		f->tasklet[0], lines[0]);
}

static void tell_dma(const struct pimdimm_program *program, uint32_t pe,
		     const struct pe_found *f)
{
	char line[LINE_BYTES];

	place(program, f->pc[1], line);
	if (is_new(program->check, line))
		fprintf(stderr, "pimdimm: %s: PE %u, tasklet %u at %s: mram_%s of %u bytes, MRAM %#x, WRAM %#x: expected multiples of 8, and 8 to 2048 bytes; hardware does another transfer, without a word\n",
			program->name, pe, f->tasklet[1], line, f->write[1] ? "write" : "read",
			f->bytes[1], f->address, f->bytes[0] - PE_WRAM_BASE);
}

/*
 * "----NAME@FUNCTION" of the program's text, as clang 14 has it, or the name alone, as newer
 * ones; or no name.
 */
static void name_variable(const struct pimdimm_program *program, uint32_t at, char *text,
			  size_t bytes)
{
	static const char usual[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
	uint32_t most = at < program->text_bytes ? program->text_bytes - at : 0;
	char copy[128], *name = copy, *function;

	snprintf(copy, sizeof(copy), "%.*s", (int)most,
		 most ? (const char *)program->text + at : "");
	function = strncmp(copy, "----", 4) ? NULL : strrchr(copy, '@');
	if (function) {
		name = copy + 4;
		*function++ = '\0';
		snprintf(text, bytes, "the variable %s of %s", name, function);
	} else if (*name && !name[strspn(name, usual)]) {
		snprintf(text, bytes, "the variable %s", name);
	} else {
		snprintf(text, bytes, "a local variable");
	}
	pd_make_printable(text);
}

/* Where undefined memory is from. */
static void name_origin(const struct pimdimm_program *program, uint32_t origin, char *text,
			size_t bytes)
{
	uint32_t what = origin & ((1u << PE_ORIGIN_SHIFT) - 1);
	char line[LINE_BYTES];

	switch (origin >> PE_ORIGIN_SHIFT) {
	case PE_ORIGIN_STACK:
		name_variable(program, what, text, bytes);
		break;
	case PE_ORIGIN_HEAP:
		if (!what) {
			snprintf(text, bytes, "WRAM of the heap that is not allocated");
			break;
		}
		place(program, what - 1, line);
		snprintf(text, bytes, "WRAM allocated at %s", line);
		break;
	case PE_ORIGIN_MRAM:
		snprintf(text, bytes, "MRAM that nothing was written to, at %#x or behind", what);
		break;
	default:
		snprintf(text, bytes, "a local variable");
	}
}

static void tell_undefined(const struct pimdimm_program *program, uint32_t pe,
			   const struct pe_found *f)
{
	char line[LINE_BYTES], origin[2 * LINE_BYTES];

	place(program, f->pc[1], line);
	if (!is_new(program->check, line))
		return;
	name_origin(program, f->address, origin, sizeof(origin));
	fprintf(stderr, "pimdimm: %s: PE %u, tasklet %u at %s: use of undefined memory: %s\n",
		program->name, pe, f->tasklet[1], line, origin);
}

static void tell_end(const struct pimdimm_program *program, uint32_t pe)
{
	if (is_new(program->check, "end"))
		fprintf(stderr, "pimdimm: %s: PE %u is not checked to its end: tasklets met at more objects, or more often, than are kept\n",
			program->name, pe);
}

static void tell_lost(const struct pimdimm_program *program, uint32_t pe, uint32_t lost)
{
	if (lost && is_new(program->check, ""))
		fprintf(stderr, "pimdimm: %s: PE %u found more than the %u that are kept\n",
			program->name, pe, PE_CHECK_FOUND);
}

bool pd_check_tell(const struct pimdimm_program *program, uint32_t pe,
		   const struct pe_check_table *table, struct pe_found *found)
{
	struct pd_check *check = program->check;
	uint32_t nr;

	if (!check)
		return false;
	nr = __atomic_load_n(&table->nr, __ATOMIC_RELAXED);
	if (!nr)
		return false;
	if (nr > PE_CHECK_FOUND)
		nr = PE_CHECK_FOUND;
	pthread_mutex_lock(&check->lock);
	for (uint32_t i = nr; i--;) {
		memcpy(found, &table->found[i], sizeof(*found));
		found->tasklet[0] %= PE_MAX_TASKLETS;
		found->tasklet[1] %= PE_MAX_TASKLETS;
		if (found->kind == PE_FOUND_DMA)
			tell_dma(program, pe, found);
		else if (found->kind == PE_FOUND_UNDEFINED)
			tell_undefined(program, pe, found);
		else if (found->kind == PE_FOUND_END)
			tell_end(program, pe);
		else
			tell_race(program, pe, found);
	}
	tell_lost(program, pe, __atomic_load_n(&table->lost, __ATOMIC_RELAXED));
	pthread_mutex_unlock(&check->lock);
	return check->stop;
}
