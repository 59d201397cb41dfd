/* SPDX-License-Identifier: MIT */
/* Whether a program was compiled by the table of instructions that PIMDIMM_COST asks for. */
#ifndef PD_COMPILED_H
#define PD_COMPILED_H

#include "runtime/pe/program/elf.h"

/*
 * Programs have the table compiled in. Of what PIMDIMM_COST says of it a program must
 * have all: 0, or -EINVAL and a sentence that names the first one that it has otherwise.
 */
int pd_compiled_check(const struct pd_elf *elf);

#endif /* PD_COMPILED_H */
