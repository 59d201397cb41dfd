// SPDX-License-Identifier: MIT
/* Divisions that x86 refuses: PEs do all of them but those by zero. */
#include "tests/unit/pe/pe_unit.h"

enum act { WRAP, ZERO_REGISTER, ZERO_IN_MEMORY, ZERO_UNSIGNED, TOO_LARGE,
	   TOO_LARGE_SIGNED, UNMASKED };

static void test_wrap(void **state)
{
	struct pe_unit u;
	uint64_t got[2];

	(void)state;
	pe_unit_open(&u, "mem:ranks=1,mram=64K", "divide", 3);
	assert_ok(pe_unit_run(&u));
	for (uint32_t pe = 0; pe < 3; pe++) {
		pe_get(&u, pe, "got", got, sizeof(got));
		if (pe_get32(&u, pe, "wrong"))
			fail_msg("piece %u of divide.c: rax %#llx, rdx %#llx",
				 pe_get32(&u, pe, "wrong") - 1,
				 (unsigned long long)got[0],
				 (unsigned long long)got[1]);
		assert_true(pe_get32(&u, pe, "nr_pieces") > 300);
	}
	pe_unit_close(&u);
}

static void test_faults(void **state)
{
	static const struct {
		enum act act;
		uint32_t kind;
		const char *word, *place;
	} faults[] = {
		{ ZERO_REGISTER, PE_FAULT_DIVIDE, "by zero", "(zero_register)" },
		{ ZERO_IN_MEMORY, PE_FAULT_DIVIDE, "by zero",
		  "(zero_in_memory)" },
		{ ZERO_UNSIGNED, PE_FAULT_DIVIDE, "by zero", "(zero_unsigned)" },
		{ TOO_LARGE, PE_FAULT_INSTRUCTION, "instruction", "(too_large)" },
		{ TOO_LARGE_SIGNED, PE_FAULT_INSTRUCTION, "instruction",
		  "(too_large_signed)" },
		{ UNMASKED, PE_FAULT_INSTRUCTION, "instruction", "(unmasked)" },
	};
	struct pe_unit u;

	(void)state;
	pe_unit_open(&u, "mem:ranks=1,mram=64K", "divide", 1);
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++) {
		pe_set32(&u, 0, "act", faults[i].act);
		assert_refused(pe_unit_run(&u), EFAULT, faults[i].word);
		assert_int_equal(u.run.first.kind, faults[i].kind);
		if (!strstr(u.run.first.text, faults[i].place))
			fail_msg("no %s in: %s", faults[i].place,
				 u.run.first.text);
	}
	pe_unit_close(&u);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_wrap),
	cmocka_unit_test(test_faults),
};

UNIT_MAIN(tests)
