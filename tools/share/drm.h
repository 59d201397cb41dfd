/* SPDX-License-Identifier: MIT */
/* DRM devices, through libdrm, as takers of dma-bufs. */
#ifndef PIMDIMM_DRM_H
#define PIMDIMM_DRM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct drm_device {
	char node[64];
	char driver[32];
	int open_err;	/* errno where the node cannot be opened */
	bool can_import, can_export;	/* what the driver says of PRIME */
	bool tried;
	int import_err;	/* what came of trying: 0 or errno */
};

struct drm_devices {
	struct drm_device *devices;	/* by node */
	size_t count;
};

/*
 * The DRM nodes of this machine. With fd, a dma-buf, each is given it, to see
 * whether it takes it; -1 leaves that out. Returns 0, or TOOL_FAILED after a
 * message.
 */
int drm_find(int fd, struct drm_devices *devices);
void drm_free(struct drm_devices *devices);

/*
 * Have the device at path import fd, and export it again. *device and *again are
 * descriptors: the import lasts until *device is closed. Returns 0, or
 * TOOL_FAILED after a message.
 */
int drm_pass(const char *path, int fd, int *device, int *again);

#endif /* PIMDIMM_DRM_H */
