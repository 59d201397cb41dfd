// SPDX-License-Identifier: MIT
/* A queue of parcels of a PE. */
#include <stdlib.h>
#include <string.h>

#include "runtime/pe/process/post.h"

static bool make_room(struct pd_inbox *in)
{
	uint32_t room = in->room ? 2 * in->room : 16;
	struct pd_parcel *grown;

	if (in->first && in->first >= in->end / 2) {
		memmove(in->parcels, in->parcels + in->first,
			pd_inbox_count(in) * sizeof(*in->parcels));
		in->end -= in->first;
		in->first = 0;
		return true;
	}
	grown = realloc(in->parcels, room * sizeof(*grown));
	if (!grown)
		return false;
	in->parcels = grown;
	in->room = room;
	return true;
}

bool pd_inbox_put(struct pd_inbox *in, const struct pd_parcel *parcel)
{
	if (in->end == in->room && !make_room(in))
		return false;
	in->parcels[in->end++] = *parcel;
	return true;
}

void pd_inbox_drop(struct pd_inbox *in, uint32_t n)
{
	in->first += n;
}

void pd_inbox_free(struct pd_inbox *in)
{
	for (uint32_t i = 0; i < pd_inbox_count(in); i++)
		free(pd_inbox_at(in, i)->payload);
	free(in->parcels);
	*in = (struct pd_inbox){ 0 };
}
