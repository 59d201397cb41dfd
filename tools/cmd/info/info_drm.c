// SPDX-License-Identifier: MIT
/*
 * Which DRM devices import what ranks export. What a driver says of itself is not
 * enough, some say that they import and take only what is their own: so each is
 * given a page of a rank, where one is free.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>
#include <pimdimm/pimdimm.h>

#include "tools/cmd/info/info_drm.h"
#include "tools/share/drm.h"
#include "tools/tool.h"

/* A page of the first rank that is free, -1 with the reason. */
static int export_page(char *reason, size_t bytes)
{
	struct pimdimm *sys;
	int fd = -1;

	if (!pimdimm_open("dev:ranks=1", &sys)) {
		fd = pimdimm_export(sys, 0, 0, (uint64_t)sysconf(_SC_PAGESIZE));
		/* before it is closed, which may say something, too */
		if (fd < 0)
			snprintf(reason, bytes, "%s", pimdimm_errmsg());
		pimdimm_close(sys);
	} else {
		snprintf(reason, bytes, "%s", pimdimm_errmsg());
	}
	return fd;
}

static const char *prime_text(const struct drm_device *device)
{
	if (device->can_import)
		return device->can_export ? "import, export" : "import";
	return device->can_export ? "export" : "none";
}

static void print_device(const struct drm_device *device)
{
	const char *outcome = "not tried";

	if (device->open_err) {
		printf("%-24s %s\n", device->node, strerror(device->open_err));
		return;
	}
	if (device->tried)
		outcome = device->import_err ? strerror(device->import_err) :
					       "imports";
	printf("%-24s %-12s %-16s %s\n", device->node, device->driver,
	       prime_text(device), outcome);
}

static void info_drm_print_text(const struct drm_devices *devices, const char *reason)
{
	if (!devices->count) {
		puts("no DRM devices");
		return;
	}
	printf("%-24s %-12s %-16s %s\n", "NODE", "DRIVER", "PRIME",
	       "A PAGE OF A RANK");
	for (size_t i = 0; i < devices->count; i++)
		print_device(&devices->devices[i]);
	if (*reason)
		printf("\nnot tried: %s\n", reason);
}

static struct json_object *device_json(const struct drm_device *device)
{
	struct json_object *object = json_object_new_object();

	tool_json_add(object, "node", tool_json_string(device->node));
	if (device->open_err) {
		tool_json_add(object, "error",
			      tool_json_string(strerror(device->open_err)));
		return object;
	}
	tool_json_add(object, "driver", tool_json_string(device->driver));
	tool_json_add(object, "prime_import",
		      json_object_new_boolean(device->can_import));
	tool_json_add(object, "prime_export",
		      json_object_new_boolean(device->can_export));
	if (!device->tried)
		return object;
	tool_json_add(object, "imports",
		      json_object_new_boolean(!device->import_err));
	if (device->import_err)
		tool_json_add(object, "error",
			      tool_json_string(strerror(device->import_err)));
	return object;
}

static void info_drm_print_json(const struct drm_devices *devices, const char *reason)
{
	struct json_object *object = json_object_new_object();
	struct json_object *array = json_object_new_array();

	tool_json_add(object, "drm", array);
	for (size_t i = 0; i < devices->count; i++)
		json_object_array_add(array, device_json(&devices->devices[i]));
	if (*reason)
		tool_json_add(object, "not_tried", tool_json_string(reason));
	tool_print_json(object);
}

int info_drm(bool json)
{
	struct drm_devices devices;
	char reason[256] = "";
	int fd = export_page(reason, sizeof(reason));
	int status = drm_find(fd, &devices);

	if (!status) {
		if (json)
			info_drm_print_json(&devices, reason);
		else
			info_drm_print_text(&devices, reason);
		drm_free(&devices);
	}
	if (fd >= 0)
		close(fd);
	return status;
}
