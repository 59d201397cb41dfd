// SPDX-License-Identifier: MIT
/* Sections and symbols of programs' files, by libelf. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gelf.h>

#include <dpu_elf.h>

#include "tools/upmem/host/core/error.h"
#include "tools/upmem/host/core/range.h"
#include "tools/upmem/host/inside.h"

/* larger files are no programs for PEs */
#define MOST_BYTES	(256u << 20)

struct elf_file {
	Elf *elf;
	char *bytes;
	bool native;	/* compiled for PEs here */
	size_t names;	/* the section that holds the sections' names */
};

static dpu_error_t fail_elf(const char *what)
{
	return host_fail(DPU_ERR_ELF_INVALID_FILE, "%s: %s", what,
			 elf_errmsg(-1));
}

/* takes the bytes over */
static dpu_error_t open_bytes(char *bytes, size_t size, const char *name,
			      dpu_elf_file_t *out)
{
	struct elf_file *file = calloc(1, sizeof(*file));
	GElf_Ehdr header;

	if (!file) {
		free(bytes);
		return host_fail(DPU_ERR_SYSTEM, "no memory for %s", name);
	}
	file->bytes = bytes;
	elf_version(EV_CURRENT);
	file->elf = elf_memory(bytes, size);
	if (!file->elf || elf_kind(file->elf) != ELF_K_ELF ||
	    !gelf_getehdr(file->elf, &header) ||
	    elf_getshdrstrndx(file->elf, &file->names)) {
		dpu_elf_close(file);
		return host_fail(DPU_ERR_ELF_INVALID_FILE,
				 "%s is no ELF file with sections", name);
	}
	file->native = header.e_machine == EM_X86_64;
	*out = file;
	return DPU_OK;
}

static dpu_error_t read_all(int fd, const char *path, dpu_elf_file_t *out)
{
	struct stat s;
	char *bytes;
	ssize_t n;

	if (fstat(fd, &s) || !S_ISREG(s.st_mode) || !s.st_size ||
	    s.st_size > MOST_BYTES)
		return host_fail(DPU_ERR_ELF_INVALID_FILE,
				 "%s: expected a file of 1 to %u bytes", path,
				 MOST_BYTES);
	bytes = malloc((size_t)s.st_size);
	if (!bytes)
		return host_fail(DPU_ERR_SYSTEM, "no memory for %s", path);
	n = pread(fd, bytes, (size_t)s.st_size, 0);
	if (n == s.st_size)
		return open_bytes(bytes, (size_t)n, path, out);
	free(bytes);
	return host_fail(DPU_ERR_SYSTEM, "%s: %s", path,
			 n < 0 ? strerror(errno) : "changed while it was read");
}

DPU_API dpu_error_t dpu_elf_open(const char *path, dpu_elf_file_t *file)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	dpu_error_t status;

	if (fd < 0)
		return host_fail(DPU_ERR_ELF_NO_SUCH_FILE, "%s: %s", path,
				 strerror(errno));
	status = read_all(fd, path, file);
	close(fd);
	return status;
}

DPU_API dpu_error_t dpu_elf_map(uint8_t *memory, unsigned int size,
				dpu_elf_file_t *file,
				const char *filename_or_null)
{
	const char *name = filename_or_null ? filename_or_null :
					      "program in memory";
	char *bytes = malloc(size ? size : 1);

	if (!bytes)
		return host_fail(DPU_ERR_SYSTEM, "no memory for %s", name);
	memcpy(bytes, memory, size);
	return open_bytes(bytes, size, name, file);
}

DPU_API void dpu_elf_close(dpu_elf_file_t file)
{
	struct elf_file *f = file;

	if (!f)
		return;
	elf_end(f->elf);
	free(f->bytes);
	free(f);
}

static Elf_Scn *find_section(const struct elf_file *file, const char *name,
			     GElf_Shdr *header)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(file->elf, section))) {
		const char *found;

		if (!gelf_getshdr(section, header))
			continue;
		found = elf_strptr(file->elf, file->names, header->sh_name);
		if (found && !strcmp(found, name))
			return section;
	}
	host_fail(DPU_ERR_ELF_NO_SUCH_SECTION, "there is no section '%s'",
		  name);
	return NULL;
}

DPU_API dpu_error_t dpu_elf_load_section(dpu_elf_file_t file, const char *name,
					 unsigned int *size, uint8_t **buffer)
{
	GElf_Shdr header;
	Elf_Scn *section = find_section(file, name, &header);
	Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;

	if (!section)
		return DPU_ERR_ELF_NO_SUCH_SECTION;
	if (!data)
		return fail_elf(name);
	if (header.sh_size > MOST_BYTES)
		return host_fail(DPU_ERR_ELF_INVALID_FILE,
				 "section '%s' has %llu bytes, expected %u at most",
				 name, (unsigned long long)header.sh_size,
				 MOST_BYTES);
	*buffer = calloc(1, header.sh_size ? header.sh_size : 1);
	if (!*buffer)
		return host_fail(DPU_ERR_SYSTEM, "no memory for section '%s'",
				 name);
	*size = (unsigned int)header.sh_size;
	if (data->d_buf)
		memcpy(*buffer, data->d_buf, data->d_size);
	return DPU_OK;
}

/* as hardware's addresses are */
static unsigned int address_of(const struct elf_file *file, uint64_t value)
{
	if (!file->native)
		return (unsigned int)value;
	if (value - PE_WRAM_BASE < PE_WRAM_BYTES)
		return (unsigned int)(value - PE_WRAM_BASE);
	if (value - PE_TEXT_BASE < PE_TEXT_MAX)
		return (unsigned int)(value - PE_TEXT_BASE) | IRAM_TAG;
	return (unsigned int)value;
}

/* the table of symbols and how many it has; NULL where there is none */
static Elf_Data *symbol_table(const struct elf_file *file, GElf_Shdr *header,
			      int *nr)
{
	Elf_Scn *section = NULL;
	Elf_Data *data;

	while ((section = elf_nextscn(file->elf, section))) {
		if (!gelf_getshdr(section, header) ||
		    header->sh_type != SHT_SYMTAB)
			continue;
		data = elf_getdata(section, NULL);
		*nr = data && header->sh_entsize ?
			      (int)(data->d_size / header->sh_entsize) : 0;
		return data;
	}
	return NULL;
}

/* symbol i, with its name; NULL where it has none */
static const char *symbol_at(const struct elf_file *file, Elf_Data *table,
			     const GElf_Shdr *header, int i, GElf_Sym *symbol)
{
	const char *name;

	if (!gelf_getsym(table, i, symbol))
		return NULL;
	name = elf_strptr(file->elf, header->sh_link, symbol->st_name);
	return name && *name ? name : NULL;
}

static dpu_error_t add_symbol(const struct elf_file *file,
			      dpu_elf_symbols_t *symbols, const char *name,
			      const GElf_Sym *symbol)
{
	dpu_elf_symbol_t *at = &symbols->map[symbols->nr_symbols];

	at->name = strdup(name);
	if (!at->name)
		return host_fail(DPU_ERR_SYSTEM, "no memory for symbols");
	at->value = address_of(file, symbol->st_value);
	at->size = (unsigned int)symbol->st_size;
	symbols->nr_symbols++;
	return DPU_OK;
}

static dpu_error_t collect_symbols(const struct elf_file *file, size_t section,
				   dpu_elf_symbols_t *symbols)
{
	dpu_error_t status = DPU_OK;
	GElf_Shdr header;
	GElf_Sym symbol;
	int nr = 0;
	Elf_Data *table = symbol_table(file, &header, &nr);

	symbols->map = calloc((size_t)nr + 1, sizeof(*symbols->map));
	if (!symbols->map)
		return host_fail(DPU_ERR_SYSTEM, "no memory for symbols");
	for (int i = 0; i < nr && status == DPU_OK; i++) {
		const char *name = symbol_at(file, table, &header, i, &symbol);

		if (name && symbol.st_shndx == section)
			status = add_symbol(file, symbols, name, &symbol);
	}
	return status;
}

DPU_API dpu_error_t dpu_elf_load_symbols(dpu_elf_file_t file, const char *name,
					 dpu_elf_symbols_t **symbols)
{
	GElf_Shdr header;
	Elf_Scn *section = find_section(file, name, &header);
	dpu_elf_symbols_t *all;
	dpu_error_t status;

	if (!section)
		return DPU_ERR_ELF_NO_SUCH_SECTION;
	all = calloc(1, sizeof(*all));
	if (!all)
		return host_fail(DPU_ERR_SYSTEM, "no memory for symbols");
	status = collect_symbols(file, elf_ndxscn(section), all);
	if (status == DPU_OK)
		*symbols = all;
	else
		dpu_elf_free_symbols(all);
	return status;
}

static void free_map(dpu_elf_symbols_t *symbols)
{
	for (unsigned int i = 0; i < symbols->nr_symbols; i++)
		free(symbols->map[i].name);
	free(symbols->map);
}

DPU_API void dpu_elf_free_symbols(dpu_elf_symbols_t *symbols)
{
	if (!symbols)
		return;
	free_map(symbols);
	free(symbols);
}

/* names behind the pointers to them; NULL: how many bytes that takes */
static size_t put_names(const struct elf_file *file, char **pointers,
			size_t nr, unsigned int *count)
{
	char *text = pointers ? (char *)(pointers + nr) : NULL;
	size_t bytes = 0;
	Elf_Scn *section = NULL;

	*count = 0;
	while ((section = elf_nextscn(file->elf, section))) {
		GElf_Shdr header;
		const char *name = NULL;

		if (gelf_getshdr(section, &header))
			name = elf_strptr(file->elf, file->names,
					  header.sh_name);
		name = name ? name : "";
		if (text)
			pointers[*count] = strcpy(text + bytes, name);
		bytes += strlen(name) + 1;
		++*count;
	}
	return bytes;
}

DPU_API dpu_error_t dpu_elf_get_sections(dpu_elf_file_t file,
					 unsigned int *nr_sections,
					 char ***sections)
{
	size_t bytes = put_names(file, NULL, 0, nr_sections);

	*sections = malloc(*nr_sections * sizeof(**sections) + bytes + 1);
	if (!*sections)
		return host_fail(DPU_ERR_SYSTEM, "no memory for sections");
	put_names(file, *sections, *nr_sections, nr_sections);
	return DPU_OK;
}

/* hardware's names, and those that say the same here */
static dpu_elf_runtime_info_item_t *item_of(dpu_elf_runtime_info_t *info,
					    const char *name)
{
	const struct {
		const char *name;
		dpu_elf_runtime_info_item_t *item;
	} items[] = {
		{ "__sys_heap_pointer_reset", &info->sys_heap_pointer_reset },
		{ "__sys_heap_start", &info->sys_heap_pointer_reset },
		{ "__sys_heap_pointer", &info->sys_heap_pointer },
		{ "__sys_wq_table", &info->sys_wq_table },
		{ "__sys_thread_stack_table_ptr", &info->sys_stack_table },
		{ "__stdout_buffer", &info->printf_buffer },
		{ "__stdout_buffer_state", &info->printf_state },
		{ "__sys_log", &info->printf_state },
		{ "__sys_end", &info->sys_end },
		{ "mcount", &info->mcount },
		{ "ret_mcount", &info->ret_mcount },
		{ "thread_profiling", &info->thread_profiling },
		{ "NR_TASKLETS", &info->nr_threads },
		{ "perfcounter_end_value", &info->perfcounter_end_value },
		{ "__open_print_sequence", &info->open_print_sequence },
		{ "__close_print_sequence", &info->close_print_sequence },
	};

	for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++) {
		if (!strcmp(items[i].name, name))
			return items[i].item;
	}
	return NULL;
}

DPU_API void dpu_elf_get_runtime_info(dpu_elf_file_t file,
				      dpu_elf_runtime_info_t *runtime_info)
{
	GElf_Shdr header;
	GElf_Sym symbol;
	int nr = 0;
	Elf_Data *table = symbol_table(file, &header, &nr);

	memset(runtime_info, 0, sizeof(*runtime_info));
	for (int i = 0; i < nr; i++) {
		const char *name = symbol_at(file, table, &header, i, &symbol);
		dpu_elf_runtime_info_item_t *item;

		item = name ? item_of(runtime_info, name) : NULL;
		if (item)
			*item = (dpu_elf_runtime_info_item_t){
				.value = address_of(file, symbol.st_value),
				.size = (uint32_t)symbol.st_size,
				.exists = true,
			};
	}
}

DPU_API void free_runtime_info(dpu_elf_runtime_info_t *runtime_info)
{
	free_map(&runtime_info->mutex_info);
	free_map(&runtime_info->semaphore_info);
	free_map(&runtime_info->barrier_info);
	memset(runtime_info, 0, sizeof(*runtime_info));
}
