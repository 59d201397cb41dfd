# SPDX-License-Identifier: MIT
# Reads 32-bit assembly, the line "# built", and what readelf says of the program;
# warns of shared objects whose sizes differ.
function shared(section)
{
	return section ~ /^"?\.(dpu_host|mram|bss\.mram)/
}

# newer readelfs write large sizes in hexadecimal
function bytes(text,   n, i)
{
	if (text !~ /^0x/)
		return text + 0
	n = 0
	for (i = 3; i <= length(text); i++)
		n = 16 * n + index("0123456789abcdef", substr(text, i, 1)) - 1
	return n
}

/^# built/ { built = 1; next }

!built && $1 == ".section" { section = $2; next }
!built && ($1 == ".text" || $1 == ".data" || $1 == ".bss") { section = $1; next }
!built && $1 == ".size" && shared(section) && $3 ~ /^[0-9]+$/ {
	sub(/,$/, "", $2)
	size[$2] = $3
	next
}

# "[ 5] .dpu_host PROGBITS ...", and " 7: value size OBJECT ... index name"
built && match($0, /\[ *[0-9]+\] /) {
	number = substr($0, RSTART + 1, RLENGTH - 3) + 0
	split(substr($0, RSTART + RLENGTH), words)
	name[number] = words[1]
	next
}
built && $4 == "OBJECT" && shared(name[$7 + 0]) && ($8 in size) && size[$8] + 0 != bytes($3) {
	printf("%s: warning: '%s' takes %d bytes here and %d on hardware, whose pointers and size_t have 32 bits: give what the host shares fixed sizes [-Wpimdimm-pointer-size]\n",
	       me, $8, bytes($3), size[$8])
}
