// SPDX-License-Identifier: MIT
/* The error of each wrong call, and what errors are called. */
#include <string.h>

#include "check.h"

static void text(uint32_t status, const char *expected)
{
	char *string = dpu_error_to_string((dpu_error_t)status);

	if (strcmp(string, expected)) {
		printf("%#x is '%s', expected '%s'\n", status, string,
		       expected);
		failures++;
	}
	free(string);
}

static void texts(void)
{
	text(DPU_OK, "success");
	text(DPU_ERR_ALLOCATION, "dpu allocation error");
	text(DPU_ERR_DPU_FAULT, "dpu is in fault");
	text(DPU_ERR_INVALID_MRAM_ACCESS, "invalid mram access");
	text(DPU_ERR_UNKNOWN_SYMBOL, "undefined symbol");
	text(DPU_ERR_INVALID_SYMBOL_ACCESS, "invalid memory symbol access");
	text(DPU_ERR_ELF_NO_SUCH_FILE, "no such ELF file");
	text(DPU_ERR_LOG_CONTEXT_MISSING, "logging context missing");
	text(DPU_ERR_INVALID_DPU_SET, "invalid action for this dpu set");
	text(12345, "unknown error");
	text(DPU_ERR_ASYNC_JOBS | DPU_ERR_DPU_FAULT,
	     "asynchronous operation error (launch_rank): dpu is in fault (0x15)");
	text(DPU_ERR_ASYNC_JOBS | 5u << 16 | DPU_ERR_INVALID_MRAM_ACCESS,
	     "asynchronous operation error (copy_mram_to_matrix): invalid mram access (0x5000a)");
}

static void sets(void)
{
	struct dpu_set_t set, dpu, other;
	uint64_t word = 0;

	FAILS(DPU_ERR_ALLOCATION, dpu_alloc(0, NULL, &set));
	FAILS(DPU_ERR_ALLOCATION, dpu_alloc_ranks(0, NULL, &set));
	OK(dpu_alloc(9, NULL, &set));
	DPU_FOREACH(set, dpu)
		FAILS(DPU_ERR_INVALID_DPU_SET, dpu_free(dpu));
	FAILS(DPU_ERR_INVALID_DPU_SET, dpu_copy_from(set, "word", 0, &word, 8));
	FAILS(DPU_ERR_INVALID_DPU_SET, dpu_log_read(set, stdout));
	other = set;
	OK(dpu_free(set));
	FAILS(DPU_ERR_INVALID_DPU_SET, dpu_free(other));
	memset(&other, 0x5a, sizeof(other));
	FAILS(DPU_ERR_INTERNAL, dpu_sync(other));
}

static void loading(void)
{
	struct dpu_set_t set;
	uint64_t word = 0;

	OK(dpu_alloc(1, NULL, &set));
	FAILS(DPU_ERR_NO_PROGRAM_LOADED, dpu_launch(set, DPU_SYNCHRONOUS));
	FAILS(DPU_ERR_NO_PROGRAM_LOADED, dpu_copy_to(set, "word", 0, &word, 8));
	FAILS(DPU_ERR_ELF_NO_SUCH_FILE, dpu_load(set, "no/such/file", NULL));
	FAILS(DPU_ERR_ELF_INVALID_FILE, dpu_load(set, "errors", NULL));
	FAILS(DPU_ERR_ELF_INVALID_FILE, dpu_load(set, "Makefile", NULL));
	FAILS(DPU_ERR_ELF_INVALID_FILE,
	      dpu_load_from_memory(set, (uint8_t *)&word, 8, NULL));
	OK(dpu_free(set));
}

static void accesses(void)
{
	struct dpu_set_t set;
	char buf[64] = { 0 };

	OK(dpu_alloc(2, NULL, &set));
	OK(dpu_load(set, "errors.dpu", NULL));
	FAILS(DPU_ERR_UNKNOWN_SYMBOL, dpu_copy_to(set, "nothing", 0, buf, 8));
	FAILS(DPU_ERR_INVALID_SYMBOL_ACCESS,
	      dpu_copy_to(set, "word", 0, buf, 16));
	FAILS(DPU_ERR_INVALID_SYMBOL_ACCESS, dpu_copy_to(set, "word", 4, buf, 8));
	FAILS(DPU_ERR_INVALID_SYMBOL_ACCESS,
	      dpu_copy_to(set, "word", UINT32_MAX, buf, 8));
	FAILS(DPU_ERR_INVALID_SYMBOL_ACCESS,
	      dpu_copy_to(set, "word", 0, buf, SIZE_MAX - 3));
	OK(dpu_copy_to(set, "word", 4, buf, 4));
	OK(dpu_copy_to(set, "word", 8, buf, 0));
	FAILS(DPU_ERR_INVALID_WRAM_ACCESS, dpu_copy_to(set, "word", 2, buf, 4));
	FAILS(DPU_ERR_INVALID_WRAM_ACCESS, dpu_copy_to(set, "word", 0, buf, 3));
	FAILS(DPU_ERR_INVALID_MRAM_ACCESS,
	      dpu_copy_to(set, DPU_MRAM_HEAP_POINTER_NAME, 4, buf, 8));
	FAILS(DPU_ERR_INVALID_MRAM_ACCESS,
	      dpu_copy_to(set, DPU_MRAM_HEAP_POINTER_NAME, 8, buf, 12));
	OK(dpu_copy_to(set, DPU_MRAM_HEAP_POINTER_NAME, 8, buf, 0));
	FAILS(DPU_ERR_INVALID_SYMBOL_ACCESS,
	      dpu_copy_to(set, DPU_MRAM_HEAP_POINTER_NAME, 64 << 20, buf, 8));
	FAILS(DPU_ERR_INVALID_MEMORY_TRANSFER,
	      dpu_push_xfer(set, (dpu_xfer_t)7, "word", 0, 8,
			    DPU_XFER_DEFAULT));
	FAILS(DPU_ERR_INVALID_LAUNCH_POLICY,
	      dpu_launch(set, (dpu_launch_policy_t)9));
	OK(dpu_free(set));
}

static void programs(void)
{
	struct dpu_set_t set, dpu;
	struct dpu_symbol_t symbol;
	struct dpu_program_t *program;
	uint64_t word = 0;
	uint32_t i;

	OK(dpu_alloc(2, NULL, &set));
	OK(dpu_load(set, "errors.dpu", &program));
	OK(dpu_get_symbol(program, "word", &symbol));
	CHECK(symbol.size == 8 && symbol.address < 0x10000);
	OK(dpu_get_symbol(program, DPU_MRAM_HEAP_POINTER_NAME, &symbol));
	CHECK(symbol.address == 0x08000000 && symbol.size == 64 << 20);
	FAILS(DPU_ERR_UNKNOWN_SYMBOL,
	      dpu_get_symbol(program, "nothing", &symbol));
	DPU_FOREACH(set, dpu, i)
		if (i == 1)
			OK(dpu_load(dpu, "errors.dpu", NULL));
	FAILS(DPU_ERR_DIFFERENT_DPU_PROGRAMS,
	      dpu_copy_to(set, "word", 0, &word, 8));
	DPU_FOREACH(set, dpu)
		OK(dpu_copy_to(dpu, "word", 0, &word, 8));
	OK(dpu_launch(set, DPU_SYNCHRONOUS));
	OK(dpu_free(set));
}

int main(void)
{
	texts();
	sets();
	loading();
	accesses();
	programs();
	return check_result();
}
