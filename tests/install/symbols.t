#!/bin/sh
# SPDX-License-Identifier: MIT
# The shared library exports the functions of the public headers and no others;
# the static one has no global name outside its own prefixes.
. "$(dirname "$0")/tap.sh"

so=$B/libpimdimm.so

declared()
{
	cat runtime/include/pimdimm/pimdimm.h \
		runtime/include/pimdimm/program.h \
		runtime/include/pimdimm/report.h \
		runtime/include/pimdimm/spmd.h \
		collectives/include/pimdimm/pidcomm.h \
		collectives/include/pimdimm/messages.h \
		collectives/include/pimdimm/types.h collectives/include/pimdimm/hosts.h \
		collectives/include/pimdimm/transport.h |
		"${CC:-gcc}" -fpreprocessed -dD -E -P -x c - 2>/dev/null |
		grep -v 'static inline' |
		grep -oE '\b(pimdimm|pidcomm|pimtype|pimmsg)_[a-z_]+ ?\(' | tr -d ' (' |
		sort -u
}

exported()
{
	nm -D --defined-only "$so" | awk '$2 != "A" { print $3 }' |
		sed 's/@.*//' | sort -u
}

same()
{
	declared >"$output.declared"
	exported >"$output.exported"
	[ -s "$output.declared" ] && diff "$output.declared" "$output.exported"
}

versioned()
{
	! nm -D --defined-only "$so" | awk '$2 == "T"' | grep -v '@@PIMDIMM_'
}

soname()
{
	readelf -d "$so" | grep SONAME | grep -F '[libpimdimm.so.0]'
}

# what a program that links the library need not fear to collide with
prefixes()
{
	! nm -g --defined-only "$B/libpimdimm.a" | awk 'NF == 3 { print $3 }' |
		grep -vE '^(pimdimm|pidcomm|pimtype|pimmsg|pd|pc|pt|me|pm|pe)_'
}

# Nothing in the library prints on standard output, aborts or exits.
quiet()
{
	! nm -D --undefined-only "$so" |
		grep -wE 'exit|_exit|abort|printf|puts|putchar|__printf_chk|err|errx|perror|__assert_fail'
}

no_executable_stack()
{
	readelf -lW "$so" | grep GNU_STACK | grep -v 'RWE'
}

ok 'exports are the public functions' same
ok 'exports carry a version' versioned
ok 'soname' soname
ok 'prefixes of global names' prefixes
ok 'nothing prints, aborts or exits' quiet
ok 'no executable stack' no_executable_stack
rm -f "$output.declared" "$output.exported"

finish
