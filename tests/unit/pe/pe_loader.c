// SPDX-License-Identifier: MIT
/* Program files: what the loader makes of good ones, and of all others. */
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "runtime/pe/program/elf.h"
#include "runtime/pe/program/program.h"
#include "tests/unit/pe/pe_image.h"
#include "tests/unit/pe/pe_unit.h"

#define FLIPS	6000

/* a program's file, to be spoilt */
struct file {
	uint8_t *good, *bytes;
	size_t size;
};

static struct file read_file(const char *name)
{
	struct pe_image image = pe_image_read(name);
	struct file f = { .good = image.bytes, .size = image.size };

	f.bytes = malloc(f.size);
	assert_non_null(f.bytes);
	memcpy(f.bytes, f.good, f.size);
	return f;
}

static void free_file(struct file *f)
{
	free(f->good);
	free(f->bytes);
}

static void assert_symbol(const struct pimdimm_program *program,
			  const char *name, enum pimdimm_space space,
			  uint32_t bytes)
{
	struct pimdimm_symbol symbol;

	assert_ok(pimdimm_program_symbol(program, name, &symbol));
	assert_string_equal(symbol.name, name);
	assert_int_equal(symbol.space, space);
	assert_int_equal(symbol.bytes, bytes);
}

static void test_good(void **state)
{
	struct pimdimm_program *program = pe_program("loaded");
	const struct pimdimm_program_info *info = pimdimm_program_info(program);
	struct pimdimm_symbol symbol;
	uint32_t hz;

	(void)state;
	assert_int_equal(info->nr_tasklets, 1);
	assert_int_equal(info->stack_bytes, 1024);
	assert_int_equal(info->mram_bytes, 512 * 8 + 48);
	assert_int_equal(info->has_log, 0);
	assert_true(info->text_bytes > 50 && info->text_bytes < 4096);
	assert_symbol(program, "words", PIMDIMM_WRAM, 20);
	assert_symbol(program, "hidden", PIMDIMM_WRAM, 8);
	assert_symbol(program, "zeros", PIMDIMM_WRAM, 100);
	assert_symbol(program, "constants", PIMDIMM_TEXT, 24);
	assert_symbol(program, "initialised", PIMDIMM_MRAM, 48);
	assert_symbol(program, "uninitialised", PIMDIMM_MRAM, 4096);
	assert_symbol(program, "__sys_used_mram_end", PIMDIMM_MRAM,
		      PE_MRAM_MAX - 4144);
	assert_int_equal(pimdimm_program_symbol(program, "none", &symbol),
			 -ENOENT);
	assert_int_equal(program->nr_mram, 1);
	assert_int_equal(program->mram[0].offset, 4096);
	assert_int_equal(program->mram[0].bytes, 48);
	assert_ok(pimdimm_program_symbol(program, "CLOCKS_PER_SEC", &symbol));
	memcpy(&hz, program->wram + symbol.address, sizeof(hz));
	assert_true(hz > 1000000);
	pimdimm_program_close(program);
	pimdimm_program_close(NULL);
}

static void assert_lines(const char *name)
{
	struct pimdimm_program *program = pe_program(name);
	struct pimdimm_symbol symbol;
	char text[128];

	assert_ok(pimdimm_program_symbol(program, "sum", &symbol));
	assert_ok(pimdimm_program_line(program, symbol.address, text,
				       sizeof(text)));
	if (!strstr(text, "loaded.c:2") || !strstr(text, "(sum)"))
		fail_msg("%s: %s", name, text);
	assert_ok(pimdimm_program_symbol(program, "lineless", &symbol));
	assert_ok(pimdimm_program_line(program, symbol.address, text,
				       sizeof(text)));
	assert_string_equal(text, "lineless+0");
	assert_refused(pimdimm_program_line(program, 0x300000, text,
					    sizeof(text)),
		       ENOENT, "no function");
	pimdimm_program_close(program);
}

/* lines are told by the compiler's own version of DWARF and by older ones */
static void test_lines(void **state)
{
	static const char *const names[] = {
		"loaded", "dwarf2", "dwarf3", "dwarf4",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_lines(names[i]);
}

/* a part of the file with another value in it */
struct spoilt {
	size_t at;
	uint64_t value;
	uint32_t bytes;
	int err;
	const char *word;
};

static void assert_spoilt(struct file *f, const struct spoilt *s)
{
	struct pimdimm_program *program = NULL;

	memcpy(f->bytes, f->good, f->size);
	memcpy(f->bytes + s->at, &s->value, s->bytes);
	assert_refused(pimdimm_program_open_memory(f->bytes, f->size, &program),
		       s->err, s->word);
	assert_null(program);
}

#define HEADER(field, value, err, word)				\
	{ offsetof(Elf64_Ehdr, field), value,			\
	  sizeof(((Elf64_Ehdr *)NULL)->field), err, word }

static void test_headers(void **state)
{
	static const struct spoilt spoilt[] = {
		HEADER(e_ident[0], 0, ENOEXEC, "no ELF file"),
		HEADER(e_ident[EI_CLASS], ELFCLASS32, ENOEXEC, "class 1"),
		HEADER(e_ident[EI_DATA], ELFDATA2MSB, ENOEXEC, "data 2"),
		HEADER(e_machine, 245, ENOEXEC, "UPMEM hardware"),
		HEADER(e_machine, EM_AARCH64, ENOEXEC, "machine 183"),
		HEADER(e_type, ET_DYN, ENOEXEC, "type 3"),
		HEADER(e_type, ET_REL, ENOEXEC, "type 1"),
		HEADER(e_phnum, 0, ENOEXEC, "0 segments"),
		HEADER(e_phnum, 65, ENOEXEC, "65 segments"),
		HEADER(e_phentsize, 32, ENOEXEC, "of 32 bytes"),
		HEADER(e_phoff, UINT64_MAX - 8, ENOEXEC, "segments"),
		HEADER(e_shoff, UINT64_MAX - 8, ENOEXEC, "sections"),
		HEADER(e_shoff, 1u << 30, ENOEXEC, "sections"),
		HEADER(e_shentsize, 0, ENOEXEC, "sections"),
		HEADER(e_shnum, 0, ENOEXEC, "no symbol table"),
		HEADER(e_entry, 0, ENOEXEC, "starts at 0"),
		HEADER(e_entry, PE_TEXT_BASE + 0x10000, ENOEXEC, "starts at"),
	};
	struct file f = read_file("loaded");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(spoilt); i++)
		assert_spoilt(&f, &spoilt[i]);
	free_file(&f);
}

/* where the segment of an address, or of a type, has its header */
static size_t find_segment(const struct file *f, uint32_t type, uint64_t address)
{
	const Elf64_Ehdr *h = (const void *)f->good;
	const Elf64_Phdr *p = (const void *)(f->good + h->e_phoff);

	for (uint32_t i = 0; i < h->e_phnum; i++)
		if (p[i].p_type == type && (!address || p[i].p_vaddr == address))
			return (size_t)((const uint8_t *)&p[i] - f->good);
	fail_msg("no segment %u at %#llx", type, (unsigned long long)address);
	return 0;
}

#define SEGMENT(field, value, err, word)			\
	{ offsetof(Elf64_Phdr, field), value,			\
	  sizeof(((Elf64_Phdr *)NULL)->field), err, word }

static void spoil_segment(struct file *f, uint64_t address,
			  const struct spoilt *spoilt, size_t nr)
{
	size_t at = find_segment(f, PT_LOAD, address);

	for (size_t i = 0; i < nr; i++) {
		struct spoilt s = spoilt[i];

		s.at += at;
		assert_spoilt(f, &s);
	}
}

static void test_segments(void **state)
{
	static const struct spoilt any[] = {
		SEGMENT(p_type, PT_INTERP, ENOEXEC, "static executable"),
		SEGMENT(p_type, PT_TLS, ENOEXEC, "threads' variables"),
		SEGMENT(p_offset, 1u << 30, ENOEXEC, "outside the file"),
		SEGMENT(p_offset, UINT64_MAX, ENOEXEC, "outside the file"),
		SEGMENT(p_filesz, UINT64_MAX, ENOEXEC, "outside the file"),
		SEGMENT(p_vaddr, 0, ENOEXEC, "WRAM, MRAM or text"),
		SEGMENT(p_vaddr, PE_STACK_BASE, ENOEXEC, "WRAM, MRAM or text"),
		SEGMENT(p_vaddr, PE_SHARED, ENOEXEC, "WRAM, MRAM or text"),
		SEGMENT(p_vaddr, 0xffffffffff600000, ENOEXEC, "WRAM, MRAM"),
		SEGMENT(p_memsz, UINT64_MAX, ENOEXEC, "WRAM, MRAM or text"),
	};
	static const struct spoilt wram[] = {
		SEGMENT(p_memsz, 65536, E2BIG, "stacks"),
		SEGMENT(p_memsz, 65544, E2BIG, "data in WRAM take 65544"),
		SEGMENT(p_vaddr, PE_WRAM_BASE + 4, ENOEXEC, "multiple of 8"),
		SEGMENT(p_vaddr, PE_TEXT_BASE + 8, ENOEXEC, "overlap"),
	};
	static const struct spoilt text[] = {
		SEGMENT(p_memsz, 1 << 20, E2BIG, "code and constants"),
	};
	static const struct spoilt mram[] = {
		SEGMENT(p_memsz, PE_MRAM_MAX, E2BIG, "objects in MRAM"),
	};
	struct file f = read_file("loaded");

	(void)state;
	spoil_segment(&f, PE_WRAM_BASE, any, ARRAY_SIZE(any));
	spoil_segment(&f, PE_TEXT_BASE, any, ARRAY_SIZE(any));
	spoil_segment(&f, PE_WRAM_BASE, wram, ARRAY_SIZE(wram));
	spoil_segment(&f, PE_TEXT_BASE, text, ARRAY_SIZE(text));
	spoil_segment(&f, PE_MRAM_BASE + 4096, mram, ARRAY_SIZE(mram));
	free_file(&f);
}

static void test_note(void **state)
{
	struct file f = read_file("loaded");
	const Elf64_Phdr *p = (const void *)(f.good + find_segment(&f, PT_NOTE, 0));
	size_t note = p->p_offset + sizeof(Elf64_Nhdr) + sizeof(PE_NOTE_NAME);
	const struct spoilt spoilt[] = {
		{ p->p_offset, 99, 4, ENOEXEC,
		  "for " PD_ELF_MACHINE_NAME ", but none for PEs: it has no note" },
		{ note - 8, 'x', 1, ENOEXEC, "no note" },
		{ note, 99, 4, ENOEXEC, "version 99" },
		{ note + offsetof(struct pe_note, nr_tasklets), 0, 4, ENOEXEC,
		  "0 tasklets" },
		{ note + offsetof(struct pe_note, nr_tasklets), 25, 4, ENOEXEC,
		  "25 tasklets" },
		{ note + offsetof(struct pe_note, stack_bytes), 12, 4, ENOEXEC,
		  "12 for tasklet 0" },
		{ note + offsetof(struct pe_note, stack_bytes), 65536, 4, E2BIG,
		  "stacks exceed" },
		{ note + offsetof(struct pe_note, stack_bytes), 0xfffffff8, 4,
		  ENOEXEC, "multiple of 8 up to 65536" },
		{ note + offsetof(struct pe_note, flags), PE_NOTE_LOG, 4, ENOEXEC,
		  "no __sys_log" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(spoilt); i++) {
		struct spoilt s = spoilt[i];

		if (strstr(s.word, "12 for"))
			s.word = "a stack of 12 bytes";
		assert_spoilt(&f, &s);
	}
	free_file(&f);
}

static size_t find_symbol(const struct file *f, const char *name)
{
	const Elf64_Ehdr *h = (const void *)f->good;
	const Elf64_Shdr *s = (const void *)(f->good + h->e_shoff);
	const Elf64_Sym *sym;

	while (s->sh_type != SHT_SYMTAB)
		s++;
	sym = (const void *)(f->good + s->sh_offset);
	s = (const Elf64_Shdr *)(const void *)(f->good + h->e_shoff) + s->sh_link;
	while (strcmp((const char *)f->good + s->sh_offset + sym->st_name, name))
		sym++;
	return (size_t)((const uint8_t *)sym - f->good);
}

#define SYMBOL(field, value, err, word)				\
	{ offsetof(Elf64_Sym, field), value,			\
	  sizeof(((Elf64_Sym *)NULL)->field), err, word }

static void test_symbols(void **state)
{
	static const struct spoilt spoilt[] = {
		SYMBOL(st_shndx, SHN_UNDEF, ENOEXEC, "words is undefined"),
		SYMBOL(st_name, UINT32_MAX, ENOEXEC, "outside the table"),
		SYMBOL(st_value, 0x1000, ENOEXEC, "words, 20 bytes at 0x1000"),
		SYMBOL(st_value, PE_WRAM_BASE + 65535, ENOEXEC, "no memory"),
		SYMBOL(st_size, UINT64_MAX, ENOEXEC, "no memory of a PE"),
		SYMBOL(st_size, 65537, ENOEXEC, "no memory of a PE"),
	};
	struct file f = read_file("loaded");
	size_t words = find_symbol(&f, "words");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(spoilt); i++) {
		struct spoilt s = spoilt[i];

		s.at += words;
		assert_spoilt(&f, &s);
	}
	free_file(&f);
}

static void test_tables(void **state)
{
	struct file f = read_file("loaded");
	const Elf64_Ehdr *h = (const void *)f.good;
	const Elf64_Shdr *s = (const void *)(f.good + h->e_shoff);
	size_t at, names;

	(void)state;
	while (s->sh_type != SHT_SYMTAB)
		s++;
	at = (size_t)((const uint8_t *)s - f.good);
	names = h->e_shoff + s->sh_link * sizeof(*s);
	s = (const void *)(f.good + names);
	{
		const struct spoilt spoilt[] = {
			{ at + offsetof(Elf64_Shdr, sh_entsize), 8, 8, ENOEXEC,
			  "symbol table" },
			{ at + offsetof(Elf64_Shdr, sh_offset), UINT64_MAX, 8,
			  ENOEXEC, "symbol table" },
			{ at + offsetof(Elf64_Shdr, sh_size), UINT64_MAX / 24 * 24,
			  8, ENOEXEC, "symbol table" },
			{ at + offsetof(Elf64_Shdr, sh_link), 999, 4, ENOEXEC,
			  "symbol table" },
			{ names + offsetof(Elf64_Shdr, sh_size), 0, 8, ENOEXEC,
			  "names of its symbols" },
			{ s->sh_offset + s->sh_size - 1, 'x', 1, ENOEXEC,
			  "names of its symbols" },
		};

		for (size_t i = 0; i < ARRAY_SIZE(spoilt); i++)
			assert_spoilt(&f, &spoilt[i]);
	}
	free_file(&f);
}

/* What is opened, however it came about, keeps what its users rely on. */
static void assert_sound(const struct pimdimm_program *p)
{
	char text[64];

	assert_in_range(p->info.nr_tasklets, 1, PE_MAX_TASKLETS);
	assert_true(p->info.wram_bytes + p->info.stack_bytes <= PE_WRAM_BYTES);
	assert_true(p->wram_image_bytes <= p->info.wram_bytes + 7);
	assert_true(p->info.mram_bytes <= PE_MRAM_MAX);
	assert_true(p->text_bytes <= PE_TEXT_MAX && p->text_bytes % PE_PAGE == 0);
	assert_true(p->entry - PE_TEXT_BASE < p->text_bytes);
	for (uint32_t i = 0; i < p->nr_mram; i++)
		assert_true((p->mram[i].offset | p->mram[i].bytes) % 8 == 0 &&
			    p->mram[i].bytes <= p->info.mram_bytes &&
			    p->mram[i].offset <=
				    p->info.mram_bytes - p->mram[i].bytes);
	for (uint32_t i = 0; i < p->nr_symbols; i++) {
		struct pimdimm_symbol found;

		assert_ok(pimdimm_program_symbol(p, p->symbols[i].name, &found));
		assert_string_equal(found.name, p->symbols[i].name);
	}
	for (uint32_t address = 0; address < p->info.text_bytes; address += 7)
		pimdimm_program_line(p, address, text, sizeof(text));
}

/* Opened or refused, and refused in words. */
static bool try_open(const uint8_t *bytes, size_t size)
{
	struct pimdimm_program *program = NULL;
	int err = pimdimm_program_open_memory(bytes, size, &program);

	if (!err) {
		assert_sound(program);
		pimdimm_program_close(program);
		return true;
	}
	if (err != -ENOEXEC && err != -E2BIG)
		fail_msg("%d: %s", err, pimdimm_errmsg());
	assert_true(strlen(pimdimm_errmsg()) > 20);
	return false;
}

/* Bytes of the headers more often than others: what they say leads astray. */
static size_t somewhere(const struct file *f, struct rng *rng)
{
	const Elf64_Ehdr *h = (const void *)f->good;

	switch (rng_next(rng) % 4) {
	case 0:
		return rng_next(rng) %
		       (sizeof(*h) + h->e_phnum * sizeof(Elf64_Phdr));
	case 1:
		return h->e_shoff +
		       rng_next(rng) % (h->e_shnum * sizeof(Elf64_Shdr));
	default:
		return rng_next(rng) % f->size;
	}
}

static void test_flips(void **state)
{
	struct file f = read_file("loaded");
	uint32_t opened = 0;

	(void)state;
	for (uint32_t i = 0; i < FLIPS; i++) {
		struct rng rng = rng_of(4, i);
		uint32_t flips = 1 + rng_next(&rng) % 4;

		memcpy(f.bytes, f.good, f.size);
		while (flips--) {
			static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };
			uint64_t random = rng_next(&rng);
			size_t at = somewhere(&f, &rng);

			f.bytes[at] = random & 1 ? values[random / 2 % 5] :
						   (uint8_t)(random >> 8);
		}
		opened += try_open(f.bytes, f.size);
	}
	/* the test would not be one if all went one way */
	assert_in_range(opened, FLIPS / 20, FLIPS * 19 / 20);
	free_file(&f);
}

static void test_truncated(void **state)
{
	struct file f = read_file("loaded");

	(void)state;
	for (size_t size = 0; size < f.size; size += 1 + size / 64) {
		/* its own allocation, so that a byte too far is noticed */
		uint8_t *part = malloc(size + 1);

		assert_non_null(part);
		memcpy(part + 1, f.good, size);
		assert_false(try_open(part + 1, size));
		free(part);
	}
	free_file(&f);
}

static void test_files(void **state)
{
	struct pimdimm_program *program;
	char fifo[] = "/tmp/pe_loaderXXXXXX";

	(void)state;
	assert_refused(pimdimm_program_open("/nonexistent", &program), ENOENT,
		       "/nonexistent");
	assert_refused(pimdimm_program_open("/tmp", &program), ENOEXEC, "/tmp");
	assert_refused(pimdimm_program_open("/dev/zero", &program), ENOEXEC,
		       "/dev/zero");
	assert_refused(pimdimm_program_open("/proc/self/exe", &program), ENOEXEC,
		       "/proc/self/exe: program");
	assert_refused(pimdimm_program_open(NULL, &program), EINVAL, "path");
	assert_refused(pimdimm_program_open_memory(NULL, 5, &program), EINVAL,
		       "image");
	assert_int_equal(close(mkstemp(fifo)), 0);
	assert_refused(pimdimm_program_open(fifo, &program), ENOEXEC, fifo);
	assert_int_equal(unlink(fifo) || mkfifo(fifo, 0600), 0);
	assert_refused(pimdimm_program_open(fifo, &program), ENOEXEC, fifo);
	unlink(fifo);
}

/* What the library looks for in a program, and need not find, is its own affair. */
static void test_message_stays(void **state)
{
	struct pimdimm *sys = NULL;
	char kept[512];
	struct pe_unit u;

	(void)state;
	assert_refused(pimdimm_open("mem:ranks=zwei", &sys), EINVAL, "zwei");
	snprintf(kept, sizeof(kept), "%s", pimdimm_errmsg());
	pe_unit_open(&u, "mem:ranks=1,mram=64K", "hello", 8);
	assert_ok(pe_unit_run(&u));
	assert_string_equal(pimdimm_errmsg(), kept);
	pe_unit_close(&u);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_good),
	cmocka_unit_test(test_lines),
	cmocka_unit_test(test_headers),
	cmocka_unit_test(test_segments),
	cmocka_unit_test(test_note),
	cmocka_unit_test(test_symbols),
	cmocka_unit_test(test_tables),
	cmocka_unit_test(test_flips),
	cmocka_unit_test(test_truncated),
	cmocka_unit_test(test_files),
	cmocka_unit_test(test_message_stays),
};

UNIT_MAIN(tests)
