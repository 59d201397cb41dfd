/* SPDX-License-Identifier: MIT */
/* The worker's executable, which is part of the library. */
#ifndef PD_IMAGE_H
#define PD_IMAGE_H

/* a memfd with the worker's executable, opened once; -errno and a sentence */
int pd_image_fd(void);

#endif /* PD_IMAGE_H */
