// SPDX-License-Identifier: MIT
/* Moves bytes between a shared part and files or the screen. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/share/share_bytes.h"
#include "tools/tool.h"

#define LINE 16u

int share_load(const struct share_files *files, uint8_t *map, uint64_t bytes)
{
	FILE *file;
	bool longer;

	if (!files->load)
		return TOOL_OK;
	file = fopen(files->load, "re");
	if (!file)
		return tool_error("%s: %s", files->load, strerror(errno));
	longer = fread(map, 1, bytes, file) == bytes && fgetc(file) != EOF;
	if (ferror(file)) {
		tool_error("%s: %s", files->load, strerror(errno));
		fclose(file);
		return TOOL_FAILED;
	}
	fclose(file);
	if (longer)
		return tool_error("%s: longer than the %" PRIu64 " bytes shared",
				  files->load, bytes);
	return TOOL_OK;
}

static int share_bytes_save(const struct share_files *files, const uint8_t *map,
			    uint64_t bytes)
{
	FILE *file = files->to_stdout ? stdout : fopen(files->save, "we");
	bool written;

	if (!file)
		return tool_error("%s: %s", files->save, strerror(errno));
	written = fwrite(map, 1, bytes, file) == bytes;
	/* standard output is checked by main() */
	if (file != stdout)
		written &= !fclose(file);
	if (!written)
		return tool_error("%s: %s", files->save, strerror(errno));
	return TOOL_OK;
}

/* An offset, its bytes, and what of them is text. */
static void show_line(uint64_t at, const uint8_t *bytes, unsigned int count)
{
	printf("%08" PRIx64 " ", at);
	for (unsigned int i = 0; i < LINE; i++) {
		if (i < count)
			printf(" %02x", bytes[i]);
		else
			fputs("   ", stdout);
	}
	fputs("  |", stdout);
	for (unsigned int i = 0; i < count; i++)
		putchar(isprint(bytes[i]) ? bytes[i] : '.');
	puts("|");
}

int share_store(const struct share_files *files, const uint8_t *map,
		uint64_t bytes)
{
	uint64_t show = files->show < bytes ? files->show : bytes;
	int status = files->save ? share_bytes_save(files, map, bytes) : TOOL_OK;

	for (uint64_t at = 0; at < show && !status; at += LINE)
		show_line(at, map + at,
			  show - at < LINE ? (unsigned int)(show - at) : LINE);
	return status;
}
