// SPDX-License-Identifier: MIT
/* Reading ELF files with every bound checked. */
#include <errno.h>
#include <string.h>

#include "runtime/base/error.h"
#include "runtime/pe/program/elf.h"

/* what the vendor's compiler gives its programs */
#define EM_DPU		245

#define MAX_SEGMENTS	64u

const uint8_t *pd_elf_bytes(const struct pd_elf *elf, uint64_t off,
			    uint64_t bytes)
{
	if (off > elf->bytes || bytes > elf->bytes - off)
		return NULL;
	return elf->image + off;
}

void pd_elf_segment(const struct pd_elf *elf, uint32_t i, Elf64_Phdr *segment)
{
	memcpy(segment, elf->image + elf->header.e_phoff + i * sizeof(*segment),
	       sizeof(*segment));
}

void pd_elf_section(const struct pd_elf *elf, uint32_t i, Elf64_Shdr *section)
{
	memcpy(section, elf->image + elf->header.e_shoff + i * sizeof(*section),
	       sizeof(*section));
}

static int check_tables(const struct pd_elf *elf)
{
	const Elf64_Ehdr *h = &elf->header;

	if (h->e_phentsize != sizeof(Elf64_Phdr) || !h->e_phnum ||
	    h->e_phnum > MAX_SEGMENTS ||
	    !pd_elf_bytes(elf, h->e_phoff,
			  (uint64_t)h->e_phnum * sizeof(Elf64_Phdr)))
		return pd_error(ENOEXEC,
				"program: %u segments of %u bytes at %#llx: expected 1 to %u of %zu, inside the file of %zu bytes",
				h->e_phnum, h->e_phentsize,
				(unsigned long long)h->e_phoff, MAX_SEGMENTS,
				sizeof(Elf64_Phdr), elf->bytes);
	if (h->e_shnum &&
	    (h->e_shentsize != sizeof(Elf64_Shdr) ||
	     !pd_elf_bytes(elf, h->e_shoff,
			   (uint64_t)h->e_shnum * sizeof(Elf64_Shdr))))
		return pd_error(ENOEXEC,
				"program: %u sections of %u bytes at %#llx: expected %zu each, inside the file of %zu bytes",
				h->e_shnum, h->e_shentsize,
				(unsigned long long)h->e_shoff,
				sizeof(Elf64_Shdr), elf->bytes);
	return 0;
}

int pd_elf_open(struct pd_elf *elf, const void *image, size_t bytes)
{
	Elf64_Ehdr *h = &elf->header;
	const uint8_t *id = image;

	elf->image = image;
	elf->bytes = bytes;
	if (bytes < sizeof(Elf32_Ehdr) || memcmp(id, ELFMAG, SELFMAG))
		return pd_error(ENOEXEC,
				"program: no ELF file, but %zu bytes of something else",
				bytes);
	/* up to e_machine both classes are alike */
	memset(h, 0, sizeof(*h));
	memcpy(h, image, bytes < sizeof(*h) ? bytes : sizeof(*h));
	if (h->e_machine == EM_DPU)
		return pd_error(ENOEXEC,
				"program: machine code of UPMEM hardware, which is not executed here; compile its source with dpu-upmem-dpurte-clang of pimdimm");
	if (id[EI_CLASS] != ELFCLASS64 || id[EI_DATA] != ELFDATA2LSB ||
	    id[EI_VERSION] != EV_CURRENT || h->e_machine != PD_ELF_MACHINE)
		return pd_error(ENOEXEC,
				"program: ELF class %u, data %u, machine %u: expected a PE program for this machine, which is 64-bit " PD_ELF_MACHINE_NAME " (machine %u)",
				id[EI_CLASS], id[EI_DATA], h->e_machine,
				PD_ELF_MACHINE);
	if (bytes < sizeof(*h) || h->e_type != ET_EXEC)
		return pd_error(ENOEXEC,
				"program: ELF type %u: expected %u, an executable of fixed addresses, as dpu-upmem-dpurte-clang of pimdimm links them",
				h->e_type, ET_EXEC);
	return check_tables(elf);
}

static bool is_named(const struct pd_elf *elf, const Elf64_Shdr *names,
		     uint32_t offset, const char *name)
{
	size_t bytes = strlen(name) + 1;
	const uint8_t *at;

	if (offset > names->sh_size || bytes > names->sh_size - offset)
		return false;
	at = pd_elf_bytes(elf, names->sh_offset, names->sh_size);
	return at && !memcmp(at + offset, name, bytes);
}

bool pd_elf_find(const struct pd_elf *elf, const char *name,
		 struct pd_section *found)
{
	Elf64_Shdr names, section;

	if (elf->header.e_shstrndx >= elf->header.e_shnum)
		return false;
	pd_elf_section(elf, elf->header.e_shstrndx, &names);
	for (uint32_t i = 1; i < elf->header.e_shnum; i++) {
		pd_elf_section(elf, i, &section);
		if (section.sh_type == SHT_NOBITS ||
		    section.sh_flags & SHF_COMPRESSED ||
		    !is_named(elf, &names, section.sh_name, name))
			continue;
		found->data = pd_elf_bytes(elf, section.sh_offset,
					   section.sh_size);
		found->bytes = section.sh_size;
		return found->data;
	}
	return false;
}
