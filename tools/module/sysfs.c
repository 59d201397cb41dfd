// SPDX-License-Identifier: MIT
/* Reads what the loaded module says of its ranks in sysfs. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/module/sysfs.h"
#include "tools/tool.h"

#define MODULES_FOLDER "/sys/module"
#define MODULE_FOLDER MODULES_FOLDER "/pimdimm"

bool sysfs_line(const char *path, char *line, size_t bytes)
{
	FILE *file = fopen(path, "re");
	bool found;

	if (!file)
		return false;
	found = fgets(line, (int)bytes, file);
	fclose(file);
	if (found)
		line[strcspn(line, "\n")] = '\0';
	return found;
}

bool sysfs_has_module(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), MODULES_FOLDER "/%s", name);
	return !access(path, F_OK);
}

bool sysfs_module(char *version, size_t bytes)
{
	*version = '\0';
	if (access(MODULE_FOLDER, F_OK))
		return false;
	sysfs_line(MODULE_FOLDER "/version", version, bytes);
	return true;
}

void sysfs_process_name(int64_t pid, char *name, size_t bytes)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRId64 "/comm", pid);
	if (pid <= 0 || !sysfs_line(path, name, bytes))
		snprintf(name, bytes, "?");
	/* a process may call itself what a terminal takes for orders */
	for (; *name; name++)
		if (*name < ' ' || *name > '~')
			*name = '?';
}

void sysfs_owner(const struct sysfs_rank *rank, char *text, size_t bytes)
{
	char name[32];

	if (rank->hidden) {
		snprintf(text, bytes, "?");
	} else if (rank->owner > 0) {
		sysfs_process_name(rank->owner, name, sizeof(name));
		snprintf(text, bytes, "%s[%" PRId64 "]", name, rank->owner);
	} else {
		snprintf(text, bytes, "%s", rank->owner ? "taken" : "free");
	}
}

static bool read_attribute(const char *folder, uint32_t number,
			   const char *name, char *value, size_t bytes)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/pimdimm%" PRIu32 "/%s", folder,
		     number, name) >= (int)sizeof(path))
		return false;
	return sysfs_line(path, value, bytes);
}

static bool sysfs_read_number(const char *folder, uint32_t number, const char *name,
			      uint64_t *value)
{
	char text[32], *end;

	if (!read_attribute(folder, number, name, text, sizeof(text)))
		return false;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return !errno && end != text && !*end && *text != '-';
}

/* Systems come and go while we read. */
static bool is_gone(const char *folder, uint32_t number)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/pimdimm%" PRIu32, folder, number);
	return access(path, F_OK);
}

/* What an owner does is for root and a group. */
static bool is_hidden(const char *folder, uint32_t number, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/pimdimm%" PRIu32 "/%s", folder, number,
		 name);
	return access(path, R_OK) && errno == EACCES;
}

/* Returns 0, -ENOENT if the rank is gone, or -EINVAL after a message. */
static int read_rank(const char *folder, uint32_t number,
		     struct sysfs_rank *rank)
{
	const struct {
		const char *name;
		uint64_t *value;
	} attributes[] = {
		{ "abi", &rank->abi },
		{ "channel", &rank->channel },
		{ "rank", &rank->rank },
		{ "channels", &rank->channels },
		{ "ranks", &rank->ranks },
		{ "mram_size", &rank->mram_size },
		{ "window_size", &rank->window_size },
		{ "allocated", &rank->allocated },
		{ "transfers_to_mram", &rank->transfers_to_mram },
		{ "transfers_from_mram", &rank->transfers_from_mram },
		{ "bytes_to_mram", &rank->bytes_to_mram },
		{ "bytes_from_mram", &rank->bytes_from_mram },
		{ "opens", &rank->opens },
		{ "resets", &rank->resets },
		{ "exports", &rank->exports },
		{ "errors", &rank->errors },
		{ "pinned", &rank->pinned },
	};
	char owner[24];

	*rank = (struct sysfs_rank){ .number = number };
	rank->hidden = is_hidden(folder, number, "owner");
	for (size_t i = 0; i < TOOL_COUNT(attributes); i++) {
		if (sysfs_read_number(folder, number, attributes[i].name,
				      attributes[i].value) ||
		    is_hidden(folder, number, attributes[i].name))
			continue;
		if (is_gone(folder, number))
			return -ENOENT;
		tool_error("%s/pimdimm%" PRIu32 "/%s: not there, or no number: is this tool older or newer than the module?",
			   folder, number, attributes[i].name);
		return -EINVAL;
	}
	if (read_attribute(folder, number, "owner", owner, sizeof(owner)))
		rank->owner = strtoll(owner, NULL, 10);
	read_attribute(folder, number, "layout", rank->layout,
		       sizeof(rank->layout));
	read_attribute(folder, number, "system", rank->system,
		       sizeof(rank->system));
	read_attribute(folder, number, "mux", rank->mux, sizeof(rank->mux));
	return 0;
}

static bool rank_number(const char *name, uint32_t *number)
{
	const char *digits = name + strlen("pimdimm");
	unsigned long n;
	char *end;

	if (strncmp(name, "pimdimm", strlen("pimdimm")) || *digits < '0' ||
	    *digits > '9')
		return false;
	n = strtoul(digits, &end, 10);
	*number = (uint32_t)n;
	return !*end && n < UINT32_MAX;
}

static int sysfs_add_rank(struct sysfs_ranks *ranks, const char *folder,
			  uint32_t number)
{
	struct sysfs_rank *more = reallocarray(ranks->ranks, ranks->count + 1,
					       sizeof(*more));
	int ret;

	if (!more) {
		tool_error("no memory for the list of ranks");
		return -ENOMEM;
	}
	ranks->ranks = more;
	ret = read_rank(folder, number, &more[ranks->count]);
	if (!ret)
		ranks->count++;
	return ret == -ENOENT ? 0 : ret;
}

static int compare_ranks(const void *a, const void *b)
{
	const struct sysfs_rank *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

int sysfs_read(const char *folder, struct sysfs_ranks *ranks)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	uint32_t number;
	int ret = 0;

	*ranks = (struct sysfs_ranks){ 0 };
	if (!dir && errno == ENOENT)
		return 0;
	if (!dir) {
		ret = -errno;
		tool_error("%s: %s", folder, strerror(-ret));
		return ret;
	}
	while (!ret && (entry = readdir(dir))) {
		if (rank_number(entry->d_name, &number))
			ret = sysfs_add_rank(ranks, folder, number);
	}
	closedir(dir);
	if (ret)
		sysfs_free(ranks);
	else if (ranks->count)
		qsort(ranks->ranks, ranks->count, sizeof(*ranks->ranks),
		      compare_ranks);
	return ret;
}

void sysfs_free(struct sysfs_ranks *ranks)
{
	free(ranks->ranks);
	*ranks = (struct sysfs_ranks){ 0 };
}
