/* SPDX-License-Identifier: MIT */
/* The worker's executable, which is part of the library. */
#ifndef PD_IMAGE_H
#define PD_IMAGE_H

#include "runtime/pe/program/elf.h"

/* its call frames, as debug information has them */
const struct pd_section *pd_image_frames(void);
/* a memfd with the worker's executable, opened once; -errno and a sentence */
int pd_image_fd(void);

#endif /* PD_IMAGE_H */
