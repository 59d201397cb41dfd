// SPDX-License-Identifier: MIT
/* Systems made, listed and taken away through configfs. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pimdimm/pimdimm_layout.h>

#include "tools/inside.h"
#include "tools/module/module.h"
#include "tools/module/sysfs.h"
#include "tools/module/systems.h"
#include "tools/tool.h"

#define CONFIGFS "/sys/kernel/config"
#define SYSTEMS CONFIGFS "/pimdimm"

/* what is said of a parameter whose value the kernel refuses */
static const struct {
	const char *name, *expected;
} parameters[] = {
	{ "channels", "1 to 256" },
	{ "ranks", "1 to 256" },
	{ "mram_size", "a multiple of 4K from 64K to 64M" },
	{ "layout", "linear or xeon_sp" },
};

const char *systems_parameter(size_t at)
{
	return at < TOOL_COUNT(parameters) ? parameters[at].name : NULL;
}

const char *systems_parameter_word(size_t at)
{
	static char word[64];

	for (size_t i = 0; systems_parameter(i); i++) {
		const char *name = systems_parameter(i);
		bool layout = !strcmp(name, "layout");
		size_t values = layout ? PIMDIMM_NR_LAYOUTS : 1;

		if (at < values) {
			snprintf(word, sizeof(word), "%s=%s", name,
				 layout ? pimdimm_layout_name((uint32_t)at) : "");
			return word;
		}
		at -= values;
	}
	return NULL;
}

const char *systems_expected(const char *parameter)
{
	for (size_t i = 0; i < TOOL_COUNT(parameters); i++)
		if (!strcmp(parameters[i].name, parameter))
			return parameters[i].expected;
	return NULL;
}

int systems_check_name(const struct command *self, const char *name)
{
	bool good = isalnum((unsigned char)*name) && strlen(name) <= 31;

	for (const char *c = name; *c; c++)
		good &= isalnum((unsigned char)*c) || strchr("_-.", *c);
	if (good && !strcmp(name, MODULE_SYSTEM))
		return tool_usage(self,
				  "\"" MODULE_SYSTEM "\" is the system of the module's parameters, which comes by `pimdimm load` and goes by `pimdimm unload`");
	if (good)
		return TOOL_OK;
	return tool_usage(self,
			  "\"%s\": expected a name of 1 to 31 letters, digits, '_', '-', '.', a letter or digit first",
			  name);
}

static int load_configfs(struct kmod_ctx *ctx, const char *path)
{
	struct kmod_module *module = module_find(ctx, MODULE_CONFIGFS, path);
	int status;

	if (!module)
		return TOOL_FAILED;
	status = module_insert(ctx, module, NULL);
	kmod_module_unref(module);
	return status;
}

int systems_begin(struct kmod_ctx *ctx, const char *path)
{
	char version[32];

	if (!sysfs_module(version, sizeof(version)))
		return tool_error("the module is not loaded; `pimdimm load` does that");
	if (!access(SYSTEMS, F_OK))
		return TOOL_OK;
	if (!sysfs_has_module(MODULE_CONFIGFS) && load_configfs(ctx, path))
		return TOOL_FAILED;
	/* Mount it as systemd would, but not before it is needed. */
	if (access(SYSTEMS, F_OK) &&
	    mount("configfs", CONFIGFS, "configfs",
		  MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) &&
	    access(SYSTEMS, F_OK))
		return tool_error("cannot mount configfs at " CONFIGFS ": %s",
				  strerror(errno));
	return TOOL_OK;
}

/* Returns 0 or -errno. */
static int systems_set(const char *system, const char *attribute, const char *value)
{
	char path[256];
	int fd, err = 0;

	snprintf(path, sizeof(path), SYSTEMS "/%s/%s", system, attribute);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, value, strlen(value)) < 0)
		err = -errno;
	close(fd);
	return err;
}

static int make_folder(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), SYSTEMS "/%s", name);
	if (!mkdir(path, 0755))
		return TOOL_OK;
	switch (errno) {
	case EEXIST:
		return tool_error("there is a system \"%s\" already; `pimdimm remove %s` takes it away",
				  name, name);
	case EACCES:
	case EPERM:
		return tool_error("making a system is for root: try sudo");
	default:
		return tool_error("%s: %s", path, strerror(errno));
	}
}

static int set_parameters(const char *name, const struct parameter *wanted,
			  size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct parameter *p = &wanted[i];
		int err = systems_set(name, p->name, p->value);

		if (err == -EINVAL || err == -ERANGE)
			return tool_error("%s=%s: expected %s", p->name,
					  p->value, systems_expected(p->name));
		if (err)
			return tool_error(SYSTEMS "/%s/%s: %s", name, p->name,
					  strerror(-err));
	}
	return TOOL_OK;
}

static int systems_enable(const char *name)
{
	int err = systems_set(name, "enable", "1");

	switch (err) {
	case 0:
		return TOOL_OK;
	case -EINVAL:
		return tool_error("channels times ranks: expected at most 256 ranks in all");
	case -ENOSPC:
		return tool_error("there would be more than 256 ranks in all systems; `pimdimm list` has those that are there");
	default:
		return tool_error("the kernel cannot make the nodes of \"%s\": %s",
				  name, strerror(-err));
	}
}

int systems_create(const char *name, const struct parameter *wanted,
		   size_t count)
{
	char path[256];
	int status = make_folder(name);

	if (status)
		return status;
	status = set_parameters(name, wanted, count);
	if (!status)
		status = systems_enable(name);
	if (!status)
		return TOOL_OK;
	snprintf(path, sizeof(path), SYSTEMS "/%s", name);
	rmdir(path);
	return status;
}

static int explain_remove(const char *name, int err)
{
	switch (err) {
	case ENOENT:
		return tool_error("there is no system \"%s\" that `pimdimm create` has made",
				  name);
	case EBUSY:
		tool_error("the system \"%s\" is in use: nodes of it are open",
			   name);
		module_print_owners(name);
		return TOOL_FAILED;
	case EACCES:
	case EPERM:
		return tool_error("removing a system is for root: try sudo");
	default:
		return tool_error("cannot remove the system \"%s\": %s", name,
				  strerror(err));
	}
}

int systems_remove(const char *name)
{
	char path[256];
	int err = systems_set(name, "enable", "0");

	if (err)
		return explain_remove(name, -err);
	snprintf(path, sizeof(path), SYSTEMS "/%s", name);
	if (rmdir(path))
		return explain_remove(name, errno);
	return TOOL_OK;
}

static int add_name(struct system_names *names, const char *name)
{
	char (*more)[32] = reallocarray(names->names, names->count + 1,
					sizeof(*more));

	if (!more)
		return tool_error("no memory for the list of systems");
	names->names = more;
	/* the kernel takes no longer ones */
	snprintf(more[names->count++], sizeof(*more), "%.31s", name);
	return TOOL_OK;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

int systems_list(struct system_names *names)
{
	DIR *dir = opendir(SYSTEMS);
	struct dirent *entry;
	int status = TOOL_OK;

	*names = (struct system_names){ 0 };
	if (!dir)
		return errno == ENOENT ? TOOL_OK :
					 tool_error(SYSTEMS ": %s",
						    strerror(errno));
	while (!status && (entry = readdir(dir)))
		if (*entry->d_name != '.')
			status = add_name(names, entry->d_name);
	closedir(dir);
	if (status)
		systems_free(names);
	else if (names->count)
		qsort(names->names, names->count, sizeof(*names->names),
		      compare_names);
	return status;
}

void systems_free(struct system_names *names)
{
	free(names->names);
	*names = (struct system_names){ 0 };
}

/* "/dev/pimdimm0 to 3, 8": the nodes of a system, whose numbers may have gaps */
static void print_nodes(const struct sysfs_rank *ranks, size_t count)
{
	const char *before = "/dev/pimdimm";

	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count; end++)
			if (ranks[end].number != ranks[end - 1].number + 1)
				break;
		printf("%s%" PRIu32, before, ranks[i].number);
		if (end > i + 1)
			printf(" to %" PRIu32, ranks[end - 1].number);
		before = ", ";
	}
	putchar('\n');
}

void systems_print(const char *name)
{
	struct sysfs_ranks ranks;
	size_t count = 0;

	if (sysfs_read(SYSFS_CLASS, &ranks))
		return;
	for (size_t i = 0; i < ranks.count; i++)
		if (!strcmp(ranks.ranks[i].system, name))
			ranks.ranks[count++] = ranks.ranks[i];
	if (count) {
		printf("%zu rank%s, %s of MRAM a PE, layout %s: ", count,
		       count > 1 ? "s" : "", tool_size(ranks.ranks[0].mram_size),
		       ranks.ranks[0].layout);
		print_nodes(ranks.ranks, count);
	}
	sysfs_free(&ranks);
}
