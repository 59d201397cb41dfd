// SPDX-License-Identifier: MIT
/*
 * Copies between own memory and any of the other process's, which the kernel does: what is
 * said of that memory are addresses, which are the other process's own concern. Who is read
 * or written must be who joined: its number is another's once it is gone.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>

#include "collectives/messages/pair/pair.h"
#include "runtime/base/env.h"

#define RUNS	256u	/* of either side, for a call of the kernel */

/* says it, where somebody wants to know, once */
static void cma_refused(struct pair *p, int err)
{
	struct pd_env_log log;

	if (p->refused)
		return;
	p->refused = err;
	if (!pd_env_log(&log) && log.messages)
		fprintf(stderr, "pimdimm: memory of the other process, %d, is not to be had from here: %s; long messages out of what is not of pimmsg_alloc() are packed\n",
			(int)p->pid, strerror(err));
}

static bool cma_read(struct pair *p, void *to, uint64_t at, size_t bytes)
{
	struct iovec here = { to, bytes }, there = { (void *)(uintptr_t)at, bytes };
	ssize_t done;

	do
		done = process_vm_readv(p->pid, &here, 1, &there, 1, 0);
	while (done < 0 && errno == EINTR);
	if (done < 0)
		return false;
	errno = EFAULT;
	return (size_t)done == bytes;
}

void pm_pair_cma_try(struct pair *p, uint64_t at)
{
	uint64_t word = 0;

	if (p->pidfd < 0)
		cma_refused(p, ESRCH);
	else if (!cma_read(p, &word, at, sizeof(word)))
		cma_refused(p, errno);
	else if (word != PAIR_MAGIC)
		cma_refused(p, ESRCH);
}

/* 0, or a negative errno after what it is has been noted */
static int cma_failed(struct pair *p, int err)
{
	if (err == ESRCH) {
		p->gone = true;
		return -EPIPE;
	}
	if (err == EFAULT)
		return pm_pair_lied(p, "a buffer that is not in its memory");
	if (err != ENOMEM)
		cma_refused(p, err);
	return -err;
}

/* whether a receiver has all that is sent, and may have given its buffer back */
static bool cma_is_over(struct pair *p, const struct pair_transfer *t)
{
	return t >= p->out && t < p->out + PAIR_SLOTS &&
	       pm_pair_parts_done(t, &p->theirs->slots[t - p->out]);
}

int pm_pair_cma_reach(struct pair *p, const struct pair_transfer *t)
{
	uint8_t byte;

	if (p->refused)
		return PAIR_UNREACHED;
	if (cma_read(p, &byte, t->there.at, 1))
		return PAIR_READY;
	if (errno == EFAULT)
		return cma_is_over(p, t) ? PAIR_UNREACHED : cma_failed(p, EFAULT);
	/* it may have been refused only now */
	if (errno != ESRCH && errno != ENOMEM)
		cma_refused(p, errno);
	return PAIR_UNREACHED;
}

struct cma_runs {
	uint8_t *base;
	struct iovec runs[RUNS];
	size_t nr;
	uint64_t bytes;
};

static bool cma_add(void *ctx, const struct pt_leaf *leaf)
{
	struct cma_runs *r = ctx;

	for (uint64_t i = 0; i < leaf->n[0] * leaf->n[1]; i++) {
		const uint64_t in = i % leaf->n[0], out = i / leaf->n[0];
		const int64_t off = leaf->mem + (int64_t)out * leaf->stride[1] +
				    (leaf->offs ? leaf->offs[in] :
						  (int64_t)in * leaf->stride[0]);

		if (r->nr == RUNS)
			return false;
		r->runs[r->nr++] = (struct iovec){
			(void *)((uintptr_t)r->base + (uintptr_t)off), leaf->len,
		};
		r->bytes += leaf->len;
	}
	return true;
}

static void cma_list(struct cma_runs *r, uint8_t *base, const struct pt_whole *whole,
		     uint64_t first, uint64_t bytes)
{
	r->base = base;
	r->nr = 0;
	r->bytes = 0;
	pt_walk(whole, first, bytes, cma_add, r);
}

/* no more than so many bytes */
static void cma_cut(struct cma_runs *r, uint64_t bytes)
{
	while (r->bytes - r->runs[r->nr - 1].iov_len >= bytes)
		r->bytes -= r->runs[--r->nr].iov_len;
	r->runs[r->nr - 1].iov_len -= r->bytes - bytes;
	r->bytes = bytes;
}

/* so many bytes were copied, or a negative errno */
static int64_t cma_some(struct pair *p, struct cma_runs *here, struct cma_runs *there,
			bool sends)
{
	const uint64_t bytes = here->bytes < there->bytes ? here->bytes : there->bytes;
	ssize_t done;

	cma_cut(here, bytes);
	cma_cut(there, bytes);
	if (pm_pair_sleep(p->pidfd, -1, 0))
		return cma_failed(p, ESRCH);
	done = sends ? process_vm_writev(p->pid, here->runs, here->nr, there->runs, there->nr, 0) :
		       process_vm_readv(p->pid, here->runs, here->nr, there->runs, there->nr, 0);
	if (done > 0)
		return done;
	if (done < 0 && errno == EINTR)
		return 0;
	return cma_failed(p, done ? errno : EFAULT);
}

int pm_pair_cma_copy(struct pair *p, struct pair_transfer *t, bool sends, uint64_t first,
		     uint64_t bytes)
{
	const struct me_buffer *own = &t->request->buffer;
	struct cma_runs here, there;
	struct pt_whole whole;
	int64_t done = 0;

	pm_buffer_whole(own, &whole);
	for (uint64_t end = first + bytes; first < end && done >= 0; first += (uint64_t)done) {
		cma_list(&here, pm_buffer_ptr(own), &whole, first, end - first);
		cma_list(&there, NULL, &t->whole, first, end - first);
		done = cma_some(p, &here, &there, sends);
		if (done < 0)
			return (int)done;
	}
	return 0;
}

/* some of the runs from one on, of which so many bytes have been had */
static void cma_take(struct cma_runs *r, uint64_t base, const struct pair_run runs[],
		     uint64_t nr, uint64_t had)
{
	r->nr = 0;
	r->bytes = 0;
	for (uint64_t i = 0; i < nr && r->nr < RUNS; i++, had = 0) {
		const uint64_t at = base + (uint64_t)runs[i].at + had, len = runs[i].len - had;

		r->runs[r->nr++] = (struct iovec){ (void *)(uintptr_t)at, len };
		r->bytes += len;
	}
}

int pm_pair_cma_runs(struct pair *p, struct pair_transfer *t, const struct pair_run runs[],
		     uint64_t nr, uint64_t at)
{
	const struct me_buffer *own = &t->request->buffer;
	struct cma_runs here, there;
	struct pt_whole whole;
	uint64_t had = 0;
	int64_t done;

	pm_buffer_whole(own, &whole);
	while (nr) {
		cma_take(&there, t->there.at, runs, nr, had);
		cma_list(&here, pm_buffer_ptr(own), &whole, at, there.bytes);
		done = cma_some(p, &here, &there, false);
		if (done < 0)
			return (int)done;
		at += (uint64_t)done;
		for (had += (uint64_t)done; nr && had >= runs->len; nr--)
			had -= (runs++)->len;
	}
	return 0;
}
