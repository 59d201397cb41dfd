/* SPDX-License-Identifier: MIT */
/*
 * The sections and symbols of programs' files: those that are compiled for PEs here,
 * and those that were compiled for hardware.
 */
#ifndef DPU_ELF_H
#define DPU_ELF_H

#include <stdbool.h>
#include <stdint.h>

#include <dpu_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* the machine of programs compiled for hardware */
#define EM_DPU 245

/* WRAM's addresses begin at 0, MRAM's at 0x08000000, code's at 0x80000000 */
typedef struct dpu_elf_symbol {
	char *name;
	unsigned int value;
	unsigned int size;
} dpu_elf_symbol_t;

typedef struct dpu_elf_symbols {
	unsigned int nr_symbols;
	dpu_elf_symbol_t *map;
} dpu_elf_symbols_t;

/* a symbol of the run-time library; zeros where the program has none of that name */
typedef struct _dpu_elf_runtime_info_item {
	uint32_t value;
	uint32_t size;
	bool exists;
} dpu_elf_runtime_info_item_t;

typedef struct _dpu_elf_runtime_info {
	dpu_elf_runtime_info_item_t sys_heap_pointer_reset;
	dpu_elf_runtime_info_item_t sys_heap_pointer;
	dpu_elf_runtime_info_item_t sys_wq_table;
	dpu_elf_runtime_info_item_t sys_stack_table;
	dpu_elf_runtime_info_item_t printf_buffer;
	dpu_elf_runtime_info_item_t printf_state;
	dpu_elf_runtime_info_item_t sys_end;
	dpu_elf_runtime_info_item_t mcount;
	dpu_elf_runtime_info_item_t ret_mcount;
	dpu_elf_runtime_info_item_t thread_profiling;
	dpu_elf_runtime_info_item_t nr_threads;
	dpu_elf_runtime_info_item_t perfcounter_end_value;
	dpu_elf_runtime_info_item_t open_print_sequence;
	dpu_elf_runtime_info_item_t close_print_sequence;
	/* none: objects of these kinds have no names of their own here */
	dpu_elf_symbols_t mutex_info;
	dpu_elf_symbols_t semaphore_info;
	dpu_elf_symbols_t barrier_info;
} dpu_elf_runtime_info_t;

typedef void *dpu_elf_file_t;

/**
 * dpu_elf_open() - read a program's file
 * @path: its name
 * @file: receives what the other calls take
 *
 * Return: DPU_OK, DPU_ERR_ELF_NO_SUCH_FILE, DPU_ERR_ELF_INVALID_FILE where it is no
 * ELF file, or DPU_ERR_SYSTEM.
 */
dpu_error_t dpu_elf_open(const char *path, dpu_elf_file_t *file);

/**
 * dpu_elf_map() - the same of a program in memory
 * @memory: its bytes, which are copied
 * @size: how many
 * @file: receives what the other calls take
 * @filename_or_null: a name for messages, or NULL
 *
 * Return: as dpu_elf_open().
 */
dpu_error_t dpu_elf_map(uint8_t *memory, unsigned int size,
			dpu_elf_file_t *file, const char *filename_or_null);

/**
 * dpu_elf_close() - end its use
 * @file: of dpu_elf_open() or dpu_elf_map(); NULL does nothing
 */
void dpu_elf_close(dpu_elf_file_t file);

/**
 * dpu_elf_load_section() - the contents of a section
 * @file: the program
 * @name: the section's name
 * @size: receives its bytes
 * @buffer: receives a copy of them, for free(); zeros where the file holds none
 *
 * Return: DPU_OK, DPU_ERR_ELF_NO_SUCH_SECTION, DPU_ERR_ELF_INVALID_FILE or
 * DPU_ERR_SYSTEM.
 */
dpu_error_t dpu_elf_load_section(dpu_elf_file_t file, const char *name,
				 unsigned int *size, uint8_t **buffer);

/**
 * dpu_elf_load_symbols() - the symbols of a section
 * @file: the program
 * @name: the section's name
 * @symbols: receives them, for dpu_elf_free_symbols()
 *
 * Return: as dpu_elf_load_section().
 */
dpu_error_t dpu_elf_load_symbols(dpu_elf_file_t file, const char *name,
				 dpu_elf_symbols_t **symbols);

/**
 * dpu_elf_free_symbols() - free what dpu_elf_load_symbols() made
 * @symbols: the symbols; NULL does nothing
 */
void dpu_elf_free_symbols(dpu_elf_symbols_t *symbols);

/**
 * dpu_elf_get_sections() - the names of all sections
 * @file: the program
 * @nr_sections: receives their number
 * @sections: receives the names, one allocation for free()
 *
 * Return: DPU_OK, DPU_ERR_ELF_INVALID_FILE or DPU_ERR_SYSTEM.
 */
dpu_error_t dpu_elf_get_sections(dpu_elf_file_t file, unsigned int *nr_sections,
				 char ***sections);

/**
 * dpu_elf_get_runtime_info() - the symbols of the run-time library
 * @file: the program
 * @runtime_info: filled in, for free_runtime_info()
 */
void dpu_elf_get_runtime_info(dpu_elf_file_t file,
			      dpu_elf_runtime_info_t *runtime_info);

/**
 * free_runtime_info() - free what dpu_elf_get_runtime_info() allocated
 * @runtime_info: what it filled in
 */
void free_runtime_info(dpu_elf_runtime_info_t *runtime_info);

/**
 * dpu_elf_create_core_dump() - write the memories of a DPU as a core file
 *
 * Return: DPU_ERR_INTERNAL, always: a core file of hardware holds its registers, and
 * native programs have others.
 */
dpu_error_t dpu_elf_create_core_dump(const char *exe_path,
				     const char *core_file_path, uint8_t *wram,
				     uint8_t *mram, uint8_t *iram,
				     uint8_t *context, uint32_t wram_size,
				     uint32_t mram_size, uint32_t iram_size,
				     uint32_t context_size);

#ifdef __cplusplus
}
#endif

#endif /* DPU_ELF_H */
