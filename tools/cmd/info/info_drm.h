/* SPDX-License-Identifier: MIT */
/* `pimdimm info --drm` */
#ifndef PIMDIMM_INFO_DRM_H
#define PIMDIMM_INFO_DRM_H

#include <stdbool.h>

/* Returns an exit status. */
int info_drm(bool json);

#endif /* PIMDIMM_INFO_DRM_H */
