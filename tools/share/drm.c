// SPDX-License-Identifier: MIT
/* Finds DRM devices, and has them take dma-bufs. */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xf86drm.h>

#include "tools/share/drm.h"
#include "tools/tool.h"

static void try_import(struct drm_device *device, int drm, int fd)
{
	uint32_t handle;

	device->tried = true;
	if (drmPrimeFDToHandle(drm, fd, &handle))
		device->import_err = errno;
	else
		drmCloseBufferHandle(drm, handle);
}

static void drm_ask(struct drm_device *device, const char *node, int fd)
{
	int drm = open(node, O_RDWR | O_CLOEXEC);
	drmVersion *version;
	uint64_t prime = 0;

	snprintf(device->node, sizeof(device->node), "%s", node);
	if (drm < 0) {
		device->open_err = errno;
		return;
	}
	version = drmGetVersion(drm);
	snprintf(device->driver, sizeof(device->driver), "%s",
		 version ? version->name : "?");
	drmFreeVersion(version);
	/* drivers without PRIME answer with an error */
	if (drmGetCap(drm, DRM_CAP_PRIME, &prime))
		prime = 0;
	device->can_import = prime & DRM_PRIME_CAP_IMPORT;
	device->can_export = prime & DRM_PRIME_CAP_EXPORT;
	if (fd >= 0)
		try_import(device, drm, fd);
	close(drm);
}

int drm_find(int fd, struct drm_devices *devices)
{
	glob_t nodes = { 0 };
	int ret = glob("/dev/dri/card[0-9]*", 0, NULL, &nodes);

	*devices = (struct drm_devices){ 0 };
	if (!ret || ret == GLOB_NOMATCH)
		ret = glob("/dev/dri/renderD[0-9]*",
			   ret ? 0 : GLOB_APPEND, NULL, &nodes);
	if (ret && ret != GLOB_NOMATCH)
		return tool_error("/dev/dri: cannot be read");
	devices->devices = calloc(nodes.gl_pathc + 1,
				  sizeof(*devices->devices));
	if (!devices->devices) {
		globfree(&nodes);
		return tool_error("no memory for %zu devices", nodes.gl_pathc);
	}
	for (; devices->count < nodes.gl_pathc; devices->count++)
		drm_ask(&devices->devices[devices->count],
			nodes.gl_pathv[devices->count], fd);
	globfree(&nodes);
	return TOOL_OK;
}

void drm_free(struct drm_devices *devices)
{
	free(devices->devices);
}

int drm_pass(const char *path, int fd, int *device, int *again)
{
	uint32_t handle;
	int drm = open(path, O_RDWR | O_CLOEXEC);

	if (drm < 0)
		return tool_error("%s: %s", path, strerror(errno));
	if (drmPrimeFDToHandle(drm, fd, &handle))
		tool_error("%s: does not import: %s", path, strerror(errno));
	else if (drmPrimeHandleToFD(drm, handle, DRM_CLOEXEC | DRM_RDWR, again))
		tool_error("%s: does not export again what it imported: %s",
			   path, strerror(errno));
	else {
		*device = drm;
		return TOOL_OK;
	}
	close(drm);
	return TOOL_FAILED;
}
