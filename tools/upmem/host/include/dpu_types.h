/* SPDX-License-Identifier: MIT */
/* The types of the host interface. */
#ifndef DPU_TYPES_H
#define DPU_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dpu_target.h>

#ifdef __cplusplus
extern "C" {
#endif

/* a rank has as many control interfaces (chips), each with so many DPUs */
#define DPU_MAX_NR_CIS		8
#define DPU_MAX_NR_DPUS_PER_CI	8
#define DPU_MAX_NR_GROUPS	8
#define DPU_BOOT_THREAD		0

typedef uint16_t dpu_rank_id_t;
typedef uint32_t dpu_id_t;
typedef uint8_t dpu_slice_id_t;		/* chip */
typedef uint8_t dpu_member_id_t;	/* DPU of its chip */
typedef uint8_t dpu_group_id_t;
typedef uint8_t dpu_thread_t;
typedef uint8_t dpu_notify_bit_id_t;

typedef uint16_t iram_addr_t;
typedef uint32_t wram_addr_t;
typedef uint32_t mram_addr_t;
typedef mram_addr_t dpu_mem_max_addr_t;
typedef uint16_t iram_size_t;
typedef uint32_t wram_size_t;
typedef uint32_t mram_size_t;
typedef mram_size_t dpu_mem_max_size_t;

typedef uint64_t dpuinstruction_t;
typedef uint32_t dpuword_t;
typedef uint8_t dpu_bitfield_t;
typedef uint8_t dpu_ci_bitfield_t;
#define DPU_BITFIELD_ALL ((dpu_bitfield_t)-1)

typedef enum _dpu_clock_division_t {
	DPU_CLOCK_DIV8 = 0x0,
	DPU_CLOCK_DIV4 = 0x4,
	DPU_CLOCK_DIV3 = 0x3,
	DPU_CLOCK_DIV2 = 0x8,
} dpu_clock_division_t;

#define DPU_API_DEPRECATED __attribute__((deprecated))

/* the first byte of MRAM that a program does not use; as long as what is left */
#define DPU_MRAM_HEAP_POINTER_NAME "__sys_used_mram_end"

struct dpu_rank_t;
struct dpu_t;
struct dpu_transfer_matrix;
struct dpu_program_t;

typedef enum _dpu_set_kind_t {
	DPU_SET_RANKS,
	DPU_SET_DPU,
} dpu_set_kind_t;

/* ranks, or one DPU */
struct dpu_set_t {
	dpu_set_kind_t kind;
	__extension__ union {
		struct {
			uint32_t nr_ranks;
			struct dpu_rank_t **ranks;
		} list;
		struct dpu_t *dpu;
	};
};

/*
 * The address says the memory: 0x08000000 and above is MRAM, 0x80000000 and
 * above IRAM, others WRAM.
 */
struct dpu_symbol_t {
	dpu_mem_max_addr_t address;
	dpu_mem_max_size_t size;
};

/* what DPU_INCBIN makes */
struct dpu_incbin_t {
	uint8_t *buffer;
	size_t size;
	const char *path;
};

struct dpu_bit_config {
	uint16_t cpu2dpu;
	uint16_t dpu2cpu;
	uint8_t nibble_swap;
	uint8_t stutter;
};

struct dpu_carousel_config {
	uint8_t cmd_duration;
	uint8_t cmd_sampling;
	uint8_t res_duration;
	uint8_t res_sampling;
};

#ifdef __cplusplus
}
#endif

#endif /* DPU_TYPES_H */
