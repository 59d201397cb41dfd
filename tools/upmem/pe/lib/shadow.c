// SPDX-License-Identifier: MIT
/* The shadow of WRAM, stacks and MRAM: see shadow.h. */
#include "shadow.h"

#include "found.h"

#define STACKS_BYTES	(PE_PLACES * PE_STACK_SLOT)
#define SLACK		64u	/* behind each, for what begins at the last byte */
#define MOST		65536u	/* bytes of an access elsewhere */
#define UNDEFINED_BYTES	64u
/* the text's reach of a return address */
#define TEXT_OF(pc)	((uint32_t)(uintptr_t)(pc) - PE_TEXT_BASE)

struct memory {
	uint32_t generation;	/* of the PE that has the worker */
	uint32_t pages[PE_MRAM_PAGES];	/* the one that last had a shadow of the page */
	struct shadow_context contexts[PE_PLACES];
	uint32_t wram_origins[(PE_WRAM_BYTES + SLACK) / 4];
	uint32_t stack_origins[(STACKS_BYTES + SLACK) / 4];
	uint32_t mram_origins[(PE_MRAM_MAX + SLACK) / 4];
	uint8_t wram[PE_WRAM_BYTES + SLACK];
	uint8_t stacks[STACKS_BYTES + SLACK];
	uint8_t mram[PE_MRAM_MAX + SLACK];
	/* what is no such memory: read it is defined, and what is written is forgotten */
	uint8_t clean[MOST], sunk[MOST];
	uint32_t clean_origins[MOST / 4], sunk_origins[MOST / 4];
	uint32_t pools[PE_WRAM_BYTES / 8];
	uint8_t undefined[UNDEFINED_BYTES];
	uint32_t undefined_origins[UNDEFINED_BYTES / 4];
};

_Static_assert(sizeof(struct memory) <= PE_CHECK_BYTES, "PE_CHECK");
_Static_assert(sizeof(struct shadow_context) == 4016, "the compiler's");

#define MEMORY	((struct memory *)(uintptr_t)PE_CHECK)
#define TABLE	((struct pe_check_table *)(uintptr_t)PE_CHECK_TABLE)

/*
 * What local variables that the compiler keeps in registers begin with: the compiler
 * driver puts copies of it into the program. Nothing else would be left of a variable
 * that is used undefined.
 */
const uint8_t __pe_undefined[UNDEFINED_BYTES] __attribute__((aligned(64))) = { 0 };

/* The linker script defines these. */
extern char __sys_heap_start[], __sys_heap_end[], __pe_library_start[], __pe_library_end[];

/* The same are checked as by the detector of races. */
static bool is_on(void)
{
	return TABLE->on && PE_SELF->tasklet < PE_MAX_TASKLETS;
}

static void fill(void *to, uint64_t bytes, uint8_t value)
{
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(value) : "memory");
}

static void fill_words(uint32_t *to, uint64_t words, uint32_t value)
{
	__asm__ volatile("rep stosl" : "+D"(to), "+c"(words) : "a"(value) : "memory");
}

/* A page of MRAM that this PE comes to for the first time. */
__attribute__((noinline))
static void begin_page(struct memory *m, uint32_t page)
{
	uint8_t blank = TABLE->blank[page / 8] >> page % 8 & 1;

	m->pages[page] = m->generation;
	fill(&m->mram[page * PE_PAGE], PE_PAGE, blank ? 0xff : 0);
	if (blank)
		fill_words(&m->mram_origins[page * PE_PAGE / 4], PE_PAGE / 4,
			   shadow_origin(PE_ORIGIN_MRAM, page * PE_PAGE));
}

static void begin_pages(struct memory *m, uint32_t at, uint64_t bytes)
{
	uint64_t last = (at + bytes - 1) / PE_PAGE;

	for (uint32_t page = at / PE_PAGE; page <= last && page < PE_MRAM_PAGES; page++)
		if (m->pages[page] != m->generation)
			begin_page(m, page);
}

/* How many bytes have a shadow from here on; 0: none. */
static uint64_t reach(uint64_t address)
{
	if (address - PE_STACK_BASE < STACKS_BYTES)
		return PE_STACK_BASE + STACKS_BYTES - address;
	if (address - PE_WRAM_BASE < PE_WRAM_BYTES)
		return PE_WRAM_BASE + PE_WRAM_BYTES - address;
	if (address - PE_MRAM_BASE < PE_MRAM_MAX)
		return PE_MRAM_BASE + PE_MRAM_MAX - address;
	return 0;
}

static struct shadow find(struct memory *m, uint64_t address, uint64_t bytes)
{
	uint64_t at;

	if ((at = address - PE_STACK_BASE) < STACKS_BYTES)
		return (struct shadow){ &m->stacks[at], &m->stack_origins[at / 4] };
	if ((at = address - PE_WRAM_BASE) < PE_WRAM_BYTES)
		return (struct shadow){ &m->wram[at], &m->wram_origins[at / 4] };
	if ((at = address - PE_MRAM_BASE) < PE_MRAM_MAX) {
		begin_pages(m, (uint32_t)at, bytes);
		return (struct shadow){ &m->mram[at], &m->mram_origins[at / 4] };
	}
	if ((at = address - (uintptr_t)__pe_undefined) < UNDEFINED_BYTES)
		return (struct shadow){ &m->undefined[at], &m->undefined_origins[at / 4] };
	return (struct shadow){ NULL, NULL };
}

/* A traveller reads what is defined, and so is what it writes. */
struct shadow shadow_of(uint64_t address, uint64_t bytes, bool write)
{
	struct memory *m = MEMORY;

	if (is_on()) {
		struct shadow s = find(m, address, bytes);

		if (s.bits)
			return s;
	} else if (write && TABLE->on) {
		shadow_set(address, bytes, 0, 0);
	}
	return write ? (struct shadow){ m->sunk, m->sunk_origins } :
		       (struct shadow){ m->clean, m->clean_origins };
}

struct shadow_context *shadow_context(void)
{
	return &MEMORY->contexts[PE_SELF->tasklet % PE_PLACES];
}

void shadow_set(uint64_t address, uint64_t bytes, uint8_t bits, uint32_t origin)
{
	uint64_t most = reach(address);
	struct shadow s;

	if (bytes > most)
		bytes = most;
	if (!bytes || !TABLE->on)
		return;
	s = find(MEMORY, address, bytes);
	fill(s.bits, bytes, bits);
	if (bits)
		fill_words(s.origins, (address % 4 + bytes + 3) / 4, origin);
}

uint32_t *shadow_pool(const void *pool)
{
	return &MEMORY->pools[((uintptr_t)pool - PE_WRAM_BASE) % PE_WRAM_BYTES / 8];
}

static bool all_defined(const uint8_t *bits, uint64_t bytes)
{
	uint64_t k = 0, word;

	for (; k + 8 <= bytes; k += 8) {
		__builtin_memcpy(&word, bits + k, 8);
		if (word)
			return false;
	}
	for (; k < bytes; k++)
		if (bits[k])
			return false;
	return true;
}

/* In the order that memmove() has; an origin where the copy has undefined bits. */
static void copy_bits(struct shadow to, uint32_t to_at, struct shadow from, uint32_t from_at,
		      uint64_t bytes)
{
	bool down = to.bits > from.bits;

	for (uint64_t k = 0; k < bytes; k++) {
		uint64_t i = down ? bytes - 1 - k : k;

		to.bits[i] = from.bits[i];
		if (to.bits[i])
			to.origins[(to_at % 4 + i) / 4] = from.origins[(from_at % 4 + i) / 4];
	}
}

void shadow_copy(uint64_t to, uint64_t from, uint64_t bytes)
{
	struct memory *m = MEMORY;
	struct shadow source;

	if (reach(to) < bytes || !bytes || !TABLE->on)
		return;
	source = is_on() ? find(m, from, bytes) : (struct shadow){ NULL, NULL };
	if (!source.bits || all_defined(source.bits, bytes))
		shadow_set(to, bytes, 0, 0);
	else if (source.bits == m->undefined)
		/* a variable, whose name has just been set */
		fill(find(m, to, bytes).bits, bytes, 0xff);
	else if (reach(from) >= bytes)
		copy_bits(find(m, to, bytes), (uint32_t)to, source, (uint32_t)from, bytes);
}

static bool in_library(const void *pc)
{
	return (uintptr_t)pc - (uintptr_t)__pe_library_start <
	       (uintptr_t)(__pe_library_end - __pe_library_start);
}

/* The library's frames are linked, so that its caller is found. */
void shadow_used(uint32_t origin, const void *pc, void *const *frame)
{
	uint32_t critical = PE_SELF->critical;
	struct pe_found f = {
		.kind = PE_FOUND_UNDEFINED,
		.address = origin,
		.tasklet = { 0, (uint8_t)PE_SELF->tasklet },
	};

	if (!is_on())
		return;
	while (in_library(pc) && (uintptr_t)frame - PE_STACK_BASE < STACKS_BYTES) {
		frame = (void *const *)frame[0];
		if ((uintptr_t)frame - PE_STACK_BASE < STACKS_BYTES)
			pc = frame[1];
	}
	f.pc[1] = TEXT_OF(pc) - 1;
	pe_be_alone();
	pe_put_found(&f);
	pe_be_among(critical);
}

/*
 * Called by tasklet 0 while it is alone: .data, .bss and what was allocated in launches
 * before are defined, what has not been allocated is not.
 */
void pe_check_begin(void)
{
	struct memory *m = MEMORY;
	extern volatile unsigned int __sys_heap_pointer;
	uint64_t heap = __sys_heap_pointer ? __sys_heap_pointer : (uintptr_t)__sys_heap_start;

	TABLE->on = 1;
	m->generation++;
	fill(m->wram, PE_WRAM_BYTES, 0);
	fill(m->contexts, sizeof(m->contexts), 0);
	fill(m->undefined, sizeof(m->undefined), 0xff);
	fill_words(m->undefined_origins, UNDEFINED_BYTES / 4, shadow_origin(PE_ORIGIN_LOCAL, 0));
	if (heap < (uintptr_t)__sys_heap_end)
		shadow_set(heap, (uintptr_t)__sys_heap_end - heap, 0xff,
			   shadow_origin(PE_ORIGIN_HEAP, 0));
}
