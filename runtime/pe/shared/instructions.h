/* SPDX-License-Identifier: MIT */
/*
 * The table of instructions: how many a DPU executes for each operation of a program's
 * IR. tools/upmem/count counts by it when a program is compiled, and cost.c has it among
 * the cost model's parameters, by the names here behind "insn_". Where there are two
 * widths, the first is of 32 bits and less, the one with _i64 of 64 bits; of floating
 * point the first is float.
 *
 * X(name, instructions, what it is of, source)
 */
#ifndef PE_INSTRUCTIONS_H
#define PE_INSTRUCTIONS_H

#define PE_OF_LLVM	"upmem/llvm-project, llvm/lib/Target/DPU"
#define PE_OF_RT	"upmem/llvm-project, compiler-rt/lib/builtins/dpu"
#define PE_OF_PRIM	"calibrated to Gomez-Luna et al., arXiv 2105.03814, section 3.1"
#define PE_OF_FLOATS	"the same written with integers, tests/upmem/quirks/float_counts.c"
#define PE_OF_RATIO	"an estimate from fdiv, no published figure"

#define PE_INSTRUCTIONS(X)							      \
	X(alu, 1, "each add, sub, and, or, xor", PE_OF_LLVM)			      \
	X(alu_i64, 2, "each add, sub, and, or, xor", PE_OF_LLVM)		      \
	X(shift, 1, "each shift", PE_OF_LLVM)					      \
	X(shift_i64, 8, "each shift by a variable", PE_OF_LLVM)			      \
	X(shift_i64_constant, 3, "each shift by a constant below 32", PE_OF_LLVM)     \
	X(shift_i64_word, 1, "each shift by a constant from 32 on", PE_OF_LLVM)	      \
	X(load, 1, "each load from WRAM, of 64 bits, too", PE_OF_LLVM)		      \
	X(store, 1, "each store to WRAM, of 64 bits, too", PE_OF_LLVM)		      \
	X(index, 1, "each variable index of an address", PE_OF_LLVM)		      \
	X(element, 1, "each element of a vector", PE_OF_LLVM)			      \
	X(compare, 1, "each comparison, with its branch", PE_OF_LLVM)		      \
	X(compare_i64, 2, "each comparison, with its branch", PE_OF_LLVM)	      \
	X(select, 2, "each select", PE_OF_LLVM)					      \
	X(select_i64, 3, "each select", PE_OF_LLVM)				      \
	X(extend_i64, 1, "each extension to 64 bits", PE_OF_LLVM)		      \
	X(branch, 1, "each branch elsewhere than to the next block", PE_OF_LLVM)      \
	X(switch_case, 1, "each of up to 4 cases", PE_OF_LLVM)			      \
	X(call, 1, "each call", PE_OF_LLVM)					      \
	X(call_argument, 1, "each argument of a call", PE_OF_LLVM)		      \
	X(return, 1, "each return", PE_OF_LLVM)					      \
	X(entry, 8, "each entry of a function that calls others", PE_OF_LLVM)	      \
	X(builtin, 1, "each builtin, assembly or instruction of a mutex", PE_OF_LLVM) \
	X(trap, 1, "each trap", PE_OF_LLVM)					      \
	X(cmpxchg, 4, "each atomic compare and exchange", PE_OF_LLVM)		      \
	X(cmpxchg_i64, 6, "each atomic compare and exchange", PE_OF_LLVM)	      \
	X(atomic, 3, "each other atomic operation", PE_OF_LLVM)			      \
	X(atomic_i64, 5, "each other atomic operation", PE_OF_LLVM)		      \
	X(clz, 1, "each count of leading zeros", PE_OF_LLVM)			      \
	X(clz_i64, 4, "each count of leading zeros", PE_OF_LLVM)		      \
	X(ctz, 3, "each count of trailing zeros", PE_OF_LLVM)			      \
	X(ctz_i64, 6, "each count of trailing zeros", PE_OF_LLVM)		      \
	X(popcount, 1, "each count of ones", PE_OF_LLVM)			      \
	X(popcount_i64, 3, "each count of ones", PE_OF_LLVM)			      \
	X(minmax, 2, "each minimum and maximum", PE_OF_LLVM)			      \
	X(minmax_i64, 3, "each minimum and maximum", PE_OF_LLVM)		      \
	X(abs, 2, "each absolute value", PE_OF_LLVM)				      \
	X(abs_i64, 4, "each absolute value", PE_OF_LLVM)			      \
	X(bswap, 4, "each swap of bytes", PE_OF_LLVM)				      \
	X(bswap_i64, 8, "each swap of bytes", PE_OF_LLVM)			      \
	X(rotate, 1, "each rotation and shift of two words", PE_OF_LLVM)	      \
	X(rotate_i64, 4, "each rotation and shift of two words", PE_OF_LLVM)	      \
	X(saturate, 2, "each unsigned addition that saturates", PE_OF_LLVM)	      \
	X(saturate_i64, 4, "each unsigned addition that saturates", PE_OF_LLVM)	      \
	X(overflow, 1, "each addition that tells of its overflow", PE_OF_LLVM)	      \
	X(overflow_i64, 2, "each addition that tells of its overflow", PE_OF_LLVM)    \
	X(mul, 9, "each product of 32 bits, besides its bits", PE_OF_RT)	      \
	X(mul_bit, 1, "each bit of the smaller operand", PE_OF_RT)		      \
	X(mul_i8, 1, "each product of operands known to have 8 bits", PE_OF_LLVM)     \
	X(mul_i16, 7, "each product of operands known to have 16 bits", PE_OF_LLVM)   \
	X(mul_i64, 132, "each product", PE_OF_RT)				      \
	X(div, 11, "each unsigned quotient or remainder, besides its bits", PE_OF_RT) \
	X(div_signed, 16, "each signed one, besides its bits", PE_OF_RT)	      \
	X(div_bit, 1, "each bit of the quotient", PE_OF_RT)			      \
	X(div_power, 4, "each one by a constant power of two", PE_OF_LLVM)	      \
	X(div_power_i64, 8, "each one by a constant power of two", PE_OF_LLVM)	      \
	X(div_i64, 34, "each quotient or remainder, besides its bits", PE_OF_RT)      \
	X(div_i64_bit, 19, "each bit of the quotient", PE_OF_RT)		      \
	X(fadd, 63, "each addition", PE_OF_PRIM)				      \
	X(fadd_double, 96, "each addition", PE_OF_PRIM)				      \
	X(fsub, 68, "each subtraction", PE_OF_PRIM)				      \
	X(fsub_double, 103, "each subtraction", PE_OF_PRIM)			      \
	X(fmul, 175, "each product", PE_OF_PRIM)				      \
	X(fmul_double, 651, "each product", PE_OF_PRIM)				      \
	X(fdiv, 1021, "each quotient", PE_OF_PRIM)				      \
	X(fdiv_double, 2178, "each quotient", PE_OF_PRIM)			      \
	X(frem, 1100, "each remainder", PE_OF_RATIO)				      \
	X(frem_double, 2300, "each remainder", PE_OF_RATIO)			      \
	X(fcmp, 19, "each comparison", PE_OF_FLOATS)				      \
	X(fcmp_double, 18, "each comparison", PE_OF_FLOATS)			      \
	X(fptosi, 18, "each conversion to a signed integer", PE_OF_FLOATS)	      \
	X(fptosi_double, 24, "each conversion to a signed integer", PE_OF_FLOATS)     \
	X(fptoui, 16, "each conversion to an unsigned integer", PE_OF_FLOATS)	      \
	X(fptoui_double, 22, "each conversion to an unsigned integer", PE_OF_FLOATS)  \
	X(sitofp, 31, "each conversion from a signed integer", PE_OF_FLOATS)	      \
	X(sitofp_double, 30, "each conversion from a signed integer", PE_OF_FLOATS)   \
	X(uitofp, 27, "each conversion from an unsigned integer", PE_OF_FLOATS)	      \
	X(uitofp_double, 23, "each conversion from an unsigned integer", PE_OF_FLOATS)\
	X(fptosi_i64, 32, "each conversion to int64_t", PE_OF_FLOATS)		      \
	X(fptosi_i64_double, 39, "each conversion to int64_t", PE_OF_FLOATS)	      \
	X(fptoui_i64, 29, "each conversion to uint64_t", PE_OF_FLOATS)		      \
	X(fptoui_i64_double, 38, "each conversion to uint64_t", PE_OF_FLOATS)	      \
	X(sitofp_i64, 25, "each conversion from int64_t", PE_OF_FLOATS)		      \
	X(sitofp_i64_double, 45, "each conversion from int64_t", PE_OF_FLOATS)	      \
	X(uitofp_i64, 18, "each conversion from uint64_t", PE_OF_FLOATS)	      \
	X(uitofp_i64_double, 36, "each conversion from uint64_t", PE_OF_FLOATS)	      \
	X(fpext, 17, "each conversion from float to double", PE_OF_FLOATS)	      \
	X(fptrunc, 21, "each conversion from double to float", PE_OF_FLOATS)	      \
	X(fneg, 1, "each negation or absolute value", PE_OF_LLVM)		      \
	X(copysign, 3, "each copy of a sign", PE_OF_LLVM)			      \
	X(copy_word, 2, "each 8 bytes of a copy done in place", PE_OF_LLVM)	      \
	X(copy_call, 4, "each copy that the library does", PE_OF_LLVM)		      \
	X(dma, 2, "each mram_read and mram_write of a constant size", PE_OF_LLVM)     \
	X(dma_variable, 4, "each one of another size", PE_OF_LLVM)		      \
	X(mram, 1, "each dereference of 8 bytes of MRAM", PE_OF_LLVM)		      \
	X(mram_load, 3, "each dereference of fewer bytes to read them", PE_OF_LLVM)   \
	X(mram_store, 4, "each dereference of fewer bytes to write them", PE_OF_LLVM)

enum pe_instruction {
#define PE_INSTRUCTION(name, value, of, source)	PE_INSN_##name,
	PE_INSTRUCTIONS(PE_INSTRUCTION)
#undef PE_INSTRUCTION
	PE_NR_INSTRUCTIONS,
};

#endif /* PE_INSTRUCTIONS_H */
