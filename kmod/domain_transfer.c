// SPDX-License-Identifier: GPL-2.0-only
/*
 * The domain transfer by the best instructions that this CPU, and this moment,
 * have. The bytes are the same.
 */
#include <linux/moduleparam.h>

#include "kmod/pimdimm.h"
#include "kmod/transpose.h"

static bool simd = true;
module_param(simd, bool, 0444);
MODULE_PARM_DESC(simd, "transfer by vector instructions where the CPU has them (Y)");

#ifdef CONFIG_X86_64
#include <asm/cpufeature.h>
#include <asm/fpu/api.h>
#ifndef CONFIG_UML
#include <asm/fpu/types.h>
#endif

#include "kmod/transpose_avx2.h"

/* A CPU may have the instructions while the registers are not switched on. */
static bool pimdimm_dt_has_avx2(void)
{
#ifndef CONFIG_UML
	if (!cpu_has_xfeatures(XFEATURE_MASK_SSE | XFEATURE_MASK_YMM, NULL))
		return false;
#endif
	return boot_cpu_has(X86_FEATURE_AVX2);
}

/*
 * Vector registers belong to user space, so each use of them saves what was in
 * there, and keeps the CPU to itself: callers pass at most a page.
 */
static bool pimdimm_dt_begin(void)
{
	if (!simd || !pimdimm_dt_has_avx2() || !irq_fpu_usable())
		return false;
	kernel_fpu_begin();
	return true;
}

static void pimdimm_dt_end(void)
{
	kernel_fpu_end();
}
#else
#define pimdimm_avx2_store_blocks	pimdimm_store_blocks
#define pimdimm_avx2_load_blocks	pimdimm_load_blocks

static bool pimdimm_dt_begin(void)
{
	return false;
}

static void pimdimm_dt_end(void)
{
}
#endif

/**
 * pimdimm_dt_store() - host domain to PIM domain, all eight lanes
 * @blocks: the first block
 * @stride: bytes from one block to the next
 * @lanes: the words, which are only read
 * @count: number of blocks, of at most a page
 *
 * Context: any; the memory does not fault.
 */
void pimdimm_dt_store(void *blocks, size_t stride,
		      u64 *const lanes[PIMDIMM_CHIPS], size_t count)
{
	if (!pimdimm_dt_begin()) {
		pimdimm_store_blocks(blocks, stride, lanes, count);
		return;
	}
	pimdimm_avx2_store_blocks(blocks, stride, lanes, count);
	pimdimm_dt_end();
}

/**
 * pimdimm_dt_load() - PIM domain to host domain, all eight lanes
 * @lanes: where the words go
 * @blocks: the first block
 * @stride: bytes from one block to the next
 * @count: number of blocks, of at most a page
 *
 * Context: any; the memory does not fault.
 */
void pimdimm_dt_load(u64 *const lanes[PIMDIMM_CHIPS], const void *blocks,
		     size_t stride, size_t count)
{
	if (!pimdimm_dt_begin()) {
		pimdimm_load_blocks(lanes, blocks, stride, count);
		return;
	}
	pimdimm_avx2_load_blocks(lanes, blocks, stride, count);
	pimdimm_dt_end();
}
