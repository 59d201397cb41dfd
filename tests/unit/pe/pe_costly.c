// SPDX-License-Identifier: MIT
/*
 * Files of PE programs that would cost the host dear, or say to a terminal what it
 * obeys. What takes time here without end, or nearly, ends with the test's limit.
 */
#include <pimdimm/program.h>

#include "runtime/pe/shared/abi.h"
#include "tests/unit/pe/pe_image.h"
#include "tests/unit/pe/pe_unit.h"

#define NAMES_BYTES	(8u << 20)
#define NR_SYMBOLS	(NAMES_BYTES / sizeof(Elf64_Sym))
#define NR_ENTRIES	(1u << 20)

/* Symbols whose names begin a byte apart, in long runs of one letter. */
static struct pe_image with_long_names(size_t run)
{
	struct pe_image f = pe_image_read("hello");
	Elf64_Sym *symbols = calloc(NR_SYMBOLS, sizeof(*symbols));
	char *names = malloc(NAMES_BYTES);

	assert_true(symbols && names);
	for (size_t i = 0; i < NAMES_BYTES; i++)
		names[i] = i % run ? 'a' : '\0';
	names[NAMES_BYTES - 1] = '\0';
	for (size_t i = 1; i < NR_SYMBOLS; i++) {
		symbols[i] = (Elf64_Sym){
			.st_name = (uint32_t)i,
			.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
			.st_shndx = 1,
			.st_value = PE_WRAM_BASE,
		};
	}
	pe_image_replace(&f, ".symtab", symbols, NR_SYMBOLS * sizeof(*symbols));
	pe_image_replace(&f, ".strtab", names, NAMES_BYTES);
	free(symbols);
	free(names);
	return f;
}

static void test_names(void **state)
{
	struct pimdimm_program *program;
	struct pe_image f;

	(void)state;
	f = with_long_names(NAMES_BYTES);
	assert_refused(pimdimm_program_open_memory(f.bytes, f.size, &program),
		       ENOEXEC, "more than 4095 bytes");
	free(f.bytes);
	f = with_long_names(4000);
	assert_refused(pimdimm_program_open_memory(f.bytes, f.size, &program),
		       ENOEXEC, "times the file's bytes");
	free(f.bytes);
	/* as many as any compiler would make of it */
	f = with_long_names(40);
	assert_ok(pimdimm_program_open_memory(f.bytes, f.size, &program));
	pimdimm_program_close(program);
	free(f.bytes);
}

struct bytes {
	uint8_t *p;
	size_t n;
};

static void put_number(struct bytes *b, uint64_t value, size_t bytes)
{
	memcpy(b->p + b->n, &value, bytes);
	b->n += bytes;
}

/* A unit of DWARF 5 with so many files, the names of all but one without an end. */
static struct bytes many_files(uint32_t named)
{
	struct bytes b = { malloc(4 * NR_ENTRIES + 4096), 0 };
	size_t header;

	assert_non_null(b.p);
	put_number(&b, 0, 4);			/* length */
	put_number(&b, 5, 2);
	put_number(&b, 8, 1);
	put_number(&b, 0, 1);
	put_number(&b, 0, 4);			/* of the header */
	header = b.n;
	put_number(&b, 0x010101, 3);
	put_number(&b, 0, 1);			/* line_base */
	put_number(&b, 14, 1);
	put_number(&b, 1, 1);			/* opcode_base: no standard opcodes */
	put_number(&b, 0, 2);			/* no directories */
	put_number(&b, 1, 1);
	put_number(&b, 0x0e01, 2);		/* path: DW_FORM_strp */
	put_number(&b, 0x408080, 3);		/* 1 << 20 entries */
	for (uint32_t i = 0; i < NR_ENTRIES; i++)
		put_number(&b, i == named ? NAMES_BYTES - 8 : i, 4);
	memcpy(b.p + header - 4, &(uint32_t){ (uint32_t)(b.n - header) }, 4);
	put_number(&b, 0, 1);			/* DW_LNE_set_address */
	put_number(&b, 9, 1);
	put_number(&b, 2, 1);
	put_number(&b, PE_TEXT_BASE, 8);
	put_number(&b, 1, 1);			/* a row */
	put_number(&b, 1 + 14 * 16, 1);
	put_number(&b, 1 + 14 * 16, 1);
	memcpy(b.p, &(uint32_t){ (uint32_t)(b.n - 4) }, 4);
	return b;
}

static void test_lines(void **state)
{
	struct pe_image f = pe_image_read("hello");
	char *names = malloc(NAMES_BYTES), line[256];
	struct pimdimm_program *program;
	struct bytes unit = many_files(1);

	(void)state;
	memset(names, 'a', NAMES_BYTES);
	memcpy(names + NAMES_BYTES - 8, "file.c", 7);
	pe_image_replace(&f, ".debug_str", names, NAMES_BYTES);
	pe_image_replace(&f, ".debug_line", unit.p, unit.n);
	assert_ok(pimdimm_program_open_memory(f.bytes, f.size, &program));
	assert_ok(pimdimm_program_line(program, 0, line, sizeof(line)));
	assert_non_null(strstr(line, "file.c:1 "));
	pimdimm_program_close(program);
	free(unit.p);
	free(names);
	free(f.bytes);
}

#define NR_ATTRIBUTES	(1u << 20)

/* Entries of a byte each, with as many attributes that take none. */
static void test_entries(void **state)
{
	struct pe_image f = pe_image_read("hello");
	struct bytes abbrevs = { malloc(2 * NR_ATTRIBUTES + 64), 0 };
	struct bytes info = { malloc(NR_ENTRIES + 64), 0 };
	struct pimdimm_program *program;
	char line[256];

	(void)state;
	assert_true(abbrevs.p && info.p);
	put_number(&abbrevs, 0x011101, 3);	/* a unit, with children, */
	put_number(&abbrevs, 0x0111, 2);	/* an address, */
	put_number(&abbrevs, 0x0712, 2);	/* so many bytes of code */
	put_number(&abbrevs, 0, 2);
	put_number(&abbrevs, 0x012e02, 3);	/* functions */
	for (uint32_t i = 0; i < NR_ATTRIBUTES; i++)
		put_number(&abbrevs, 0x193f, 2);
	put_number(&abbrevs, 0, 3);
	put_number(&info, NR_ENTRIES + 24, 4);
	put_number(&info, 4, 2);
	put_number(&info, 0, 4);
	put_number(&info, 8, 1);
	put_number(&info, 1, 1);
	put_number(&info, PE_TEXT_BASE, 8);
	put_number(&info, 4096, 8);
	memset(info.p + info.n, 2, NR_ENTRIES);
	info.n += NR_ENTRIES;
	pe_image_replace(&f, ".debug_info", info.p, info.n);
	pe_image_replace(&f, ".debug_abbrev", abbrevs.p, abbrevs.n);
	assert_ok(pimdimm_program_open_memory(f.bytes, f.size, &program));
	assert_ok(pimdimm_program_line(program, 0, line, sizeof(line)));
	assert_non_null(strstr(line, "hello.c:"));
	pimdimm_program_close(program);
	free(abbrevs.p);
	free(info.p);
	free(f.bytes);
}

/* Have escapes instead of the letters 'e' of a name, wherever it is. */
static void escape(struct pe_image *f, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i + n <= f->size; i++) {
		if (memcmp(f->bytes + i, name, n))
			continue;
		for (size_t j = 0; j < n; j++) {
			if (name[j] == 'e')
				f->bytes[i + j] = '\033';
		}
	}
}

static void assert_printable(const char *text)
{
	for (const char *c = text; *c; c++) {
		if (*c < ' ' || *c > '~')
			fail_msg("byte %#x in: %s", (unsigned char)*c, text);
	}
	assert_non_null(strchr(text, '?'));
}

static void test_escapes(void **state)
{
	struct pimdimm *sys = unit_open("mem:ranks=1,mram=256K");
	struct pimdimm_run run = { .size = sizeof(run), .timeout_ms = 20000 };
	struct pe_image f = pe_image_read("hostile");
	struct pimdimm_program *program;
	struct pimdimm_symbol act;
	uint32_t breakpoint = 19;
	const uint32_t pe = 0;

	(void)state;
	escape(&f, "breakpoint");
	escape(&f, "hostile.c");
	assert_ok(pimdimm_program_open_memory(f.bytes, f.size, &program));
	assert_ok(pimdimm_load(sys, &pe, 1, program));
	assert_ok(pimdimm_program_symbol(program, "act", &act));
	assert_ok(pimdimm_wram_write(sys, pe, act.address, &breakpoint, 4));
	assert_int_equal(pimdimm_run(sys, &pe, 1, &run), -EFAULT);
	assert_non_null(strstr(run.first.text, "br?akpoint"));
	assert_printable(run.first.text);
	assert_printable(pimdimm_errmsg());
	pimdimm_program_close(program);
	pimdimm_close(sys);
	free(f.bytes);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_names),
	cmocka_unit_test(test_lines),
	cmocka_unit_test(test_entries),
	cmocka_unit_test(test_escapes),
};

UNIT_MAIN(tests)
