// SPDX-License-Identifier: MIT
/* Comma-separated values, and the comment lines above them. */
#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <pimdimm/pimdimm.h>

#include "tools/csv.h"

/* set by tools/build.mk where the sources are a checkout */
#ifndef PIMDIMM_COMMIT
#define PIMDIMM_COMMIT ""
#endif

const char *tool_commit(void)
{
	return PIMDIMM_COMMIT;
}

void tool_cpu_name(char *name, size_t bytes)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[256];

	snprintf(name, bytes, "unknown");
	while (file && fgets(line, sizeof(line), file)) {
		char *colon = strchr(line, ':');

		if (strncmp(line, "model name", 10) || !colon)
			continue;
		line[strcspn(line, "\n")] = '\0';
		snprintf(name, bytes, "%s", colon + 1 + (colon[1] == ' '));
		break;
	}
	if (file)
		fclose(file);
}

#define SHMEM_HUGE "/sys/kernel/mm/transparent_hugepage/shmem_enabled"

/* "always within_size [advise] never": the word in brackets */
static bool chosen_word(const char *line, char *word, size_t bytes)
{
	const char *begin = strchr(line, '[');
	size_t len = begin ? strcspn(++begin, "]\n") : 0;

	if (!begin || begin[len] != ']' || len >= bytes)
		return false;
	memcpy(word, begin, len);
	word[len] = '\0';
	return true;
}

void tool_mem_pages(char *text, size_t bytes)
{
	FILE *file = fopen(SHMEM_HUGE, "re");
	char line[128] = "", word[16];
	long kib = sysconf(_SC_PAGESIZE) >> 10;

	if (file && !fgets(line, sizeof(line), file))
		line[0] = '\0';
	if (file)
		fclose(file);
	if (!chosen_word(line, word, sizeof(word)))
		snprintf(text, bytes, "pages of %ld KiB: /sys has no shmem_enabled", kib);
	else if (!strcmp(word, "never") || !strcmp(word, "deny"))
		snprintf(text, bytes, "pages of %ld KiB: shmem_enabled is %s", kib, word);
	else
		snprintf(text, bytes, "huge pages: shmem_enabled is %s", word);
}

void tool_kernel_name(char *name, size_t bytes)
{
	struct utsname uts;

	if (uname(&uts))
		snprintf(name, bytes, "unknown");
	else
		snprintf(name, bytes, "%.40s %.80s", uts.machine, uts.release);
}

void tool_head_read(struct tool_head *head)
{
	char kernel[128], cpu[120];
	time_t now = time(NULL);
	struct tm tm;

	memset(head, 0, sizeof(*head));
	tool_kernel_name(kernel, sizeof(kernel));
	tool_cpu_name(cpu, sizeof(cpu));
	snprintf(head->machine, sizeof(head->machine), "%s; %s", kernel, cpu);
	snprintf(head->version, sizeof(head->version), "%s", pimdimm_version());
	snprintf(head->commit, sizeof(head->commit), "%s",
		 *tool_commit() ? tool_commit() : "unknown");
	strftime(head->date, sizeof(head->date), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
}

void tool_csv_comment(FILE *out, const char *key, const char *text)
{
	fprintf(out, "# %s: ", key);
	for (; *text; text++)
		fputc(iscntrl((unsigned char)*text) ? '?' : *text, out);
	fputc('\n', out);
}

void tool_head_csv(const struct tool_head *head, FILE *out)
{
	tool_csv_comment(out, "machine", head->machine);
	tool_csv_comment(out, "version", head->version);
	tool_csv_comment(out, "commit", head->commit);
	tool_csv_comment(out, "date", head->date);
	if (*head->threads)
		tool_csv_comment(out, "threads", head->threads);
	if (*head->hosts)
		tool_csv_comment(out, "hosts", head->hosts);
	if (*head->tier)
		tool_csv_comment(out, "instruction set", head->tier);
}

void tool_csv_text(FILE *out, const char *text)
{
	if (!text[strcspn(text, ",\"\r\n")] && *text != '#') {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}
