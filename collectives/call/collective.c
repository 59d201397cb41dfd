// SPDX-License-Identifier: MIT
/* The table of collectives, as its header lists them. */
#include "collectives/call/collective.h"

#define TRAITS(id, name, src, dst, host, chunked, reduces)		\
	[PC_##id] = { name, PC_##src, PC_##dst, PC_##host, chunked, reduces },

const struct pc_traits pc_traits[PC_NR_COLLECTIVES] = { PC_COLLECTIVES(TRAITS) };

const char *pc_collective_name(enum pc_collective id)
{
	return pc_traits[id].name;
}
