// SPDX-License-Identifier: MIT
/*
 * The buddy allocator: a tree whose root is the heap and whose leaves are blocks
 * of 16 bytes. A node is free, split or a block in use; two bits each lie behind
 * the heap. Node n has the children 2n and 2n + 1.
 */
#include <alloc.h>
#include <errno.h>
#include <string.h>

#include "pe.h"

#define LEAF_BYTES	16u

enum state {
	FREE,
	SPLIT,
	USED,
};

static uint8_t *heap, *states;
static uint32_t heap_bytes;

static enum state get(uint32_t node)
{
	return states[node / 4] >> node % 4 * 2 & 3;
}

static void set(uint32_t node, enum state state)
{
	uint32_t shift = node % 4 * 2;

	states[node / 4] = (states[node / 4] & ~(3u << shift)) | state << shift;
}

static uint32_t node_bytes(uint32_t node)
{
	return heap_bytes >> (31 - __builtin_clz(node));
}

static uint8_t *node_start(uint32_t node)
{
	uint32_t bytes = node_bytes(node);

	return heap + (node - heap_bytes / bytes) * bytes;
}

/* The bytes of the smallest block that holds so many. */
static uint32_t round_size(size_t size)
{
	uint32_t bytes = LEAF_BYTES;

	while (bytes < size)
		bytes *= 2;
	return bytes;
}

/* the node after this one and all below it, in the order of addresses; 0: none */
static uint32_t next_node(uint32_t node)
{
	while (node & 1)
		node /= 2;
	return node ? node + 1 : 0;
}

/* a free node of at least so many bytes: the first one; 0: none */
static uint32_t find_free(uint32_t bytes)
{
	uint32_t node = 1;

	while (node) {
		if (get(node) == FREE)
			return node;
		if (get(node) == SPLIT && node_bytes(node) > bytes)
			node *= 2;
		else
			node = next_node(node);
	}
	return 0;
}

/* Keeps the first bytes of a node in use, free before or not; the rest is free. */
static uint32_t take_part(uint32_t node, uint32_t bytes)
{
	while (node_bytes(node) > bytes) {
		set(node, SPLIT);
		node *= 2;
		set(node + 1, FREE);
	}
	set(node, USED);
	return node;
}

static void give_back(uint32_t node)
{
	set(node, FREE);
	while (node > 1 && get(node ^ 1) == FREE) {
		node /= 2;
		set(node, FREE);
	}
}

/* the block in use that holds an address; 0: none */
static uint32_t find_used(const void *pointer)
{
	uint32_t off = (uint32_t)((uintptr_t)pointer - (uintptr_t)heap);
	uint32_t node = 1;

	if ((uintptr_t)pointer < (uintptr_t)heap || off >= heap_bytes || off % 8)
		return 0;
	while (get(node) == SPLIT)
		node = 2 * node + !!(off & node_bytes(node) / 2);
	return get(node) == USED ? node : 0;
}

void buddy_init(size_t size_of_heap)
{
	if (size_of_heap > PE_WRAM_BYTES)
		pe_fault_at(__builtin_return_address(0), PE_FAULT_HEAP, size_of_heap,
			    "buddy_init of more than the WRAM");
	heap_bytes = round_size(size_of_heap < 64 ? 64 : size_of_heap);
	heap = pe_alloc_for(__builtin_return_address(0),
			    heap_bytes + heap_bytes / LEAF_BYTES / 2);
	states = heap + heap_bytes;
	buddy_reset();
}

void buddy_reset(void)
{
	memset(states, 0, heap_bytes / LEAF_BYTES / 2);
}

static void *locked_alloc(size_t size)
{
	uint32_t node = find_free(round_size(size));

	if (node)
		return node_start(take_part(node, round_size(size)));
	errno = ENOMEM;
	return NULL;
}

static void *locked_realloc(void *ptr, size_t size)
{
	uint32_t node = find_used(ptr);
	uint8_t *moved;

	if (!node) {
		errno = EINVAL;
		return NULL;
	}
	if (size <= node_bytes(node)) {
		take_part(node, round_size(size));
		return ptr;
	}
	moved = locked_alloc(size);
	if (moved) {
		PE_MEMORY_ONLY(pe_memory_allocated(moved, size, __builtin_return_address(0)));
		memcpy(moved, node_start(node), node_bytes(node));
		give_back(node);
	}
	return moved;
}

void *buddy_alloc(size_t size)
{
	void *p;

	if (!size || size > heap_bytes) {
		errno = EINVAL;
		return NULL;
	}
	pe_enter();
	PE_ACQUIRE(&heap, 0);
	p = locked_alloc(size);
	PE_MEMORY_ONLY(pe_memory_allocated(p, size, __builtin_return_address(0)));
	pe_leave();
	return p;
}

void buddy_free(void *pointer)
{
	uint32_t node;

	if (!pointer)
		return;
	pe_enter();
	/* whoever gets it comes after who had it */
	PE_RELEASE(&heap, 0);
	node = find_used(pointer);
	if (node)
		give_back(node);
	else
		errno = EINVAL;
	pe_leave();
}

void *buddy_realloc(void *ptr, size_t size)
{
	void *p;

	if (!ptr)
		return buddy_alloc(size);
	if (!size) {
		buddy_free(ptr);
		return ptr;
	}
	if (size > heap_bytes) {
		errno = EINVAL;
		return NULL;
	}
	pe_enter();
	PE_ACQUIRE(&heap, 0);
	PE_RELEASE(&heap, 0);
	p = locked_realloc(ptr, size);
	pe_leave();
	return p;
}
