// SPDX-License-Identifier: MIT
/* The queue of parcels of a PE. */
#include <stdlib.h>
#include <string.h>

#include "runtime/pe/process/post.h"

static bool make_room(struct pd_inbox *in)
{
	uint32_t room = in->room ? 2 * in->room : 16;
	struct pe_parcel *grown;

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

bool pd_inbox_put(struct pd_inbox *in, const struct pe_parcel *parcel)
{
	if (in->end == in->room && !make_room(in))
		return false;
	in->parcels[in->end++] = *parcel;
	return true;
}

uint32_t pd_inbox_take(struct pd_inbox *in, struct pe_parcel parcels[PE_INBOX])
{
	uint32_t n = pd_inbox_count(in);

	if (n > PE_INBOX)
		n = PE_INBOX;
	if (n)
		memcpy(parcels, in->parcels + in->first, n * sizeof(*parcels));
	in->first += n;
	return n;
}

void pd_inbox_free(struct pd_inbox *in)
{
	free(in->parcels);
	*in = (struct pd_inbox){ 0 };
}
