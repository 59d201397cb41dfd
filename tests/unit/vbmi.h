/* SPDX-License-Identifier: MIT */
/* A CPU without AVX-512 VBMI that runs its tier nevertheless. */
#ifndef TESTS_VBMI_H
#define TESTS_VBMI_H

#include <stdbool.h>
#include <stdint.h>

/* From now on a CPU with AVX-512BW executes what the VBMI tier needs, slowly. */
bool vbmi_emulate(void);

#endif
