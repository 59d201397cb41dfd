// SPDX-License-Identifier: MIT
/*
 * What an instruction of the IR costs: rows of the table of instructions, of which
 * runtime/pe/shared/instructions.h has the values built in, with their sources, and
 * PIMDIMM_COST others.
 */
#include <string.h>

#include "tools/upmem/count/cost.h"
#include "tools/upmem/count/inside.h"
#include "tools/upmem/count/names.h"

/* Addresses that runtime/pe/shared/abi.h fixes. */
#define SERVICES	805306368LL
#define SERVICES_END	(SERVICES + 4096)
#define SELF		939524096LL
#define SELF_END	(SELF + 4096)
#define MRAM_READ	(SERVICES + 32)
#define MRAM_WRITE	(SERVICES + 40)

#define COST(name)	pd_instructions[PE_INSN_##name]
/* of values up to 32 bits, and of 64; of float, and of double */
#define WIDTHS(name)	PE_INSN_##name, PE_INSN_##name##_i64
#define ALIKE(name)	PE_INSN_##name, PE_INSN_##name
#define FLOATS(name)	PE_INSN_##name, PE_INSN_##name##_double

struct row {
	const char *name;
	enum pe_instruction narrow, wide;
};

static const struct row plain[] = {
	{ "add", WIDTHS(alu) }, { "sub", WIDTHS(alu) }, { "and", WIDTHS(alu) },
	{ "or", WIDTHS(alu) }, { "xor", WIDTHS(alu) }, { "load", ALIKE(load) },
	{ "store", ALIKE(store) }, { "ret", ALIKE(return) },
	{ "extractelement", ALIKE(element) }, { "insertelement", ALIKE(element) },
	{ "cmpxchg", WIDTHS(cmpxchg) }, { "atomicrmw", WIDTHS(atomic) },
	{ "fneg", ALIKE(fneg) }, { "indirectbr", ALIKE(branch) },
};

static const struct row floating[] = {
	{ "fadd", FLOATS(fadd) }, { "fsub", FLOATS(fsub) }, { "fmul", FLOATS(fmul) },
	{ "fdiv", FLOATS(fdiv) }, { "frem", FLOATS(frem) }, { "fcmp", FLOATS(fcmp) },
	{ "fptosi", FLOATS(fptosi) }, { "fptoui", FLOATS(fptoui) },
	{ "sitofp", FLOATS(sitofp) }, { "uitofp", FLOATS(uitofp) },
	{ "fpext", ALIKE(fpext) }, { "fptrunc", ALIKE(fptrunc) },
};

/* the same from and to integers of 64 bits */
static const struct row of_long[] = {
	{ "fptosi", FLOATS(fptosi_i64) }, { "fptoui", FLOATS(fptoui_i64) },
	{ "sitofp", FLOATS(sitofp_i64) }, { "uitofp", FLOATS(uitofp_i64) },
};

static const struct row intrinsics[] = {
	{ "@llvm.ctlz", WIDTHS(clz) }, { "@llvm.ctpop", WIDTHS(popcount) },
	{ "@llvm.cttz", WIDTHS(ctz) }, { "@llvm.umin", WIDTHS(minmax) },
	{ "@llvm.umax", WIDTHS(minmax) }, { "@llvm.smin", WIDTHS(minmax) },
	{ "@llvm.smax", WIDTHS(minmax) }, { "@llvm.abs", WIDTHS(abs) },
	{ "@llvm.bswap", WIDTHS(bswap) }, { "@llvm.fsh", WIDTHS(rotate) },
	{ "@llvm.usub.sat", WIDTHS(saturate) }, { "@llvm.uadd.sat", WIDTHS(saturate) },
	{ "@llvm.uadd.with", WIDTHS(overflow) }, { "@llvm.usub.with", WIDTHS(overflow) },
	{ "@llvm.sadd.with", WIDTHS(overflow) }, { "@llvm.ssub.with", WIDTHS(overflow) },
	{ "@llvm.fabs", ALIKE(fneg) }, { "@llvm.copysign", ALIKE(copysign) },
	{ "@llvm.trap", ALIKE(trap) },
};

static bool contains(struct text t, const char *word)
{
	size_t length = strlen(word);

	for (size_t i = 0; i + length <= t.length; i++)
		if (!memcmp(t.at + i, word, length))
			return true;
	return false;
}

/* The number N of "inttoptr (i64 N to", or -1. */
static long long fixed_address(struct text t)
{
	static const char word[] = "inttoptr (i64 ";
	long long n = 0;

	for (size_t i = 0; i + sizeof(word) < t.length; i++) {
		if (memcmp(t.at + i, word, sizeof(word) - 1))
			continue;
		for (i += sizeof(word) - 1; t.at[i] >= '0' && t.at[i] <= '9'; i++)
			n = 10 * n + t.at[i] - '0';
		return n;
	}
	return -1;
}

static const struct name *name_of(const struct function *f, struct text text)
{
	static const struct name none = { .by = NULL };
	size_t i = names_find(f->names, text);

	return i == NO_NAME ? &none : &f->names->all[i];
}

/* The instruction before this one in its block that yields a value, or NULL. */
static const struct instruction *yields(const struct function *f, size_t block, size_t before,
					struct text text)
{
	const struct name *name = name_of(f, text);

	return name->by && name->block == block && name->at < before ? name->by : NULL;
}

/* A call by address of one of the worker's services: which, or -1. */
static long long service_of(const struct function *f, size_t block, size_t at)
{
	const struct instruction *i = &f->blocks[block].instructions[at], *load;
	const char *p = i->line.at, *end = p + i->line.length;

	for (; p + 1 < end; p++) {
		const char *q = p + 1;

		if (p[0] != ' ' || *q != '%')
			continue;
		while (q < end && *q != '(' && *q != ' ')
			q++;
		if (*q != '(')
			continue;
		load = yields(f, block, at, (struct text){ p + 1, (size_t)(q - p - 1) });
		if (load && text_is(load->op, "load"))
			return fixed_address(load->line);
	}
	return fixed_address(i->line);
}

static bool loads_service(const struct instruction *i)
{
	long long address = fixed_address(i->line);

	return (address >= SERVICES && address < SERVICES_END) || address == SELF;
}

/* memcpy() and its like of a size that is known and small are done in place. */
static unsigned int bytes_cost(const struct instruction *i)
{
	long long n;

	/* more than these, the compiler leaves to the library, which counts */
	if (!ir_constant(ir_last_word(ir_argument(i, 2)), &n) || n > 128)
		return COST(copy_call);
	return COST(copy_word) * (unsigned int)((n + 7) / 8);
}

/* What a program has besides that is checked: none of it is there on hardware. */
static bool is_check(struct text callee)
{
	return text_begins(callee, "@__tsan_") || text_begins(callee, "@pe_check_") ||
	       text_begins(callee, "@pe_memory_");
}

static unsigned int call_cost(const struct function *f, size_t block, size_t at)
{
	const struct instruction *i = &f->blocks[block].instructions[at];
	struct text callee = ir_callee(i);
	long long service, bytes;
	bool wide = contains(callee, ".i64");

	if (contains(i->line, " asm "))
		return contains(i->line, "asm sideeffect \"\"") ||
		       contains(i->line, "asm \"\"") ? 0 : COST(builtin);
	for (size_t k = 0; k < sizeof(intrinsics) / sizeof(*intrinsics); k++)
		if (text_begins(callee, intrinsics[k].name))
			return pd_instructions[wide ? intrinsics[k].wide :
						      intrinsics[k].narrow];
	/* done one after the other there */
	if (text_begins(callee, "@llvm.fmuladd.f32"))
		return COST(fmul) + COST(fadd);
	if (text_begins(callee, "@llvm.fmuladd.f64"))
		return COST(fmul_double) + COST(fadd_double);
	if (text_begins(callee, "@llvm.mem"))
		return bytes_cost(i);
	if (text_begins(callee, "@llvm.") || is_check(callee))
		return 0;
	/* one instruction there, functions here */
	if (text_begins(callee, "@__builtin_dpu_") || text_begins(callee, "@pe_bit_"))
		return COST(builtin);
	service = service_of(f, block, at);
	if (service == MRAM_READ || service == MRAM_WRITE)
		return ir_constant(ir_last_word(ir_argument(i, 2)), &bytes) ?
		       COST(dma) : COST(dma_variable);
	if (service >= SERVICES && service < SERVICES_END)
		return COST(builtin);
	return COST(call) + COST(call_argument) * ir_nr_arguments(i);
}

bool cost_leaves(const struct instruction *i)
{
	return text_is(i->op, "call") && !text_begins(ir_callee(i), "@llvm.") &&
	       !is_check(ir_callee(i)) &&
	       !contains(i->line, "asm sideeffect \"\"") && !contains(i->line, "asm \"\"");
}

/* Not what the worker and its programs share, such as the tasklet's number. */
bool cost_paces(const struct instruction *i)
{
	long long address = fixed_address(i->line);

	if (text_is(i->op, "cmpxchg") || text_is(i->op, "atomicrmw") || text_is(i->op, "fence"))
		return true;
	if (text_is(i->op, "call"))
		return contains(i->line, " asm sideeffect ") && contains(i->line, "~{memory}");
	if (!text_is(i->op, "load") && !text_is(i->op, "store"))
		return false;
	if ((address >= SERVICES && address < SERVICES_END) ||
	    (address >= SELF && address < SELF_END))
		return false;
	return contains(i->line, " volatile ") || contains(i->line, " atomic ");
}

/* The value of a multiplication's operand has at most so many bits. */
static unsigned int bits_of(const struct function *f, size_t block, size_t at,
			    struct text operand)
{
	const struct instruction *from = yields(f, block, at, operand);
	long long n;

	if (ir_constant(operand, &n)) {
		unsigned int bits = 0;

		for (n = n < 0 ? -n : n; n; n >>= 1)
			bits++;
		return bits;
	}
	if (from && (text_is(from->op, "zext") || text_is(from->op, "sext")))
		return ir_bits(from->type);
	return 32;
}

static struct cost mul_cost(const struct function *f, size_t block, size_t at, bool wide)
{
	const struct instruction *i = &f->blocks[block].instructions[at];
	unsigned int x = bits_of(f, block, at, i->operand[0]);
	unsigned int y = bits_of(f, block, at, i->operand[1]);

	if (wide)
		return (struct cost){ .instructions = COST(mul_i64), .by = COST_FIXED };
	if (x <= 8 && y <= 8)
		return (struct cost){ .instructions = COST(mul_i8), .by = COST_FIXED };
	if (x <= 16 && y <= 16)
		return (struct cost){ .instructions = COST(mul_i16), .by = COST_FIXED };
	return (struct cost){ .instructions = COST(mul), .by = COST_MUL };
}

static struct cost div_cost(const struct instruction *i, bool wide)
{
	long long by;
	bool sign = *i->op.at == 's';

	if (ir_constant(i->operand[1], &by) && by > 0 && !(by & (by - 1)))
		return (struct cost){
			.instructions = wide ? COST(div_power_i64) : COST(div_power),
			.by = COST_FIXED,
		};
	if (wide)
		return (struct cost){ .instructions = COST(div_i64), .by = COST_DIV64 };
	return (struct cost){ .instructions = sign ? COST(div_signed) : COST(div), .by = COST_DIV };
}

static unsigned int shift_cost(const struct instruction *i, bool wide)
{
	long long by;

	if (!wide)
		return COST(shift);
	if (!ir_constant(i->operand[1], &by))
		return COST(shift_i64);
	return by >= 32 ? COST(shift_i64_word) : COST(shift_i64_constant);
}

/*
 * An index that is not known is shifted and added, one that is goes into the access; but
 * where a loop goes on with the address, it is added to it.
 */
static unsigned int indices_cost(const struct function *f, const struct instruction *i)
{
	unsigned int indices = 0;

	/* operand 0 is the pointer */
	for (unsigned int k = 1; k < i->nr_operands; k++) {
		struct text o = i->operand[k];

		indices += (text_begins(o, "i64 %") || text_begins(o, "i32 %"));
	}
	if (!indices && name_of(f, i->result)->in_phi)
		indices = 1;
	return indices * COST(index);
}

/* i + 1 of a loop that counts to a number which is not known: done by its jump. */
static bool counts_loop(const struct function *f, size_t block, size_t at)
{
	const struct instruction *i = &f->blocks[block].instructions[at];
	const struct instruction *next = yields(f, block, at, i->operand[0]);
	const struct name *name = name_of(f, i->operand[0]);
	long long n;

	return (text_is(i->operand[2], "eq") || text_is(i->operand[2], "ne")) && next &&
	       text_is(next->op, "add") && ir_constant(next->operand[1], &n) &&
	       (n == 1 || n == -1) && !ir_constant(i->operand[1], &n) &&
	       name->uses == 2 && name->in_phi == 1;
}

/* Whether what is compared with 0 was just computed: that jumps on its result. */
static bool jumps_on_result(const struct function *f, size_t block, size_t at, bool wide)
{
	const struct instruction *i = &f->blocks[block].instructions[at];
	const struct instruction *from = yields(f, block, at, i->operand[0]);
	long long n;

	return !wide && from && ir_constant(i->operand[1], &n) && n == 0 &&
	       (text_is(from->op, "add") || text_is(from->op, "sub") ||
		text_is(from->op, "and") || text_is(from->op, "or") ||
		text_is(from->op, "xor") || text_is(from->op, "shl") ||
		text_is(from->op, "lshr") || text_is(from->op, "ashr"));
}

static unsigned int compare_cost(const struct function *f, size_t block, size_t at, bool wide)
{
	const struct name *result = name_of(f, f->blocks[block].instructions[at].result);
	bool branches = result->in_br > 0;

	if (branches && (counts_loop(f, block, at) || jumps_on_result(f, block, at, wide)))
		return 0;
	if (!branches && result->in_select)
		return 0;
	return wide ? COST(compare_i64) : COST(compare);
}

struct targets {
	const struct function *f;
	size_t block;		/* that branches */
	unsigned int nr;
	bool follows;		/* one can be placed right behind it */
};

/* What only this block goes to, the compiler places behind it. */
static void look_at_target(void *ctx, struct text label)
{
	struct targets *t = ctx;
	size_t b = names_block(t->f->names, label);

	t->nr++;
	if (b != NO_NAME)
		t->follows |= b == t->block + 1 || t->f->blocks[b].nr_from == 1;
}

/* One of two ways goes on behind the branch, whose comparison has its jump counted. */
static unsigned int branch_cost(const struct function *f, size_t block, size_t at)
{
	const struct instruction *i = &f->blocks[block].instructions[at], *from;
	const char *condition = i->op.at + i->op.length;
	struct targets t = { .f = f, .block = block };
	struct text name;

	ir_targets(i, look_at_target, &t);
	if (t.nr < 2)
		return t.follows ? 0 : COST(branch);
	if (memcmp(condition, " i1 %", 5))
		return 0;
	name = (struct text){ condition + 4, strcspn(condition + 4, ",") };
	from = yields(f, block, at, name);
	return from && (text_is(from->op, "icmp") || text_is(from->op, "fcmp")) ?
	       0 : COST(compare);
}

static unsigned int switch_cost(const struct function *f, size_t block,
				const struct instruction *i)
{
	struct targets t = { .f = f, .block = block };

	ir_targets(i, look_at_target, &t);
	return COST(switch_case) * (t.nr <= 4 ? t.nr : 4);
}

static bool copies_bytes(const struct instruction *i)
{
	return text_is(i->op, "call") && text_begins(ir_callee(i), "@llvm.mem");
}

unsigned int cost_entry(void)
{
	return COST(entry);
}

unsigned int cost_bit(enum cost_by by)
{
	return by == COST_MUL ? COST(mul_bit) : by == COST_DIV ? COST(div_bit) :
	       by == COST_DIV64 ? COST(div_i64_bit) : 0;
}

unsigned int cost_mram(const struct instruction *i, struct mram_access a[MRAM_ACCESSES])
{
	static const char space[] = "addrspace(255)";
	unsigned int nr = 0;

	if (text_is(i->op, "load") || text_is(i->op, "store")) {
		a->write = text_is(i->op, "store");
		a->accessed = i->type;
		a->bytes = (struct text){ "", 0 };
		return ir_points_into(i->operand[a->write], space, &a->type, &a->pointer);
	}
	if (!copies_bytes(i))
		return 0;
	/* the second argument of memset() is no pointer */
	for (unsigned int k = 0; k < 2; k++) {
		a[nr].write = !k;
		a[nr].bytes = ir_argument(i, 2);
		nr += ir_points_into(ir_argument(i, k), space, &a[nr].type, &a[nr].pointer);
	}
	return nr;
}

/*
 * What a load or a store executes besides itself if it is MRAM's: a DMA instruction; and
 * for less than the 8 bytes of a transfer, what finds the transfer's address and the
 * place in it, and for a store the DMA that reads the rest of the 8 bytes.
 */
static unsigned int mram_cost(const struct instruction *i)
{
	struct mram_access a[MRAM_ACCESSES];
	bool whole = ir_bits(i->type) == 64 || text_is(i->type, "double");

	if (copies_bytes(i) || !cost_mram(i, a))
		return 0;
	return whole ? COST(mram) : a->write ? COST(mram_store) : COST(mram_load);
}

/* Of operations on floating point by name; 0: it is none of these. */
static unsigned int floating_cost(const struct instruction *i, const struct row *rows,
				  size_t nr)
{
	bool is_double = text_is(i->type, "double") || contains(i->operand[0], "to double");

	for (size_t k = 0; k < nr; k++)
		if (text_is(i->op, rows[k].name))
			return pd_instructions[is_double ? rows[k].wide : rows[k].narrow];
	return 0;
}

static bool is_of_long(const struct instruction *i)
{
	return text_is(i->type, "i64") || contains(i->operand[0], "to i64");
}

static unsigned int table_cost(const struct instruction *i, bool wide)
{
	for (size_t k = 0; k < sizeof(plain) / sizeof(*plain); k++)
		if (text_is(i->op, plain[k].name))
			return pd_instructions[wide ? plain[k].wide : plain[k].narrow];
	if (is_of_long(i))
		return floating_cost(i, of_long, sizeof(of_long) / sizeof(*of_long));
	return floating_cost(i, floating, sizeof(floating) / sizeof(*floating));
}

static bool is_shift(struct text op)
{
	return text_is(op, "shl") || text_is(op, "lshr") || text_is(op, "ashr");
}

static struct cost number_of(const struct function *f, size_t block, size_t at,
			     const struct widths *w)
{
	const struct instruction *i = &f->blocks[block].instructions[at];
	bool wide = ir_bits(i->type) >= 64 && widths_is_wide(w, i);
	unsigned int n;

	if (text_is(i->op, "mul"))
		return mul_cost(f, block, at, wide);
	if (text_is(i->op, "udiv") || text_is(i->op, "sdiv") || text_is(i->op, "urem") ||
	    text_is(i->op, "srem"))
		return div_cost(i, wide);
	if (text_is(i->op, "load") && loads_service(i))
		n = 0;
	else if (text_is(i->op, "call"))
		n = call_cost(f, block, at);
	else if (text_is(i->op, "icmp"))
		n = compare_cost(f, block, at, wide);
	else if (text_is(i->op, "br"))
		n = branch_cost(f, block, at);
	else if (text_is(i->op, "switch"))
		n = switch_cost(f, block, i);
	else if (text_is(i->op, "select"))
		n = contains(i->operand[1], "i64 ") && widths_is_wide(w, i) ?
		    COST(select_i64) : COST(select);
	else if (text_is(i->op, "getelementptr"))
		n = indices_cost(f, i);
	else if (is_shift(i->op))
		n = shift_cost(i, wide);
	else if (text_is(i->op, "zext") || text_is(i->op, "sext"))
		n = contains(i->operand[0], "to i64") && widths_is_wide(w, i) ?
		    COST(extend_i64) : 0;
	else
		n = table_cost(i, wide) + mram_cost(i);
	return (struct cost){ .instructions = n, .by = COST_FIXED };
}

static enum pe_class class_of_call(const struct function *f, size_t block, size_t at)
{
	const struct instruction *i = &f->blocks[block].instructions[at];
	struct text callee = ir_callee(i);
	long long service;

	if (text_begins(callee, "@llvm.fmuladd") || text_begins(callee, "@llvm.fabs") ||
	    text_begins(callee, "@llvm.copysign"))
		return PE_CLASS_FLOAT;
	if (text_begins(callee, "@llvm.trap") || contains(i->line, " asm ") ||
	    text_begins(callee, "@__builtin_dpu_") || text_begins(callee, "@pe_bit_"))
		return PE_CLASS_OTHER;
	if (text_begins(callee, "@llvm."))
		return PE_CLASS_ARITHMETIC;
	service = service_of(f, block, at);
	if (service == MRAM_READ || service == MRAM_WRITE)
		return PE_CLASS_DMA;
	return service >= SERVICES && service < SERVICES_END ? PE_CLASS_OTHER : PE_CLASS_CONTROL;
}

static bool is_floating(struct text op)
{
	for (size_t k = 0; k < sizeof(floating) / sizeof(*floating); k++)
		if (text_is(op, floating[k].name))
			return true;
	return text_is(op, "fneg");
}

static enum pe_class class_of(const struct function *f, size_t block, size_t at)
{
	const struct instruction *i = &f->blocks[block].instructions[at];
	struct mram_access a[MRAM_ACCESSES];

	if (text_is(i->op, "call"))
		return class_of_call(f, block, at);
	if (cost_mram(i, a))
		return PE_CLASS_DMA;
	if (text_is(i->op, "load"))
		return PE_CLASS_LOAD;
	if (text_is(i->op, "store"))
		return PE_CLASS_STORE;
	if (text_is(i->op, "mul") || text_is(i->op, "udiv") || text_is(i->op, "sdiv") ||
	    text_is(i->op, "urem") || text_is(i->op, "srem"))
		return PE_CLASS_MULTIPLY;
	if (is_floating(i->op))
		return PE_CLASS_FLOAT;
	if (text_is(i->op, "cmpxchg") || text_is(i->op, "atomicrmw"))
		return PE_CLASS_OTHER;
	if (text_is(i->op, "icmp"))
		return name_of(f, i->result)->in_br ? PE_CLASS_CONTROL : PE_CLASS_ARITHMETIC;
	return text_is(i->op, "br") || text_is(i->op, "switch") || text_is(i->op, "ret") ||
	       text_is(i->op, "indirectbr") ? PE_CLASS_CONTROL : PE_CLASS_ARITHMETIC;
}

/* One done in place: a load and a store for each word, or a store alone. */
static void class_copy(const struct instruction *i, struct cost *c)
{
	c->class = PE_CLASS_LOAD;
	c->stores = text_begins(ir_callee(i), "@llvm.memset") ? c->instructions :
								(c->instructions + 1) / 2;
}

struct cost cost_of(const struct function *f, size_t block, size_t at, const struct widths *w)
{
	const struct instruction *i = &f->blocks[block].instructions[at];
	struct cost c = number_of(f, block, at, w);
	long long bytes;

	/* of variables that are in no memory there */
	if (contains(i->line, "@__pe_undefined"))
		return (struct cost){ 0, COST_FIXED, PE_CLASS_OTHER, 0 };
	c.class = class_of(f, block, at);
	if (copies_bytes(i)) {
		if (!ir_constant(ir_last_word(ir_argument(i, 2)), &bytes) || bytes > 128)
			c.class = PE_CLASS_CONTROL;
		else
			class_copy(i, &c);
	}
	return c;
}

void cost_write_table(FILE *out)
{
	struct pd_cost_instruction c;

	for (unsigned int k = 0; k < PE_NR_INSTRUCTIONS; k++) {
		pd_cost_instruction(k, &c);
		if (c.value != c.built_in)
			fprintf(out, "module asm \".pushsection .pimdimm.cost,\\22\\22,@progbits; .ascii \\22%s=%u\\5Cn\\22; .popsection\"\n",
				c.name, c.value);
	}
}
