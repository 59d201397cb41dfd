// SPDX-License-Identifier: MIT
/* The same, compiled without counting: its Makefile says so. */
#include "turns.dpu.c"
