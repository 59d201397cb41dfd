// SPDX-License-Identifier: MIT
/* The log of programs that print and have not said how large it is to be. */
#include <stdio.h>

STDOUT_BUFFER_INIT(1 << 20)
