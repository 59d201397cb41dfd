/* SPDX-License-Identifier: MIT */
/* Bytes of a shared part: from files, into files, on the screen. */
#ifndef PIMDIMM_SHARE_BYTES_H
#define PIMDIMM_SHARE_BYTES_H

#include <stdbool.h>
#include <stdint.h>

struct share_files {
	const char *load, *save;	/* or NULL */
	bool to_stdout;			/* save is "-" */
	uint64_t show;			/* bytes */
};

/* Both return 0, or TOOL_FAILED after a message. */
int share_load(const struct share_files *files, uint8_t *map, uint64_t bytes);
/* saves, then shows */
int share_store(const struct share_files *files, const uint8_t *map,
		uint64_t bytes);

#endif /* PIMDIMM_SHARE_BYTES_H */
