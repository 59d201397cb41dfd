// SPDX-License-Identifier: MIT
/* The measured programs, compiled for PEs and part of this one. */
#include <stddef.h>
#include <stdint.h>

#include "tools/perf/suites/pe/pe_images.h"
#include "tools/tool.h"

#ifdef __x86_64__
#define IMAGE(name)							\
	__asm__(".pushsection .rodata\n"				\
		".balign 16\n"						\
		"perf_pe_" #name ":\n"					\
		".incbin \"" PERF_PE_FOLDER "/" #name ".elf\"\n"	\
		"perf_pe_" #name "_end:\n"				\
		".popsection\n");					\
	extern const uint8_t perf_pe_##name[]				\
		__attribute__((visibility("hidden")));			\
	extern const uint8_t perf_pe_##name##_end[]			\
		__attribute__((visibility("hidden")))

IMAGE(empty);
IMAGE(dma);
IMAGE(switch);
IMAGE(va);
IMAGE(red);
IMAGE(gemv);
IMAGE(hop);
IMAGE(truth_arith);
IMAGE(truth_stream);
IMAGE(truth_mram);
IMAGE(copies);
IMAGE(exchange);
IMAGE(exchange_references);
IMAGE(exchange_conventional);
IMAGE(exchange_conventional_references);

static const struct {
	const uint8_t *begin, *end;
} images[] = {
	[PE_EMPTY] = { perf_pe_empty, perf_pe_empty_end },
	[PE_DMA] = { perf_pe_dma, perf_pe_dma_end },
	[PE_SWITCH] = { perf_pe_switch, perf_pe_switch_end },
	[PE_VA] = { perf_pe_va, perf_pe_va_end },
	[PE_RED] = { perf_pe_red, perf_pe_red_end },
	[PE_GEMV] = { perf_pe_gemv, perf_pe_gemv_end },
	[PE_HOP] = { perf_pe_hop, perf_pe_hop_end },
	[PE_TRUTH_ARITH] = { perf_pe_truth_arith, perf_pe_truth_arith_end },
	[PE_TRUTH_STREAM] = { perf_pe_truth_stream, perf_pe_truth_stream_end },
	[PE_TRUTH_MRAM] = { perf_pe_truth_mram, perf_pe_truth_mram_end },
	[PE_COPIES] = { perf_pe_copies, perf_pe_copies_end },
	[PE_EXCHANGE] = { perf_pe_exchange, perf_pe_exchange_end },
	[PE_EXCHANGE_REFERENCES] = { perf_pe_exchange_references,
				     perf_pe_exchange_references_end },
	[PE_EXCHANGE_CONVENTIONAL] = { perf_pe_exchange_conventional,
				       perf_pe_exchange_conventional_end },
	[PE_EXCHANGE_CONVENTIONAL_REFERENCES] = {
		perf_pe_exchange_conventional_references,
		perf_pe_exchange_conventional_references_end },
};

int pe_image_open(enum pe_image image, struct pimdimm_program **program)
{
	const uint8_t *begin = images[image].begin;

	if (pimdimm_program_open_memory(begin,
					(size_t)(images[image].end - begin),
					program))
		return tool_error("%s", pimdimm_errmsg());
	return TOOL_OK;
}
#else
int pe_image_open(enum pe_image image, struct pimdimm_program **program)
{
	(void)image;
	(void)program;
	return tool_error("the command's own programs for PEs are built on x86-64 alone");
}
#endif
