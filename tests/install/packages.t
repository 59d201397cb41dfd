#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/install-packages on machines of all kinds: what it asks of their package
# managers, which are pretended, and what it says where there is none.
. "$(dirname "$0")/tap.sh"

work=$(mktemp -d)
trap 'rm -rf "$work" "$output"' EXIT
mkdir "$work/tools" "$work/bin"
cp tools/install-packages "$work/tools/"
cat >"$work/tools/packages" <<'END'
# package	stage	what for
here		build	is installed
headers-a|headers-b|headers-c	install	of other names elsewhere
tried		check	tests
alone		fresh	another stage
END

# program NAME: with what it does on standard input
program()
{
	{
		echo '#!/bin/sh'
		cat
	} >"$work/bin/$1"
	chmod 755 "$work/bin/$1"
}

# machine INSTALLED OFFERED USER: each a list, or a number
machine()
{
	rm -f "$work"/bin/* "$work/calls"
	for name in sh awk sed tr grep dirname cat env; do
		ln -s "$(command -v $name)" "$work/bin/$name"
	done
	echo "echo $3" | program id
	echo "echo \"apt-get \$*\" >>'$work/calls'" | program apt-get
	program dpkg-query <<-END
		for package; do :; done
		case " $1 " in *" \$package "*) echo install ok installed ;; esac
	END
	program apt-cache <<-END
		candidate='(none)'
		case " $2 " in *" \$2 "*) candidate=1.0 ;; esac
		printf '%s:\n  Candidate: %s\n' "\$2" "\$candidate"
	END
}

# run STATUS STAGE
run()
{
	PATH=$work/bin sh "$work/tools/install-packages" "$2" >"$work/said" 2>&1
	[ $? = "$1" ] && return
	cat "$work/said"
	return 1
}

silent()
{
	machine 'here' '' 1000
	run 0 build && [ ! -s "$work/said" ] && [ ! -e "$work/calls" ]
}

# installs OFFERED WORDS
installs()
{
	machine here "$1" 0
	run 0 check && grep -x 'apt-get update -qq' "$work/calls" &&
		grep -x "apt-get install .* $2" "$work/calls"
}

# what is there by another name is not missing
by_another_name()
{
	machine 'here headers-c' 'headers-a headers-b headers-c' 0
	run 0 install && [ ! -s "$work/said" ] && [ ! -e "$work/calls" ]
}

not_offered()
{
	machine here tried 0
	run 1 check && grep -F 'none of headers-a|headers-b|headers-c' "$work/said" &&
		! grep 'apt-get install' "$work/calls"
}

with_sudo()
{
	machine here 'headers-a tried' 1000
	echo "echo sudo >>'$work/calls'; exec \"\$@\"" | program sudo
	run 0 install && [ "$(grep -c sudo "$work/calls")" = 2 ]
}

without_sudo()
{
	machine here 'headers-b tried' 1000
	run 1 check && [ ! -e "$work/calls" ] &&
		grep -x '.*not root.*no sudo.*apt-get install headers-b tried' \
			"$work/said"
}

elsewhere()
{
	machine here '' 0
	rm "$work/bin/apt-get"
	run 1 install && grep 'no apt-get here' "$work/said" &&
		grep '^  here.*is installed' "$work/said" &&
		grep '^  headers-a|headers-b' "$work/said" &&
		! grep tests "$work/said"
}

fresh()
{
	machine '' 'here alone' 0
	run 0 fresh && grep -x 'apt-get install .* alone' "$work/calls"
}

ok 'nothing missing, nothing said' silent
ok "a distribution's own name" installs 'headers-b headers-c tried' \
	'headers-b tried'
ok 'the first name where several are offered' \
	installs 'headers-a headers-b tried' 'headers-a tried'
ok 'installed by another name' by_another_name
ok 'a package that is not offered' not_offered
ok 'sudo' with_sudo
ok 'neither root nor sudo' without_sudo
ok 'no apt-get' elsewhere
ok 'a stage of its own' fresh
ok 'no such stage' run 2 everything
finish
