# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# The examples as they are installed in $root, for install.t: built in a copy as
# their README says, each does what it shows, and says so where it cannot.

# shellcheck disable=SC2154 # install.t says where $work and $root are
examples=$work/examples

# in_examples COMMAND...: where they are, with compilers and libraries that a user
# of an installed library has, and two ranks of the smallest size
# shellcheck disable=SC2154
in_examples()
(
	pkg_config=$(command -v pkg-config)
	mkdir -p "$work/bin"
	printf '#!/bin/sh\nexec %s --define-prefix "$@"\n' "$pkg_config" \
		>"$work/bin/pkg-config"
	chmod 755 "$work/bin/pkg-config"
	PATH=$work/bin:$PATH
	PKG_CONFIG_LIBDIR=$root/usr/lib/pkgconfig:$(pkg-config \
		--variable pc_path pkg-config)
	PIMDIMM_URI=mem:ranks=2,mram=64K
	export PATH PKG_CONFIG_LIBDIR PIMDIMM_URI
	eval "$("$root/usr/bin/pimdimm" compat --env)"
	export LD_LIBRARY_PATH="$root/usr/lib:$LD_LIBRARY_PATH"
	cd "$examples" && "$@"
)

examples_by_make()
{
	cp -r "$root/usr/share/doc/pimdimm/examples" "$examples" &&
		in_examples make CC="${CC:-gcc}" \
			CFLAGS='-O2 -Wall -Wextra -Werror'
}

# example STATUS COMMAND...: ends with it, and with one line or more that begin with
# its name, on standard output where it is 0, else on standard error
example()
{
	expected=$1 program=$2
	shift 2
	in_examples "./$program" "$@" >"$work/out" 2>"$work/err"
	status=$?
	cat "$work/out" "$work/err"
	[ "$status" = "$expected" ] || return 1
	if [ "$expected" = 0 ]; then
		[ ! -s "$work/err" ] && grep -q "^${program##*/}: " "$work/out"
	else
		grep -q '[a-z]' "$work/err"
	fi
}

# injected FAULTS COMMAND...
injected()
(
	export PIMDIMM_INJECT="$1"
	shift
	example 1 "$@"
)

# The token comes back with the numbers of 64 PEs: a program without a host program.
ring_of_64()
{
	in_examples env -u PIMDIMM_URI "$root/usr/bin/pimdimm" mpirun -n 64 ring \
		>"$work/out" 2>"$work/err"
	cat "$work/out" "$work/err"
	[ ! -s "$work/err" ] && grep -q '^ring: 2016, expected 2016$' "$work/out"
}

# None of them succeeds by chance: a failed transfer and flipped bits are seen.
examples_run()
{
	for example in sum histogram gemv halo pe_program sharing upmem/host; do
		ok "example $example" example 0 "$example"
		ok "example $example, whose first transfer fails" injected \
			fail_nth:1 "$example"
		ok "example $example, in whose MRAM bits flip" injected \
			flip_ppm:1000000 "$example"
	done
	ok 'example ring' ring_of_64
	ok 'example ownership' example 0 ownership mem:strict=1
	ok 'example ownership, where the host may look' example 1 ownership mem:
	# the virtual machine has nodes for them
	if [ ! -e /dev/pimdimm0 ]; then
		ok 'example ownership, without a node' example 77 ownership
		ok 'example mux, without a node' example 77 mux
	fi
}

# The applications: built by their own Makefile, each runs and is verified.
examples_apps()
(
	cp -r "$root/usr/share/doc/pimdimm/examples/apps" "$work/apps" || exit
	examples=$work/apps
	unset PIMDIMM_URI
	in_examples make -j2 CC="${CC:-gcc}" CFLAGS='-O1 -Wall -Wextra -Werror' || exit
	for input in kron:scale=8 path:vertices=50; do
		in_examples ./apps bfs "$input" | grep 'verified$' || exit
		in_examples ./apps cc "$input" | grep 'verified$' || exit
	done
	! in_examples ./apps nonsense 2>"$work/err" && grep ' bfs cc' "$work/err"
)

# Their CMake file builds the same programs.
examples_by_cmake()
{
	in_examples cmake -B cmake -DCMAKE_PREFIX_PATH="$root/usr" &&
		in_examples make -C cmake || return 1
	for file in $(cd "$examples" && find . -maxdepth 2 -type f -executable \
			! -path './cmake/*'); do
		[ -x "$examples/cmake/$file" ] || {
			echo "CMake makes no $file"
			return 1
		}
	done
	in_examples sh -c 'cd cmake && ./sum && ./pe_program && ./upmem/host'
}
