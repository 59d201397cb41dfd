// SPDX-License-Identifier: MIT
/*
 * Files of PE programs, their line tables and the page that a program shares with
 * the host, mutated at random: under AddressSanitizer nothing of that may be seen.
 * What a case does follows from the seed and its number, which are printed when it
 * fails. FUZZ_SEED=n starts elsewhere, FUZZ_SECONDS=n goes on for so long instead of
 * so many cases, FUZZ_CASE=n runs that case alone.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <pimdimm/program.h>

#include "runtime/base/clock.h"
#include "runtime/pe/broker.h"
#include "runtime/pe/fault.h"
#include "runtime/pe/process/registers.h"
#include "runtime/pe/shared/shared.h"
#include "tests/unit/pe/pe_image.h"

#ifdef __SANITIZE_ADDRESS__
#define CASES	12000
#else
#define CASES	3000
#endif
#define NR_JOBS	2

static const char *const seeds[] = {
	"hello", "loaded", "faults", "divide", "parcels", "tasklets",
	"dwarf2", "dwarf3", "dwarf4", "frames", "frames2", "frames4",
};

static struct pe_image files[ARRAY_SIZE(seeds)];

static uint64_t value(struct rng *rng, uint64_t size)
{
	static const uint64_t odd[] = {
		0, 1, 2, 3, 4, 5, 8, 0x7f, 0x80, 0xff, 0x100, 0xfff, 0x1000,
		0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000,
		0xfffffff0, 0xffffffff, 0x100000000, 0x7fffffffffffffff,
		0x8000000000000000, 0xfffffffffffffff0, ~0ull, PE_WRAM_BASE,
		PE_WRAM_BASE + PE_WRAM_BYTES, PE_MRAM_BASE, PE_TEXT_BASE,
		PE_TEXT_BASE + PE_TEXT_MAX, PE_STACK_BASE,
	};

	switch (rng_next(rng) % 4) {
	case 0:
		return odd[rng_next(rng) % ARRAY_SIZE(odd)];
	case 1:
		return size + rng_next(rng) % 17 - 8;
	case 2:
		return rng_next(rng) % (size + 1);
	default:
		return rng_next(rng) >> rng_next(rng) % 64;
	}
}

/* Write over a field of so many bytes, or add a little to it. */
static void set_field(struct rng *rng, uint8_t *at, size_t bytes, uint64_t size)
{
	uint64_t x = 0;

	memcpy(&x, at, bytes);
	x = rng_next(rng) % 4 ? value(rng, size) : x + rng_next(rng) % 33 - 16;
	memcpy(at, &x, bytes);
}

/* A field of a table of entries of so many bytes. */
static void set_entry(struct rng *rng, uint8_t *table, uint64_t nr,
		      size_t bytes, uint64_t size)
{
	static const size_t widths[] = { 1, 2, 4, 8 };
	size_t width = widths[rng_next(rng) % 4];

	if (nr)
		set_field(rng, table + rng_next(rng) % nr * bytes +
			  rng_next(rng) % (bytes / width) * width, width, size);
}

/* Where a section of a file lies, by the file as it was; 0 bytes: nowhere. */
static uint8_t *section(const struct pe_image *good, struct pe_image *f,
			const char *name, size_t *bytes)
{
	const Elf64_Shdr *s = pe_image_section(good, name);

	*bytes = s && s->sh_offset + s->sh_size <= f->size ? s->sh_size : 0;
	return *bytes ? f->bytes + s->sh_offset : NULL;
}

/* Bytes over others, from anywhere in the file. */
static void graft(struct rng *rng, uint8_t *at, size_t bytes,
		   const struct pe_image *f)
{
	size_t n = 1 + rng_next(rng) % 64, to, from;

	if (n > bytes || n > f->size)
		return;
	to = rng_next(rng) % (bytes - n + 1);
	from = rng_next(rng) % (f->size - n + 1);
	memmove(at + to, f->bytes + from, n);
}

static void set_section(struct rng *rng, const struct pe_image *good,
			struct pe_image *f)
{
	static const char *const names[] = {
		".debug_line", ".debug_line", ".debug_line", ".debug_line_str",
		".debug_str", ".strtab", ".shstrtab", ".note.pimdimm",
		".debug_info", ".debug_info", ".debug_abbrev", ".debug_abbrev",
		".debug_frame", ".debug_frame", ".debug_rnglists", ".debug_ranges",
		".debug_addr", ".debug_str_offsets",
	};
	size_t bytes;
	uint8_t *at = section(good, f, names[rng_next(rng) % ARRAY_SIZE(names)],
			      &bytes);

	if (!bytes)
		return;
	if (rng_next(rng) % 4 == 0) {
		graft(rng, at, bytes, f);
		return;
	}
	/* what decides most of a line table is at its beginning */
	if (rng_next(rng) % 2 && bytes > 64)
		bytes = 64;
	set_entry(rng, at, bytes / 8, 8, f->size);
}

static void mutate(struct rng *rng, const struct pe_image *good,
		   struct pe_image *f)
{
	const Elf64_Ehdr *h = pe_image_header(good);
	uint8_t *symbols;
	size_t bytes;

	switch (rng_next(rng) % 8) {
	case 0:
		set_entry(rng, f->bytes, 1, sizeof(*h), f->size);
		break;
	case 1:
		set_entry(rng, f->bytes + h->e_phoff, h->e_phnum,
			  sizeof(Elf64_Phdr), f->size);
		break;
	case 2:
		set_entry(rng, f->bytes + h->e_shoff, h->e_shnum,
			  sizeof(Elf64_Shdr), f->size);
		break;
	case 3:
		symbols = section(good, f, ".symtab", &bytes);
		set_entry(rng, symbols, bytes / sizeof(Elf64_Sym),
			  sizeof(Elf64_Sym), f->size);
		break;
	case 4:
		graft(rng, f->bytes, f->size, f);
		break;
	default:
		set_section(rng, good, f);
	}
}

/* a sentence that holds what a terminal obeys is a fault, too */
static void check_text(const char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text < ' ' || (unsigned char)*text > '~')
			abort();
	}
}

static struct pimdimm *sys;
/* a place for a worker without one */
static struct pd_slot *slot;

/* Frames on a stack that is anything, by a table that is. */
static void unwind(struct rng *rng, const struct pimdimm_program *program)
{
	struct pe_shared *s = slot->arena.shared;
	uint8_t *stack = slot->arena.base + PE_ARENA_STACKS;
	struct pd_registers r;

	for (uint32_t i = 0; i < 4096; i += 8) {
		uint64_t x = rng_next(rng) % 2 ? PE_STACK_BASE + rng_next(rng) % 4096 :
			     PE_TEXT_BASE + rng_next(rng) % program->text_bytes;

		memcpy(stack + i, &x, 8);
	}
	for (unsigned int i = 0; i < PE_NR_SAVED; i++)
		s->saved[i] = PE_STACK_BASE + rng_next(rng) % 4096 / 8 * 8;
	s->saved[PE_SAVED_PC] = PE_TEXT_BASE + value(rng, program->text_bytes);
	s->context = rng_next(rng) % 2 ? value(rng, PE_STACK_SLOT) : 0;
	s->tasklets[1].sp = PE_STACK_BASE + value(rng, 4096);
	s->tasklets[1].context = s->tasklets[1].sp + 64 * (rng_next(rng) % 2);
	for (uint32_t t = 0; t < 2; t++) {
		uint32_t n = 0;

		if (!pd_tasklet_registers(&slot->arena, program, t, &r))
			continue;
		/* a stack pointer that only rises comes to an end */
		while (pd_tasklet_caller(&slot->arena, program, t, &r))
			if (++n > PE_STACK_SLOT / 8)
				abort();
	}
	memset(s, 0, offsetof(struct pe_shared, pages));
}

/* All that the host makes of a program, as far as it gets. */
static void use(struct rng *rng, struct pimdimm_program *program)
{
	struct pd_end end;
	struct pimdimm_fault fault;
	char text[256];

	for (unsigned int i = 0; i < 24; i++) {
		uint32_t at = (uint32_t)value(rng, program->text_bytes);

		if (i % 2)
			at %= program->text_bytes;
		if (!pimdimm_program_line(program, at, text,
					  1 + rng_next(rng) % sizeof(text)))
			check_text(text);
	}
	for (unsigned int i = 0; i < 4; i++)
		unwind(rng, program);
	for (uint32_t i = 0; i < program->nr_symbols; i++) {
		struct pimdimm_symbol s;

		if (pimdimm_program_symbol(program, program->symbols[i].name,
					   &s))
			abort();
	}
	for (unsigned int i = 0; i < 4; i++) {
		memset(&end, 0, sizeof(end));
		for (size_t b = 0; b < sizeof(end.report); b++)
			((uint8_t *)&end.report)[b] = (uint8_t)rng_next(rng);
		for (size_t b = 0; b < sizeof(end.tasklets); b++)
			((uint8_t *)end.tasklets)[b] = (uint8_t)rng_next(rng);
		end.ticked = rng_next(rng);
		/* these the host sets */
		end.nr_tasklets = program->note.nr_tasklets;
		memset(end.death, 'x', sizeof(end.death) - 1);
		end.death[sizeof(end.death) - 1] = '\0';
		end.report.kind = (uint32_t)(rng_next(rng) % 20);
		end.report.rule %= 8;
		end.report.tasklet %= end.nr_tasklets;
		if (rng_next(rng) % 2)
			end.report.address = PE_STACK_BASE +
				rng_next(rng) % PE_STACKS_BYTES;
		end.report.text = PE_TEXT_BASE +
				  value(rng, program->text_bytes);
		end.report.pc = PE_TEXT_BASE + value(rng, program->text_bytes);
		end.tasklets[0].object = PE_WRAM_BASE +
					 rng_next(rng) % PE_WRAM_BYTES;
		end.tasklets[1].wait %= 9;
		end.nr_callers = (uint32_t)(rng_next(rng) % (PD_MAX_CALLERS + 1));
		for (uint32_t c = 0; c < end.nr_callers; c++)
			end.callers[c] = PE_TEXT_BASE + rng_next(rng) % program->text_bytes;
		pd_fault_tell(&end, program, &fault);
		check_text(fault.text);
	}
}

static void fuzz_file(struct rng *rng)
{
	const struct pe_image *good = &files[rng_next(rng) % ARRAY_SIZE(seeds)];
	struct pe_image f = { .size = good->size };
	struct pimdimm_program *program;
	unsigned int changes = 1 + (unsigned int)(rng_next(rng) % 6);

	/* what a table names is gone */
	if (rng_next(rng) % 32 == 0)
		f.size = 1 + rng_next(rng) % f.size;
	f.bytes = malloc(f.size);
	if (!f.bytes)
		abort();
	memcpy(f.bytes, good->bytes, f.size);
	while (f.size == good->size && changes--)
		mutate(rng, good, &f);
	if (!pimdimm_program_open_memory(f.bytes, f.size, &program)) {
		use(rng, program);
		pimdimm_program_close(program);
	} else {
		check_text(pimdimm_errmsg());
	}
	free(f.bytes);
}


static void fuzz_flags(struct rng *rng)
{
	for (uint32_t i = rng_next(rng) % 64; i; i--)
		slot->arena.window.flags[rng_next(rng) % slot->arena.window.nr_pages] =
			(uint8_t)rng_next(rng);
}

/* What a program does to its window, and the host after it. */
static void fuzz_window(struct rng *rng)
{
	struct pd_window *w = &slot->arena.window;
	uint8_t lanes = (uint8_t)(1 | rng_next(rng));

	pd_window_take_eg(w, (uint32_t)(rng_next(rng) % 8), lanes);
	for (uint32_t lane = 0; lane < 8; lane++) {
		if (!(lanes & 1u << lane))
			continue;
		pd_window_take_lane(w, lane);
		for (uint32_t i = rng_next(rng) % 8; i; i--) {
			fuzz_flags(rng);
			pd_window_fill(w, (uint32_t)(rng_next(rng) %
						     w->nr_pages),
				       rng_next(rng) % 2);
			memset(w->map + rng_next(rng) % w->map_bytes,
			       (int)lane, 1);
		}
		fuzz_flags(rng);
		pd_arena_wipe(&slot->arena);
		pd_window_leave_lane(w);
	}
	pd_window_leave_eg(w);
}

/* What a PE that waits for parcels leaves, believed as far as it may be. */
static void fuzz_stay(struct rng *rng)
{
	uint8_t *s = (uint8_t *)slot->arena.shared;
	const size_t bytes = offsetof(struct pe_shared, pages);
	struct pd_stay *stay;

	for (size_t i = 0; i < bytes; i += 8) {
		uint64_t x = rng_next(rng) % 8 ? 0 : value(rng, PE_STACK_SLOT);

		memcpy(s + i, &x, 8);
	}
	slot->arena.shared->alive = (uint32_t)value(rng, 24);
	for (uint32_t t = 0; t < PE_MAX_TASKLETS; t++)
		slot->arena.shared->tasklets[t].sp = PE_STACK_BASE +
			(t + 1) * PE_STACK_SLOT - value(rng, PE_STACK_SLOT);
	if (rng_next(rng) % 2)
		slot->arena.shared->alive &= (1u << PE_MAX_TASKLETS) - 1;
	stay = pd_stay_save(&slot->arena);
	if (stay) {
		pd_stay_restore(&slot->arena, stay);
		pd_stay_free(stay);
	}
	memset(s, 0, bytes);
}

static void fuzz(uint64_t seed, uint64_t number)
{
	struct rng rng = rng_of(seed, number);

	switch (rng_next(&rng) % 16) {
	case 0:
		fuzz_window(&rng);
		break;
	case 1:
		fuzz_stay(&rng);
		break;
	default:
		fuzz_file(&rng);
	}
}

static uint64_t number_of(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

static uint64_t seconds(void)
{
	return pd_now_ns() / PD_NS_PER_S;
}

static void job(uint64_t seed, uint64_t first, _Atomic uint64_t *at)
{
	const uint64_t limit = number_of("FUZZ_SECONDS", 0);
	const uint64_t alone = number_of("FUZZ_CASE", UINT64_MAX);
	const uint64_t start = seconds();
	uint64_t number = first;

	if (pimdimm_open("mem:ranks=1,mram=256K", &sys) ||
	    pd_slot_create(sys, NULL, &slot))
		_exit(1);
	if (alone != UINT64_MAX)
		fuzz(seed, *at = alone);
	for (; alone == UINT64_MAX &&
	       (limit ? seconds() - start < limit : number < CASES);
	     number += NR_JOBS) {
		*at = number;
		/* no file takes longer, by far */
		alarm(900);
		fuzz(seed, number);
	}
	pd_slot_destroy(slot);
	pimdimm_close(sys);
}

static void test_fuzz(void **state)
{
	const uint64_t seed = number_of("FUZZ_SEED", 1);
	_Atomic uint64_t *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pids[NR_JOBS];
	bool failed = false;

	(void)state;
	assert_ptr_not_equal(at, MAP_FAILED);
	for (size_t i = 0; i < ARRAY_SIZE(seeds); i++)
		files[i] = pe_image_read(seeds[i]);
	for (unsigned int j = 0; j < NR_JOBS; j++) {
		fflush(NULL);
		pids[j] = fork();
		assert_true(pids[j] >= 0);
		if (!pids[j]) {
			job(seed, j, &at[j]);
			exit(0);
		}
	}
	for (unsigned int j = 0; j < NR_JOBS; j++) {
		int status = 0;

		assert_int_equal(waitpid(pids[j], &status, 0), pids[j]);
		printf("# FUZZ_SEED=%llu, case %llu was the last\n",
		       (unsigned long long)seed, (unsigned long long)at[j]);
		if (status)
			print_message("job %u: status %#x: FUZZ_SEED=%llu FUZZ_CASE=%llu\n",
				      j, (unsigned int)status,
				      (unsigned long long)seed,
				      (unsigned long long)at[j]);
		failed |= status != 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(seeds); i++)
		free(files[i].bytes);
	munmap((void *)at, 4096);
	assert_false(failed);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_fuzz),
};

UNIT_MAIN(tests)
