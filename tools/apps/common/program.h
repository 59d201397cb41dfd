/* SPDX-License-Identifier: MIT */
/* Programs for PEs that are part of this one. */
#ifndef PIMDIMM_APPS_PROGRAM_H
#define PIMDIMM_APPS_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

struct app_program {
	const char *name;
	const uint8_t *begin, *end;	/* both NULL where this CPU cannot run it */
};

/*
 * APP_PROGRAM(gemm, "mlp/pe_gemm") in mlp/programs.c defines `const struct app_program
 * gemm`, of what mlp/pe_gemm.c was compiled to. The build knows programs.c of each
 * folder to depend on the folder's programs.
 */
#ifdef __x86_64__
#define APP_PROGRAM(object, path)					\
	__asm__(".pushsection .rodata\n"				\
		".balign 16\n"						\
		"app_image_" #object ":\n"				\
		".incbin \"" APP_PE_FOLDER "/" path ".elf\"\n"		\
		"app_image_" #object "_end:\n"				\
		".popsection\n");					\
	extern const uint8_t app_image_##object[]			\
		__attribute__((visibility("hidden")));			\
	extern const uint8_t app_image_##object##_end[]			\
		__attribute__((visibility("hidden")));			\
	const struct app_program object = {				\
		path, app_image_##object, app_image_##object##_end	\
	}
#else
#define APP_PROGRAM(object, path)					\
	const struct app_program object = { path, NULL, NULL }
#endif

#endif /* PIMDIMM_APPS_PROGRAM_H */
