// SPDX-License-Identifier: MIT
/*
 * A division that the processor refuses. By zero it is a fault on PEs, too. But
 * where the least integer is divided by -1 a PE wraps, as in any other operation,
 * while the processor stops as if the divisor were 0: there the division is done
 * in its place.
 */
#include <ucontext.h>

#include "runtime/pe/worker/operand.h"
#include "runtime/pe/worker/worker.h"

#ifdef __x86_64__

#define IDIV		7

struct division {
	greg_t *regs;
	struct pe_instruction i;
	uint32_t bytes;		/* of an operand */
	int64_t divisor;
};

static uint64_t register_operand(const struct division *d)
{
	unsigned int rm = d->i.modrm & 7;

	/* AH, CH, DH, BH */
	if (d->bytes == 1 && !d->i.rex && rm >= 4)
		return pe_register(&d->i, rm - 4) >> 8;
	return pe_register(&d->i, rm | (d->i.rex & REX_B ? 8 : 0));
}

static int64_t sign_extended(uint64_t value, uint32_t bytes)
{
	unsigned int unused = 64 - 8 * bytes;

	return (int64_t)(value << unused) >> unused;
}

static uint64_t memory_operand(struct division *d)
{
	const volatile uint8_t *p =
		(const volatile uint8_t *)(uintptr_t)pe_operand_address(&d->i, 0);
	uint64_t value = 0;

	for (uint32_t i = 0; i < d->bytes; i++)
		value |= (uint64_t)p[i] << 8 * i;
	return value;
}

/* 0: it is none that this knows */
static int decode(struct division *d)
{
	uint8_t opcode;
	uint64_t divisor;

	pe_read_prefixes(&d->i);
	opcode = *d->i.at++;
	if ((opcode != 0xf6 && opcode != 0xf7) || d->i.segment)
		return 0;
	d->bytes = opcode == 0xf6 ? 1 : d->i.rex & REX_W ? 8 :
		   d->i.operand_16 ? 2 : 4;
	d->i.modrm = *d->i.at++;
	divisor = d->i.modrm >> 6 == 3 ? register_operand(d) : memory_operand(d);
	d->divisor = sign_extended(divisor, d->bytes);
	return 1;
}

/* A register's low bytes; those above stay, but a result of 4 clears them. */
static void set_register(greg_t *reg, uint64_t value, uint32_t bytes)
{
	uint64_t mask = bytes >= 4 ? 0 : ~0ull << 8 * bytes;

	*reg = (greg_t)(((uint64_t)*reg & mask) |
			(bytes == 4 ? (uint32_t)value : value & ~mask));
}

/* Divide by -1: the quotient wraps, the remainder is 0. */
static void negate(struct division *d)
{
	greg_t *rax = &d->regs[REG_RAX];
	uint64_t quotient = -(uint64_t)*rax;

	if (d->bytes == 1) {
		set_register(rax, (uint8_t)quotient, 2);
	} else {
		set_register(rax, quotient, d->bytes);
		set_register(&d->regs[REG_RDX], 0, d->bytes);
	}
	d->regs[REG_RIP] = (greg_t)(uintptr_t)d->i.at;
}

#define DIVIDE_TRAP	0

uint32_t pe_divide(void *context)
{
	ucontext_t *uc = context;
	struct division d = {
		.regs = uc->uc_mcontext.gregs,
		.i = {
			.regs = uc->uc_mcontext.gregs,
			.at = (const uint8_t *)(uintptr_t)
				uc->uc_mcontext.gregs[REG_RIP],
		},
	};

	if (uc->uc_mcontext.gregs[REG_TRAPNO] != DIVIDE_TRAP)
		return PE_FAULT_INSTRUCTION;
	if (!decode(&d) || !d.divisor)
		return PE_FAULT_DIVIDE;
	if ((d.i.modrm >> 3 & 7) == IDIV && d.divisor == -1) {
		negate(&d);
		return PE_FAULT_NONE;
	}
	/* the dividend has twice the bits: its quotient is none that C could make */
	return PE_FAULT_INSTRUCTION;
}

#else

/* Other processors refuse none; what they do refuse of floating point is no division. */
uint32_t pe_divide(void *context)
{
	(void)context;
	return PE_FAULT_INSTRUCTION;
}

#endif
