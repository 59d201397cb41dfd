// SPDX-License-Identifier: MIT
/* Program files: what they may hold, and what is kept of them. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/base/error.h"
#include "runtime/base/signals.h"
#include "runtime/base/threads.h"
#include "runtime/base/util.h"
#include "runtime/pe/shared/cost.h"
#include "runtime/pe/program/check.h"
#include "runtime/pe/program/compiled.h"
#include "runtime/pe/program/elf.h"
#include "runtime/pe/program/profile.h"
#include "runtime/pe/program/program.h"
#include "runtime/pe/program/symbols.h"
#include "runtime/watch/report.h"

/* far more than a program with all its debug information and initialised MRAM */
#define MAX_FILE_BYTES	(256ul << 20)

/*
 * What a PE may hold of text. Native code is not hardware's: 4096 instructions
 * of it may be many more bytes of ours, and constants, which hardware has in
 * WRAM, lie here as well.
 */
#define TEXT_LIMIT	0x80000u

#define MAX_NOTES_BYTES	(64u << 10)

/* a program while it is read */
struct loader {
	struct pd_elf elf;
	struct pimdimm_program *program;
	uint32_t end[3];		/* of each memory, by enum pimdimm_space */
	uint8_t *text;
};

/* how large segments may make a memory, and what is said beyond */
static int check_end(const struct loader *loader, enum pimdimm_space space)
{
	static const struct {
		const char *what;
		uint32_t bytes;
	} limits[] = {
		[PIMDIMM_WRAM] = { "data in WRAM", PE_WRAM_BYTES },
		[PIMDIMM_MRAM] = { "objects in MRAM", PE_MRAM_MAX },
		[PIMDIMM_TEXT] = { "code and constants", TEXT_LIMIT },
	};

	if (loader->end[space] > limits[space].bytes)
		return pd_error(E2BIG,
				"program: its %s take %u bytes: a PE has %u",
				limits[space].what, loader->end[space],
				limits[space].bytes);
	return 0;
}

static int check_segment(const struct loader *loader, const Elf64_Phdr *segment,
			 enum pimdimm_space *space, uint32_t *offset)
{
	if (segment->p_filesz > segment->p_memsz ||
	    !pd_elf_bytes(&loader->elf, segment->p_offset, segment->p_filesz))
		return pd_error(ENOEXEC,
				"program: segment at %#llx: its %llu bytes at %#llx lie outside the file or exceed its %llu bytes of memory",
				(unsigned long long)segment->p_vaddr,
				(unsigned long long)segment->p_filesz,
				(unsigned long long)segment->p_offset,
				(unsigned long long)segment->p_memsz);
	if (!pd_locate(segment->p_vaddr, space, offset) ||
	    segment->p_memsz > PE_MRAM_MAX ||
	    *offset % 8)
		return pd_error(ENOEXEC,
				"program: segment of %llu bytes at %#llx: expected one in WRAM, MRAM or text, at a multiple of 8; link with pimdimm's dpu-upmem-dpurte-clang",
				(unsigned long long)segment->p_memsz,
				(unsigned long long)segment->p_vaddr);
	return 0;
}

static bool overlap(const Elf64_Phdr *a, const Elf64_Phdr *b)
{
	return a->p_vaddr < b->p_vaddr + b->p_memsz &&
	       b->p_vaddr < a->p_vaddr + a->p_memsz;
}

static int check_overlaps(const struct loader *loader, uint32_t last,
			  const Elf64_Phdr *segment)
{
	Elf64_Phdr other;

	for (uint32_t i = 0; i < last; i++) {
		pd_elf_segment(&loader->elf, i, &other);
		if (other.p_type == PT_LOAD && overlap(segment, &other))
			return pd_error(ENOEXEC,
					"program: segments at %#llx and %#llx overlap",
					(unsigned long long)other.p_vaddr,
					(unsigned long long)segment->p_vaddr);
	}
	return 0;
}

/* one more piece of MRAM that a load sets */
static int add_piece(struct pimdimm_program *program, uint32_t offset,
		     const uint8_t *data, uint32_t bytes)
{
	uint32_t rounded = pd_round_up(bytes, 8);
	struct pd_program_piece *pieces;
	uint8_t *copy;

	pieces = realloc(program->mram,
			 (program->nr_mram + 1) * sizeof(*pieces));
	if (pieces)
		program->mram = pieces;
	copy = calloc(1, rounded);
	if (!pieces || !copy) {
		free(copy);
		return pd_error(ENOMEM,
				"program: no memory for %u bytes of MRAM", bytes);
	}
	memcpy(copy, data, bytes);
	pieces[program->nr_mram++] = (struct pd_program_piece){
		offset, rounded, copy,
	};
	return 0;
}

static int read_segment(struct loader *loader, const Elf64_Phdr *segment,
			enum pimdimm_space space, uint32_t offset)
{
	const uint8_t *data = pd_elf_bytes(&loader->elf, segment->p_offset,
					   segment->p_filesz);
	uint32_t end = offset + segment->p_memsz;
	int err;

	if (end > loader->end[space])
		loader->end[space] = end;
	err = check_end(loader, space);
	if (err || !segment->p_filesz)
		return err;
	switch (space) {
	case PIMDIMM_WRAM:
		memcpy(loader->program->wram + offset, data, segment->p_filesz);
		return 0;
	case PIMDIMM_TEXT:
		memcpy(loader->text + offset, data, segment->p_filesz);
		return 0;
	case PIMDIMM_MRAM:
		return add_piece(loader->program, offset, data,
				 segment->p_filesz);
	}
	return 0;
}

static int read_segments(struct loader *loader)
{
	enum pimdimm_space space;
	Elf64_Phdr segment;
	uint32_t offset;
	int err;

	for (uint32_t i = 0; i < loader->elf.header.e_phnum; i++) {
		pd_elf_segment(&loader->elf, i, &segment);
		if (segment.p_type == PT_INTERP || segment.p_type == PT_DYNAMIC ||
		    segment.p_type == PT_TLS)
			return pd_error(ENOEXEC,
					"program: segment of type %u: expected a static executable without threads' variables",
					segment.p_type);
		if (segment.p_type != PT_LOAD || !segment.p_memsz)
			continue;
		err = check_segment(loader, &segment, &space, &offset);
		if (!err)
			err = check_overlaps(loader, i, &segment);
		if (!err)
			err = read_segment(loader, &segment, space, offset);
		if (err)
			return err;
	}
	return 0;
}

/* a note's parts start at multiples of 4; ours is not far behind others */
static bool find_note(const struct pd_elf *elf, const Elf64_Phdr *segment,
		      struct pe_note *note)
{
	uint64_t at = segment->p_offset;
	uint64_t end = at + (segment->p_filesz < MAX_NOTES_BYTES ?
			     segment->p_filesz : MAX_NOTES_BYTES);
	const uint8_t *data;
	Elf64_Nhdr header;

	if (!pd_elf_bytes(elf, segment->p_offset, segment->p_filesz))
		return false;
	while (at < end && end - at >= sizeof(header)) {
		memcpy(&header, pd_elf_bytes(elf, at, sizeof(header)),
		       sizeof(header));
		at += sizeof(header);
		data = pd_elf_bytes(elf, at, pd_round_up(header.n_namesz, 4) +
					     (uint64_t)header.n_descsz);
		if (!data)
			return false;
		if (header.n_type == PE_NOTE_TYPE &&
		    header.n_namesz == sizeof(PE_NOTE_NAME) &&
		    !memcmp(data, PE_NOTE_NAME, sizeof(PE_NOTE_NAME)) &&
		    header.n_descsz >= sizeof(note->abi)) {
			memset(note, 0, sizeof(*note));
			memcpy(note, data + pd_round_up(header.n_namesz, 4),
			       header.n_descsz < sizeof(*note) ?
				       header.n_descsz : sizeof(*note));
			return true;
		}
		at += pd_round_up(header.n_namesz, 4) + pd_round_up(header.n_descsz, 4);
	}
	return false;
}

static int check_note(const struct pe_note *note, uint32_t *stacks)
{
	if (note->abi != PE_ABI_VERSION)
		return pd_error(ENOEXEC,
				"program: built for version %u of the PE interface: this library has version %u; compile it anew",
				note->abi, PE_ABI_VERSION);
	if (!note->nr_tasklets || note->nr_tasklets > PE_MAX_TASKLETS)
		return pd_error(ENOEXEC,
				"program: %u tasklets: expected 1 to %u",
				note->nr_tasklets, PE_MAX_TASKLETS);
	*stacks = 0;
	for (uint32_t t = 0; t < note->nr_tasklets; t++) {
		if (note->stack_bytes[t] % 8 ||
		    note->stack_bytes[t] > PE_WRAM_BYTES)
			return pd_error(ENOEXEC,
					"program: a stack of %u bytes for tasklet %u: expected a multiple of 8 up to %u",
					note->stack_bytes[t], t, PE_WRAM_BYTES);
		*stacks += note->stack_bytes[t];
	}
	return 0;
}

static int read_note(struct loader *loader)
{
	struct pimdimm_program *program = loader->program;
	Elf64_Phdr segment;

	for (uint32_t i = 0; i < loader->elf.header.e_phnum; i++) {
		pd_elf_segment(&loader->elf, i, &segment);
		if (segment.p_type == PT_NOTE &&
		    find_note(&loader->elf, &segment, &program->note)) {
			program->info.nr_tasklets = program->note.nr_tasklets;
			program->info.has_log =
				!!(program->note.flags & PE_NOTE_LOG);
			return check_note(&program->note,
					  &program->info.stack_bytes);
		}
	}
	return pd_error(ENOEXEC,
			"program: an executable for " PD_ELF_MACHINE_NAME ", but none for PEs: it has no note of pimdimm; compile it with pimdimm's dpu-upmem-dpurte-clang");
}

/* what the note and the segments say together */
static int check_sizes(struct loader *loader)
{
	struct pimdimm_program_info *info = &loader->program->info;
	uint64_t entry = loader->elf.header.e_entry;

	info->text_bytes = loader->end[PIMDIMM_TEXT];
	info->wram_bytes = loader->end[PIMDIMM_WRAM];
	info->mram_bytes = loader->end[PIMDIMM_MRAM];
	if (info->wram_bytes + info->stack_bytes > PE_WRAM_BYTES)
		return pd_error(E2BIG,
				"program: %u bytes of data and %u of %u tasklets' stacks exceed the %u bytes of WRAM; lower NR_TASKLETS or STACK_SIZE_DEFAULT",
				info->wram_bytes, info->stack_bytes,
				info->nr_tasklets, PE_WRAM_BYTES);
	if (entry < PE_TEXT_BASE || entry - PE_TEXT_BASE >= info->text_bytes)
		return pd_error(ENOEXEC,
				"program: starts at %#llx: expected an address of its %u bytes of text at %#x",
				(unsigned long long)entry, info->text_bytes,
				PE_TEXT_BASE);
	loader->program->entry = entry;
	return 0;
}

/* the symbol, if the program has it in this memory with as many bytes */
static bool find_object(const struct pimdimm_program *program, const char *name,
			enum pimdimm_space space, uint32_t bytes,
			struct pimdimm_symbol *symbol)
{
	const struct pimdimm_symbol *found = pd_symbols_find(program, name);

	if (!found || found->space != space || found->bytes < bytes)
		return false;
	*symbol = *found;
	return true;
}

static int check_log(struct pimdimm_program *program)
{
	struct pimdimm_symbol symbol;
	struct pe_log log;

	if (!program->info.has_log)
		return 0;
	if (!find_object(program, "__sys_log", PIMDIMM_WRAM, sizeof(log), &symbol))
		return pd_error(ENOEXEC, "program: prints, but has no __sys_log");
	memcpy(&log, program->wram + symbol.address, sizeof(log));
	if (log.buffer % 8 || log.bytes % 8 || log.buffer > PE_MRAM_MAX ||
	    log.bytes > PE_MRAM_MAX - log.buffer)
		return pd_error(ENOEXEC,
				"program: a log of %u bytes at %#x of MRAM: expected multiples of 8 within %u bytes",
				log.bytes, log.buffer, PE_MRAM_MAX);
	return 0;
}

/* symbols that mean something to the library */
static int apply_symbols(struct pimdimm_program *program)
{
	struct pimdimm_symbol symbol;
	uint32_t hz = pd_cost()->clock_hz;

	if (find_object(program, "CLOCKS_PER_SEC", PIMDIMM_WRAM, sizeof(hz), &symbol))
		memcpy(program->wram + symbol.address, &hz, sizeof(hz));
	for (uint32_t i = 0; i < program->nr_symbols; i++) {
		struct pimdimm_symbol *s = &program->symbols[i];

		if (s->space != PIMDIMM_MRAM ||
		    strcmp(s->name, "__sys_used_mram_end"))
			continue;
		if (s->address < program->info.mram_bytes || s->address % 8)
			return pd_error(ENOEXEC,
					"program: __sys_used_mram_end is %#x: expected a multiple of 8 after the %u bytes of objects in MRAM",
					s->address, program->info.mram_bytes);
		program->info.mram_bytes = s->address;
		s->bytes = PE_MRAM_MAX - s->address;
	}
	return check_log(program);
}

/* what a load copies of WRAM: all but the zeros at the end */
static int trim_wram(struct pimdimm_program *program)
{
	uint32_t bytes = program->info.wram_bytes;
	uint8_t *smaller;

	while (bytes && !program->wram[bytes - 1])
		bytes--;
	bytes = pd_round_up(bytes, 8);
	smaller = realloc(program->wram, bytes ? bytes : 8);
	if (!smaller)
		return pd_error(ENOMEM, "program: no memory for its WRAM");
	program->wram = smaller;
	program->wram_image_bytes = bytes;
	return 0;
}

/* workers map the text from here; sealed, so that none can change another's */
static int seal_text(struct loader *loader)
{
	struct pimdimm_program *program = loader->program;
	size_t bytes = pd_round_up(program->info.text_bytes, PE_PAGE);
	void *map;

	program->text_bytes = bytes;
	program->text_fd = memfd_create("pimdimm-text",
					MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (program->text_fd < 0 ||
	    pd_set_file_size(program->text_fd, (off_t)bytes) ||
	    pwrite(program->text_fd, loader->text, bytes, 0) !=
		    (ssize_t)bytes ||
	    fcntl(program->text_fd, F_ADD_SEALS,
		  F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL))
		return pd_error(ENOMEM,
				"program: no memory for %zu bytes of text: %m",
				bytes);
	map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, program->text_fd, 0);
	if (map == MAP_FAILED)
		return pd_error(ENOMEM,
				"program: cannot map %zu bytes of text: %m",
				bytes);
	program->text = map;
	return 0;
}

static int read_program(struct loader *loader)
{
	int err = read_note(loader);

	if (!err)
		err = pd_compiled_check(&loader->elf);
	if (!err)
		err = read_segments(loader);
	if (!err)
		err = check_sizes(loader);
	if (!err)
		err = pd_symbols_read(&loader->elf, loader->program);
	if (!err)
		err = apply_symbols(loader->program);
	if (!err)
		err = trim_wram(loader->program);
	if (!err)
		pd_dwarf_find(&loader->elf, &loader->program->dwarf);
	if (!err)
		err = seal_text(loader);
	if (!err)
		loader->program->profile = pd_profile_open(&loader->elf, &err);
	if (!err)
		err = pd_check_open(loader->program);
	return err;
}

static struct pimdimm_program *new_program(void)
{
	static _Atomic uint64_t ids;
	struct pimdimm_program *program = calloc(1, sizeof(*program));

	if (!program)
		return NULL;
	program->id = atomic_fetch_add(&ids, 1) + 1;
	program->users = 1;
	program->text_fd = -1;
	program->wram = calloc(1, PE_WRAM_BYTES);
	if (program->wram)
		return program;
	free(program);
	return NULL;
}

static bool keep_image(struct pimdimm_program *program, const void *image,
		       size_t bytes)
{
	program->image = malloc(bytes);
	if (!program->image)
		return false;
	memcpy(program->image, image, bytes);
	program->image_bytes = bytes;
	return true;
}

static int open_image(const void *image, size_t bytes, struct pimdimm_program **program)
{
	struct loader loader = { 0 };
	int err = pd_elf_open(&loader.elf, image, bytes);

	if (err)
		return err;
	loader.program = new_program();
	loader.text = calloc(1, TEXT_LIMIT);
	if (!loader.program || !loader.text ||
	    !keep_image(loader.program, image, bytes)) {
		err = pd_error(ENOMEM, "program: no memory");
	} else {
		/* what is found in it stays */
		loader.elf.image = loader.program->image;
		err = read_program(&loader);
	}
	free(loader.text);
	if (err) {
		pimdimm_program_close(loader.program);
		return err;
	}
	pimdimm_program_set_name(loader.program, "(memory)");
	*program = loader.program;
	return 0;
}

int pimdimm_program_open_memory(const void *image, size_t bytes,
				struct pimdimm_program **program)
{
	int ret, cancel;

	if (!image || !program)
		return pd_error(EINVAL, "pimdimm_program_open_memory: %s is NULL",
				image ? "program" : "image");
	cancel = pd_cancel_off();
	ret = open_image(image, bytes, program);
	pd_cancel_restore(cancel);
	return ret;
}

void pimdimm_program_set_name(struct pimdimm_program *program, const char *name)
{
	pd_report_text(program->name, sizeof(program->name),
		       name ? name : "(memory)");
}

static int read_program_file(int fd, const char *path, uint8_t **image,
			     size_t *bytes)
{
	int err = pd_read_file(fd, MAX_FILE_BYTES, image, bytes);

	switch (err) {
	case 0:
		return 0;
	case ENOEXEC:
		return pd_error(err,
				"program %s: expected a file of 1 to %lu bytes",
				path, MAX_FILE_BYTES);
	case ENOMEM:
		return pd_error(err, "program %s: no memory for %zu bytes",
				path, *bytes);
	default:
		return pd_error(err, "program %s: %s", path, strerror(err));
	}
}

static int open_file(const char *path, struct pimdimm_program **program)
{
	uint8_t *image = NULL;
	size_t bytes = 0;
	int fd, err;

	/* O_NONBLOCK: no waiting for the other end of a FIFO */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return pd_error(errno, "program %s: %m", path);
	err = read_program_file(fd, path, &image, &bytes);
	close(fd);
	if (!err) {
		err = open_image(image, bytes, program);
		if (err)
			err = pd_error(-err, "%s: %s", path, pimdimm_errmsg());
		else
			pimdimm_program_set_name(*program, basename(path));
	}
	free(image);
	return err;
}

int pimdimm_program_open(const char *path, struct pimdimm_program **program)
{
	int ret, cancel;

	if (!path || !program)
		return pd_error(EINVAL, "pimdimm_program_open: %s is NULL",
				path ? "program" : "path");
	cancel = pd_cancel_off();
	ret = open_file(path, program);
	pd_cancel_restore(cancel);
	return ret;
}

void pimdimm_program_close(struct pimdimm_program *program)
{
	if (!program || atomic_fetch_sub(&program->users, 1) != 1)
		return;
	pd_symbols_free(program);
	pd_check_free(program->check);
	for (uint32_t i = 0; i < program->nr_mram; i++)
		free((void *)(uintptr_t)program->mram[i].data);
	free(program->mram);
	free(program->wram);
	free(program->image);
	if (program->text)
		munmap((void *)(uintptr_t)program->text, program->text_bytes);
	if (program->text_fd >= 0)
		close(program->text_fd);
	free(program);
}

const struct pimdimm_program_info *
pimdimm_program_info(const struct pimdimm_program *program)
{
	return &program->info;
}
