#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs for PEs on aarch64: workers need seccomp, which qemu's user mode has not, so
# all runs on Debian's kernel in a machine of qemu's. Compiled here. Built by
# `make B=... lib` of this folder, with the tool chain, the runner and the unit tests.
set -u

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=../upmem/told.sh
. "$top/tests/upmem/told.sh"
B=$(cd "${B:-build}" && pwd)
built=$B/aarch64
# what needs no more of the machine than it has, and no minutes of it
units='pe_calls pe_core pe_faults pe_file pe_frames pe_hostile pe_leaks pe_log pe_run pe_strict
	pe_workers'
# whose functions are those of a unit that x86-64 has
left_out=' c_library elementary own_functions '

if ! command -v qemu-system-aarch64 >/dev/null; then
	echo '1..0 # SKIP no qemu-system-aarch64'
	exit
fi
root=$("$here/fetch-arm64") && kernel=$("$here/fetch-kernel") || {
	echo '1..0 # SKIP no kernel or libraries for aarch64 from where packages come from'
	exit
}
export PIMDIMM_RUN_COUNT="qemu-aarch64 -L $root"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
disk=$work/disk
mkdir -p "$disk/bin" "$disk/lib" "$disk/proc" "$disk/sys" "$disk/dev" "$disk/tmp" \
	"$disk/units" "$disk/quirks"

# Compiles one of the small programs; false: it has not become one.
quirk()
{
	words=$(field quirk "$1")
	tasklets=$(option tasklets 16 "$words")
	launches=$(option launches 1 "$words")
	# shellcheck disable=SC2046 # a list of words
	"$built/upmem/bin/dpu-upmem-dpurte-clang" -std=gnu11 -O2 -g -Wall -Wextra -Werror \
		"-DNR_TASKLETS=$tasklets" "-DLAUNCHES=$launches" $(field flags "$1") \
		-o "$disk/quirks/$2" "$1" || return
	cp "$1" "$disk/quirks/"
	echo "$2 $tasklets $launches $(option pes 8 "$words")" >>"$disk/quirks/list"
}

# The libraries that a program of the machine needs, and those of these; libgcc_s, which
# pthread_cancel() opens by itself.
libraries()
{
	for name in libgcc_s.so.1 $(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
		[ ! -e "$disk/lib/$name" ] || continue
		found=$(find "$root/lib/" "$root/usr/lib/" -name "$name" | head -n 1)
		[ -n "$found" ] && cp -L "$found" "$disk/lib/" || return
		libraries "$disk/lib/$name" || return
	done
}

# What takes turns is jumped to. Where its caller goes on, tables of frames tell at each
# instruction: x16, or where that is kept.
pace_has_frames()
{
	at=$(readelf -sW "$1" | awk '$8 == "pe_pace" { print $2 }')
	readelf --debug-dump=frames-interp "$1" | awk -v at="pc=$at" '
		/ (CIE|FDE) / { here = index($0, at) }
		here && /^[0-9a-f]+ sp[+]/ { rows++; known += /r16 [(]x16[)] *$|c-160 *$/ }
		END { exit !(rows > 20 && known == rows) }'
}

number=1
failed=
for source in "$top"/tests/upmem/quirks/*.c; do
	name=$(basename "$source" .c)
	case $left_out in
	*" $name "*) continue ;;
	esac
	number=$((number + 1))
	quirk "$source" "$name" >"$work/out" 2>&1 || {
		sed 's/^/# /' "$work/out"
		failed="$failed $name"
	}
done
cp "$built/tests/upmem/runner" "$disk/quirks/" && libraries "$disk/quirks/runner"
for unit in $units; do
	number=$((number + 1))
	cp "$built/tests/unit/pe/$unit" "$disk/units/" && libraries "$disk/units/$unit"
done
programs=$disk$built/tests/unit/pe/programs
mkdir -p "$programs"
cp "$built"/tests/unit/pe/programs/*.elf "$programs/"
cp "$kernel/busybox" "$disk/bin/"
cp "$here/machine-init" "$disk/init"
cp "$top/tests/upmem/told.sh" "$disk/"
(cd "$disk" && find . | cpio -o -H newc 2>/dev/null | gzip -1) >"$work/disk.gz"

echo "1..$number"
pace_has_frames "$disk/quirks/counted" || printf 'not '
echo 'ok - callers of what takes turns can be told at each instruction'
for name in $failed; do
	echo "not ok - quirks/$name is compiled"
done
timeout -k 10 "${TEST_TIMEOUT:-2400}" qemu-system-aarch64 -M virt -cpu "${ARM_CPU:-cortex-a72}" \
	-smp 2 -m 1500 -nographic -no-reboot -kernel "$kernel/vmlinuz" -initrd "$work/disk.gz" \
	-append 'console=ttyAMA0 quiet panic=-1' </dev/null 2>&1 | tr -d '\r' |
	grep -v '^\[ *[0-9.]*\] reboot'
