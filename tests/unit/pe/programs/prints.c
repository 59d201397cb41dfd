// SPDX-License-Identifier: MIT
/* A log, which the test fills with records in the program's place. */
#define NOTE_FLAGS PE_NOTE_LOG
#include "tests/unit/pe/programs/pe.h"

HOST struct pe_log __sys_log;
__attribute__((used, section(".bss.mram.log"))) uint8_t log_buffer[1 << 20];

void pe_start(void)
{
	boot();
}
