// SPDX-License-Identifier: MIT
/* Decoding where the memory operand of an instruction lies, and what changes it. */
#include "runtime/pe/worker/operand.h"

#ifdef __x86_64__

#define OPERAND_16	0x66
#define ADDRESS_32	0x67
#define SEGMENT_FS	0x64
#define SEGMENT_GS	0x65
#define LOCK		0xf0

/* by the processor's number of a register */
uint64_t pe_register(const struct pe_instruction *i, unsigned int number)
{
	static const uint8_t which[16] = {
		REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI,
		REG_RDI, REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13,
		REG_R14, REG_R15,
	};

	return (uint64_t)i->regs[which[number]];
}

void pe_read_prefixes(struct pe_instruction *i)
{
	for (;; i->at++) {
		switch (*i->at) {
		case OPERAND_16:
			i->operand_16 = 1;
			break;
		case ADDRESS_32:
			i->address_32 = 1;
			break;
		case SEGMENT_FS:
		case SEGMENT_GS:
			i->segment = 1;
			break;
		case LOCK:
			i->lock = 1;
			break;
		/* other segments, and prefixes that mean nothing here */
		case 0x26: case 0x2e: case 0x36: case 0x3e: case 0xf2: case 0xf3:
			break;
		default:
			if ((*i->at & 0xf0) != REX)
				return;
			i->rex = *i->at;
			continue;
		}
		/* counts only where it is the last prefix */
		i->rex = 0;
	}
}

static int64_t displacement(struct pe_instruction *i, unsigned int bytes)
{
	int64_t value = bytes == 1 ? *(const int8_t *)i->at :
				     *(const int32_t *)i->at;

	i->at += bytes;
	return value;
}

/* The SIB byte's part of an address; *based: whether it has a base register. */
static uint64_t indexed(struct pe_instruction *i, int *based)
{
	uint8_t sib = *i->at++;
	unsigned int index = (sib >> 3 & 7) | (i->rex & REX_X ? 8 : 0);
	unsigned int base = (sib & 7) | (i->rex & REX_B ? 8 : 0);
	uint64_t address = index == 4 ? 0 : pe_register(i, index) << (sib >> 6);

	*based = (sib & 7) != 5 || i->modrm >> 6;
	return address + (*based ? pe_register(i, base) : 0);
}

uint64_t pe_operand_address(struct pe_instruction *i, unsigned int immediate)
{
	unsigned int mode = i->modrm >> 6, rm = i->modrm & 7;
	uint64_t address = 0;
	int based = 1;

	if (rm == 4)
		address = indexed(i, &based);
	else if (rm == 5 && !mode)
		based = 0;
	else
		address = pe_register(i, rm | (i->rex & REX_B ? 8 : 0));
	if (mode == 1)
		address += (uint64_t)displacement(i, 1);
	else if (mode == 2 || !based)
		address += (uint64_t)displacement(i, 4);
	/* from where the next instruction begins */
	if (rm == 5 && !mode)
		address += (uint64_t)(uintptr_t)i->at + immediate;
	return i->address_32 ? (uint32_t)address : address;
}

/*
 * An opcode that may change an operand in memory: which of the eight instructions
 * that its ModRM byte names do, a bit each; 0xff where all bits are a register.
 */
struct change {
	uint8_t opcode, mask;
	uint8_t which;
	uint8_t byte;		/* its lowest bit: not of a byte */
	uint8_t immediate;	/* bytes; 4: as many as the operand has, up to 4 */
};

static const struct change changes[] = {
	/* add, or, adc, sbb, and, sub, xor */
	{ 0x00, 0xe6, 0xff, 1, 0 }, { 0x20, 0xf6, 0xff, 1, 0 },
	{ 0x30, 0xfe, 0xff, 1, 0 },
	/* these operations with an immediate; no compare */
	{ 0x80, 0xff, 0x7f, 1, 1 }, { 0x81, 0xff, 0x7f, 1, 4 },
	{ 0x83, 0xff, 0x7f, 1, 1 },
	/* shifts and rotations */
	{ 0xc0, 0xfe, 0xff, 1, 1 }, { 0xd0, 0xfc, 0xff, 1, 0 },
	/* not, neg; inc, dec */
	{ 0xf6, 0xfe, 0x0c, 1, 0 }, { 0xfe, 0xfe, 0x03, 1, 0 },
};

/* behind 0x0f: bits set, cleared and complemented, shifts of two words */
static const struct change more_changes[] = {
	{ 0xba, 0xff, 0xe0, 0, 1 },
	{ 0xa4, 0xff, 0xff, 0, 1 }, { 0xa5, 0xff, 0xff, 0, 0 },
	{ 0xac, 0xff, 0xff, 0, 1 }, { 0xad, 0xff, 0xff, 0, 0 },
};

static const struct change *find_change(struct pe_instruction *i)
{
	const struct change *table = changes;
	unsigned int n = sizeof(changes) / sizeof(*changes);
	uint8_t opcode = *i->at++;

	if (opcode == 0x0f) {
		table = more_changes;
		n = sizeof(more_changes) / sizeof(*more_changes);
		opcode = *i->at++;
	}
	for (unsigned int k = 0; k < n; k++) {
		if ((opcode & table[k].mask) != table[k].opcode)
			continue;
		i->modrm = *i->at++;
		if (i->modrm >> 6 == 3 ||
		    !(table[k].which >> (i->modrm >> 3 & 7) & 1))
			return 0;
		return &table[k];
	}
	return 0;
}

int pe_changed_operand(const void *context, struct pe_operand *o)
{
	const greg_t *regs = ((const ucontext_t *)context)->uc_mcontext.gregs;
	struct pe_instruction i = {
		.regs = regs,
		.at = (const uint8_t *)(uintptr_t)regs[REG_RIP],
	};
	const struct change *c;
	uint8_t opcode;

	pe_read_prefixes(&i);
	opcode = i.at[0];
	c = i.lock || i.segment ? 0 : find_change(&i);
	if (!c)
		return 0;
	o->bytes = i.rex & REX_W ? 8 : i.operand_16 ? 2 : 4;
	if (c->byte && !(opcode & 1))
		o->bytes = 1;
	o->address = pe_operand_address(&i, c->immediate != 4 ? c->immediate :
					o->bytes == 2 ? 2 : 4);
	return 1;
}

#endif
