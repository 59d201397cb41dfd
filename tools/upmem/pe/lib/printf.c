// SPDX-License-Identifier: MIT
/*
 * Printing, as records that the host formats. Two passes over the format: the
 * first one counts, the second one writes; the room in between is taken at once,
 * so that records of several tasklets do not mix.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "pe.h"

enum kind {
	NUMBER,			/* an int */
	UNSIGNED,		/* an unsigned int */
	LONG,			/* of 64 bits */
	REAL,
	STRING,
	NOTHING,		/* %% */
};

/* a record on its way into the log */
struct record {
	const void *caller;	/* whose line a fault is at */
	uint32_t at;		/* in MRAM; 0 bytes: it is only counted */
	uint32_t bytes;
	uint32_t nr_args;
	uint32_t args, strings;	/* where in it the next ones go */
};

/* the end of the conversion that begins behind a '%', and what it takes */
static const char *conversion(const struct record *r, const char *p,
			      enum kind *kind)
{
	bool is_long = false;

	while (*p && strchr("#0- +.123456789", *p))
		p++;
	for (; *p && strchr("hlqLjzt", *p); p++)
		is_long |= *p != 'h';
	switch (*p) {
	case 'd':
	case 'i':
		*kind = is_long ? LONG : NUMBER;
		break;
	case 'u':
	case 'x':
	case 'X':
	case 'o':
		*kind = is_long ? LONG : UNSIGNED;
		break;
	case 'c':
		*kind = NUMBER;
		break;
	case 'p':
		*kind = LONG;
		break;
	case 's':
		*kind = STRING;
		break;
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
		*kind = REAL;
		break;
	case '%':
		*kind = NOTHING;
		break;
	default:
		pe_fault_at(r->caller, PE_FAULT_RUNTIME, *p,
			    "printf: a conversion that PEs do not have");
	}
	return p + 1;
}

static void put_word(struct record *r, uint64_t word)
{
	/* whatever it is, somebody reads it */
	PE_MEMORY_ONLY(pe_memory_use(&word, sizeof(word), r->caller));
	if (r->bytes)
		PE_SVC->mram_copy_out(r->at + r->args, &word, sizeof(word));
	else
		r->nr_args++;
	r->args += sizeof(word);
}

static void put_string(struct record *r, const char *s)
{
	uint32_t bytes;

	if (!s)
		s = "(null)";
	bytes = strlen(s) + 1;
	if (r->bytes) {
		/* by another tasklet it may have grown since it was counted */
		if (bytes > r->bytes - r->strings)
			bytes = r->bytes - r->strings;
		PE_SVC->mram_copy_out(r->at + r->strings, s, bytes);
	}
	put_word(r, r->strings);
	r->strings += bytes;
}

static void put_args(struct record *r, const char *format, va_list args)
{
	double real;
	uint64_t word;
	enum kind kind;

	while ((format = strchr(format, '%'))) {
		format = conversion(r, format + 1, &kind);
		switch (kind) {
		case NUMBER:
			put_word(r, (uint64_t)va_arg(args, int));
			break;
		case UNSIGNED:
			put_word(r, va_arg(args, unsigned int));
			break;
		case LONG:
			put_word(r, va_arg(args, uint64_t));
			break;
		case REAL:
			real = va_arg(args, double);
			memcpy(&word, &real, sizeof(word));
			put_word(r, word);
			break;
		case STRING:
			put_string(r, va_arg(args, const char *));
			break;
		case NOTHING:
			break;
		}
	}
}

/* room for the record; false where the log is full */
static bool take_room(struct record *r)
{
	struct pe_log *log = &__sys_log;
	uint32_t bytes = (r->strings + 7) & ~7u;
	bool fits;

	if (bytes > log->bytes)
		pe_fault_at(r->caller, PE_FAULT_LOG, bytes,
			    "printf of more than the log's size");
	pe_enter();
	/* once one is lost, so are those after it */
	fits = !log->lost && bytes <= log->bytes - log->used;
	if (fits) {
		r->at = (uint32_t)(uintptr_t)__stdout_buffer + log->used;
		r->bytes = bytes;
		log->used += bytes;
	} else {
		log->lost++;
	}
	pe_leave();
	return fits;
}

static void put_format(struct record *r, const char *format, uint32_t bytes)
{
	struct pe_log_record header = {
		.bytes = r->bytes,
		.nr_args = r->nr_args,
		.format_bytes = bytes,
	};

	PE_SVC->mram_copy_out(r->at, &header, sizeof(header));
	r->args = sizeof(header);
	r->strings = r->args + r->nr_args * sizeof(uint64_t);
	PE_SVC->mram_copy_out(r->at + r->strings, format, bytes);
	r->strings += bytes;
}

/* by two lists of the same arguments, one a pass */
static int print(const void *caller, const char *format, va_list counted,
		 va_list args)
{
	struct record r = { .caller = caller };
	uint32_t bytes = strlen(format) + 1;

	put_args(&r, format, counted);
	if (bytes > UINT16_MAX || r.nr_args > UINT16_MAX)
		pe_fault_at(caller, PE_FAULT_LOG, bytes,
			    "printf: a format of more than 65535 bytes");
	r.strings += sizeof(struct pe_log_record) +
		     r.nr_args * sizeof(uint64_t) + bytes;
	if (!take_room(&r))
		return 0;
	put_format(&r, format, bytes);
	put_args(&r, format, args);
	return (int)r.nr_args;
}

static int print_for(const void *caller, const char *format, ...)
{
	va_list counted, args;
	int nr;

	va_start(counted, format);
	va_start(args, format);
	nr = print(caller, format, counted, args);
	va_end(args);
	va_end(counted);
	return nr;
}

int printf(const char *format, ...)
{
	va_list counted, args;
	int nr;

	va_start(counted, format);
	va_start(args, format);
	nr = print(__builtin_return_address(0), format, counted, args);
	va_end(args);
	va_end(counted);
	return nr;
}

int puts(const char *s)
{
	return print_for(__builtin_return_address(0), "%s\n", s);
}

int putchar(int c)
{
	print_for(__builtin_return_address(0), "%c", c);
	return c;
}
