/* SPDX-License-Identifier: MIT */
/* Hardware's atomic bits: a byte each here, cleared at boot. */
#ifndef ATOMIC_BIT_H
#define ATOMIC_BIT_H

#include <stdint.h>

#include <attributes.h>

#define __atomic_bit __attribute__((section(".atomic")))

#define __ATOMIC_BIT_GET(name)	__atomic_bit_##name
#define ATOMIC_BIT_GET(name)	__ATOMIC_BIT_GET(name)

/* at file scope; may be followed by [N] for so many of them */
#define __ATOMIC_BIT_INIT(name) uint8_t __atomic_bit __atomic_bit_##name
#define ATOMIC_BIT_INIT(name)	__ATOMIC_BIT_INIT(name)
#define ATOMIC_BIT_EXTERN(name)	extern uint8_t ATOMIC_BIT_GET(name)

/* take the bit, waiting as long as another tasklet has it; give it back */
#define ATOMIC_BIT_ACQUIRE(name) pe_bit_acquire(&ATOMIC_BIT_GET(name))
#define ATOMIC_BIT_RELEASE(name) pe_bit_release(&ATOMIC_BIT_GET(name))

void pe_bit_acquire(uint8_t *bit);
void pe_bit_release(uint8_t *bit);
/* Return: 1 if the bit was free and is the caller's now */
int pe_bit_try(uint8_t *bit);

#endif /* ATOMIC_BIT_H */
