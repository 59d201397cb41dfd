// SPDX-License-Identifier: MIT
/* Faults: named with PE, tasklet, cause and line; other PEs run on. */
#include "tests/unit/pe/pe_unit.h"

/* what an instruction is that is not the program's to execute */
#ifdef __aarch64__
#define REFUSED	PE_FAULT_INSTRUCTION
#define GETPID	"172"
#else
#define REFUSED	PE_FAULT_ACCESS
#define GETPID	"39"
#endif

enum act { NOTHING, DMA, DIVIDE, NULL_POINTER, INTO_TEXT, PAST_MRAM, RECURSE,
	   TRAP, HALT, TELL, SYSTEM_CALL, ODD_TEXT, FILL, STOP };

#define MRAM_BYTES 65536

static const struct {
	enum act act;
	uint32_t kind;
	const char *word;
	const char *place;
} faults[] = {
	{ DIVIDE, PE_FAULT_DIVIDE, "division by zero", "(divide)" },
	{ NULL_POINTER, PE_FAULT_ACCESS, "access to 0, which is no memory",
	  "(null_pointer)" },
	{ INTO_TEXT, PE_FAULT_ACCESS, "read-only", "(into_text)" },
	{ PAST_MRAM, PE_FAULT_ACCESS, "access to MRAM 0x10000", "(past_mram)" },
	{ RECURSE, PE_FAULT_STACK, "stack overflow", "(deeper)" },
	{ TRAP, PE_FAULT_ASSERT, "assertion", "(trap)" },
	{ HALT, REFUSED, "", "(halt)" },
	{ STOP, PE_FAULT_INSTRUCTION, "a PE does not have", "(stop)" },
	{ TELL, PE_FAULT_ASSERT, "the text of an assertion?", "(tell)" },
	{ SYSTEM_CALL, PE_FAULT_SYSCALL, "system call " GETPID, "(system_call)" },
	{ ODD_TEXT, PE_FAULT_HEAP, "heap", "(odd_text)" },
};

static void test_kinds(void **state)
{
	struct pe_unit u;

	(void)state;
	pe_unit_open(&u, "mem:ranks=1,mram=64K", "faults", 16);
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++) {
		pe_set32(&u, 3, "act", faults[i].act);
		pe_set32(&u, 9, "act", faults[i].act);
		assert_refused(pe_unit_run(&u), EFAULT, faults[i].word);
		assert_int_equal(u.run.nr_faulted, 2);
		assert_int_equal(u.run.first.pe, 3);
		assert_int_equal(u.run.first.tasklet, 2);
		assert_int_equal(u.run.first.kind, faults[i].kind);
		if (!strstr(u.run.first.text, faults[i].place) ||
		    !strstr(u.run.first.text, "faults.c:"))
			fail_msg("no %s in: %s", faults[i].place,
				 u.run.first.text);
		for (uint32_t pe = 0; pe < 16; pe++)
			assert_int_equal(u.faulted[pe], pe == 3 || pe == 9);
		pe_set32(&u, 3, "act", NOTHING);
		pe_set32(&u, 9, "act", NOTHING);
		assert_ok(pe_unit_run(&u));
		assert_int_equal(u.run.nr_faulted, 0);
	}
	pe_unit_close(&u);
}

/* what tasklet 2 declares, and what that is for native code */
#define DECLARED	1024u
#define ROOM		PE_STACK_BYTES(DECLARED)

static void assert_overflow(struct pe_unit *u, uint32_t reach, const char *place)
{
	char bytes[64];

	snprintf(bytes, sizeof(bytes), "stack overflow: %u bytes in use", reach);
	pe_set32(u, 1, "reach", reach);
	assert_refused(pe_unit_run(u), EFAULT, bytes);
	assert_int_equal(u->run.nr_faulted, 1);
	assert_int_equal(u->run.first.pe, 1);
	assert_int_equal(u->run.first.tasklet, 2);
	assert_int_equal(u->run.first.kind, PE_FAULT_STACK);
	assert_int_equal(u->run.first.address, PE_STACK_TOP(2) - reach);
	if (!strstr(u->run.first.text, "1024 are declared for tasklet 2") ||
	    !strstr(u->run.first.text, place))
		fail_msg("%s", u->run.first.text);
}

/* Of a stack its last byte can be used; what is more is seen, by a guard or later. */
static void test_stacks(void **state)
{
	const uint32_t bottom = PE_STACK_TOP(2) - PE_STACK_BOTTOM(2, DECLARED);
	struct pe_unit u;

	(void)state;
	assert_true(bottom > ROOM + 8);
	pe_unit_open(&u, "mem:ranks=1,mram=64K", "faults", 4);
	assert_ok(pe_unit_run(&u));
	assert_int_equal(u.run.stack_room, ROOM);
	assert_true(u.run.stack_used >= 64 && u.run.stack_used < 1024);
	pe_set32(&u, 1, "act", FILL);
	pe_set32(&u, 1, "reach", ROOM);
	assert_ok(pe_unit_run(&u));
	assert_int_equal(u.run.stack_room, ROOM);
	assert_int_equal(u.run.stack_used, ROOM);
	assert_overflow(&u, ROOM + 8, "");
	assert_int_equal(u.run.stack_used, ROOM + 8);
	assert_overflow(&u, bottom, "");
	assert_overflow(&u, bottom + 8, "(fill)");
	/* nor is any of it left for the next */
	pe_set32(&u, 1, "act", NOTHING);
	assert_ok(pe_unit_run(&u));
	assert_true(u.run.stack_used < 1024);
	pe_unit_close(&u);
}

/* A caller that was compiled before reports told of stacks is told nothing of them. */
static void test_old_report(void **state)
{
	struct pe_unit u;

	(void)state;
	pe_unit_open(&u, "mem:ranks=1,mram=64K", "faults", 1);
	u.run.size = offsetof(struct pimdimm_run, stack_used);
	u.run.stack_used = u.run.stack_room = 12345;
	assert_ok(pe_unit_run(&u));
	assert_true(u.run.ns > 0);
	assert_int_equal(u.run.stack_used, 12345);
	assert_int_equal(u.run.stack_room, 12345);
	/* nor is what such a caller has behind it a number's address */
	u.run.size = offsetof(struct pimdimm_run, slowest_pe);
	u.run.over = (uint32_t *)&u;
	assert_ok(pe_unit_run(&u));
	assert_int_not_equal(u.run.stack_used, 12345);
	pe_unit_close(&u);
}

struct transfer {
	uint32_t write, mram, wram, bytes;
	const char *word;	/* what strict mode says; NULL: it is done */
};

static const struct transfer transfers[] = {
	{ 0, 0, 0, 8, NULL },
	{ 1, 0, 0, 2048, NULL },
	{ 0, PE_MRAM_BASE + MRAM_BYTES - 8, 8, 8, NULL },
	{ 0, MRAM_BYTES - 2048, 8, 2048, NULL },
	{ 0, 4, 0, 8, "the MRAM address is no multiple of 8" },
	{ 1, 0, 4, 8, "the WRAM address is no multiple of 8" },
	{ 0, 0, 0, 0, "expected a multiple of 8 bytes" },
	{ 0, 0, 0, 12, "expected a multiple of 8 bytes" },
	{ 0, 0, 0, 2056, "expected a multiple of 8 bytes" },
	{ 1, MRAM_BYTES - 8, 0, 16, "the MRAM ends" },
	{ 1, PE_MRAM_BASE + MRAM_BYTES, 0, 8, "the MRAM ends" },
	{ 0, 0xffffffc8, 0, 2048, "the MRAM ends" },
	{ 0, 0, 0x20000, 8, "the WRAM" },
	{ 1, 0, 0x80000000, 8, "the WRAM" },
};

static void test_strict(void **state)
{
	struct pe_unit u;

	(void)state;
	pe_unit_open(&u, "mem:ranks=1,mram=64K", "faults", 1);
	pe_set32(&u, 0, "act", DMA);
	for (size_t i = 0; i < ARRAY_SIZE(transfers); i++) {
		const struct transfer *t = &transfers[i];

		pe_set(&u, 0, "dma", t, 16);
		if (!t->word) {
			assert_ok(pe_unit_run(&u));
			assert_int_equal(u.run.dma_bytes, t->bytes);
			continue;
		}
		assert_refused(pe_unit_run(&u), EFAULT, t->word);
		assert_int_equal(u.run.first.kind, PE_FAULT_DMA);
		assert_non_null(strstr(u.run.first.text, "(transfer)"));
		assert_non_null(strstr(u.run.first.text,
				       t->write ? "mram_write" : "mram_read"));
	}
	pe_unit_close(&u);
}

/* What hardware makes of these: addresses cut to words, bytes counted in 8 bits. */
static const struct bent {
	struct transfer given;
	uint32_t mram, wram, bytes;
} bents[] = {
	{ { 0, 12, 17, 12, NULL }, 8, 16, 8 },
	{ { 0, 16, 0, 0, NULL }, 16, 0, 2048 },
	{ { 0, 0, 8, 2064, NULL }, 0, 8, 16 },
};

static void test_compat(void **state)
{
	uint8_t mram[4096], wram[8192], want[8192];
	struct pe_unit u;

	(void)state;
	pe_unit_open(&u, "mem:ranks=1,mram=64K", "faults", 1);
	u.run.compat = 1;
	pe_set32(&u, 0, "act", DMA);
	for (size_t i = 0; i < sizeof(mram); i++)
		mram[i] = (uint8_t)(i * 7 + 1);
	assert_ok(pimdimm_write(u.sys, 0, 0, mram, sizeof(mram)));
	for (size_t i = 0; i < ARRAY_SIZE(bents); i++) {
		const struct bent *b = &bents[i];

		memset(wram, 0, sizeof(wram));
		memset(want, 0, sizeof(want));
		memcpy(want + b->wram, mram + b->mram, b->bytes);
		pe_set(&u, 0, "buffer", wram, sizeof(wram));
		pe_set(&u, 0, "dma", &b->given, 16);
		assert_ok(pe_unit_run(&u));
		pe_get(&u, 0, "buffer", wram, sizeof(wram));
		assert_memory_equal(wram, want, sizeof(wram));
	}
	/* what it cannot do faults as on hardware */
	pe_set(&u, 0, "dma", &transfers[9], 16);
	assert_refused(pe_unit_run(&u), EFAULT, "the MRAM ends");
	pe_unit_close(&u);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_kinds),
	cmocka_unit_test(test_stacks),
	cmocka_unit_test(test_old_report),
	cmocka_unit_test(test_strict),
	cmocka_unit_test(test_compat),
};

UNIT_MAIN(tests)
