// SPDX-License-Identifier: MIT
/* Compiled to count, where counts.dpu.c itself is not: its Makefile says so. */
#include "counts.dpu.c"
