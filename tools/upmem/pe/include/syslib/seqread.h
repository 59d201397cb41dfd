/* SPDX-License-Identifier: MIT */
/*
 * Reading MRAM from one address on. A reader has two pages of WRAM that show two
 * consecutive pages of MRAM; items of up to a page begin in the first one.
 */
#ifndef SEQREAD_H
#define SEQREAD_H

#include <stdint.h>

#include <attributes.h>
#include <macro_utils.h>
#include <mram.h>

/* a page */
#ifndef SEQREAD_CACHE_SIZE
#define SEQREAD_CACHE_SIZE 256
#endif

_Static_assert(SEQREAD_CACHE_SIZE == 32 || SEQREAD_CACHE_SIZE == 64 ||
	       SEQREAD_CACHE_SIZE == 128 || SEQREAD_CACHE_SIZE == 256 ||
	       SEQREAD_CACHE_SIZE == 512 || SEQREAD_CACHE_SIZE == 1024,
	       "SEQREAD_CACHE_SIZE is a power of two from 32 to 1024");

typedef uintptr_t seqreader_buffer_t;

typedef struct {
	seqreader_buffer_t wram_cache;
	uintptr_t mram_addr;	/* of the first page */
} seqreader_t;

uintptr_t pe_seqread_alloc(uint32_t page);
void *pe_seqread_seek(uintptr_t mram, seqreader_t *reader, uint32_t page);
void *pe_seqread_turn(void *ptr, seqreader_t *reader, uint32_t page);

/**
 * seqread_alloc() - take WRAM for a reader by mem_alloc()
 *
 * Return: two pages, aligned to one.
 */
static inline seqreader_buffer_t seqread_alloc(void)
{
	return pe_seqread_alloc(SEQREAD_CACHE_SIZE);
}

/**
 * seqread_init() - begin to read
 * @cache: from seqread_alloc()
 * @mram_addr: any address of MRAM
 * @reader: the reader
 *
 * Return: the first byte, in WRAM.
 */
static inline void *seqread_init(seqreader_buffer_t cache,
				 __mram_ptr void *mram_addr, seqreader_t *reader)
{
	reader->wram_cache = cache;
	reader->mram_addr = UINTPTR_MAX;	/* shows nothing yet */
	return pe_seqread_seek((uintptr_t)mram_addr, reader, SEQREAD_CACHE_SIZE);
}

/**
 * seqread_get() - go on
 * @ptr: where in WRAM reading is
 * @inc: bytes to go, less than SEQREAD_CACHE_SIZE
 * @reader: the reader
 *
 * Return: where reading is now.
 */
static inline void *seqread_get(void *ptr, uint32_t inc, seqreader_t *reader)
{
	uintptr_t in_page = (uintptr_t)ptr % SEQREAD_CACHE_SIZE;

	ptr = (uint8_t *)ptr + inc;
	if (__builtin_expect(in_page + inc < SEQREAD_CACHE_SIZE, 1))
		return ptr;
	return pe_seqread_turn(ptr, reader, SEQREAD_CACHE_SIZE);
}

/**
 * seqread_seek() - go anywhere
 * @mram_addr: any address of MRAM
 * @reader: the reader
 *
 * Return: its byte, in WRAM.
 */
static inline void *seqread_seek(__mram_ptr void *mram_addr, seqreader_t *reader)
{
	return pe_seqread_seek((uintptr_t)mram_addr, reader, SEQREAD_CACHE_SIZE);
}

/**
 * seqread_tell() - where reading is
 * @ptr: in WRAM
 * @reader: the reader
 *
 * Return: the same in MRAM.
 */
static inline __mram_ptr void *seqread_tell(void *ptr, seqreader_t *reader)
{
	return (__mram_ptr void *)(reader->mram_addr + (uintptr_t)ptr -
				   reader->wram_cache);
}

/*
 * seqread_get() of a page of any size, as hardware's compiler knows it. Programs
 * that declare it themselves do so with these types.
 */
int __builtin_dpu_seqread_get(int ptr, unsigned int inc, void *reader,
			      const unsigned int page);

#endif /* SEQREAD_H */
