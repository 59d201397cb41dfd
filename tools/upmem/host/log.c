// SPDX-License-Identifier: MIT
/*
 * What DPUs print: records in MRAM, each with its format and arguments. The
 * program that wrote them may have written anything, so nothing in them is
 * believed.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <dpu_log.h>
#include <dpu_log_internals.h>

#include "host.h"
#include "pe/abi.h"

#define MAX_ARGS	64
#define MAX_WIDTH	16	/* characters of one conversion */
/* what they may ask for: far more than a line, and no matter for the host */
#define MAX_NUMBER	4096

struct record {
	const uint8_t *bytes;
	uint32_t length;
	const uint64_t *args;
	uint32_t nr_args;
	const char *format;
};

struct output {
	dpu_log_print_fct_t print;
	void *arg;
};

/* one conversion, as it is handed to print */
struct conversion {
	char flags[MAX_WIDTH];	/* flags, width, precision */
	bool is_long;
	char kind;
	const char *end;	/* what follows it in the format */
};

static dpu_error_t bad(const char *what)
{
	return host_fail(DPU_ERR_LOG_FORMAT, "the log holds %s", what);
}

/* whether a width or a precision asks for more than is given */
static bool too_wide(const char *flags)
{
	for (; *flags; flags++) {
		unsigned int n = 0;

		for (; *flags >= '0' && *flags <= '9'; flags++) {
			n = 10 * n + (unsigned int)(*flags - '0');
			if (n > MAX_NUMBER)
				return true;
		}
		if (!*flags)
			break;
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

static dpu_error_t print_bits(const struct output *out, uint32_t word)
{
	dpu_error_t status = DPU_OK;

	for (unsigned int i = 0; i < 32 && status == DPU_OK; i++)
		status = out->print(out->arg, "%u", word >> i & 1);
	return status;
}

static dpu_error_t print_integer(const struct output *out,
				 const struct conversion *c, uint64_t arg)
{
	bool is_signed = c->kind == 'd' || c->kind == 'i';
	char format[MAX_WIDTH + 8];

	if (c->kind == 'p') {
		snprintf(format, sizeof(format), "%%%s#x", c->flags);
		return out->print(out->arg, format, (uint32_t)arg);
	}
	snprintf(format, sizeof(format), "%%%s%s%c", c->flags,
		 c->is_long ? "ll" : "", c->kind);
	if (c->is_long)
		return out->print(out->arg, format, (unsigned long long)arg);
	if (is_signed)
		return out->print(out->arg, format, (int)(uint32_t)arg);
	return out->print(out->arg, format, (uint32_t)arg);
}

static dpu_error_t print_double(const struct output *out,
				const struct conversion *c, uint64_t arg)
{
	char format[MAX_WIDTH + 8];
	double value;

	memcpy(&value, &arg, sizeof(value));
	snprintf(format, sizeof(format), "%%%s%c", c->flags, c->kind);
	return out->print(out->arg, format, value);
}

static dpu_error_t print_string(const struct output *out,
				const struct conversion *c,
				const struct record *record, uint64_t arg)
{
	const char *string = string_at(record, arg);
	char format[MAX_WIDTH + 8];

	if (!string)
		return bad("a string beyond its record");
	snprintf(format, sizeof(format), "%%%ss", c->flags);
	return out->print(out->arg, format, string);
}

static dpu_error_t print_conversion(const struct output *out,
				    const struct conversion *c,
				    const struct record *record, uint64_t arg)
{
	switch (c->kind) {
	case 's':
		return print_string(out, c, record, arg);
	case 'c': {
		char format[MAX_WIDTH + 8];

		snprintf(format, sizeof(format), "%%%sc", c->flags);
		return out->print(out->arg, format, (int)(uint8_t)arg);
	}
	case 'b':
		return print_bits(out, (uint32_t)arg);
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
		return print_double(out, c, arg);
	default:
		return print_integer(out, c, arg);
	}
}

static dpu_error_t print_record(const struct output *out,
				const struct record *record)
{
	const char *at = record->format;
	dpu_error_t status = DPU_OK;
	uint32_t arg = 0;

	while (*at && status == DPU_OK) {
		size_t plain = strcspn(at, "%");
		struct conversion c;

		if (plain) {
			status = out->print(out->arg, "%.*s", (int)plain, at);
			at += plain;
			continue;
		}
		if (!parse_conversion(at, &c))
			return bad("a format that printf does not know");
		if (too_wide(c.flags))
			return bad("a width or a precision beyond 4096");
		at = c.end;
		if (c.kind == '%')
			status = out->print(out->arg, "%%");
		else if (arg == record->nr_args)
			return bad("a format with more conversions than arguments");
		else
			status = print_conversion(out, &c, record,
						  record->args[arg++]);
	}
	return status;
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
		.args = (const uint64_t *)(const void *)(bytes + sizeof(head)),
		.nr_args = head.nr_args,
		.format = (const char *)bytes + before,
	};
	return !record->format[head.format_bytes - 1];
}

static dpu_error_t print_log(const struct output *out, const uint8_t *bytes,
			     uint32_t length)
{
	dpu_error_t status = DPU_OK;
	struct record record;

	while (length && status == DPU_OK) {
		if (!parse_record(bytes, length, &record))
			return bad("something that is no record");
		status = print_record(out, &record);
		bytes += record.length;
		length -= record.length;
	}
	return status;
}

struct log_op {
	struct op op;
	struct pe_log log;
	uint8_t *bytes;
};

static dpu_error_t find_log(const struct dpu_t *dpu, struct pimdimm_symbol *at)
{
	if (dpu->program &&
	    !pimdimm_program_symbol(dpu->program->program, "__sys_log", at) &&
	    at->space == PIMDIMM_WRAM && at->bytes >= sizeof(struct pe_log))
		return DPU_OK;
	return host_fail(DPU_ERR_LOG_CONTEXT_MISSING, "%s",
			 dpu->program ? "the program does not print" :
					"no program is loaded");
}

/* the log, which lies in the DPU's memories, into memory of our own */
static dpu_error_t run_log(struct op *op)
{
	struct log_op *log = (struct log_op *)op;
	struct pimdimm *sys = host_system();
	uint32_t pe = op->on.one->state->first_pe + dpu_place(op->on.dpu);
	struct pimdimm_symbol at;
	dpu_error_t status = find_log(op->on.dpu, &at);
	int ret;

	if (status != DPU_OK)
		return status;
	ret = pimdimm_wram_read(sys, pe, at.address, &log->log,
				sizeof(log->log));
	if (ret)
		return host_fail_errno(ret, "log");
	if (log->log.lost)
		return host_fail(DPU_ERR_LOG_BUFFER_TOO_SMALL,
				 "the program printed more than the %u bytes of its buffer: STDOUT_BUFFER_INIT",
				 log->log.bytes);
	if (log->log.used > log->log.bytes || log->log.bytes > PE_MRAM_MAX)
		return bad("a size beyond its buffer");
	log->bytes = malloc(log->log.used + 1);
	if (!log->bytes)
		return host_fail(DPU_ERR_SYSTEM, "no memory for a log");
	ret = pimdimm_read(sys, pe, log->log.buffer, log->bytes, log->log.used);
	return ret ? bad("a buffer beyond the MRAM") : DPU_OK;
}

DPU_API dpu_error_t dpulog_read_for_dpu_(struct dpu_t *dpu,
					 dpu_log_print_fct_t print_fct,
					 void *arg)
{
	struct log_op log = { .op.type = JOB_SYNC, .op.run = run_log };
	struct output out = { .print = print_fct, .arg = arg };
	struct dpu_set_t set = dpu_set_from_dpu(dpu);
	dpu_error_t status;

	if (!dpu->enabled)
		return host_fail(DPU_ERR_DPU_DISABLED, "DPU %#x is disabled",
				 dpu_get_id(dpu));
	members_of(&set, &log.op.on);
	status = op_do(&log.op);
	if (status == DPU_OK)
		status = print_log(&out, log.bytes, log.log.used);
	free(log.bytes);
	return status;
}

DPU_API dpu_error_t dpulog_c_print_fct(void *arg, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vfprintf(arg, fmt, args);
	va_end(args);
	return DPU_OK;
}

DPU_API dpu_error_t dpulog_read_for_dpu(struct dpu_t *dpu, FILE *stream)
{
	return dpulog_read_for_dpu_(dpu, dpulog_c_print_fct, stream);
}

DPU_API dpu_error_t dpu_log_read(struct dpu_set_t set, FILE *stream)
{
	struct dpu_t *dpu = dpu_from_set(set);

	if (!dpu)
		return host_fail(DPU_ERR_INVALID_DPU_SET,
				 "a log is that of a single DPU");
	fprintf(stream, DPU_LOG_FORMAT_HEADER, dpu_get_id(dpu));
	return dpulog_read_for_dpu(dpu, stream);
}
