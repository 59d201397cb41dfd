// SPDX-License-Identifier: MIT
/*
 * The SDK's headers for tools: programs' files and data of DIMMs are read as they are,
 * and what only hardware has says so.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <dpu_custom.h>
#include <dpu_debug.h>
#include <dpu_elf.h>
#include <dpu_vpd.h>

#include "check.h"

static const dpu_elf_symbol_t *find(const dpu_elf_symbols_t *symbols,
				    const char *name)
{
	for (unsigned int i = 0; i < symbols->nr_symbols; i++) {
		if (!strcmp(symbols->map[i].name, name))
			return &symbols->map[i];
	}
	return NULL;
}

static void look_at(dpu_elf_file_t file, struct dpu_symbol_t launches)
{
	const dpu_elf_symbol_t *symbol;
	dpu_elf_runtime_info_t info;
	dpu_elf_symbols_t *symbols;
	unsigned int nr, size;
	uint64_t value = 0;
	uint8_t *bytes;
	char **names;
	bool found = false;

	OK(dpu_elf_get_sections(file, &nr, &names));
	for (unsigned int i = 0; i < nr; i++)
		found |= !strcmp(names[i], ".dpu_host");
	CHECK(found);
	free(names);
	OK(dpu_elf_load_symbols(file, ".dpu_host", &symbols));
	symbol = find(symbols, "launches");
	CHECK(symbol && symbol->value == launches.address &&
	      symbol->size == launches.size);
	dpu_elf_free_symbols(symbols);
	OK(dpu_elf_load_section(file, ".dpu_host", &size, &bytes));
	CHECK(size >= 8);
	for (unsigned int i = 0; i + 8 <= size; i += 8) {
		memcpy(&value, bytes + i, 8);
		if (value == 100)
			break;
	}
	CHECK(value == 100);
	free(bytes);
	FAILS(DPU_ERR_ELF_NO_SUCH_SECTION,
	      dpu_elf_load_section(file, ".nowhere", &size, &bytes));
	dpu_elf_get_runtime_info(file, &info);
	CHECK(info.nr_threads.exists && info.nr_threads.value == 1);
	CHECK(!info.mcount.exists && !info.mutex_info.nr_symbols);
	free_runtime_info(&info);
}

static void programs(void)
{
	static uint8_t copy[1 << 20];
	struct dpu_program_t *program;
	struct dpu_symbol_t launches;
	struct dpu_set_t set;
	dpu_elf_file_t file;
	int fd = open("state.dpu", O_RDONLY);
	ssize_t n = read(fd, copy, sizeof(copy));

	OK(dpu_alloc(1, NULL, &set));
	OK(dpu_load(set, "state.dpu", &program));
	OK(dpu_get_symbol(program, "launches", &launches));
	OK(dpu_elf_open("state.dpu", &file));
	look_at(file, launches);
	dpu_elf_close(file);
	OK(dpu_elf_map(copy, (unsigned int)n, &file, NULL));
	look_at(file, launches);
	dpu_elf_close(file);
	FAILS(DPU_ERR_ELF_NO_SUCH_FILE, dpu_elf_open("none.dpu", &file));
	FAILS(DPU_ERR_ELF_INVALID_FILE, dpu_elf_open("Makefile", &file));
	/* cut anywhere, and with any byte changed: an error or a file, no more */
	for (unsigned int i = 0; i < (unsigned int)n; i += 1 + i / 16) {
		if (dpu_elf_map(copy, i, &file, "cut") == DPU_OK)
			dpu_elf_close(file);
		copy[i] ^= 0x80;
		if (dpu_elf_map(copy, (unsigned int)n, &file, "changed") ==
		    DPU_OK) {
			dpu_elf_symbols_t *symbols;

			if (dpu_elf_load_symbols(file, ".text", &symbols) ==
			    DPU_OK)
				dpu_elf_free_symbols(symbols);
			dpu_elf_close(file);
		}
		copy[i] ^= 0x80;
	}
	FAILS(DPU_ERR_INTERNAL,
	      dpu_elf_create_core_dump("state.dpu", "core", NULL, NULL, NULL,
				       NULL, 0, 0, 0, 0));
	CHECK(access("core", F_OK));
	close(fd);
	OK(dpu_free(set));
}

static void registers(void)
{
	struct dpu_set_t set, dpu;

	OK(dpu_alloc(1, NULL, &set));
	DPU_FOREACH(set, dpu) {
		struct dpu_context_t context;

		FAILS(DPU_ERR_INTERNAL,
		      dpu_extract_context_for_dpu(dpu.dpu, &context));
		OK(dpu_custom_for_dpu(dpu.dpu, DPU_COMMAND_CUSTOM_LABEL,
				      (void *)"label"));
		FAILS(DPU_ERR_INTERNAL,
		      dpu_custom_for_dpu(dpu.dpu, DPU_COMMAND_DPU_SOFT_RESET,
					 NULL));
	}
	FAILS(DPU_ERR_INTERNAL, dpu_save_context_for_rank(set.list.ranks[0]));
	dpu_free_dpu_context(calloc(1, sizeof(struct dpu_context_t)));
	OK(dpu_free(set));
}

static void dimms(void)
{
	struct dpu_vpd_repair_entry repair = { .iram_wram = DPU_VPD_REPAIR_WRAM,
					       .rank = 1, .ci = 2, .dpu = 3 };
	struct dpu_vpd vpd, again;
	FILE *file;

	CHECK(dpu_vpd_init(NULL, &vpd) == DPU_VPD_OK);
	CHECK(dpu_vpd_disable_dpu(&vpd, 1, 7, 7) == DPU_VPD_OK);
	CHECK(dpu_vpd_disable_dpu(&vpd, 1, 7, 7) ==
	      DPU_VPD_ERR_DPU_ALREADY_DISABLED);
	CHECK(dpu_vpd_enable_dpu(&vpd, 0, 7, 7) ==
	      DPU_VPD_ERR_DPU_ALREADY_ENABLED);
	CHECK(dpu_vpd_enable_dpu(&vpd, VPD_MAX_RANK, 0, 0) == DPU_VPD_ERR);
	CHECK(dpu_vpd_add_repair_entry(&vpd, &repair) == DPU_VPD_OK);
	CHECK(vpd.vpd_header.ranks[1].wram_repair == 1ULL << 19);
	CHECK(dpu_vpd_write(&vpd, "some.vpd") == DPU_VPD_OK);
	CHECK(dpu_vpd_init("some.vpd", &again) == DPU_VPD_OK);
	CHECK(!memcmp(&vpd, &again, sizeof(vpd)));
	vpd.vpd_header.repair_count = NB_MAX_REPAIR;
	CHECK(dpu_vpd_add_repair_entry(&vpd, &repair) ==
	      DPU_VPD_ERR_NB_MAX_REPAIR);
	/* it counts a repair that it does not hold */
	CHECK(!truncate("some.vpd", sizeof(vpd.vpd_header)));
	CHECK(dpu_vpd_init("some.vpd", &again) == DPU_VPD_ERR_REPAIR_ENTRIES);
	file = fopen("some.vpd", "r+");
	fputc('X', file);
	fclose(file);
	CHECK(dpu_vpd_init("some.vpd", &again) == DPU_VPD_ERR_HEADER_FORMAT);
	CHECK(dpu_vpd_commit_to_device(&vpd, "/dev/dpu_rank0") == DPU_VPD_ERR);
	CHECK(strstr(dpu_error_detail(), "/dev/dpu_rank0"));
}

static void databases(void)
{
	struct dpu_vpd_database db;

	CHECK(dpu_vpd_db_init(1, NULL, &db) == DPU_VPD_ERR && !db.first);
	CHECK(dpu_vpd_db_init(2, NULL, &db) == DPU_VPD_OK);
	CHECK(dpu_vpd_db_update(&db, "a", (const uint8_t *)"1", 1,
				VPD_TYPE_BYTE) == DPU_VPD_OK);
	CHECK(dpu_vpd_db_update(&db, "b", (const uint8_t *)"22", 2,
				VPD_TYPE_SHORT) == DPU_VPD_OK);
	CHECK(dpu_vpd_db_update(&db, "a", (const uint8_t *)"333", 3,
				VPD_TYPE_STRING) == DPU_VPD_OK);
	CHECK(db.first->value_len == 3 && db.first->next &&
	      !db.first->next->next);
	CHECK(dpu_vpd_db_write(&db, "a.db") == DPU_VPD_ERR);
	dpu_vpd_db_destroy(&db);
	CHECK(!db.first);
}

int main(void)
{
	programs();
	registers();
	dimms();
	databases();
	return check_result();
}
