// SPDX-License-Identifier: MIT
/*
 * The two instructions that AVX-512 VBMI adds to what compilers make of the
 * loops, for CPUs that have the rest: executed when they raise SIGILL, so that
 * the tier's own object code is tested there. Others are as illegal as before.
 */
#include "tests/unit/vbmi.h"

#ifdef __x86_64__

#include <cpuid.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

/* components of the XSAVE area, by number */
enum { SSE = 1, AVX = 2, ZMM_HI256 = 6, HI16_ZMM = 7 };

#define XMM_AT		160	/* of the legacy region */
#define HEADER_AT	512
#define ZMM_BYTES	64

typedef uint8_t zmm[ZMM_BYTES];

/* an instruction of map 0F38, prefix 66, 512 bits wide, without mask */
struct insn {
	uint8_t opcode;
	bool w;			/* EVEX.W */
	unsigned int reg, vvvv, rm;
	const uint8_t *memory;	/* instead of rm; NULL: none */
	unsigned int length;
};

static uint8_t *component(uint8_t *area, unsigned int number)
{
	unsigned int eax, ebx, ecx, edx;

	if (number == SSE)
		return area + XMM_AT;
	__cpuid_count(0xd, number, eax, ebx, ecx, edx);
	return area + ebx;
}

/* what is in its first state is not in memory: put it there */
static void complete(uint8_t *area)
{
	static const struct {
		unsigned int number;
		size_t bytes;
	} parts[] = {
		{ SSE, 16 * 16 }, { AVX, 16 * 16 },
		{ ZMM_HI256, 16 * 32 }, { HI16_ZMM, 16 * 64 },
	};
	uint64_t there;

	memcpy(&there, area + HEADER_AT, 8);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		uint64_t bit = 1ull << parts[i].number;

		if (!(there & bit))
			memset(component(area, parts[i].number), 0,
			       parts[i].bytes);
		there |= bit;
	}
	memcpy(area + HEADER_AT, &there, 8);
}

/* the three places of a register below 16, the one of others */
static void transfer(uint8_t *area, unsigned int number, uint8_t *value,
		     bool write)
{
	const struct {
		uint8_t *at;
		size_t bytes;
	} low[] = {
		{ component(area, SSE) + 16 * (number & 15), 16 },
		{ component(area, AVX) + 16 * (number & 15), 16 },
		{ component(area, ZMM_HI256) + 32 * (number & 15), 32 },
	}, high = { component(area, HI16_ZMM) + 64 * (number & 15), 64 };

	for (int i = 0; i < (number < 16 ? 3 : 1); i++) {
		uint8_t *at = number < 16 ? low[i].at : high.at;
		size_t bytes = number < 16 ? low[i].bytes : high.bytes;

		memcpy(write ? at : value, write ? value : at, bytes);
		value += bytes;
	}
}

static uint64_t general(const ucontext_t *uc, unsigned int number)
{
	static const int order[] = {
		REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI,
		REG_RDI, REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13,
		REG_R14, REG_R15,
	};

	return (uint64_t)uc->uc_mcontext.gregs[order[number]];
}

/* a memory operand; p is behind ModRM. Returns the bytes that it took. */
static unsigned int address(const ucontext_t *uc, const uint8_t *start,
			    const uint8_t *p, const struct insn *insn,
			    unsigned int modrm, uint64_t *out)
{
	const uint8_t *begin = p;
	unsigned int mod = modrm >> 6, base = insn->rm & 15;
	uint64_t at = 0;
	int32_t disp;

	if ((modrm & 7) == 4) {		/* SIB */
		unsigned int index = (*p >> 3 & 7) | (start[1] & 0x40 ? 0 : 8);

		base = (*p & 7) | (start[1] & 0x20 ? 0 : 8);
		if (index != 4)
			at += general(uc, index) << (*p >> 6);
		p++;
	}
	if (!mod && (base & 7) == 5) {	/* none, or the instruction's end */
		memcpy(&disp, p, 4);
		p += 4;
		at += (uint64_t)(int64_t)disp;
		if ((modrm & 7) == 5)
			at += (uint64_t)(uintptr_t)p;
	} else {
		at += general(uc, base);
	}
	if (mod == 1)
		at += (uint64_t)((int64_t)(int8_t)*p++ * ZMM_BYTES);
	if (mod == 2) {
		memcpy(&disp, p, 4);
		p += 4;
		at += (uint64_t)(int64_t)disp;
	}
	*out = at;
	return (unsigned int)(p - begin);
}

static bool decode(const ucontext_t *uc, const uint8_t *p, struct insn *insn)
{
	unsigned int modrm = p[5];
	uint64_t at;

	/* EVEX; map 0F38; prefix 66; 512 bits, no mask, no broadcast */
	if (p[0] != 0x62 || (p[1] & 0x0f) != 2 || (p[2] & 7) != 5 ||
	    (p[3] & ~8u) != 0x40)
		return false;
	*insn = (struct insn){
		.opcode = p[4],
		.w = p[2] >> 7,
		.reg = (modrm >> 3 & 7) | (p[1] & 0x80 ? 0 : 8) |
		       (p[1] & 0x10 ? 0 : 16),
		.vvvv = (~p[2] >> 3 & 15) | (p[3] & 8 ? 0 : 16),
		.rm = (modrm & 7) | (p[1] & 0x20 ? 0 : 8) |
		      (p[1] & 0x40 ? 0 : 16),
		.length = 6,
	};
	if (modrm >> 6 == 3)
		return true;
	insn->length += address(uc, p, p + 6, insn, modrm, &at);
	insn->memory = (const uint8_t *)(uintptr_t)at;
	return true;
}

/* VPERMB: byte i of the result is the source's that byte i of the index names */
static void permute(const zmm index, const zmm source, zmm result)
{
	for (int i = 0; i < ZMM_BYTES; i++)
		result[i] = source[index[i] & 63];
}

/* VPERMT2B: the same from two tables, the first of which the result replaces */
static void permute_two(const zmm index, const zmm first, const zmm second,
			zmm result)
{
	for (int i = 0; i < ZMM_BYTES; i++)
		result[i] = (index[i] & 64 ? second : first)[index[i] & 63];
}

static bool execute(ucontext_t *uc, uint8_t *area, const struct insn *insn)
{
	zmm from, named, before, result;

	complete(area);
	if (insn->memory)
		memcpy(from, insn->memory, ZMM_BYTES);
	else
		transfer(area, insn->rm, from, false);
	transfer(area, insn->vvvv, named, false);
	transfer(area, insn->reg, before, false);
	if (insn->opcode == 0x8d && !insn->w)
		permute(named, from, result);
	else if (insn->opcode == 0x7d && !insn->w)
		permute_two(named, before, from, result);
	else
		return false;
	transfer(area, insn->reg, result, true);
	uc->uc_mcontext.gregs[REG_RIP] += insn->length;
	return true;
}

static void on_illegal(int number, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	const uint8_t *p = (const uint8_t *)uc->uc_mcontext.gregs[REG_RIP];
	struct insn insn;

	(void)info;
	if (!decode(uc, p, &insn) ||
	    !execute(uc, (uint8_t *)uc->uc_mcontext.fpregs, &insn))
		signal(number, SIG_DFL);	/* and again, for the last time */
}

bool vbmi_emulate(void)
{
	struct sigaction action = { .sa_sigaction = on_illegal,
				    .sa_flags = SA_SIGINFO };

	return !sigaction(SIGILL, &action, NULL);
}

#else

bool vbmi_emulate(void)
{
	return false;
}

#endif
