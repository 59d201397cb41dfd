// SPDX-License-Identifier: MIT
/* A call on the library, from any floating-point mode of the caller. */
#include <fenv.h>
#include <stdint.h>
#ifdef __x86_64__
#include <xmmintrin.h>
#endif

#include "tests/conformance/call.h"

#ifdef __x86_64__
#define MXCSR_FLAGS	0x003fu		/* sticky exceptions, no mode */
#define MXCSR_FLUSH	0x8040u		/* FTZ and DAZ */

static uint32_t mode_now(void)
{
	return _mm_getcsr() & ~MXCSR_FLAGS;
}

static void mode_set(unsigned mode)
{
	if (mode & MODE_ROUND_ZERO)
		fesetround(FE_TOWARDZERO);
	else if (mode & MODE_ROUND_UP)
		fesetround(FE_UPWARD);
	if (mode & MODE_FLUSH)
		_mm_setcsr(_mm_getcsr() | MXCSR_FLUSH);
}

static void mode_reset(void)
{
	fesetenv(FE_DFL_ENV);
	_mm_setcsr(0x1f80);
}
#else
static uint32_t mode_now(void)
{
	return (uint32_t)fegetround();
}

static void mode_set(unsigned mode)
{
	if (mode & MODE_ROUND_ZERO)
		fesetround(FE_TOWARDZERO);
	else if (mode & MODE_ROUND_UP)
		fesetround(FE_UPWARD);
}

static void mode_reset(void)
{
	fesetenv(FE_DFL_ENV);
}
#endif

int call_start(struct pidcomm *hc, const char *axes, const struct call *c,
	       void *const bufs[])
{
	const void *const *in = (const void *const *)bufs;

	switch (c->collective) {
	case ALLTOALL:
		return pidcomm_alltoall(hc, axes, c->bytes, c->src, c->dst);
	case REDUCE_SCATTER:
		return pidcomm_reduce_scatter(hc, axes, c->bytes, c->src,
					      c->dst, c->type, c->op);
	case ALLREDUCE:
		return pidcomm_allreduce(hc, axes, c->bytes, c->src, c->dst,
					 c->type, c->op);
	case ALLGATHER:
		return pidcomm_allgather(hc, axes, c->bytes, c->src, c->dst);
	case SCATTER:
		return pidcomm_scatter(hc, axes, c->bytes, in, c->dst);
	case GATHER:
		return pidcomm_gather(hc, axes, c->bytes, c->src, bufs);
	case REDUCE:
		return pidcomm_reduce(hc, axes, c->bytes, c->src, bufs,
				      c->type, c->op);
	default:
		return pidcomm_broadcast(hc, axes, c->bytes, in, c->dst);
	}
}

int call_run(struct pidcomm *hc, const struct call *call, void *const bufs[],
	     bool *mode_kept)
{
	uint32_t before;
	int err;

	mode_set(call->mode);
	before = mode_now();
	err = call_start(hc, call->axes, call, bufs);
	*mode_kept = mode_now() == before;
	mode_reset();
	return err;
}
