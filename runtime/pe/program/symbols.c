// SPDX-License-Identifier: MIT
/* A program's symbols: what the host may ask for by name. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/error.h"
#include "runtime/pe/program/symbols.h"

/*
 * Names in a file share their ends, and little else: all of them together are not
 * many times as long as the file. Sorting takes no longer than that allows.
 */
#define MAX_SHARED	8

/* the symbol table and its names, copied and ended with a 0 */
struct table {
	const uint8_t *symbols;
	uint32_t nr;
	char *names;
	uint64_t names_bytes;
	uint64_t left;		/* bytes that the names may still have */
};

static const struct {
	uint32_t base, bytes;
} spaces[] = {
	[PIMDIMM_WRAM] = { PE_WRAM_BASE, PE_WRAM_BYTES },
	[PIMDIMM_MRAM] = { PE_MRAM_BASE, PE_MRAM_MAX },
	[PIMDIMM_TEXT] = { PE_TEXT_BASE, PE_TEXT_MAX },
};

bool pd_locate(uint64_t address, enum pimdimm_space *space, uint32_t *offset)
{
	for (uint32_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++)
		/* <=: the end of a memory is still of it */
		if (address >= spaces[i].base &&
		    address - spaces[i].base <= spaces[i].bytes) {
			*space = i;
			*offset = address - spaces[i].base;
			return true;
		}
	return false;
}

static bool find_table(const struct pd_elf *elf, Elf64_Shdr *found)
{
	for (uint32_t i = 0; i < elf->header.e_shnum; i++) {
		pd_elf_section(elf, i, found);
		if (found->sh_type == SHT_SYMTAB)
			return true;
	}
	return false;
}

static int open_table(const struct pd_elf *elf, struct table *table)
{
	Elf64_Shdr symbols, names;
	const uint8_t *data;

	if (!find_table(elf, &symbols))
		return pd_error(ENOEXEC, "program: no symbol table (stripped?)");
	table->symbols = pd_elf_bytes(elf, symbols.sh_offset, symbols.sh_size);
	if (!table->symbols || symbols.sh_entsize != sizeof(Elf64_Sym) ||
	    symbols.sh_size % sizeof(Elf64_Sym) ||
	    symbols.sh_size / sizeof(Elf64_Sym) > UINT32_MAX ||
	    symbols.sh_link >= elf->header.e_shnum)
		return pd_error(ENOEXEC,
				"program: symbol table of %llu bytes at %#llx is damaged",
				(unsigned long long)symbols.sh_size,
				(unsigned long long)symbols.sh_offset);
	table->nr = symbols.sh_size / sizeof(Elf64_Sym);
	pd_elf_section(elf, symbols.sh_link, &names);
	data = pd_elf_bytes(elf, names.sh_offset, names.sh_size);
	if (!data || names.sh_type != SHT_STRTAB || !names.sh_size ||
	    data[names.sh_size - 1])
		return pd_error(ENOEXEC,
				"program: the names of its symbols, %llu bytes at %#llx, are damaged",
				(unsigned long long)names.sh_size,
				(unsigned long long)names.sh_offset);
	table->names = malloc(names.sh_size);
	if (!table->names)
		return pd_error(ENOMEM, "program: no memory for names of symbols");
	memcpy(table->names, data, names.sh_size);
	table->names_bytes = names.sh_size;
	table->left = MAX_SHARED * elf->bytes;
	return 0;
}

void pd_make_printable(char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text < ' ' || (unsigned char)*text > '~')
			*text = '?';
	}
}

/* The name as a sentence may hold it, in a buffer. */
static const char *shown(const char *name, char buf[128])
{
	snprintf(buf, 128, "%.100s", name);
	pd_make_printable(buf);
	return buf;
}

static int read_name(struct table *table, uint32_t i, uint32_t offset,
		     const char **name)
{
	size_t bytes;

	if (offset >= table->names_bytes)
		return pd_error(ENOEXEC,
				"program: symbol %u: its name lies outside the table of names",
				i);
	*name = table->names + offset;
	bytes = strnlen(*name, PD_MAX_NAME) + 1;
	if (bytes > PD_MAX_NAME)
		return pd_error(ENOEXEC,
				"program: symbol %u: its name has more than %d bytes",
				i, PD_MAX_NAME - 1);
	if (bytes > table->left)
		return pd_error(ENOEXEC,
				"program: symbol %u: the names up to this one have more than %d times the file's bytes",
				i, MAX_SHARED);
	table->left -= bytes;
	return 0;
}

/* a symbol while it is read */
struct entry {
	struct pimdimm_symbol symbol;
	bool local;
};

/* What aarch64's linkers need, to tell code from data: $x, $d, and such with a dot behind. */
static bool is_mark(const Elf64_Sym *sym, const char *name)
{
	return PD_ELF_MACHINE == EM_AARCH64 && ELF64_ST_TYPE(sym->st_info) == STT_NOTYPE &&
	       name[0] == '$' && (name[1] == 'x' || name[1] == 'd') &&
	       (!name[2] || name[2] == '.');
}

/* 1 for a symbol of interest, 0 for one to skip, -errno */
static int read_symbol(struct table *table, uint32_t i, struct entry *entry)
{
	struct pimdimm_symbol *symbol = &entry->symbol;
	char buf[128];
	Elf64_Sym sym;
	unsigned type;
	int err;

	memcpy(&sym, table->symbols + i * sizeof(sym), sizeof(sym));
	type = ELF64_ST_TYPE(sym.st_info);
	if (!sym.st_name || type == STT_FILE || type == STT_SECTION)
		return 0;
	err = read_name(table, i, sym.st_name, &symbol->name);
	if (err)
		return err;
	if (sym.st_shndx == SHN_UNDEF) {
		if (ELF64_ST_BIND(sym.st_info) == STB_WEAK)
			return 0;
		return pd_error(ENOEXEC, "program: symbol %s is undefined",
				shown(symbol->name, buf));
	}
	if (sym.st_shndx >= SHN_LORESERVE || is_mark(&sym, symbol->name))
		return 0;
	if (type == STT_TLS || type == STT_COMMON ||
	    !pd_locate(sym.st_value, &symbol->space, &symbol->address) ||
	    sym.st_size > spaces[symbol->space].bytes - symbol->address)
		return pd_error(ENOEXEC,
				"program: symbol %s, %llu bytes at %#llx, lies in no memory of a PE",
				shown(symbol->name, buf),
				(unsigned long long)sym.st_size,
				(unsigned long long)sym.st_value);
	symbol->bytes = sym.st_size;
	entry->local = ELF64_ST_BIND(sym.st_info) == STB_LOCAL;
	return 1;
}

/* by name; of equal ones those first that other files see */
static int compare(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = x->symbol.name == y->symbol.name ? 0 :
		    strcmp(x->symbol.name, y->symbol.name);

	if (order)
		return order;
	if (x->local != y->local)
		return x->local - y->local;
	return (x->symbol.address > y->symbol.address) -
	       (x->symbol.address < y->symbol.address);
}

static int read_entries(struct table *table, struct entry *entries,
			uint32_t *nr)
{
	int kind;

	*nr = 0;
	for (uint32_t i = 0; i < table->nr; i++) {
		kind = read_symbol(table, i, &entries[*nr]);
		if (kind < 0)
			return kind;
		*nr += kind;
	}
	qsort(entries, *nr, sizeof(*entries), compare);
	return 0;
}

static int read_all(struct table *table, struct pimdimm_program *program)
{
	struct entry *entries = calloc(table->nr + 1ul, sizeof(*entries));
	int err;

	program->symbols = calloc(table->nr + 1ul, sizeof(*program->symbols));
	if (!entries || !program->symbols)
		err = pd_error(ENOMEM, "program: no memory for %u symbols",
			       table->nr);
	else
		err = read_entries(table, entries, &program->nr_symbols);
	for (uint32_t i = 0; !err && i < program->nr_symbols; i++)
		program->symbols[i] = entries[i].symbol;
	free(entries);
	return err;
}

int pd_symbols_read(const struct pd_elf *elf, struct pimdimm_program *program)
{
	struct table table = { 0 };
	int err = open_table(elf, &table);

	program->names = table.names;
	return err ? err : read_all(&table, program);
}

void pd_symbols_free(struct pimdimm_program *program)
{
	free(program->symbols);
	free(program->names);
}

static int compare_name(const void *key, const void *symbol)
{
	return strcmp(key, ((const struct pimdimm_symbol *)symbol)->name);
}

const struct pimdimm_symbol *
pd_symbols_find(const struct pimdimm_program *program, const char *name)
{
	const struct pimdimm_symbol *found;

	found = bsearch(name, program->symbols, program->nr_symbols,
			sizeof(*program->symbols), compare_name);
	while (found && found > program->symbols &&
	       !strcmp(found[-1].name, name))
		found--;
	return found;
}

int pimdimm_program_symbol(const struct pimdimm_program *program,
			   const char *name, struct pimdimm_symbol *symbol)
{
	const struct pimdimm_symbol *found;

	if (!program || !name || !symbol)
		return pd_error(EINVAL, "pimdimm_program_symbol: %s is NULL",
				!program ? "program" : !name ? "name" : "symbol");
	found = pd_symbols_find(program, name);
	if (!found)
		return pd_error(ENOENT, "program has no symbol %s", name);
	*symbol = *found;
	return 0;
}
