// SPDX-License-Identifier: MIT
/* The tests of tasklets with the switch for processors that have none here. */
#define PD_FIBER_UCONTEXT
#include "runtime/base/fiber.c"
#include "runtime/launch.c"
#include "runtime/pe/kernels/turns.c"

#include "tests/unit/runtime/tasklets.c"
