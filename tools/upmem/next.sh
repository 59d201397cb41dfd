# SPDX-License-Identifier: MIT
# Read by the scripts that bear other tools' names. next_tool NAME FOLDER sets $found to the
# first tool of that name on PATH that lies in another folder, to nothing where there is
# none; and $elsewhere to PATH without that folder. It starts no process: a compilation
# asks for it, and the folders of PATH are many.
next_tool()
{
	found=
	elsewhere=
	IFS=:
	for folder in $PATH; do
		# shellcheck disable=SC3013 # the shells called sh have it
		[ ! "$folder" -ef "$2" ] || continue
		elsewhere=${elsewhere:+$elsewhere:}$folder
		[ -n "$found" ] || [ ! -x "$folder/$1" ] || found=$folder/$1
	done
	unset IFS
}

# no_tool NAME: ends as a shell does that finds none
no_tool()
{
	echo "$1: not found on PATH: install the package clang" >&2
	exit 127
}
