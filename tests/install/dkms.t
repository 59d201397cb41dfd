#!/bin/sh
# SPDX-License-Identifier: MIT
# The modules as dkms builds, signs, installs and removes them, in trees of its own;
# and what is installed beside it.
. "$(dirname "$0")/tap.sh"

if [ "$(id -u)" != 0 ]; then
	echo '1..0 # SKIP dkms is for root'
	exit 4
fi
work=$(mktemp -d)
trap 'rm -rf "$work" "$output"' EXIT
unset MAKEFLAGS MAKELEVEL MFLAGS MAKEOVERRIDES

root=$work/root
version=$(sed -n 's/^#define PIMDIMM_VERSION "\(.*\)"/\1/p' \
	runtime/include/pimdimm/pimdimm.h)
kver=$(make -s -f - print <<'END'
include Makefile
print:
	@echo $(KVER)
END
)
installed=$work/lib/modules/$kver/updates/dkms
# keys of its own: those of the machine are none of a test's business
export mok_signing_key="$work/mok.key" mok_certificate="$work/mok.pub"

run()
{
	dkms "$@" --dkmstree "$work/dkms" --sourcetree "$root/usr/src" \
		--installtree "$work/lib/modules"
}

staged()
{
	make DESTDIR="$root" install-dkms &&
		mkdir -p "$work/dkms" "$work/lib/modules/$kver" &&
		ln -s "$(readlink -f "/lib/modules/$kver/build")" \
			"$work/lib/modules/$kver/build"
}

for_this_module()
{
	run "$1" "pimdimm/$version" -k "$kver" --no-depmod
}

works_for()
(
	BUILD_EXCLUSIVE_KERNEL=
	# shellcheck source=/dev/null
	. "$root/usr/src/pimdimm-$version/dkms.conf"
	echo "$1" | grep -E "$BUILD_EXCLUSIVE_KERNEL"
)

kernels()
{
	for release in 6.1.0-56-amd64 6.1.0-56-rt-amd64 6.12.117+deb12-amd64 \
		7.2.0 10.0.1; do
		works_for "$release" || return 1
	done
	for release in 5.10.0-1-amd64 6.0.0-1-amd64 4.19.0; do
		! works_for "$release" || return 1
	done
}

built()
{
	for_this_module build || {
		cat "$work"/dkms/pimdimm/*/build/make.log
		return 1
	}
}

# A warning would be a user's first sight of the module. That the compiler goes by
# another name than the one that built the kernel, Ubuntu says of every module.
without_warnings()
{
	! grep -i warning "$work/dkms/pimdimm/$version/$kver"/*/log/make.log |
		grep -v 'the compiler differs from the one used to build the kernel'
}

# each COMMAND...: of each module that is installed, with its file as last word
each()
{
	for name in pimdimm pimdimm_configfs; do
		"$@" "$installed/$name.ko" || {
			echo "$name.ko: not so"
			return 1
		}
	done
}

there()
{
	for_this_module install && each test -s
}

of_this_version()
{
	[ "$(modinfo -F version "$1")" = "$version" ] &&
		modinfo -F vermagic "$1" | grep "^$kver "
}

signed()
{
	[ "$(modinfo -F signer "$1")" = 'DKMS module signing key' ]
}

removed()
{
	run remove "pimdimm/$version" --all --no-depmod &&
		! find "$installed" -type f | grep . &&
		make DESTDIR="$root" uninstall-dkms &&
		! find "$root" -type f | grep .
}

ok 'make install-dkms' staged
ok 'kernels that it is for' kernels
ok 'dkms add' run add "pimdimm/$version"
ok 'dkms build' built
ok 'no warnings' without_warnings
ok 'dkms install' there
ok 'version and kernel' each of_this_version
ok 'signed' each signed
ok 'dkms remove' removed
finish
