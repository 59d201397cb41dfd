// SPDX-License-Identifier: MIT
/*
 * A tasklet that spins on a variable sees it change when it does, on the PE's clock:
 * 64 instructions of each of the two later, at the most. So does one that asks a
 * function whose code the compiler does not see, 4,096 of them.
 * quirk: tasklets=3
 */
#include <barrier.h>
#include <perfcounter.h>

#include "quirk.h"

BARRIER_INIT(barrier, NR_TASKLETS);
static volatile uint32_t flag;
static uint32_t plain;
static uint64_t set, seen, asked;
static uint32_t sum;

__attribute__((noinline))
static uint32_t ask(void)
{
	__asm__("");
	return *(uint32_t *)((uintptr_t)&plain | (me() & 0x40000000));
}

__attribute__((noinline))
static uint32_t compute(uint32_t x)
{
	for (uint32_t i = 0; i < 20000; i++) {
		x ^= x << 3;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

int main(void)
{
	if (me() == 0)
		perfcounter_config(COUNT_CYCLES, true);
	barrier_wait(&barrier);
	if (me() == 0) {
		sum = compute(1);
		set = perfcounter_get();
		plain = 1;
		flag = 1;
	} else if (me() == 1) {
		while (!flag)
			;
		seen = perfcounter_get();
	} else {
		while (!ask())
			;
		asked = perfcounter_get();
	}
	barrier_wait(&barrier);
	CHECK(set >= 11 * 40000);
	CHECK(seen >= set && seen <= set + 11 * 2 * 80);
	CHECK(asked + 11 * 5000 >= set && asked <= set + 11 * 5000);
	quirk_end();
	return 0;
}
