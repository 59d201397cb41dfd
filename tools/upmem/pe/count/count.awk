# SPDX-License-Identifier: MIT
# Counts instructions of this machine: before the first instruction of each stretch
# that is run through as a whole, adds their number to pe_self.instructions of the
# tasklet. A stretch begins at a function, at a label of the compiler's, and behind
# a jump. Neither flags nor registers may change there, so two registers are kept
# behind the red zone, on a stack that is moved down, since a signal may come between.

function flush_stretch(   i)
{
	if (count) {
		print "\tleaq\t-144(%rsp), %rsp"
		print "\tmovq\t%rax, (%rsp)"
		print "\tmovq\t%rcx, 8(%rsp)"
		print "\tmovl\t0x38000000, %eax"
		print "\tmovq\t0x38000020(,%rax,8), %rcx"
		print "\tleaq\t" count "(%rcx), %rcx"
		print "\tmovq\t%rcx, 0x38000020(,%rax,8)"
		print "\tmovq\t8(%rsp), %rcx"
		print "\tmovq\t(%rsp), %rax"
		print "\tleaq\t144(%rsp), %rsp"
	}
	for (i = 0; i < held; i++)
		print lines[i]
	held = count = 0
}

# labels, and where sections change; inside an asm statement too
/^[A-Za-z_.$][^ \t]*:/ || /^# %bb/ || /^[ \t]+\.(section|text|data|bss|type|size)/ {
	flush_stretch()
	print
	next
}

# an instruction; prefixes on lines of their own belong to the next one
/^[ \t]+[a-z]/ {
	lines[held++] = $0
	if ($1 !~ /^(lock|rep|repe|repz|repne|repnz)$/ || NF > 1)
		count++
	if ($1 ~ /^j/)
		flush_stretch()
	next
}

{ lines[held++] = $0 }

END { flush_stretch() }
