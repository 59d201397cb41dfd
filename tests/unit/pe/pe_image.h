/* SPDX-License-Identifier: MIT */
/* Files of PE programs in memory, to be spoilt. */
#ifndef TESTS_PE_IMAGE_H
#define TESTS_PE_IMAGE_H

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "tests/unit/unit.h"

struct pe_image {
	uint8_t *bytes;
	size_t size;
};

static inline struct pe_image pe_image_read(const char *name)
{
	struct pe_image f = { 0 };
	char path[512];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), PE_PROGRAMS "/%s.elf", name);
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0 && !fstat(fd, &st));
	f.size = (size_t)st.st_size;
	f.bytes = malloc(f.size);
	assert_non_null(f.bytes);
	assert_int_equal(read(fd, f.bytes, f.size), f.size);
	close(fd);
	return f;
}

static inline Elf64_Ehdr *pe_image_header(const struct pe_image *f)
{
	return (Elf64_Ehdr *)(void *)f->bytes;
}

static inline Elf64_Shdr *pe_image_sections(const struct pe_image *f)
{
	return (Elf64_Shdr *)(void *)(f->bytes + pe_image_header(f)->e_shoff);
}

/* NULL: there is none of that name */
static inline Elf64_Shdr *pe_image_section(const struct pe_image *f,
					   const char *name)
{
	const Elf64_Ehdr *h = pe_image_header(f);
	Elf64_Shdr *s = pe_image_sections(f);
	const char *names = (const char *)f->bytes + s[h->e_shstrndx].sh_offset;

	for (unsigned int i = 1; i < h->e_shnum; i++) {
		if (!strcmp(names + s[i].sh_name, name))
			return &s[i];
	}
	return NULL;
}

/* Have a section hold these bytes instead, at the file's end. */
static inline void pe_image_replace(struct pe_image *f, const char *name,
				    const void *bytes, size_t size)
{
	size_t at = (f->size + 63) & ~63ul;
	Elf64_Shdr *section;

	f->bytes = realloc(f->bytes, at + size);
	assert_non_null(f->bytes);
	memset(f->bytes + f->size, 0, at - f->size);
	memcpy(f->bytes + at, bytes, size);
	f->size = at + size;
	section = pe_image_section(f, name);
	assert_non_null(section);
	section->sh_offset = at;
	section->sh_size = size;
}

#endif /* TESTS_PE_IMAGE_H */
