/* SPDX-License-Identifier: MIT */
/* What a DIMM knows of itself: its ranks, disabled DPUs, repaired memory. */
#ifndef DPU_VPD_STRUCTURES_H
#define DPU_VPD_STRUCTURES_H

#include <stdint.h>

#define VPD_MAX_RANK			4
#define VPD_STRUCT_ID			"UPMV"
#define VPD_STRUCT_VERSION		(0x0004000)
#define VPD_MAX_SIZE			2048
/* repairs have not been looked for */
#define VPD_UNDEFINED_REPAIR_COUNT	((uint16_t)-1)

enum dpu_vpd_repair_type {
	DPU_VPD_REPAIR_IRAM,
	DPU_VPD_REPAIR_WRAM,
};

/* a bit a DPU: 8 * slice + DPU */
struct dpu_vpd_rank_data {
	uint64_t dpu_disabled;
	uint64_t wram_repair;
	uint64_t iram_repair;
};

struct dpu_vpd_repair_entry {
	uint8_t iram_wram;	/* enum dpu_vpd_repair_type */
	uint8_t rank;
	uint8_t ci;
	uint8_t dpu;
	uint8_t bank;
	uint8_t __padding;
	uint16_t address;
	uint64_t bits;
};

/* the file: this, then repair_count entries */
struct dpu_vpd_header {
	char struct_id[4];
	uint32_t struct_ver;
	uint16_t struct_size;
	uint8_t rank_count;
	uint8_t __padding_0;
	uint16_t repair_count;
	uint16_t __padding_1;
	struct dpu_vpd_rank_data ranks[VPD_MAX_RANK];
};

#define NB_MAX_REPAIR                                    \
	((VPD_MAX_SIZE - sizeof(struct dpu_vpd_header)) / \
	 sizeof(struct dpu_vpd_repair_entry))

enum vpd_data_type {
	VPD_TYPE_STRING = 0,
	VPD_TYPE_BYTE = 1,
	VPD_TYPE_SHORT = 2,
	VPD_TYPE_INT = 4,
	VPD_TYPE_LONG = 8,
	VPD_TYPE_BYTEARRAY = 9,
};

struct dpu_vpd {
	struct dpu_vpd_header vpd_header;
	struct dpu_vpd_repair_entry repair_entries[NB_MAX_REPAIR];
};

struct dpu_vpd_string_pair {
	uint8_t *key;
	uint8_t *value;
	int value_len;
	int value_type;
	struct dpu_vpd_string_pair *next;
};

struct dpu_vpd_database {
	struct dpu_vpd_string_pair *first;
};

enum dpu_vpd_error {
	DPU_VPD_OK,
	DPU_VPD_ERR_HEADER_FORMAT,
	DPU_VPD_ERR_HEADER_VERSION,
	DPU_VPD_ERR_REPAIR_ENTRIES,
	DPU_VPD_ERR_NB_MAX_REPAIR,
	DPU_VPD_ERR_FLASH,
	DPU_VPD_ERR_DPU_ALREADY_ENABLED,
	DPU_VPD_ERR_DPU_ALREADY_DISABLED,
	DPU_VPD_ERR_OVERFLOW,
	DPU_VPD_ERR,
};

#endif /* DPU_VPD_STRUCTURES_H */
