// SPDX-License-Identifier: MIT
/* The vital product data of DIMMs, as far as they are files and memory. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <dpu_vpd.h>

#include "tools/upmem/host/core/error.h"
#include "tools/upmem/host/core/rank.h"

#define DPUS_OF_CHIP	8

static enum dpu_vpd_error vpd_fail(enum dpu_vpd_error error, const char *name,
				   const char *why)
{
	host_fail(DPU_ERR_VPD_INVALID_FILE, "%s: %s", name, why);
	return error;
}

static enum dpu_vpd_error no_dimm(const char *name)
{
	return vpd_fail(DPU_VPD_ERR, name ? name : "NULL",
			"emulated ranks lie on no DIMM, which would hold such data");
}

static enum dpu_vpd_error no_format(const char *name)
{
	return vpd_fail(DPU_VPD_ERR, name ? name : "NULL",
			"databases are not stored here: their format is the vendor's tools'");
}

DPU_API enum dpu_vpd_error
dpu_vpd_get_vpd_path(const char *dev_rank_path,
		     __attribute__((unused)) char *vpd_path)
{
	return no_dimm(dev_rank_path);
}

static void init_header(struct dpu_vpd_header *header)
{
	*header = (struct dpu_vpd_header){
		.struct_ver = VPD_STRUCT_VERSION,
		.struct_size = sizeof(*header),
		.repair_count = VPD_UNDEFINED_REPAIR_COUNT,
	};
	memcpy(header->struct_id, VPD_STRUCT_ID, sizeof(header->struct_id));
}

static uint16_t nr_repairs(const struct dpu_vpd *vpd)
{
	uint16_t count = vpd->vpd_header.repair_count;

	return count == VPD_UNDEFINED_REPAIR_COUNT ? 0 : count;
}

static enum dpu_vpd_error read_vpd(FILE *f, const char *path,
				   struct dpu_vpd *vpd)
{
	struct dpu_vpd_header *header = &vpd->vpd_header;

	if (fread(header, sizeof(*header), 1, f) != 1)
		return vpd_fail(DPU_VPD_ERR, path, "shorter than a header");
	if (memcmp(header->struct_id, VPD_STRUCT_ID, sizeof(header->struct_id)))
		return vpd_fail(DPU_VPD_ERR_HEADER_FORMAT, path,
				"does not begin with " VPD_STRUCT_ID);
	if (header->struct_ver != VPD_STRUCT_VERSION)
		return vpd_fail(DPU_VPD_ERR_HEADER_VERSION, path,
				"of another version");
	if (nr_repairs(vpd) > NB_MAX_REPAIR ||
	    fread(vpd->repair_entries, sizeof(vpd->repair_entries[0]),
		  nr_repairs(vpd), f) != nr_repairs(vpd))
		return vpd_fail(DPU_VPD_ERR_REPAIR_ENTRIES, path,
				"does not hold the repairs that it counts");
	return DPU_VPD_OK;
}

DPU_API enum dpu_vpd_error dpu_vpd_init(const char *vpd_path,
					struct dpu_vpd *vpd)
{
	enum dpu_vpd_error error;
	FILE *f;

	memset(vpd, 0, sizeof(*vpd));
	init_header(&vpd->vpd_header);
	if (!vpd_path)
		return DPU_VPD_OK;
	f = fopen(vpd_path, "re");
	if (!f)
		return vpd_fail(DPU_VPD_ERR, vpd_path, strerror(errno));
	error = read_vpd(f, vpd_path, vpd);
	fclose(f);
	return error;
}

DPU_API enum dpu_vpd_error dpu_vpd_write(struct dpu_vpd *vpd,
					 const char *vpd_path)
{
	uint16_t repairs = nr_repairs(vpd);
	bool written;
	FILE *f;

	if (repairs > NB_MAX_REPAIR)
		return vpd_fail(DPU_VPD_ERR_REPAIR_ENTRIES, vpd_path,
				"more repairs than a file holds");
	f = fopen(vpd_path, "we");
	if (!f)
		return vpd_fail(DPU_VPD_ERR, vpd_path, strerror(errno));
	written = fwrite(&vpd->vpd_header, sizeof(vpd->vpd_header), 1, f) &&
		  fwrite(vpd->repair_entries, sizeof(vpd->repair_entries[0]),
			 repairs, f) == repairs;
	if (!fclose(f) && written)
		return DPU_VPD_OK;
	return vpd_fail(DPU_VPD_ERR, vpd_path, strerror(errno));
}

/* the bit of a DPU; 0: no DIMM has it */
static uint64_t bit_of(uint8_t rank, uint8_t slice, uint8_t dpu)
{
	if (rank < VPD_MAX_RANK && slice < RANK_CHIPS && dpu < DPUS_OF_CHIP)
		return UINT64_C(1) << (DPUS_OF_CHIP * slice + dpu);
	host_fail(DPU_ERR_VPD_INVALID_FILE,
		  "rank %u, slice %u, DPU %u: expected ones below %u, %u, %u",
		  rank, slice, dpu, VPD_MAX_RANK, RANK_CHIPS, DPUS_OF_CHIP);
	return 0;
}

DPU_API enum dpu_vpd_error
dpu_vpd_add_repair_entry(struct dpu_vpd *vpd,
			 struct dpu_vpd_repair_entry *repair_entry)
{
	uint64_t bit = bit_of(repair_entry->rank, repair_entry->ci,
			      repair_entry->dpu);
	struct dpu_vpd_rank_data *rank;
	uint16_t repairs = nr_repairs(vpd);

	if (!bit)
		return DPU_VPD_ERR_REPAIR_ENTRIES;
	if (repairs >= NB_MAX_REPAIR)
		return vpd_fail(DPU_VPD_ERR_NB_MAX_REPAIR, "repair",
				"there are as many as a file holds");
	rank = &vpd->vpd_header.ranks[repair_entry->rank];
	if (repair_entry->iram_wram == DPU_VPD_REPAIR_IRAM)
		rank->iram_repair |= bit;
	else
		rank->wram_repair |= bit;
	vpd->repair_entries[repairs] = *repair_entry;
	vpd->vpd_header.repair_count = repairs + 1;
	return DPU_VPD_OK;
}

/* set or clear the mark of a disabled DPU; already: what to say where it is so */
static enum dpu_vpd_error mark_disabled(struct dpu_vpd *vpd, uint8_t rank,
					uint8_t slice, uint8_t dpu,
					bool disabled,
					enum dpu_vpd_error already)
{
	uint64_t bit = bit_of(rank, slice, dpu), *marks;

	if (!bit)
		return DPU_VPD_ERR;
	marks = &vpd->vpd_header.ranks[rank].dpu_disabled;
	if (!!(*marks & bit) == disabled)
		return already;
	*marks ^= bit;
	return DPU_VPD_OK;
}

DPU_API enum dpu_vpd_error dpu_vpd_disable_dpu(struct dpu_vpd *vpd,
					       uint8_t rank_index_in_dimm,
					       uint8_t slice_id, uint8_t dpu_id)
{
	return mark_disabled(vpd, rank_index_in_dimm, slice_id, dpu_id, true,
			     DPU_VPD_ERR_DPU_ALREADY_DISABLED);
}

DPU_API enum dpu_vpd_error dpu_vpd_enable_dpu(struct dpu_vpd *vpd,
					      uint8_t rank_index_in_dimm,
					      uint8_t slice_id, uint8_t dpu_id)
{
	return mark_disabled(vpd, rank_index_in_dimm, slice_id, dpu_id, false,
			     DPU_VPD_ERR_DPU_ALREADY_ENABLED);
}

DPU_API enum dpu_vpd_error dpu_vpd_db_init(int dual_rank, const char *db_path,
					   struct dpu_vpd_database *db)
{
	db->first = NULL;
	if (db_path)
		return no_format(db_path);
	if (dual_rank == 0 || dual_rank == 1)
		return vpd_fail(DPU_VPD_ERR, dual_rank ? "P21" : "E19",
				"values of that DIMM are the vendor's, and not here");
	return DPU_VPD_OK;
}

static void free_pair(struct dpu_vpd_string_pair *pair)
{
	free(pair->key);
	free(pair->value);
	free(pair);
}

static struct dpu_vpd_string_pair *make_pair(const char *key,
					     const uint8_t *value,
					     size_t value_len, int value_type)
{
	struct dpu_vpd_string_pair *pair = calloc(1, sizeof(*pair));

	if (!pair)
		return NULL;
	pair->key = (uint8_t *)strdup(key);
	pair->value = malloc(value_len ? value_len : 1);
	if (!pair->key || !pair->value) {
		free_pair(pair);
		return NULL;
	}
	memcpy(pair->value, value, value_len);
	pair->value_len = (int)value_len;
	pair->value_type = value_type;
	return pair;
}

DPU_API enum dpu_vpd_error dpu_vpd_db_update(struct dpu_vpd_database *db,
					     const char *key,
					     const uint8_t *value,
					     const int value_len,
					     const int value_type)
{
	struct dpu_vpd_string_pair **at = &db->first, *pair;

	if (value_len < 0)
		return vpd_fail(DPU_VPD_ERR, key, "a value of less than 0 bytes");
	pair = make_pair(key, value, (size_t)value_len, value_type);
	if (!pair)
		return vpd_fail(DPU_VPD_ERR, key, "no memory");
	while (*at && strcmp((char *)(*at)->key, key))
		at = &(*at)->next;
	if (*at) {
		pair->next = (*at)->next;
		free_pair(*at);
	}
	*at = pair;
	return DPU_VPD_OK;
}

DPU_API void dpu_vpd_db_destroy(struct dpu_vpd_database *db)
{
	struct dpu_vpd_string_pair *pair;

	while ((pair = db->first)) {
		db->first = pair->next;
		free_pair(pair);
	}
}

DPU_API enum dpu_vpd_error
dpu_vpd_db_write(__attribute__((unused)) const struct dpu_vpd_database *db,
		 const char *db_path)
{
	return no_format(db_path);
}

DPU_API enum dpu_vpd_error
dpu_vpd_commit_to_device(__attribute__((unused)) struct dpu_vpd *vpd,
			 const char *device_name)
{
	return no_dimm(device_name);
}

DPU_API enum dpu_vpd_error dpu_vpd_db_commit_to_device(
	__attribute__((unused)) const struct dpu_vpd_database *db,
	const char *device_name)
{
	return no_dimm(device_name);
}

DPU_API enum dpu_vpd_error dpu_vpd_commit_to_device_from_file(
	__attribute__((unused)) const char *vpd_path, const char *device_name)
{
	return no_dimm(device_name);
}

DPU_API enum dpu_vpd_error dpu_vpd_db_commit_to_device_from_file(
	__attribute__((unused)) const char *db_path, const char *device_name)
{
	return no_dimm(device_name);
}
