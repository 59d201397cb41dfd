/* SPDX-License-Identifier: MIT */
/*
 * The vital product data of DIMMs. Files of it are read and written; there is no DIMM
 * to read it from or to write it into: those calls fail, and dpu_error_detail() says
 * so.
 */
#ifndef DPU_VPD_H
#define DPU_VPD_H

#include <stdint.h>
#include <stdio.h>

#include <dpu_vpd_structures.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * dpu_vpd_get_vpd_path() - where a rank's data are
 *
 * Return: DPU_VPD_ERR: an emulated rank has none.
 */
enum dpu_vpd_error dpu_vpd_get_vpd_path(const char *dev_rank_path,
					char *vpd_path);

/**
 * dpu_vpd_init() - data as of a file, or of a DIMM without any defects
 * @vpd_path: the file, or NULL
 * @vpd: receives them
 *
 * Return: DPU_VPD_OK; DPU_VPD_ERR where the file cannot be read,
 * DPU_VPD_ERR_HEADER_FORMAT, DPU_VPD_ERR_HEADER_VERSION or
 * DPU_VPD_ERR_REPAIR_ENTRIES where it is none of this version.
 */
enum dpu_vpd_error dpu_vpd_init(const char *vpd_path, struct dpu_vpd *vpd);

/**
 * dpu_vpd_write() - write a file
 * @vpd: what to write
 * @vpd_path: the file, which is made or overwritten
 *
 * Return: DPU_VPD_OK, DPU_VPD_ERR_REPAIR_ENTRIES, or DPU_VPD_ERR.
 */
enum dpu_vpd_error dpu_vpd_write(struct dpu_vpd *vpd, const char *vpd_path);

/**
 * dpu_vpd_add_repair_entry() - add a repair, and mark the DPU that has it
 * @vpd: where to
 * @repair_entry: the repair, which is copied
 *
 * Return: DPU_VPD_OK, DPU_VPD_ERR_NB_MAX_REPAIR, or DPU_VPD_ERR_REPAIR_ENTRIES for a
 * rank, slice or DPU that no DIMM has.
 */
enum dpu_vpd_error
dpu_vpd_add_repair_entry(struct dpu_vpd *vpd,
			 struct dpu_vpd_repair_entry *repair_entry);

/**
 * dpu_vpd_disable_dpu() - mark a DPU as disabled
 * @vpd: where
 * @rank_index_in_dimm: its rank, below VPD_MAX_RANK
 * @slice_id: its chip
 * @dpu_id: its number in the chip
 *
 * Return: DPU_VPD_OK, DPU_VPD_ERR_DPU_ALREADY_DISABLED, or DPU_VPD_ERR for one that
 * no DIMM has.
 */
enum dpu_vpd_error dpu_vpd_disable_dpu(struct dpu_vpd *vpd,
				       uint8_t rank_index_in_dimm,
				       uint8_t slice_id, uint8_t dpu_id);

/**
 * dpu_vpd_enable_dpu() - take that mark away
 *
 * Return: DPU_VPD_OK, DPU_VPD_ERR_DPU_ALREADY_ENABLED or DPU_VPD_ERR.
 */
enum dpu_vpd_error dpu_vpd_enable_dpu(struct dpu_vpd *vpd,
				      uint8_t rank_index_in_dimm,
				      uint8_t slice_id, uint8_t dpu_id);

/**
 * dpu_vpd_db_init() - a database of keys and values
 * @dual_rank: 0 and 1 ask for the values of a kind of DIMM, which this library does
 *	not have; anything else for an empty one
 * @db_path: NULL; files of databases are the vendor's tools'
 * @db: receives it
 *
 * Return: DPU_VPD_OK or DPU_VPD_ERR; the database is empty and valid either way.
 */
enum dpu_vpd_error dpu_vpd_db_init(int dual_rank, const char *db_path,
				   struct dpu_vpd_database *db);

/**
 * dpu_vpd_db_update() - set a key's value
 * @db: the database
 * @key: the key
 * @value: the value, which is copied
 * @value_len: its bytes
 * @value_type: of enum vpd_data_type
 *
 * Return: DPU_VPD_OK, or DPU_VPD_ERR for a wrong length or for want of memory.
 */
enum dpu_vpd_error dpu_vpd_db_update(struct dpu_vpd_database *db,
				     const char *key, const uint8_t *value,
				     const int value_len, const int value_type);

/**
 * dpu_vpd_db_destroy() - free what a database holds
 * @db: the database, which is empty then
 */
void dpu_vpd_db_destroy(struct dpu_vpd_database *db);

/* what needs a DIMM, or the vendor's format of a database's file: DPU_VPD_ERR */
enum dpu_vpd_error dpu_vpd_db_write(const struct dpu_vpd_database *db,
				    const char *db_path);
enum dpu_vpd_error dpu_vpd_commit_to_device(struct dpu_vpd *vpd,
					    const char *device_name);
enum dpu_vpd_error
dpu_vpd_db_commit_to_device(const struct dpu_vpd_database *db,
			    const char *device_name);
enum dpu_vpd_error dpu_vpd_commit_to_device_from_file(const char *vpd_path,
						      const char *device_name);
enum dpu_vpd_error
dpu_vpd_db_commit_to_device_from_file(const char *db_path,
				      const char *device_name);

#ifdef __cplusplus
}
#endif

#endif /* DPU_VPD_H */
