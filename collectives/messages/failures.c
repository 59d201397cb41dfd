// SPDX-License-Identifier: MIT
/* Says what became of a message. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "collectives/messages/failures.h"
#include "collectives/types/signature.h"
#include "collectives/types/type.h"
#include "runtime/base/error.h"

static const char *const failures_basics[] = {
	[PIMTYPE_BYTE] = "BYTE",
	[PIMTYPE_PACKED] = "PACKED",
	[PIMTYPE_I8] = "I8",
	[PIMTYPE_I16] = "I16",
	[PIMTYPE_I32] = "I32",
	[PIMTYPE_I64] = "I64",
	[PIMTYPE_U8] = "U8",
	[PIMTYPE_U16] = "U16",
	[PIMTYPE_U32] = "U32",
	[PIMTYPE_U64] = "U64",
	[PIMTYPE_F16] = "F16",
	[PIMTYPE_BF16] = "BF16",
	[PIMTYPE_F32] = "F32",
	[PIMTYPE_F64] = "F64",
	[PIMTYPE_LONG_DOUBLE] = "LONG_DOUBLE",
	[PIMTYPE_COMPLEX_F32] = "COMPLEX_F32",
	[PIMTYPE_COMPLEX_F64] = "COMPLEX_F64",
	[PIMTYPE_COMPLEX_LONG_DOUBLE] = "COMPLEX_LONG_DOUBLE",
};

/* by name where all elements are the same, else by their hash */
static void failures_elements(uint64_t bytes, uint64_t signature, char *text, size_t room)
{
	for (unsigned int i = 0; i < sizeof(failures_basics) / sizeof(*failures_basics); i++) {
		uint64_t size = pt_size(pimtype_basic((enum pimtype_basic)i));
		struct pt_sig sig = pt_sig_repeat(pt_sig_one(i), bytes / size);

		if (bytes % size == 0 && pt_sig_hash(sig) == signature) {
			snprintf(text, room, "%llu of %s",
				 (unsigned long long)(bytes / size), failures_basics[i]);
			return;
		}
	}
	snprintf(text, room, "%llu bytes of signature %016llx",
		 (unsigned long long)bytes, (unsigned long long)signature);
}

static void failures_rank(const struct pimmsg_end *end, uint32_t node, char *text,
			  size_t room)
{
	int rank = pm_rank_of(end, node);

	if (rank == PIMMSG_HOST)
		snprintf(text, room, "the host");
	else
		snprintf(text, room, "rank %d", rank);
}

static const char *failures_reason(const struct pimmsg_end *end, int error)
{
	switch (error) {
	case EPIPE:
		return end->world->host_node == PM_NO_NODE ? "the other process has gone" :
							     "the launch has ended";
	case EBADMSG:
		return "the other process says what makes no sense";
	case ECANCELED:
		return "the run has ended out of whose memory it was sent";
	default:
		return strerror(error);
	}
}

static int failures_receive(const struct pimmsg_end *end, const struct me_request *r,
			    const char *from)
{
	const struct me_status *s = &r->status;
	char has[64], wants[64];

	if (s->error == -EMSGSIZE)
		return pd_error(EMSGSIZE,
				"message of %llu bytes from %s, tag %d, expected at most the buffer's %llu",
				(unsigned long long)s->bytes, from, s->tag,
				(unsigned long long)r->buffer.bytes);
	if (s->error == -EPROTO) {
		failures_elements(s->bytes, s->signature, has, sizeof(has));
		failures_elements(r->buffer.bytes, r->buffer.signature, wants,
				  sizeof(wants));
		return pd_error(EPROTO,
				"message of %s from %s, tag %d, expected the buffer's %s",
				has, from, s->tag, wants);
	}
	return pd_error(-s->error, "message from %s, tag %d: moving it failed: %s", from,
			s->tag, failures_reason(end, -s->error));
}

int pm_failure(const struct pimmsg_end *end, const struct me_request *request)
{
	char peer[32];

	if (request->status.cancelled)
		return pd_error(ECANCELED,
				"the run that began a receive into its memory has ended without a message");
	failures_rank(end, request->kind == ME_SEND ? request->peer :
		      (uint32_t)request->status.source, peer, sizeof(peer));
	if (request->kind == ME_RECEIVE)
		return failures_receive(end, request, peer);
	return pd_error(-request->status.error,
			"message to %s, tag %d: moving it failed: %s", peer,
			request->entry.key.tag,
			failures_reason(end, -request->status.error));
}
