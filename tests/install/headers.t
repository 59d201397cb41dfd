#!/bin/sh
# SPDX-License-Identifier: MIT
# The public headers: each compiles alone, as C and as C++, and every function
# in them is documented.
. "$(dirname "$0")/tap.sh"

strict='-Wall -Wextra -Werror -pedantic'

# as LANGUAGE STANDARD HEADER
as()
{
	echo "#include <$3>" |
		"${4:-${CC:-gcc}}" -x "$1" -std="$2" $strict -I"$B/include" \
			-fsyntax-only -
}

for header in pimdimm/pimdimm.h pimdimm/pidcomm.h pimdimm/types.h pimdimm/messages.h pimdimm/hosts.h pimdimm/transport.h pimdimm/pimdimm_layout.h \
	linux/pimdimm.h; do
	ok "$header as C99" as c c99 $header
	ok "$header as C11" as c c11 $header
	ok "$header as C++11" as c++ c++11 $header "${CXX:-g++}"
	ok "$header as C++20" as c++ c++20 $header "${CXX:-g++}"
done

kernel_doc=$(ls /usr/lib/linux-kbuild-*/scripts/kernel-doc | tail -n 1)

documented()
{
	perl "$kernel_doc" -none -Werror "$1" 2>"$output.doc"
	! grep . "$output.doc"
}

# Every function that a header declares has a comment of kernel-doc's form.
complete()
{
	for name in $("${CC:-gcc}" -fpreprocessed -dD -E -P "$1" |
			grep -oE '\b(pimdimm|pidcomm|pimtype|pimmsg)_[a-z_]+ ?\(' |
			tr -d ' (' | sort -u); do
		grep -q "^ \* $name() - " "$1" || {
			echo "$name is not documented"
			return 1
		}
	done
}

for header in runtime/include/pimdimm/pimdimm.h \
	collectives/include/pimdimm/pidcomm.h collectives/include/pimdimm/types.h \
	collectives/include/pimdimm/messages.h collectives/include/pimdimm/hosts.h \
	collectives/include/pimdimm/transport.h collectives/include/pimdimm/mpi.h \
	uapi/pimdimm_layout.h; do
	ok "$header is clean kernel-doc" documented $header
	ok "$header documents every function" complete $header
done
# whose other functions are no business of those that include it
ok 'mpi_types.h is clean kernel-doc' documented collectives/include/pimdimm/mpi_types.h
rm -f "$output.doc"

finish
