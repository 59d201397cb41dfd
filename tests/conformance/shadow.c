// SPDX-License-Identifier: MIT
/* What MRAM should hold, see shadow.h. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/conformance/numeric.h"
#include "tests/conformance/shadow.h"
#include "tests/conformance/support.h"

static void *reserve(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return need(p == MAP_FAILED ? NULL : p);
}

int shadow_open(struct shadow *s, struct pimdimm *sys)
{
	return shadow_open_part(s, sys, 0, pimdimm_geometry(sys)->nr_pes / 64);
}

int shadow_open_part(struct shadow *s, struct pimdimm *sys, uint32_t first, uint32_t ranks)
{
	const struct pimdimm_geometry *geo = pimdimm_geometry(sys);

	*s = (struct shadow){
		.sys = sys,
		.nr_pes = 64 * ranks,
		.nr_egs = 8 * ranks,
		.layout = geo->layout,
		.mram_size = geo->mram_size,
		.words = geo->mram_size / 8,
	};
	s->mram = reserve(s->nr_pes * s->mram_size);
	s->image = reserve(s->nr_pes * s->mram_size);
	s->window = need(calloc(s->nr_pes / 64, sizeof(*s->window)));
	s->place = need(calloc(s->nr_egs, sizeof(*s->place)));
	for (uint32_t eg = 0; eg < s->nr_egs; eg++)
		s->place[eg] = eg;
	for (uint32_t rank = 0; rank < geo->nr_pes / 64; rank++) {
		s->window[first + rank] = pimdimm_mram(sys, rank, &s->window_bytes);
		if (!s->window[first + rank])
			return -EINVAL;
	}
	return 0;
}

void shadow_close(struct shadow *s)
{
	munmap(s->mram, s->nr_pes * s->mram_size);
	munmap(s->image, s->nr_pes * s->mram_size);
	free(s->window);
	free(s->place);
}

static bool is_seen(const struct shadow *s, uint32_t eg)
{
	return s->window[s->place[eg] / 8];
}

static uint8_t *window_block(const struct shadow *s, uint32_t eg, uint64_t word)
{
	uint32_t at = s->place[eg];

	return s->window[at / 8] +
	       pimdimm_layout_offset(s->layout, s->mram_size, at % 8, word);
}

static uint8_t *image_block(const struct shadow *s, uint32_t eg, uint64_t word)
{
	return s->image + (eg * s->words + word) * 64;
}

/* PIM domain: byte b of lane l's word lies at byte 8*b + l of its block. */
UNWATCHED static void image_block_make(struct shadow *s, uint32_t eg, uint64_t word)
{
	uint8_t *block = image_block(s, eg, word);

	for (unsigned l = 0; l < 8; l++) {
		const uint8_t *bytes = shadow_at(s, 8 * eg + l, 8 * word);

		for (unsigned b = 0; b < 8; b++)
			block[8 * b + l] = bytes[b];
	}
}

void shadow_refresh(struct shadow *s, uint32_t pes, uint64_t low, uint64_t high)
{
	for (uint32_t eg = 0; eg < pes / 8; eg++)
		for (uint64_t word = low / 8; word < high / 8; word++)
			image_block_make(s, eg, word);
}

/* Blocks that lie evenly spaced in the window. */
static void publish_run(const struct shadow *s, uint32_t eg, uint64_t word, uint64_t count)
{
	const uint8_t *image = image_block(s, eg, word);
	uint8_t *block = window_block(s, eg, word);
	uint64_t stride = pimdimm_layout_stride(s->layout);

	if (stride == 64) {
		memcpy(block, image, 64 * count);
		return;
	}
	for (uint64_t i = 0; i < count; i++)
		memcpy(block + i * stride, image + 64 * i, 64);
}

/* How many blocks from @word on, before @end, lie evenly spaced. */
static uint64_t run_before(const struct shadow *s, uint64_t word, uint64_t end)
{
	uint64_t count = pimdimm_layout_run(s->layout, s->mram_size, word);

	return count < end - word ? count : end - word;
}

static void publish_eg(const struct shadow *s, uint32_t eg, uint64_t word, uint64_t end)
{
	uint64_t count;

	for (; word < end; word += count) {
		count = run_before(s, word, end);
		publish_run(s, eg, word, count);
	}
}

void shadow_publish(struct shadow *s, uint32_t pes, uint64_t low, uint64_t high)
{
	shadow_refresh(s, pes, low, high);
	for (uint32_t eg = 0; eg < pes / 8; eg++)
		if (is_seen(s, eg))
			publish_eg(s, eg, low / 8, high / 8);
}

void shadow_place(struct shadow *s, const uint32_t place[])
{
	memcpy(s->place, place, s->nr_egs * sizeof(*place));
	shadow_publish(s, s->nr_pes, 0, s->mram_size);
}

static bool tolerated(const struct tolerance *t, uint32_t pe, uint64_t off)
{
	return t && t->set && pe < t->pes && off >= t->low && off < t->high;
}

static void print_word(const char *what, const uint8_t *word)
{
	printf(" %s", what);
	for (int b = 0; b < 8; b++)
		printf(" %02x", word[b]);
}

/* Looks at a block that is not as expected, word by word. */
static bool settle_block(struct shadow *s, uint32_t eg, uint64_t word,
			 const struct tolerance *t)
{
	const uint8_t *block = window_block(s, eg, word);

	for (unsigned l = 0; l < 8; l++) {
		uint8_t *want = shadow_at(s, 8 * eg + l, 8 * word);
		uint8_t got[8];

		for (unsigned b = 0; b < 8; b++)
			got[b] = block[8 * b + l];
		if (!memcmp(want, got, 8))
			continue;
		if (tolerated(t, 8 * eg + l, 8 * word) &&
		    num_settle(t->type, want, got, 8))
			continue;
		printf("# PE %u offset %llu:", 8 * eg + l,
		       (unsigned long long)(8 * word));
		print_word("expected", want);
		print_word("found", got);
		printf("\n");
		return false;
	}
	image_block_make(s, eg, word);
	return true;
}

/* Compares blocks that lie evenly spaced in the window. */
static bool compare_run(struct shadow *s, uint32_t eg, uint64_t word,
			uint64_t count, const struct tolerance *t)
{
	const uint8_t *block = window_block(s, eg, word);
	const uint8_t *image = image_block(s, eg, word);
	uint64_t stride = pimdimm_layout_stride(s->layout);

	if (stride == 64 && same(block, image, 64 * count))
		return true;
	for (uint64_t i = 0; i < count; i++)
		if (!same(block + i * stride, image + 64 * i, 64) &&
		    !settle_block(s, eg, word + i, t))
			return false;
	return true;
}

static bool compare_eg(struct shadow *s, uint32_t eg, uint64_t word,
		       uint64_t end, const struct tolerance *t)
{
	uint64_t count;

	for (; word < end; word += count) {
		count = run_before(s, word, end);
		if (!compare_run(s, eg, word, count, t))
			return false;
	}
	return true;
}

bool shadow_compare(struct shadow *s, uint64_t low, uint64_t high,
		    const struct tolerance *t)
{
	for (uint32_t eg = 0; eg < s->nr_egs; eg++)
		if (is_seen(s, eg) && !compare_eg(s, eg, low / 8, high / 8, t))
			return false;
	return true;
}

/* One bit for each 64 bytes of a window: whether it is a block of MRAM. */
static uint8_t *window_blocks(const struct shadow *s)
{
	uint8_t *map = need(calloc(s->window_bytes / 64 / 8 + 1, 1));

	for (uint32_t bank = 0; bank < 8; bank++) {
		for (uint64_t word = 0; word < s->words; word++) {
			uint64_t line = pimdimm_layout_offset(s->layout,
					s->mram_size, bank, word) / 64;

			map[line / 8] |= (uint8_t)(1u << line % 8);
		}
	}
	return map;
}

static bool page_gaps_zero(const uint8_t *page, const uint8_t *map,
			   uint64_t line)
{
	static const uint8_t zero[64];

	for (int i = 0; i < 64; i++, line++)
		if (!(map[line / 8] & 1u << line % 8) &&
		    memcmp(page + 64 * i, zero, 64))
			return false;
	return true;
}

/* Pages that are not resident have never been written: holes are not read, as
 * reading a hole of a shared mapping allocates it. */
static bool rank_gaps_zero(const struct shadow *s, uint32_t rank,
			   const uint8_t *map)
{
	size_t pages = s->window_bytes / 4096;
	unsigned char *resident = need(malloc(pages));
	bool zero = true;

	if (mincore(s->window[rank], s->window_bytes, resident))
		memset(resident, 1, pages);
	for (size_t page = 0; page < pages && zero; page++) {
		if (!(resident[page] & 1))
			continue;
		zero = page_gaps_zero(s->window[rank] + 4096 * page, map,
				      64 * page);
		if (!zero)
			printf("# rank %u: bytes that are no MRAM were written "
			       "in page %zu of the window\n", rank, page);
	}
	free(resident);
	return zero;
}

bool shadow_gaps_zero(const struct shadow *s)
{
	uint8_t *map = window_blocks(s);
	bool zero = true;

	for (uint32_t rank = 0; rank < s->nr_pes / 64 && zero; rank++)
		zero = !s->window[rank] || rank_gaps_zero(s, rank, map);
	free(map);
	return zero;
}
