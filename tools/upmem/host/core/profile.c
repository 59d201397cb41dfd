// SPDX-License-Identifier: MIT
/*
 * Profiles: "key=value,key=value". Of UPMEM's keys most say something about
 * hardware; their values are checked and then have no meaning here.
 */
#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tools/upmem/host/core/profile.h"
#include "tools/upmem/host/core/error.h"

enum kind { TEXT, BACKEND, BOOL, INT, U32, U64 };

#define UNUSED	SIZE_MAX
#define AT(field) offsetof(struct profile, field)

static const struct key {
	const char *name;
	enum kind kind;
	size_t at;
} keys[] = {
	{ "backend", BACKEND, UNUSED },
	{ "nrJobsPerRank", U32, AT(nr_jobs) },
	{ "disabledMask", U64, AT(disabled) },
	{ "dispatchOnAllRanks", BOOL, AT(dispatch) },
	{ "sgXferEnable", BOOL, AT(sg_enable) },
	{ "sgXferMaxBlocksPerDpu", U32, AT(sg_blocks) },
	{ "fckFrequency", U32, AT(fck_mhz) },
	{ "clockDivision", U32, AT(clock_division) },
	/* not UPMEM's: misaligned DMAs are faults instead of what hardware does */
	{ "strictDma", BOOL, AT(strict) },

	{ "analyzerEnabled", BOOL, UNUSED },
	{ "analyzerFilteringEnabled", BOOL, UNUSED },
	{ "chipId", U32, UNUSED },
	{ "chipSelect", U32, UNUSED },
	{ "cmdsBufferSize", U64, UNUSED },
	{ "cycleAccurate", BOOL, UNUSED },
	{ "disableMuxSwitch", BOOL, UNUSED },
	{ "disableResetOnAlloc", BOOL, UNUSED },
	{ "disableSafeChecks", BOOL, UNUSED },
	{ "doProfiling", BOOL, UNUSED },
	{ "enableProfiling", TEXT, UNUSED },
	{ "ignoreVersion", BOOL, UNUSED },
	{ "ignoreVpd", BOOL, UNUSED },
	{ "iramSize", U32, UNUSED },
	{ "mcountAddress", U32, UNUSED },
	{ "modelsimBypassMramSwitch", BOOL, UNUSED },
	{ "modelsimEnableGui", BOOL, UNUSED },
	{ "modelsimExecPath", TEXT, UNUSED },
	{ "modelsimMramFile", TEXT, UNUSED },
	{ "modelsimTclScript", TEXT, UNUSED },
	{ "modelsimWorkDir", TEXT, UNUSED },
	{ "mramAccessByDpuOnly", BOOL, UNUSED },
	{ "mramBypassEnabled", BOOL, UNUSED },
	{ "mramEmulateRefresh", INT, UNUSED },
	{ "mramSize", U32, UNUSED },
	{ "nrDpusPerCi", U32, UNUSED },
	{ "nrThreadPerPool", INT, UNUSED },
	{ "nrThreadsPerRank", U32, UNUSED },
	{ "poolThreshold1Thread", INT, UNUSED },
	{ "poolThreshold2Threads", INT, UNUSED },
	{ "poolThreshold4Threads", INT, UNUSED },
	{ "profileDma", TEXT, UNUSED },
	{ "profileIla", TEXT, UNUSED },
	{ "profileInstruction", TEXT, UNUSED },
	{ "profileMemory", TEXT, UNUSED },
	{ "profilingDpuId", U32, UNUSED },
	{ "profilingSliceId", U32, UNUSED },
	{ "rankPath", TEXT, UNUSED },
	{ "regionMode", TEXT, UNUSED },
	{ "reportFileName", TEXT, UNUSED },
	{ "retMcountAddress", U32, UNUSED },
	{ "threadProfilingAddress", U32, UNUSED },
	{ "tryRepairIram", BOOL, UNUSED },
	{ "tryRepairWram", BOOL, UNUSED },
	{ "usbSerial", TEXT, UNUSED },
	{ "wramSize", U32, UNUSED },
};

static const char *const backends[] = {
	"simulator", "cas", "model", "hw", "spi", "scenario",
};

static bool is_backend(const char *value)
{
	for (size_t i = 0; i < sizeof(backends) / sizeof(backends[0]); i++)
		if (!strcmp(value, backends[i]))
			return true;
	return false;
}

static bool read_bool(const char *value, bool *out)
{
	*out = !strcasecmp(value, "true") || !strcmp(value, "1");
	return *out || !strcasecmp(value, "false") || !strcmp(value, "0");
}

static bool read_number(const char *value, enum kind kind, uint64_t *out)
{
	bool minus = value[0] == '-';
	char *end;

	if (!isdigit((unsigned char)value[minus]) || (minus && kind != INT))
		return false;
	errno = 0;
	*out = strtoull(value + minus, &end, 0);
	if (errno || *end)
		return false;
	return kind == U64 || *out <= (kind == INT ? INT32_MAX : UINT32_MAX);
}

static void store_value(struct profile *profile, size_t at, const void *value,
			size_t bytes)
{
	if (at != UNUSED)
		memcpy((char *)profile + at, value, bytes);
}

static bool read_value(const struct key *key, const char *value,
		       struct profile *profile)
{
	uint64_t number = 0;
	uint32_t word;
	bool flag;

	switch (key->kind) {
	case TEXT:
		return true;
	case BACKEND:
		return is_backend(value);
	case BOOL:
		if (!read_bool(value, &flag))
			return false;
		store_value(profile, key->at, &flag, sizeof(flag));
		return true;
	case U64:
		if (!read_number(value, U64, &number))
			return false;
		store_value(profile, key->at, &number, sizeof(number));
		return true;
	default:
		if (!read_number(value, key->kind, &number))
			return false;
		word = (uint32_t)number;
		store_value(profile, key->at, &word, sizeof(word));
		return true;
	}
}

static char *trim_text(char *text)
{
	char *end;

	while (isspace((unsigned char)*text))
		text++;
	end = text + strlen(text);
	while (end > text && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return text;
}

static dpu_error_t read_item(char *item, struct profile *profile)
{
	char *value = strchr(item, '=');
	char *name;

	if (!value)
		return host_fail(DPU_ERR_INVALID_PROFILE,
				 "profile item '%s' has no '=': expected key=value",
				 item);
	*value++ = '\0';
	name = trim_text(item);
	value = trim_text(value);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (strcmp(name, keys[i].name))
			continue;
		if (read_value(&keys[i], value, profile))
			return DPU_OK;
		return host_fail(DPU_ERR_INVALID_PROFILE,
				 "profile key %s cannot be '%s'", name, value);
	}
	host_note("profile key %s=%s is not known and means nothing", name,
		  value);
	return DPU_OK;
}

static dpu_error_t read_items(const char *text, struct profile *profile)
{
	char *copy, *rest, *item;
	dpu_error_t status = DPU_OK;

	if (!text)
		return DPU_OK;
	copy = rest = strdup(text);
	if (!copy)
		return host_fail(DPU_ERR_SYSTEM, "no memory for a profile");
	/* '&' is what separated items once */
	while (status == DPU_OK && (item = strsep(&rest, ",&"))) {
		item = trim_text(item);
		if (*item)
			status = read_item(item, profile);
	}
	free(copy);
	return status;
}

dpu_error_t profile_read(const char *text, struct profile *profile)
{
	const char *parts[] = { secure_getenv("UPMEM_PROFILE_BASE"), text,
				secure_getenv("UPMEM_PROFILE") };
	dpu_error_t status = DPU_OK;

	*profile = (struct profile){
		.nr_jobs = 16,
		.fck_mhz = (uint32_t)(2 * pimdimm_clock_hz() / 1000000),
		.clock_division = 2,
	};
	for (int i = 0; i < 3 && status == DPU_OK; i++)
		status = read_items(parts[i], profile);
	if (status != DPU_OK)
		return status;
	if (!profile->nr_jobs)
		return host_fail(DPU_ERR_INVALID_PROFILE,
				 "profile key nrJobsPerRank cannot be 0");
	if (!profile->clock_division || profile->clock_division > UINT8_MAX)
		return host_fail(DPU_ERR_INVALID_PROFILE,
				 "profile key clockDivision cannot be %u: expected 1 to 255",
				 profile->clock_division);
	return DPU_OK;
}
