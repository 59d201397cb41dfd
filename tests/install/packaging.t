#!/bin/sh
# SPDX-License-Identifier: MIT
# What distributions make packages of: the tarball of the sources, lists of what is
# needed, and that programs of earlier versions get on with this library.
. "$(dirname "$0")/tap.sh"

work=$(mktemp -d)
trap 'rm -rf "$work" "$output"' EXIT
unset MAKEFLAGS MAKELEVEL MFLAGS MAKEOVERRIDES
version=$(sed -n 's/^#define PIMDIMM_VERSION "\(.*\)"/\1/p' \
	runtime/include/pimdimm/pimdimm.h)

# Another clone, at another time, with other rights and another zone.
same_bytes()
(
	git clone -q . "$work/clone" || exit
	tools/packaging/dist "$version" "$work/here.tar.gz" || exit
	umask 077
	sleep 1.1
	TZ=Asia/Tokyo LC_ALL=C "$work/clone/tools/packaging/dist" "$version" \
		"$work/there.tar.gz" || exit
	cmp "$work/here.tar.gz" "$work/there.tar.gz"
)

all_sources()
{
	tar -tf "$work/here.tar.gz" | grep -v '/$' | sort >"$work/packed"
	git ls-tree -r --name-only HEAD | sed "s|^|pimdimm-$version/|" | sort |
		diff - "$work/packed"
}

without_git()
{
	mkdir -p "$work/plain/tools/packaging" &&
		cp tools/packaging/dist "$work/plain/tools/packaging/" &&
		! "$work/plain/tools/packaging/dist" 1 "$work/none.tar.gz" 2>"$work/said" &&
		grep 'git repository' "$work/said" && [ ! -e "$work/none.tar.gz" ]
}

spec_version()
{
	[ "$(rpmspec -q --srpm --qf '%{version}' tools/packaging/pimdimm.spec)" = "$version" ]
}

# What `make` needs, Debian's packages are built with, but for what all are.
build_depends()
{
	sed -n '/^Build-Depends:/,/^$/p' tools/packaging/debian/control >"$work/control"
	for package in $(awk '!/^#/ && $2 == "build" { print $1 }' tools/packages); do
		case $package in
		gcc | make | libc6-dev) continue ;;
		esac
		grep -q "[ :]$package,*\$" "$work/control" || {
			echo "debian/control does not build with $package"
			return 1
		}
	done
}

# interfaces LIBRARY FILE: what its public headers declare
interfaces()
{
	abidw --no-show-locs --no-corpus-path --no-comp-dir-path --drop-private-types \
		--headers-dir runtime/include --headers-dir collectives/include \
		--headers-dir uapi --out-file "$2" "$1"
}

# served FILE: is a program that was built by these interfaces served?
served()
{
	abidiff --no-added-syms --suppressions tools/packaging/libpimdimm0.suppr \
		"$1" "$work/now.abi"
}

earlier_programs()
{
	interfaces "${B:-build}/libpimdimm.so" "$work/now.abi" || return 1
	for old in tools/packaging/libpimdimm0-*.abi.xz; do
		xz -dc "$old" >"$work/old.abi" && served "$work/old.abi" || return 1
	done
}

# broken WHAT SED: an earlier version that differs so would be told
broken()
{
	sed "$2" "$work/old.abi" >"$work/broken.abi"
	! cmp -s "$work/old.abi" "$work/broken.abi" && ! served "$work/broken.abi" &&
		served "$work/broken.abi" | grep -F "$1"
}

tells_breaches()
{
	broken pidcomm_stats "s/\(<class-decl name='pidcomm_stats' size-in-bits='\)[0-9]*/\164/" &&
		broken pidcomm_type "s/\(enumerator name='PIDCOMM_I64' value='\)3/\113/" &&
		broken pimdimm_gone 's/pimdimm_close/pimdimm_gone/'
}

if [ -e .git ]; then
	ok 'make dist: the same bytes anywhere' same_bytes
	ok 'make dist: all sources' all_sources
else
	echo '# no git repository: make dist is not tried'
fi
ok 'make dist without a repository' without_git
ok "the spec's version" spec_version
ok 'what packages are built with' build_depends
ok 'programs of earlier versions' earlier_programs
ok 'what would break them is told' tells_breaches
finish
