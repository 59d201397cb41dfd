# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What is installed in $root, for install.t: Debian's and RPM's lists have each file in
# one package, and name none that is not there. Packages are built without what stands
# on MPI libraries.

# listed LIST: LIST has lines "PACKAGE PATTERN"
# shellcheck disable=SC2154 # install.t says where $work and $root are
listed()
{
	(cd "$root/usr" && find . ! -type d ! -name CHANGELOG \
		! -name 'libpimdimm-openmpi.so*' ! -name 'libpimdimm-mpich.so*' -printf 'usr/%P\n') |
		sort >"$work/files"
	awk '
	FNR == NR { package[++n] = $1; pattern[n] = $2; next }
	{
		owners = 0
		for (i = 1; i <= n; i++)
			if ($0 ~ "^" pattern[i] "(/|$)") {
				owners++
				used[i] = 1
			}
		if (owners != 1) {
			print $0 " is in " owners + 0 " packages"
			bad = 1
		}
	}
	END {
		for (i = 1; i <= n; i++)
			if (!used[i]) {
				print package[i] ": there is no " pattern[i]
				bad = 1
			}
		exit bad || FNR < 500
	}' "$1" "$work/files"
}

# patterns of shells become those of awk
as_expressions()
{
	sed 's/[.+]/\\&/g; s|\*|[^/]*|g'
}

# The libraries lie in a folder of the CPU there, the module's sources elsewhere.
in_debian_packages()
{
	for list in tools/packaging/debian/*.install; do
		sed "s|^|$(basename "$list" .install) |" "$list"
	done | sed 's|usr/lib/\*/|usr/lib/|' | grep -v ' usr/src$' |
		as_expressions >"$work/debian"
	[ -s "$work/debian" ] && listed "$work/debian"
}

in_rpms()
{
	rpmspec -P --define '_libdir /usr/lib' --define \
		"python3_sitearch $(dirname "$(find "$root/usr" -name pimdimm \
			-path '*-packages/*' -printf '/usr/%P\n')")" \
		tools/packaging/pimdimm.spec >"$work/spec" || return 1
	awk '/^%files/ { on = 1; name = $NF; next }
		/^%/ && !/^%(doc|license)/ { on = 0 }
		on && /^\// { print name, substr($0, 2) }' "$work/spec" |
		grep -v ' usr/src/' | as_expressions >"$work/rpms"
	[ -s "$work/rpms" ] && listed "$work/rpms"
}
