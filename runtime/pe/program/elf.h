/* SPDX-License-Identifier: MIT */
/*
 * Reading ELF files that nobody vouches for: every access goes through these
 * functions, which copy what lies inside the file and refuse the rest.
 */
#ifndef PD_ELF_H
#define PD_ELF_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* whose code PEs execute here */
#ifdef __aarch64__
#define PD_ELF_MACHINE		EM_AARCH64
#define PD_ELF_MACHINE_NAME	"aarch64"
#else
#define PD_ELF_MACHINE		EM_X86_64
#define PD_ELF_MACHINE_NAME	"x86-64"
#endif

/* bytes of a name in the file, with its final 0: longer ones are none */
#define PD_MAX_NAME	4096

struct pd_elf {
	const uint8_t *image;
	size_t bytes;
	Elf64_Ehdr header;
};

/* a section's bytes; without an own end, strings in it end with it */
struct pd_section {
	const uint8_t *data;
	size_t bytes;
};

/* 0, or -ENOEXEC and a sentence unless it is a static executable for this machine with
 * all its headers inside the file */
int pd_elf_open(struct pd_elf *elf, const void *image, size_t bytes);

/* NULL unless [off, off + bytes) lies in the file */
const uint8_t *pd_elf_bytes(const struct pd_elf *elf, uint64_t off,
			    uint64_t bytes);

/* i below header.e_phnum, header.e_shnum */
void pd_elf_segment(const struct pd_elf *elf, uint32_t i, Elf64_Phdr *segment);
void pd_elf_section(const struct pd_elf *elf, uint32_t i, Elf64_Shdr *section);

/* false when there is none of that name, or it is damaged or compressed */
bool pd_elf_find(const struct pd_elf *elf, const char *name,
		 struct pd_section *found);

#endif /* PD_ELF_H */
