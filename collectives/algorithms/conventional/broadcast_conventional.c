/* SPDX-License-Identifier: MIT */
/* Push the group's buffer to every member, transposing every block. */
#include "collectives/parts/staging.h"

int pc_broadcast_conventional(struct pc_call *call)
{
	pc_push(call, call->dst, call->words, pc_group_buffer);
	return 0;
}
