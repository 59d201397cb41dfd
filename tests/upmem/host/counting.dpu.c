// SPDX-License-Identifier: MIT
/* Compiled to count, as its Makefile says. */
#include "counts.dpu.c"
