// SPDX-License-Identifier: MIT
/* Probes: for a message, until there is one, and to take it. */
#include <errno.h>

#include "collectives/messages/payload.h"
#include "collectives/messages/collected.h"
#include "collectives/messages/engine/probe.h"
#include "collectives/messages/engine/receive.h"
#include "collectives/messages/requests.h"
#include "collectives/messages/sends.h"
#include "collectives/messages/waits.h"
#include "runtime/base/error.h"

/* 0, 1 for nobody whose message it would be, or a negative errno and a sentence */
static int probe_check(const struct pimmsg_end *end, int from, int tag,
		       struct me_key *key)
{
	int ret = pm_check_end(end);

	return ret ? ret : pm_key_of(end, (struct pm_peer){ from, tag, 0 }, key);
}

static void probe_tell(const struct pimmsg_end *end, const struct me_status *found,
		       struct pimmsg_status *status)
{
	if (status)
		*status = found ? pm_status_of(end, found) : pm_status_none();
}

/* waits until there is one, takes it where `message` is not NULL */
static int probe_until(struct pimmsg_end *end, const struct me_key *key,
		       struct me_parcel **message, struct pimmsg_status *status)
{
	struct me_status found;
	int ret = 0;

	pm_call_for(end->pe);
	while (!ret) {
		struct pm_wait wait = { .end = end, .key = *key };
		struct me_prober prober = { .waiter = &wait };

		if (me_iprobe(&end->node->node, key, &found, message, &prober)) {
			probe_tell(end, &found, status);
			break;
		}
		ret = pm_wait(&wait);
		me_probe_end(&end->node->node, &prober);
	}
	pm_call_done(end);
	return ret;
}

int pimmsg_iprobe(struct pimmsg_end *end, int from, int tag, int *found,
		  struct pimmsg_status *status)
{
	struct me_status what;
	struct me_key key;
	int ret = probe_check(end, from, tag, &key);

	if (ret >= 0 && !found)
		ret = pd_error(EINVAL, "found is NULL");
	if (ret < 0)
		return ret;
	*found = 1;
	if (ret) {
		probe_tell(end, NULL, status);
		return 0;
	}
	pm_call_for(end->pe);
	if (end->world->apart)
		pm_call_done(end);
	*found = me_iprobe(&end->node->node, &key, &what, NULL, NULL);
	if (*found) {
		probe_tell(end, &what, status);
	} else if (end->pe) {
		/* who asks again and again lets others run */
		pm_copy_overdue(end->world);
		pimdimm_yield(end->pe);
		pm_call_for(end->pe);
	}
	pm_call_done(end);
	return 0;
}

int pimmsg_probe(struct pimmsg_end *end, int from, int tag,
		 struct pimmsg_status *status)
{
	struct me_key key;
	int ret = probe_check(end, from, tag, &key);

	if (ret > 0)
		probe_tell(end, NULL, status);
	if (ret)
		return ret < 0 ? ret : 0;
	return probe_until(end, &key, NULL, status);
}

/* what a probe for nobody's message takes */
static char probe_nobodys;

int pimmsg_mprobe(struct pimmsg_end *end, int from, int tag,
		  struct pimmsg_message **message, struct pimmsg_status *status)
{
	struct me_parcel *taken;
	struct me_key key;
	int ret = probe_check(end, from, tag, &key);

	if (ret >= 0 && !message)
		ret = pd_error(EINVAL, "message is NULL");
	if (ret < 0)
		return ret;
	if (ret) {
		*message = (struct pimmsg_message *)&probe_nobodys;
		probe_tell(end, NULL, status);
		return 0;
	}
	ret = probe_until(end, &key, &taken, status);
	if (!ret)
		*message = (struct pimmsg_message *)taken;
	return ret;
}

int pimmsg_imrecv(struct pimmsg_end *end, const struct pimmsg_buf *buf,
		  struct pimmsg_message **message,
		  struct pimmsg_request **request)
{
	struct me_receive receive = { 0 };
	struct me_request *r;
	int ret = pm_check_end(end);

	if (!ret && (!message || !*message || !request))
		ret = pd_error(EINVAL, "%s is NULL", request ? "message" : "request");
	if (ret)
		return ret;
	if (*message == (struct pimmsg_message *)&probe_nobodys) {
		*message = NULL;
		*request = NULL;
		return 0;
	}
	ret = pm_buffer_of(end, buf, true, &receive.buffer);
	if (ret)
		return ret;
	receive.plain = pm_buffer_is_plain(end, &receive.buffer);
	pm_call_for(end->pe);
	if (me_imrecv(&end->node->node, &receive, (struct me_parcel *)*message, &r)) {
		pm_buffer_release(&receive.buffer);
		return pd_error(ENOMEM, "no memory for a request of a message");
	}
	*message = NULL;
	*request = (struct pimmsg_request *)r;
	pm_call_done(end);
	return 0;
}
