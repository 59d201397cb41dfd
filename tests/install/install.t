#!/bin/sh
# SPDX-License-Identifier: MIT
# The build on a copy of the tree: complete, out-of-date things alone are made
# again, what is installed serves a program, what is uninstalled is gone.
. "$(dirname "$0")/tap.sh"

work=$(mktemp -d)
trap 'rm -rf "$work" "$output"' EXIT
tree=$work/tree
root=$work/root
unset MAKEFLAGS MAKELEVEL MFLAGS MAKEOVERRIDES

mkdir "$tree"
tar -c --exclude=./build --exclude=./.git . | tar -x -C "$tree"
# What is built goes along, with its times: making all of it from nothing is what every
# test run begins with, and takes longer than all tests here. A build in another folder
# would be of no use, since its lists of dependencies name that folder.
if [ "${B:-build}" = build ]; then
	mkdir "$tree/build"
	tar -c -C build --exclude=./tests --exclude=./asan --exclude=./tsan --exclude=./clang \
		--exclude=./aarch64 . | tar -x -C "$tree/build"
fi

build()
{
	make -j "$(nproc)" -C "$tree" B=build PREFIX=/usr CFLAGS=-O1 \
		TIER_CFLAGS='-O1 -Wno-psabi' "$@"
}

everything()
{
	# so that they are made by what is asked for
	rm -f "$tree"/build/pimdimm "$tree"/build/libpimdimm.*
	build all && [ -x "$tree/build/pimdimm" ] &&
		[ -f "$tree/build/libpimdimm.a" ] &&
		[ -f "$tree/build/libpimdimm.so.0" ]
}

# All files of the build with their times.
snapshot()
{
	find "$tree/build" -type f -printf '%T@ %p\n' | sort -k 2
}

nothing_again()
{
	snapshot >"$work/before"
	build all && snapshot >"$work/after" && diff "$work/before" "$work/after"
}

# rebuilds SOURCE OBJECT...: a newer source makes these again
rebuilds()
{
	source=$1
	shift
	[ -f "$tree/$source" ] || { echo "there is no $source"; return 1; }
	touch "$work/now"
	sleep 0.1
	touch "$tree/$source"
	build all || return 1
	for object; do
		[ "$tree/build/$object" -nt "$work/now" ] || {
			echo "$object is older than $source"
			return 1
		}
	done
}

# The same where nearly all would be: what make says that it would do.
would_rebuild()
{
	source=$1
	shift
	[ -f "$tree/$source" ] || { echo "there is no $source"; return 1; }
	touch -r "$tree/$source" "$work/as_it_was"
	touch "$tree/$source"
	build -n all >"$work/recipes"
	status=$?
	touch -r "$work/as_it_was" "$tree/$source"
	[ "$status" = 0 ] || return 1
	for object; do
		grep -q -e "\(-o\|ar rcs\) build/$object\( \|\$\)" \
			"$work/recipes" || {
			echo "$object stays as $source becomes newer"
			return 1
		}
	done
}

# Another version in the header is in the files that pkg-config reads.
version_again()
{
	header=$tree/runtime/include/pimdimm/pimdimm.h
	files="build/pimdimm.pc build/upmem/share/pkgconfig/dpu.pc"
	cp -p "$header" "$work/header"
	sed -i 's/^\(#define PIMDIMM_VERSION\) .*/\1 "9.9.9"/' "$header"
	# shellcheck disable=SC2086 # two words
	build $files && said=$(cd "$tree" && grep -c '^Version: 9.9.9$' $files)
	cp -p "$work/header" "$header"
	# shellcheck disable=SC2086
	(cd "$tree" && rm -f $files) && build $files &&
		[ "$said" = "$(printf '%s:1\n' $files)" ]
}

# The sources are as they were: building writes into its own folder.
clean_tree()
{
	(cd "$tree" && find . -path ./build -prune -o -type f -print | sort) \
		>"$work/there"
	find . -path ./build -prune -o -path ./.git -prune -o -type f -print |
		sort >"$work/here"
	diff "$work/here" "$work/there"
}

ok 'builds' everything
ok 'a second make makes nothing' nothing_again
ok 'a public header' would_rebuild runtime/include/pimdimm/pimdimm.h \
	libpimdimm.a 'libpimdimm.so[.0-9]*' pimdimm runtime/open.o
ok 'an internal header' would_rebuild collectives/loops/lanes.h \
	collectives/loops/move-portable.o libpimdimm.a pimdimm
ok 'another version' version_again
ok 'and then nothing' nothing_again
ok 'the version script' rebuilds runtime/libpimdimm.map libpimdimm.so
ok 'a source of the tool' rebuilds tools/pimdimm.c pimdimm
ok 'a second make makes nothing again' nothing_again
ok 'the sources are left alone' clean_tree

# The library of an earlier version lies where this one is installed.
staged()
{
	mkdir -p "$root/usr/lib" && : >"$root/usr/lib/libpimdimm.so.0.0.1" ||
		return 1
	build DESTDIR="$root" install || return 1
	[ ! -e "$root/usr/lib/libpimdimm.so.0.0.1" ] || {
		echo 'an earlier library stays'
		return 1
	}
	for file in lib/libpimdimm.a lib/libpimdimm.so lib/libpimdimm.so.0 \
		lib/pkgconfig/pimdimm.pc lib/cmake/pimdimm/pimdimmConfig.cmake \
		include/pimdimm/pimdimm.h \
		include/pimdimm/pidcomm.h include/pimdimm/types.h include/pimdimm/mpi_types.h include/pimdimm/hosts.h include/pimdimm/transport.h include/pimdimm/messages.h include/pimdimm/pimdimm_layout.h \
		bin/pimdimm share/man/man1/pimdimm.1 \
		share/bash-completion/completions/pimdimm \
		share/zsh/site-functions/_pimdimm \
		share/fish/vendor_completions.d/pimdimm.fish \
		share/man/man7/pimdimm.7 share/man/man7/pidcomm.7 \
		share/man/man7/pimdimm-apps.7 share/man/man7/pimdimm-tutorial.7 \
		share/man/man7/pimdimm-messages.7 share/man/man7/pimdimm-python.7 \
		share/man/man7/pimdimm-types.7 \
		lib/pimdimm/upmem/bin/dpu-upmem-dpurte-clang \
		lib/pimdimm/upmem/include/dpu/dpu.h \
		lib/pimdimm/upmem/lib/libdpu.so \
		lib/pimdimm/upmem/lib/python3/dpu/driver.py \
		share/man/man3/pidcomm_alltoall.3 \
		share/man/man3/pidcomm_stats.3type share/man/man4/pimdimm.4 \
		share/doc/pimdimm/sysfs-class-pimdimm share/doc/pimdimm/CHANGELOG \
		$(cd tools && find examples ! -name inside.h -type f -printf \
			'share/doc/pimdimm/%p '); do
		[ -e "$root/usr/$file" ] || { echo "no $file"; return 1; }
	done
	find "$root" -name '*.rules' | grep .
}

# What manual pages say was installed is where they say.
named()
{
	pages="$root/usr/share/man/man1/pimdimm.1 $root/usr/share/man/man4/pimdimm.4"
	# shellcheck disable=SC2086 # two words
	files=$(sed 's/\\//g' $pages |
		grep -o '/usr/\(lib\|libexec\|share/doc\)/[^ ,;]*' |
		grep -v '^/usr/lib/linux-kbuild-')
	[ "$(echo "$files" | wc -l)" -ge 8 ] || return 1
	# shellcheck disable=SC2086
	! grep PREFIX $pages || return 1
	for file in $files; do
		[ -e "$root$file" ] || { echo "no $file"; return 1; }
	done
}

# Nothing that is installed knows where it was built or staged.
no_traces()
{
	! grep -rlF -e "$root" "$root" &&
		! grep -rlF -e "$tree" -e "$PWD/" "$root/usr/lib/pkgconfig" \
			"$root/usr/include" "$root/usr/share" \
			"$root/usr/lib/pimdimm"
}

pc()
{
	PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_LIBDIR=$root/usr/lib/pkgconfig \
		PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 \
		PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 pkg-config "$@" pimdimm
}

# shellcheck disable=SC2046 # lists of words
dynamically()
{
	"${CC:-gcc}" -Wall -Wextra -Werror -o "$work/shared" \
		tests/install/program.c $(pc --cflags --libs) &&
		readelf -d "$work/shared" | grep -F libpimdimm.so.0 &&
		LD_LIBRARY_PATH=$root/usr/lib "$work/shared"
}

# Only the library itself: of what hwloc stands on, Debian has no static one.
# shellcheck disable=SC2046
statically()
{
	"${CC:-gcc}" -Wall -Wextra -Werror -o "$work/static" \
		tests/install/program.c $(pc --static --cflags --libs |
			sed 's/-lpimdimm/-l:libpimdimm.a/') &&
		! readelf -d "$work/static" | grep -F libpimdimm &&
		"$work/static"
}

# found VERSION: does CMake find the library when a project asks for this version?
found()
{
	printf '%s\n' 'cmake_minimum_required(VERSION 3.18)' 'project(asks C)' \
		"find_package(pimdimm $1 REQUIRED CONFIG)" \
		'add_executable(asks program.c)' \
		"target_link_libraries(asks pimdimm::$2)" >"$work/asks/CMakeLists.txt" &&
		rm -rf "$work/asks/build" &&
		cmake -S "$work/asks" -B "$work/asks/build" \
			-DCMAKE_PREFIX_PATH="$moved/usr" &&
		cmake --build "$work/asks/build" &&
		(cd / && "$work/asks/build/asks")
}

# What is installed serves CMake wherever it is moved to, in either kind, and is no
# other major version's, nor a newer one's.
by_cmake()
{
	moved=$work/moved
	mkdir -p "$work/asks" && cp tests/install/program.c "$work/asks/" &&
		mkdir "$moved" && cp -r "$root/usr" "$moved/usr" || return 1
	version=$(PKG_CONFIG_PATH=$root/usr/lib/pkgconfig pkg-config --modversion pimdimm)
	found "$version EXACT" pimdimm && found 0.1 static && found '' pimdimm &&
		! found 0.99 pimdimm && ! found 1.0 pimdimm
}

# Where Python's headers are, the package was installed, and finds its library.
python_package()
{
	core=$(find "$root" -path '*-packages/pimdimm/_core.abi3.so')
	python=${PYTHON:-$(command -v /usr/bin/python3 || command -v python3)}
	if [ -z "$core" ] || ! "$python" -c 'import numpy'; then
		[ -z "$("$python" tools/python/where.py include)" ] || [ -n "$core" ]
		return
	fi
	PYTHONPATH=${core%/pimdimm/*} "$python" -B tools/examples/reduce.py
}

tool()
{
	"$root/usr/bin/pimdimm" --version && "$root/usr/bin/pimdimm" --help
}

completes()
{
	bash -c ". '$root/usr/share/bash-completion/completions/pimdimm'
		COMP_LINE='pimdimm lo' COMP_POINT=10
		_pimdimm && [ \"\${COMPREPLY[*]}\" = load ]"
}

# The tool chain, as a Makefile calls it once the environment is set.
# shellcheck disable=SC2046
upmem()
(
	sources=$PWD/tests/install/upmem
	mkdir -p "$work/upmem" && cd "$work/upmem" &&
		eval "$("$root/usr/bin/pimdimm" compat --env)" &&
		dpu-upmem-dpurte-clang -O2 -Wall -Wextra -Werror \
			-DNR_TASKLETS=16 -o pe "$sources/pe.c" &&
		"${CC:-gcc}" -std=c11 -Wall -Wextra -Werror -o host \
			"$sources/host.c" $(dpu-pkg-config --cflags --libs dpu) &&
		./host
)

# The same by CMake and, instead of eval, the script to be sourced.
upmem_cmake()
(
	cmake -S tests/install/upmem -B "$work/upmem/cmake" \
		-DCMAKE_TOOLCHAIN_FILE="$root/usr/lib/pimdimm/upmem/share/upmem/cmake/dpu.cmake" &&
		cmake --build "$work/upmem/cmake" &&
		mv "$work/upmem/cmake/pe" "$work/upmem/pe" &&
		cd "$work/upmem" &&
		bash -c ". '$root/usr/lib/pimdimm/upmem/upmem_env.sh' simulator &&
			command -v dpu-clang && ./host"
)

. tests/install/examples.sh
. tests/install/packaged.sh

gone()
{
	build DESTDIR="$root" uninstall &&
		! find "$root" ! -type d | grep .
}

cleaned()
{
	build clean && [ ! -e "$tree/build" ]
}

ok 'make install' staged
ok 'files that pimdimm(4) names' named
ok 'no traces of the build' no_traces
ok 'pkg-config says the version' [ "$(pc --modversion)" = \
	"$(sed -n 's/^#define PIMDIMM_VERSION "\(.*\)"/\1/p' \
		runtime/include/pimdimm/pimdimm.h)" ]
ok 'a program with the shared library' dynamically
ok 'a program with the static library' statically
ok 'the installed tool' tool
ok 'the installed Python package' python_package
ok 'the installed completion' completes
ok 'a program with the tool chain' upmem
ok 'a program with its CMake files' upmem_cmake
ok 'find_package() of the library' by_cmake
ok "Debian's packages have each file" in_debian_packages
ok 'RPMs have each file' in_rpms
ok 'the examples by make' examples_by_make
examples_run
ok 'the examples by CMake' examples_by_cmake
ok 'the applications by their Makefile' examples_apps
ok 'make uninstall leaves nothing' gone
ok 'make clean' cleaned

finish
