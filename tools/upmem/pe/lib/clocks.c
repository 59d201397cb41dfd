// SPDX-License-Identifier: MIT
#include <attributes.h>
#include <perfcounter.h>

/* the loader writes it */
__host const volatile uint32_t CLOCKS_PER_SEC = 0;
