// SPDX-License-Identifier: MIT
/* pimdimm_hosts_alloc(): the keeper makes a file of all hosts' parts, and all map it. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/base/error.h"
#include "runtime/base/signals.h"
#include "runtime/base/threads.h"
#include "runtime/base/util.h"
#include "collectives/hosts/agree.h"
#include "collectives/hosts/links.h"
#include "collectives/hosts/segments.h"
#include "collectives/hosts/traced.h"

static int segment_file(uint64_t bytes)
{
	int fd = memfd_create("pimdimm-hosts-buffers", MFD_CLOEXEC | MFD_ALLOW_SEALING), err;

	if (fd >= 0 && !pd_set_file_size(fd, (off_t)bytes) &&
	    !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return fd;
	err = errno;
	if (fd >= 0)
		close(fd);
	return pd_error(err == EFBIG || err == EINVAL ? ENOMEM : err,
			"no memory of %llu bytes for all hosts: %s", (unsigned long long)bytes,
			strerror(err));
}

/* The file's descriptor at every host; all learn where it fails. */
static int segment_handed(struct pimdimm_hosts *h, uint64_t bytes)
{
	int fds[PC_WIRE_FDS] = { -1 }, ret = 0;
	size_t count = 0;

	if (h->host != h->keeper) {
		ret = pc_hosts_take(h, PC_WIRE_SEGMENT, fds, &count);
		if (!ret && count != 1) {
			pc_wire_close(fds, count);
			ret = pd_error(EIO, "expected one descriptor from host %u", h->keeper);
		}
		return ret ? ret : fds[0];
	}
	fds[0] = segment_file(bytes);
	if (fds[0] < 0)
		ret = fds[0];
	for (uint32_t i = 0; i < h->hosts; i++) {
		int sent = i == h->host ? 0 :
			   pc_hosts_hand(h, i, PC_WIRE_SEGMENT, fds[0] < 0 ? fds[0] : 0, fds, 1);

		if (!ret)
			ret = sent;
	}
	if (!ret)
		return fds[0];
	if (fds[0] >= 0)
		close(fds[0]);
	return ret;
}

static int segment_map(struct pc_hosts_segment *s, int fd)
{
	int seals = fcntl(fd, F_GET_SEALS);
	struct stat st;
	void *at;

	if (seals < 0 || !(seals & F_SEAL_SHRINK) || fstat(fd, &st) ||
	    (uint64_t)st.st_size != s->bytes)
		return pd_error(EIO, "the hosts' buffers are no sealed file of %llu bytes",
				(unsigned long long)s->bytes);
	at = mmap(NULL, s->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return pd_error(ENOMEM, "%llu bytes of the hosts' buffers cannot be mapped: %s",
				(unsigned long long)s->bytes, strerror(errno));
	s->base = at;
	return 0;
}

static int segment_make(struct pimdimm_hosts *h, struct pc_hosts_segment *s)
{
	uint64_t begin = pd_now_ns();
	int fd, ret;

	s->number = h->number;
	pc_hosts_doing(h, PC_HOSTS_HANDING);
	fd = segment_handed(h, s->bytes);
	if (fd < 0)
		return fd;
	ret = segment_map(s, fd);
	close(fd);
	h->stats.ns_handles = pd_now_ns() - begin;
	return ret;
}

static int alloc_check(const struct pimdimm_hosts *h, size_t bytes, void **buf)
{
	if (!buf)
		return pd_error(EINVAL, "buf is NULL");
	if (!bytes || bytes > (UINT64_C(1) << 46) / h->hosts)
		return pd_error(EINVAL, "bytes=%zu, expected 1 to %llu", bytes,
				(unsigned long long)((UINT64_C(1) << 46) / h->hosts));
	return 0;
}

/* Of hosts on several machines: all have made the call, and those of this one map it. */
static int alloc_on_machine(struct pimdimm_hosts *h, const struct pc_hosts_said *said, int refused,
			    size_t bytes, void **buf)
{
	int ret = pc_hosts_arrive(h, said, refused, NULL, 0);

	if (ret)
		return ret;
	ret = pimdimm_hosts_alloc(h->machine, bytes, buf);
	h->stats.ns_handles = h->machine->stats.ns_handles;
	h->stats.handles_made = h->machine->stats.handles_made;
	h->stats.handles_mapped = h->machine->stats.handles_mapped;
	refused = pc_hosts_arrive_again(h, said, ret);
	if (refused && !ret)
		pimdimm_hosts_free(h->machine, *buf);
	return refused ? refused : pc_hosts_over(h, 0);
}

static int hosts_alloc(struct pimdimm_hosts *h, size_t bytes, void **buf)
{
	struct pc_hosts_said said = { .args = { .kind = PC_HOSTS_ALLOC, .bytes = bytes } };
	struct pc_hosts_segment *s = NULL;
	int ret;

	ret = alloc_check(h, bytes, buf);
	if (h->machine)
		return alloc_on_machine(h, &said, ret, bytes, buf);
	if (!ret) {
		s = calloc(1, sizeof(*s));
		if (!s)
			ret = pd_error(ENOMEM, "no memory");
	}
	ret = pc_hosts_arrive(h, &said, ret, NULL, 0);
	if (!ret) {
		s->stride = pd_round_up(bytes, 4096);
		s->bytes = s->stride * h->hosts;
		ret = segment_make(h, s);
		ret = pc_hosts_arrive_again(h, &said, ret);
		pc_hosts_over(h, 0);
	}
	if (ret) {
		pc_hosts_segment_drop(s);
		return ret;
	}
	pc_hosts_segment_add(h, s);
	*buf = s->base + h->host * s->stride;
	return 0;
}

int pimdimm_hosts_alloc(struct pimdimm_hosts *h, size_t bytes, void **buf)
{
	struct pd_span span;
	int ret, cancel;

	if (!h)
		return pd_error(EINVAL, "hosts is NULL");
	cancel = pd_cancel_off();
	span = pc_hosts_trace_begin(PC_HOSTS_ALLOC);
	ret = hosts_alloc(h, bytes, buf);
	pc_hosts_trace_end(&span, bytes, ret);
	pd_cancel_restore(cancel);
	return ret;
}
