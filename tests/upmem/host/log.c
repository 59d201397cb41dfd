// SPDX-License-Identifier: MIT
/* What DPUs print, as the host shows it. */
#include <string.h>

#include <dpu_log.h>
#include <dpu_management.h>

#include "check.h"

static const char expected[] =
	"=== DPU#0x300 ===\n"
	"-1 -2 4000000000|   42|42   |00042\n"
	"ff FF 0xff 10 ok\n"
	"-5000000000 5000000000 123456789ab\n"
	"text|     right|l   |cu\n"
	"1.500000 -0.12 1.234568e+04\n"
	"100% of 0x1234\n";

static struct dpu_set_t fourth(struct dpu_set_t set)
{
	struct dpu_set_t dpu, found = set;
	uint32_t i;

	DPU_FOREACH(set, dpu, i)
		if (i == 3)
			found = dpu;
	return found;
}

static char *read_log(struct dpu_set_t dpu, dpu_error_t status)
{
	static char text[1 << 16];
	FILE *stream = tmpfile();
	size_t bytes;

	RETURNS(status, dpu_log_read(dpu, stream));
	rewind(stream);
	bytes = fread(text, 1, sizeof(text) - 1, stream);
	text[bytes] = '\0';
	fclose(stream);
	return text;
}

static void formats(void)
{
	struct dpu_set_t set;

	OK(dpu_alloc(8, NULL, &set));
	OK(dpu_load(set, "prints.dpu", NULL));
	OK(dpu_launch(set, DPU_SYNCHRONOUS));
	if (strcmp(read_log(fourth(set), DPU_OK), expected)) {
		printf("%s", read_log(fourth(set), DPU_OK));
		failures++;
	}
	/* each launch begins anew */
	OK(dpu_launch(set, DPU_SYNCHRONOUS));
	CHECK(!strcmp(read_log(fourth(set), DPU_OK), expected));
	OK(dpulog_read_for_dpu(dpu_from_set(fourth(set)), stdout));
	OK(dpu_free(set));
}

static void no_log(void)
{
	struct dpu_set_t set;

	OK(dpu_alloc(8, NULL, &set));
	read_log(fourth(set), DPU_ERR_LOG_CONTEXT_MISSING);
	OK(dpu_load(set, "errors.dpu", NULL));
	OK(dpu_launch(set, DPU_SYNCHRONOUS));
	CHECK(!strcmp(read_log(fourth(set), DPU_ERR_LOG_CONTEXT_MISSING),
		      "=== DPU#0x300 ===\n"));
	OK(dpu_free(set));
}

/* more than the buffer holds */
static void full(void)
{
	struct dpu_set_t set;
	uint32_t lines = 1000;
	dpu_error_t status;

	OK(dpu_alloc(8, NULL, &set));
	OK(dpu_load(set, "prints_little.dpu", NULL));
	OK(dpu_launch(set, DPU_SYNCHRONOUS));
	CHECK(!strcmp(read_log(fourth(set), DPU_OK),
		      "=== DPU#0x300 ===\nline 0\n"));
	OK(dpu_copy_to(set, "lines", 0, &lines, 4));
	status = dpu_launch(set, DPU_SYNCHRONOUS);
	CHECK(status == DPU_OK || status == DPU_ERR_DPU_FAULT);
	read_log(fourth(set), DPU_ERR_LOG_BUFFER_TOO_SMALL);
	OK(dpu_free(set));
}

/* A conversion costs the host as much as its width and its precision say. */
static void wide(void)
{
	static const size_t lengths[] = { 4098, 4096 };
	const char *header = "=== DPU#0x300 ===\n";
	struct dpu_set_t set;

	OK(dpu_alloc(8, NULL, &set));
	OK(dpu_load(set, "wide.dpu", NULL));
	for (uint32_t act = 0; act < 9; act++) {
		const char *text;

		OK(dpu_copy_to(set, "act", 0, &act, 4));
		OK(dpu_launch(set, DPU_SYNCHRONOUS));
		text = read_log(fourth(set),
				act < 2 ? DPU_OK : DPU_ERR_LOG_FORMAT);
		CHECK(strlen(text) ==
		      strlen(header) + (act < 2 ? lengths[act] + 1 : 0));
	}
	OK(dpu_free(set));
}

int main(void)
{
	formats();
	wide();
	no_log();
	full();
	return check_result();
}
