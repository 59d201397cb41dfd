// SPDX-License-Identifier: MIT
/*
 * What PEs print: records in MRAM, each with its format and arguments, as text.
 * The program that wrote them may have written anything, so nothing in them is
 * believed, and what they may ask for has limits.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/error.h"
#include "runtime/pe/state.h"

#define MAX_ARGS	64
#define MAX_FLAGS	16	/* characters of one conversion */
/* a width or a precision: far more than a line, and no matter for the host */
#define MAX_NUMBER	4096
#define MAX_TEXT	(64u << 20)

struct record {
	const uint8_t *bytes;
	uint32_t length;
	const uint8_t *args;
	uint32_t nr_args;
	const char *format;
};

struct text {
	char *text;
	size_t used, room;
};

/* one conversion */
struct conversion {
	char flags[MAX_FLAGS];	/* flags, width, precision */
	bool is_long;
	char kind;
	const char *end;	/* what follows it in the format */
};

static int bad(const char *what)
{
	return pd_error(EBADMSG, "the log holds %s", what);
}

static int make_room(struct text *t, size_t bytes)
{
	size_t room = t->room ? t->room : 256;
	char *more;

	if (bytes > MAX_TEXT - t->used)
		return bad("more than 64 MiB of text");
	while (room - t->used <= bytes)
		room *= 2;
	if (room == t->room)
		return 0;
	more = realloc(t->text, room);
	if (!more)
		return pd_error(ENOMEM, "no memory for a log");
	t->text = more;
	t->room = room;
	return 0;
}

__attribute__((format(printf, 2, 3)))
static int add_log(struct text *t, const char *format, ...)
{
	va_list args;
	int n, ret;

	va_start(args, format);
	n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	ret = n < 0 ? bad("a format that printf does not know") :
		      make_room(t, (size_t)n);
	if (ret)
		return ret;
	va_start(args, format);
	vsnprintf(t->text + t->used, t->room - t->used, format, args);
	va_end(args);
	t->used += (size_t)n;
	return 0;
}

/* whether a width or a precision asks for more than is given */
static bool too_wide(const char *flags)
{
	unsigned int n = 0;

	for (; *flags; flags++) {
		if (*flags < '0' || *flags > '9')
			n = 0;
		else
			n = 10 * n + (unsigned int)(*flags - '0');
		if (n > MAX_NUMBER)
			return true;
	}
	return false;
}

static bool parse_conversion(const char *at, struct conversion *c)
{
	size_t n = 0;

	memset(c, 0, sizeof(*c));
	for (at++; *at && strchr("-+ #0123456789.", *at); at++) {
		if (n == sizeof(c->flags) - 1)
			return false;
		c->flags[n++] = *at;
	}
	for (; *at && strchr("hlLqjzt", *at); at++)
		c->is_long |= *at == 'l' || *at == 'q' || *at == 'j';
	c->kind = *at;
	c->end = at + 1;
	return c->kind && strchr("diuxXopcsbeEfFgG%", c->kind);
}

/* the string that an argument says the place of, within its record */
static const char *string_at(const struct record *record, uint64_t offset)
{
	if (offset >= record->length ||
	    !memchr(record->bytes + offset, 0, record->length - offset))
		return NULL;
	return (const char *)record->bytes + offset;
}

static int add_bits(struct text *t, uint32_t word)
{
	int ret = 0;

	for (unsigned int i = 0; i < 32 && !ret; i++)
		ret = add_log(t, "%u", word >> i & 1);
	return ret;
}

#pragma GCC diagnostic push
/* formats are made of a conversion that has been parsed */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static int add_integer(struct text *t, const struct conversion *c, uint64_t arg)
{
	bool is_signed = c->kind == 'd' || c->kind == 'i';
	char format[MAX_FLAGS + 8];

	if (c->kind == 'p') {
		snprintf(format, sizeof(format), "%%%s#x", c->flags);
		return add_log(t, format, (uint32_t)arg);
	}
	snprintf(format, sizeof(format), "%%%s%s%c", c->flags,
		 c->is_long ? "ll" : "", c->kind);
	if (c->is_long)
		return add_log(t, format, (unsigned long long)arg);
	if (is_signed)
		return add_log(t, format, (int)(uint32_t)arg);
	return add_log(t, format, (uint32_t)arg);
}

static int add_double(struct text *t, const struct conversion *c, uint64_t arg)
{
	char format[MAX_FLAGS + 8];
	double value;

	memcpy(&value, &arg, sizeof(value));
	snprintf(format, sizeof(format), "%%%s%c", c->flags, c->kind);
	return add_log(t, format, value);
}

static int add_string(struct text *t, const struct conversion *c,
		      const struct record *record, uint64_t arg)
{
	const char *string = string_at(record, arg);
	char format[MAX_FLAGS + 8];

	if (!string)
		return bad("a string beyond its record");
	snprintf(format, sizeof(format), "%%%ss", c->flags);
	return add_log(t, format, string);
}

static int add_character(struct text *t, const struct conversion *c,
			 uint64_t arg)
{
	char format[MAX_FLAGS + 8];

	/* a text has no zeros */
	if (!(uint8_t)arg)
		return 0;
	snprintf(format, sizeof(format), "%%%sc", c->flags);
	return add_log(t, format, (int)(uint8_t)arg);
}
#pragma GCC diagnostic pop

static int add_conversion(struct text *t, const struct conversion *c,
			  const struct record *record, uint64_t arg)
{
	switch (c->kind) {
	case 's':
		return add_string(t, c, record, arg);
	case 'c':
		return add_character(t, c, arg);
	case 'b':
		return add_bits(t, (uint32_t)arg);
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
		return add_double(t, c, arg);
	default:
		return add_integer(t, c, arg);
	}
}

static int add_record(struct text *t, const struct record *record)
{
	const char *at = record->format;
	uint32_t nr = 0;
	uint64_t arg;
	int ret = 0;

	while (*at && !ret) {
		size_t plain = strcspn(at, "%");
		struct conversion c;

		if (plain) {
			ret = add_log(t, "%.*s", (int)plain, at);
			at += plain;
			continue;
		}
		if (!parse_conversion(at, &c))
			return bad("a format that printf does not know");
		if (too_wide(c.flags))
			return bad("a width or a precision beyond 4096");
		at = c.end;
		if (c.kind == '%') {
			ret = add_log(t, "%%");
			continue;
		}
		if (nr == record->nr_args)
			return bad("a format with more conversions than arguments");
		memcpy(&arg, record->args + sizeof(arg) * nr++, sizeof(arg));
		ret = add_conversion(t, &c, record, arg);
	}
	return ret;
}

/* the record at the start of so many bytes, checked */
static bool parse_record(const uint8_t *bytes, uint32_t left,
			 struct record *record)
{
	struct pe_log_record head;
	uint32_t before;

	if (left < sizeof(head))
		return false;
	memcpy(&head, bytes, sizeof(head));
	before = (uint32_t)sizeof(head) + 8u * head.nr_args;
	if (head.bytes % 8 || head.bytes > left || before > head.bytes ||
	    !head.format_bytes || head.format_bytes > head.bytes - before ||
	    head.nr_args > MAX_ARGS)
		return false;
	*record = (struct record){
		.bytes = bytes,
		.length = head.bytes,
		.args = bytes + sizeof(head),
		.nr_args = head.nr_args,
		.format = (const char *)bytes + before,
	};
	return !record->format[head.format_bytes - 1];
}

static int add_records(struct text *t, const uint8_t *bytes, uint32_t length)
{
	struct record record;
	int ret = make_room(t, 0);

	if (!ret)
		t->text[0] = '\0';
	while (length && !ret) {
		if (!parse_record(bytes, length, &record))
			return bad("something that is no record");
		ret = add_record(t, &record);
		bytes += record.length;
		length -= record.length;
	}
	return ret;
}

/* where the program of a PE has its struct pe_log */
static int find_log(struct pimdimm *sys, uint32_t pe, struct pimdimm_symbol *at)
{
	struct pimdimm_program *program;
	int ret = 0;

	if (!pd_pe_state(sys))
		return -ENOMEM;
	pthread_mutex_lock(&sys->pe->lock);
	program = sys->pe->pes[pe].program;
	if (!program)
		ret = pd_error(ENOEXEC, "PE %u has no program loaded", pe);
	else if (!program->info.has_log ||
		 pimdimm_program_symbol(program, "__sys_log", at) ||
		 at->space != PIMDIMM_WRAM || at->bytes < sizeof(struct pe_log))
		ret = pd_error(ENOENT, "the program of PE %u does not print", pe);
	pthread_mutex_unlock(&sys->pe->lock);
	return ret;
}

static int read_records(struct pimdimm *sys, uint32_t pe,
			const struct pe_log *log, struct text *t)
{
	uint8_t *bytes = malloc(log->used + 1ul);
	int ret;

	if (!bytes)
		return pd_error(ENOMEM, "no memory for a log");
	ret = pimdimm_read(sys, pe, log->buffer, bytes, log->used);
	if (ret == -EINVAL)
		ret = bad("a buffer beyond the MRAM");
	if (!ret)
		ret = add_records(t, bytes, log->used);
	free(bytes);
	return ret;
}

int pimdimm_log_read(struct pimdimm *sys, uint32_t pe, char **text)
{
	struct pimdimm_symbol at;
	struct text t = { 0 };
	struct pe_log log;
	int ret;

	if (!sys || !text)
		return pd_error(EINVAL, "%s is NULL", sys ? "text" : "sys");
	if (pe >= sys->geometry.nr_pes)
		return pd_error(EINVAL, "pe=%u, expected below %u", pe,
				sys->geometry.nr_pes);
	ret = find_log(sys, pe, &at);
	if (!ret)
		ret = pimdimm_wram_read(sys, pe, at.address, &log, sizeof(log));
	if (ret)
		return ret;
	if (log.lost)
		return pd_error(ENOSPC,
				"the program printed more than the %u bytes of its buffer: STDOUT_BUFFER_INIT",
				log.bytes);
	if (log.used > log.bytes || log.bytes > PE_MRAM_MAX)
		return bad("a size beyond its buffer");
	ret = read_records(sys, pe, &log, &t);
	if (ret)
		free(t.text);
	else
		*text = t.text;
	return ret;
}
