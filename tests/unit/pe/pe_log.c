// SPDX-License-Identifier: MIT
/* Logs of PEs as text: what they printed, and what no printf writes. */
#include "tests/unit/pe/pe_unit.h"

#define LOG_BYTES	(1u << 20)
#define ROOM		8192

struct draft {
	uint8_t bytes[ROOM];
	uint32_t used;
};

static struct pe_unit u;

/* a record of a format and arguments; text: bytes behind the format */
static void put_record(struct draft *d, const char *format, uint32_t nr_args,
		       const uint64_t *args, const char *text)
{
	struct pe_log_record head = {
		.nr_args = (uint16_t)nr_args,
		.format_bytes = (uint16_t)(strlen(format) + 1),
	};
	uint32_t bytes = (uint32_t)(sizeof(head) + 8 * nr_args +
				    head.format_bytes + strlen(text) + 1);
	uint8_t *at = d->bytes + d->used;

	head.bytes = (bytes + 7) & ~7u;
	memcpy(at, &head, sizeof(head));
	if (nr_args)
		memcpy(at + sizeof(head), args, 8 * nr_args);
	strcpy((char *)at + sizeof(head) + 8 * nr_args, format);
	strcpy((char *)at + sizeof(head) + 8 * nr_args + head.format_bytes, text);
	d->used += head.bytes;
}

static void set_log(const struct draft *d, uint32_t lost)
{
	struct pe_log log = { 0, LOG_BYTES, d->used, lost };

	pe_set(&u, 3, "__sys_log", &log, sizeof(log));
	assert_ok(pimdimm_write(u.sys, 3, 0, d->bytes, sizeof(d->bytes)));
}

static void says(const struct draft *d, const char *expected)
{
	char *text = NULL;

	set_log(d, 0);
	assert_ok(pimdimm_log_read(u.sys, 3, &text));
	assert_string_equal(text, expected);
	free(text);
}

static void refused(const struct draft *d, const char *word)
{
	char *text = NULL;

	set_log(d, 0);
	assert_refused(pimdimm_log_read(u.sys, 3, &text), EBADMSG, word);
	assert_null(text);
}

static void test_text(void **state)
{
	const double real = 2.5;
	uint64_t args[8] = { (uint64_t)-1, 4000000000u, (uint64_t)-2, 1ull << 40,
			     'x', 0, 0, 0x401000 };
	const char *format = "%d %u %ld %lx %c%% [%-4s] %6.2f %p\n";
	struct draft d = { 0 };

	(void)state;
	says(&d, "");
	memcpy(&args[6], &real, 8);
	args[5] = sizeof(struct pe_log_record) + 8 * 8 + strlen(format) + 1;
	put_record(&d, format, 8, args, "str");
	says(&d, "-1 4000000000 -2 10000000000 x% [str ]   2.50 0x401000\n");
	put_record(&d, "and more\n", 0, NULL, "");
	says(&d, "-1 4000000000 -2 10000000000 x% [str ]   2.50 0x401000\n"
		 "and more\n");
}

/* A program may write anything there: none of it is believed. */
static void test_hostile(void **state)
{
	static const char *const formats[] = {
		"%n", "%5000d", "%.4097f", "%-0000000000009999s", "%", "%l",
		"%*d", "%d%d", "%123456789012345678d",
	};
	const uint64_t far = 1 << 20;
	struct draft d;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		d = (struct draft){ 0 };
		put_record(&d, formats[i], 1, &far, "");
		refused(&d, "the log holds");
	}
	d = (struct draft){ 0 };
	put_record(&d, "%s", 1, &far, "");
	refused(&d, "a string beyond its record");
	d = (struct draft){ .used = 64 };
	refused(&d, "no record");
	memset(d.bytes, 0xff, sizeof(d.bytes));
	refused(&d, "no record");
	d.used = LOG_BYTES + 8;
	refused(&d, "a size beyond");
	/* as many wide columns as a log has room for */
	d = (struct draft){ 0 };
	while (d.used < ROOM - 64)
		put_record(&d, "%4096d", 1, &far, "");
	set_log(&d, 0);
	for (uint32_t at = 0; at < LOG_BYTES; at += d.used)
		if (at + d.used <= LOG_BYTES)
			assert_ok(pimdimm_write(u.sys, 3, at, d.bytes, d.used));
	d.used *= LOG_BYTES / d.used;
	pe_set(&u, 3, "__sys_log",
	       &(struct pe_log){ 0, LOG_BYTES, d.used, 0 },
	       sizeof(struct pe_log));
	assert_refused(pimdimm_log_read(u.sys, 3, &(char *){ NULL }), EBADMSG,
		       "64 MiB");
}

static void test_refused(void **state)
{
	const uint32_t first = 0;
	struct draft d = { 0 };
	struct pimdimm_program *other = pe_program("hello");
	struct pimdimm *small;
	char *text = NULL;

	(void)state;
	set_log(&d, 1);
	assert_refused(pimdimm_log_read(u.sys, 3, &text), ENOSPC,
		       "STDOUT_BUFFER_INIT");
	assert_refused(pimdimm_log_read(u.sys, 20, &text), ENOEXEC, "PE 20");
	assert_refused(pimdimm_log_read(u.sys, 64, &text), EINVAL, "pe=64");
	assert_refused(pimdimm_log_read(NULL, 0, &text), EINVAL, "sys");
	assert_refused(pimdimm_log_read(u.sys, 3, NULL), EINVAL, "text");
	assert_ok(pimdimm_load(u.sys, &first, 1, other));
	assert_refused(pimdimm_log_read(u.sys, 0, &text), ENOENT,
		       "does not print");
	pimdimm_program_close(other);
	small = unit_open("mem:ranks=1,mram=64K");
	assert_refused(pimdimm_load(small, &first, 1, u.program), E2BIG,
		       "printf");
	pimdimm_close(small);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_refused),
	};
	int ret;

	unit_start();
	/* the default system has the megabyte that a log takes */
	pe_unit_open(&u, "mem:ranks=1", "prints", 8);
	ret = cmocka_run_group_tests(tests, NULL, NULL);
	pe_unit_close(&u);
	return ret;
}
