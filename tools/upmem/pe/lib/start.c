// SPDX-License-Identifier: MIT
/* Where every tasklet starts, and what a boot clears. */
#include <pe_abi.h>
#include <stddef.h>
#include <string.h>

#include "pe.h"

/* The linker script defines these. */
extern char __atomic_start[], __atomic_end[], __pe_boot_start[], __pe_boot_end[];
extern struct pe_log __pe_log_start[], __pe_log_end[];

/* pe-count has these addresses in the code that it puts into programs */
_Static_assert(PE_SHARED == 0x38000000 && offsetof(struct pe_self, tasklet) == 0 &&
	       offsetof(struct pe_self, instructions) == 0x20 &&
	       offsetof(struct pe_self, pace) == 0x20 + 256, "pe-count");

int main(int argc, char **argv);
void pe_start(void);

/* for programs that look at them; there are none */
static char *const no_arguments[] = { NULL };

/* the others start when it is over */
static void boot(void)
{
	struct pe_log *log;

	memset(__atomic_start, 0, __atomic_end - __atomic_start);
	memset(__pe_boot_start, 0, __pe_boot_end - __pe_boot_start);
	for (log = __pe_log_start; log < __pe_log_end; log++) {
		log->used = 0;
		log->lost = 0;
	}
	PE_CHECK_ONLY(pe_check_begin());
	PE_MEMORY_ONLY(pe_check_begin());
	pe_be_among(0);
}

__attribute__((section(".text.pe_start")))
void pe_start(void)
{
	if (PE_SELF->tasklet == 0)
		boot();
	main(0, (char **)(uintptr_t)no_arguments);
}
