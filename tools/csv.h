/* SPDX-License-Identifier: MIT */
/*
 * Values for others' programs, comma-separated as RFC 4180 has it, below comment lines
 * that tell what they were made on, by which version, and when.
 */
#ifndef PIMDIMM_TOOL_CSV_H
#define PIMDIMM_TOOL_CSV_H

#include <stdio.h>

/* A line each, in this order, but for those that are "". */
struct tool_head {
	char machine[256];
	char version[64];
	char commit[64];	/* of the sources; "unknown" where these were no checkout */
	char date[64];
	char threads[64];
	char hosts[64];		/* "": one process alone */
	char tier[64];		/* the instruction set of the host's loops */
};

/* What holds of the whole process; threads, hosts and tier are "", for the caller to fill in. */
void tool_head_read(struct tool_head *head);
void tool_head_csv(const struct tool_head *head, FILE *out);
/* "# key: text"; what would end the line is a question mark. */
void tool_csv_comment(FILE *out, const char *key, const char *text);
/* A field, in quotes where it needs them. */
void tool_csv_text(FILE *out, const char *text);

/* The processor's name as the kernel tells it, or "unknown". */
void tool_cpu_name(char *name, size_t bytes);
/* Its architecture and the kernel's release. */
void tool_kernel_name(char *name, size_t bytes);
/*
 * In which pages a mem: system of layout linear has MRAM, as the kernel's setting has it: "huge
 * pages" or "pages of 4 KiB", and the setting. 80 bytes are enough.
 */
void tool_mem_pages(char *text, size_t bytes);
/* Of the sources; "" where these were no checkout. */
const char *tool_commit(void);

#endif /* PIMDIMM_TOOL_CSV_H */
