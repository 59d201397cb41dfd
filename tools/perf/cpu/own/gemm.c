// SPDX-License-Identifier: MIT
/* Packs weights into panels, and multiplies block by block. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/perf/cpu/own/gemm.h"

/* words of a row, and with them of a panel, that stay in a cache meanwhile */
#define K_BLOCK 512
/* rows that go through a panel together */
#define ROW_BLOCK 64

/* elements in a word */
static uint32_t elements_of(const struct gemm *gemm)
{
	static const uint32_t elements[OWN_NR_WORDS] = {
		[OWN_FLOAT] = 1, [OWN_INTEGER] = 1, [OWN_PAIR] = 2, [OWN_QUAD] = 4,
	};

	return elements[gemm->word];
}

static enum own_word word_of(const struct own_loops *loops, enum cpu_type type)
{
	switch (type) {
	case CPU_F32:
		return OWN_FLOAT;
	case CPU_I32:
		return OWN_INTEGER;
	case CPU_I16:
		return OWN_PAIR;
	default:
		/* bytes are widened where there are no products of four */
		return loops->products[OWN_QUAD].add ? OWN_QUAD : OWN_PAIR;
	}
}

/* Element `at` of an array of weights or inputs, in the lower bits. */
static uint32_t element_at(enum cpu_type type, const void *elements, uint64_t at)
{
	uint32_t word;

	switch (own_element_bytes(type)) {
	case 1:
		return (uint32_t)((const int8_t *)elements)[at];
	case 2:
		return (uint32_t)((const int16_t *)elements)[at];
	default:
		memcpy(&word, (const uint8_t *)elements + at * 4, 4);
		return word;
	}
}

static uint32_t weight_at(enum cpu_type type, const struct cpu_layer *layer,
			  uint64_t input, uint64_t output)
{
	return element_at(type, layer->weights, layer->by_inputs ?
			  input * layer->outputs + output :
			  output * layer->inputs + input);
}

/*
 * An output's weights into its column of a panel. Inputs of quads have 128 added, for
 * them to have no sign; what that adds to the sums they begin without.
 */
static void pack_output(struct gemm *gemm, const struct cpu_layer *layer, uint32_t output)
{
	uint32_t panel = gemm->loops->panel, per_word = elements_of(gemm);
	uint32_t bits = 32 / per_word, mask = UINT32_MAX >> (32 - bits);
	uint64_t first = (uint64_t)(output / panel) * gemm->row_words * panel;
	uint32_t *to = gemm->weights + first + output % panel;
	uint32_t start = layer->bias ? element_at(gemm->type, layer->bias, output) : 0;

	for (uint32_t i = 0; i < layer->inputs; i++) {
		uint32_t weight = weight_at(gemm->type, layer, i, output);

		to[(uint64_t)(i / per_word) * panel] |=
			(weight & mask) << (i % per_word * bits);
		if (gemm->word == OWN_QUAD)
			start -= 128 * weight;
	}
	gemm->start[output] = start;
}

/* Zeroed, at a multiple of OWN_LINE. */
static void *lines_of(uint64_t bytes)
{
	void *memory;

	bytes = (bytes + OWN_LINE) / OWN_LINE * OWN_LINE;
	memory = aligned_alloc(OWN_LINE, bytes);
	if (memory)
		memset(memory, 0, bytes);
	return memory;
}

int gemm_make(struct gemm *gemm, const struct own_loops *loops, enum cpu_type type,
	      const struct cpu_layer *layer)
{
	uint32_t per_word;

	*gemm = (struct gemm){
		.loops = loops,
		.type = type,
		.word = word_of(loops, type),
		.inputs = layer->inputs,
		.outputs = layer->outputs,
		.panels = (layer->outputs + loops->panel - 1) / loops->panel,
	};
	per_word = elements_of(gemm);
	gemm->row_words = (layer->inputs + per_word - 1) / per_word;
	gemm->weights = lines_of((uint64_t)gemm->panels * loops->panel *
				 gemm->row_words * 4);
	gemm->start = lines_of((uint64_t)gemm->panels * loops->panel * 4);
	if (!gemm->weights || !gemm->start)
		return -ENOMEM;
	for (uint32_t i = 0; i < layer->outputs; i++)
		pack_output(gemm, layer, i);
	return 0;
}

void gemm_free(struct gemm *gemm)
{
	free(gemm->weights);
	free(gemm->start);
	*gemm = (struct gemm){ 0 };
}

static void encode_bytes(const struct gemm *gemm, const uint8_t *row, uint32_t *to)
{
	uint8_t *bytes = (uint8_t *)to;

	if (gemm->word == OWN_PAIR) {
		for (uint32_t i = 0; i < gemm->inputs; i++)
			((int16_t *)to)[i] = (int8_t)row[i];
		return;
	}
	for (uint32_t i = 0; i < gemm->inputs; i++)
		bytes[i] = row[i] ^ 0x80;
}

void gemm_encode(const struct gemm *gemm, const void *rows, size_t stride,
		 uint32_t count, uint32_t *to)
{
	const uint8_t *row = rows;
	uint32_t bytes = own_element_bytes(gemm->type);

	for (; count--; row += stride, to += gemm->row_words) {
		to[gemm->row_words - 1] = 0;
		if (bytes == 1)
			encode_bytes(gemm, row, to);
		else
			memcpy(to, row, (size_t)gemm->inputs * bytes);
	}
}

/* One panel's outputs of some rows, into a place as wide as the panel. */
static void multiply_panel(const struct gemm *gemm, const uint32_t *rows, uint32_t count,
			   uint32_t panel, uint32_t *out, size_t out_words)
{
	uint32_t width = gemm->loops->panel;
	const uint32_t *weights = gemm->weights +
				  (uint64_t)panel * gemm->row_words * width;

	for (uint32_t i = 0; i < count; i++)
		memcpy(out + i * out_words, gemm->start + (size_t)panel * width,
		       width * 4);
	for (uint32_t k = 0; k < gemm->row_words; k += K_BLOCK) {
		uint32_t words = gemm->row_words - k;

		gemm->loops->products[gemm->word].add(count,
			words < K_BLOCK ? words : K_BLOCK, rows + k, gemm->row_words,
			weights + (size_t)k * width, out, out_words);
	}
}

/* The last panel may be wider than what is left of a row. */
static void multiply_rest(const struct gemm *gemm, const uint32_t *rows, uint32_t count,
			  uint32_t panel, uint32_t *out, size_t out_words)
{
	uint32_t width = gemm->loops->panel, first = panel * width;
	uint32_t sums[ROW_BLOCK * OWN_LINE];

	multiply_panel(gemm, rows, count, panel, sums, width);
	for (uint32_t i = 0; i < count; i++)
		memcpy(out + i * out_words + first, sums + (size_t)i * width,
		       (gemm->outputs - first) * 4);
}

void gemm_multiply(const struct gemm *gemm, const uint32_t *rows, uint32_t count,
		   uint32_t first, uint32_t end, uint32_t *out, size_t out_words)
{
	uint32_t width = gemm->loops->panel;

	for (uint32_t panel = first; panel < end; panel++) {
		for (uint32_t row = 0; row < count; row += ROW_BLOCK) {
			uint32_t n = count - row < ROW_BLOCK ? count - row : ROW_BLOCK;
			const uint32_t *in = rows + (size_t)row * gemm->row_words;

			if ((panel + 1) * width <= gemm->outputs)
				multiply_panel(gemm, in, n, panel,
					       out + row * out_words +
						       (size_t)panel * width,
					       out_words);
			else
				multiply_rest(gemm, in, n, panel,
					      out + row * out_words, out_words);
		}
	}
}

struct gemm_job {
	const struct gemm *gemm;
	const uint32_t *rows;
	uint32_t count;
	uint32_t *out;
	uint64_t next;
};

/* Pieces of one panel and a block of rows, the rows of a panel one after the other. */
static void gemm_part(unsigned int thread, void *arg)
{
	struct gemm_job *job = arg;
	const struct gemm *gemm = job->gemm;
	uint32_t blocks = (job->count + ROW_BLOCK - 1) / ROW_BLOCK;
	struct team_range range;

	(void)thread;
	while (team_take(&job->next, 1, (uint64_t)gemm->panels * blocks, &range)) {
		uint32_t panel = (uint32_t)(range.first / blocks);
		uint32_t row = (uint32_t)(range.first % blocks) * ROW_BLOCK;
		uint32_t n = job->count - row;

		gemm_multiply(gemm, job->rows + (size_t)row * gemm->row_words,
			      n < ROW_BLOCK ? n : ROW_BLOCK, panel, panel + 1,
			      job->out + (size_t)row * gemm->outputs, gemm->outputs);
	}
}

void gemm_all(const struct gemm *gemm, struct team *team, const uint32_t *rows,
	      uint32_t count, uint32_t *out)
{
	struct gemm_job job = { gemm, rows, count, out, 0 };

	team_run(team, gemm_part, &job);
}
