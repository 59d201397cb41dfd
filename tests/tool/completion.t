#!/bin/sh
# SPDX-License-Identifier: MIT
# What shells complete: as the tool's own --help has it, and as it takes it.
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/lib.sh"

# where what it completes lies
mkdir -p "$tmp/scripts" "$tmp/work/folder"
for shell in bash zsh fish; do
	succeeds "completion $shell" completion "$shell"
	cp "$tmp/out" "$tmp/scripts/$shell"
done
: >"$tmp/work/file.c"

# What bash itself would set: the line up to the cursor, and what breaks words.
cat >"$tmp/reply" <<'END'
. "$1/scripts/bash" || exit
cd "$1/work" || exit
COMP_WORDBREAKS=$3 COMP_LINE=$2 COMP_POINT=${#2}
COMP_WORDS=("$TOOL")
_pimdimm
printf '%s\n' "${COMPREPLY[@]}" | sed '/^$/d'
END

# reply LINE [BREAKS]: the words offered for its last one, a line each
reply()
{
	TOOL=$(realpath "$TOOL") bash "$tmp/reply" "$tmp" "$1" "${2-=:}" \
		2>>"$tmp/err"
}

# offers LINE WORD...: these alone
offers()
{
	line=$1
	shift
	: >"$tmp/err"
	reply "$line" | sort -u >"$tmp/out"
	status=0
	[ $# = 0 ] || printf '%s\n' "$@" | sort >"$tmp/expected"
	[ $# != 0 ] || : >"$tmp/expected"
	diff "$tmp/expected" "$tmp/out" >>"$tmp/err" && [ ! -s "$tmp/err" ]
	result "$line"
}

# options_of COMMAND: those that its --help lists
options_of()
{
	"$TOOL" "$1" --help | sed -n 's/^  \(  \|-., \)  *\(--[a-z-]*\).*/\2/p
		s/^  \(-.\), --\([a-z-]*\).*/\1\n--\2/p' | sort
}

# same NAME: the files help and completion, neither of which is empty
same()
{
	status=0
	: >"$tmp/out"
	: >"$tmp/err"
	[ -s "$tmp/help" ] && diff "$tmp/help" "$tmp/completion" >"$tmp/err"
	result "$1"
}

commands=$("$TOOL" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
printf '%s\n' "$commands" | sort >"$tmp/help"
reply 'pimdimm ' | sort >"$tmp/completion"
same 'bash: commands'
sed -n '/^\tcommands=(/,/^\t)/s/^\t\t.\([a-z]*\):.*/\1/p' "$tmp/scripts/zsh" | sort \
	>"$tmp/completion"
same 'zsh: commands'
sed -n 's/^complete .* __pimdimm_no_command -a \([a-z]*\) .*/\1/p' "$tmp/scripts/fish" |
	sort >"$tmp/completion"
same 'fish: commands'

for command in $commands; do
	options_of "$command" >"$tmp/help"
	reply "pimdimm $command -" | sort >"$tmp/completion"
	same "bash: options of $command"
	sed -n "/^\t\t$command)\$/,/^\t\t\t;;/p" "$tmp/scripts/zsh" |
		sed -n "s/^\t\t\t'\(--[a-z-]*\)[=[].*/\1/p
			s/^\t\t\t'(\(-.\) \(--[a-z-]*\))'{.*/\1\n\2/p" | sort \
		>"$tmp/completion"
	same "zsh: options of $command"
	sed -n "s/^complete .*'__pimdimm_command $command' -l \([a-z-]*\) -s \(.\) .*/--\1\n-\2/p
		t
		s/^complete .*'__pimdimm_command $command' -l \([a-z-]*\) .*/--\1/p" \
		"$tmp/scripts/fish" | sort >"$tmp/completion"
	same "fish: options of $command"
	# an option that the text speaks of is one of the command's
	"$TOOL" "$command" --help | sed 's/`[^`]*`//g' | grep -o -e '--[a-z-]*' |
		sort -u >"$tmp/named"
	sort -u "$tmp/help" | comm -13 - "$tmp/named" >"$tmp/completion"
	: >"$tmp/help"
	cmp "$tmp/help" "$tmp/completion" >"$tmp/err"
	result "options that $command --help names"
done

# values, as the tool itself has them
{
	# of hosts: on hypercubes, then on buffers
	printf '%s\n' auto sdk staged \
		flat ma ma+socket wave pipelined dpml dpml2 rg rabenseifner \
		leaders leader chain mpi mpi-block roofline stream
	"$TOOL" info --algorithms | awk 'NR > 1 { print $2 }'
} | sort -u >"$tmp/help"
reply 'pimdimm perf -a ' | sort >"$tmp/completion"
same 'algorithms'
"$TOOL" info --algorithms | awk 'NR > 1 { print $1 }' | sort -u >"$tmp/help"
reply 'pimdimm perf ' | sort >"$tmp/completion"
same 'collectives'
for layout in $(reply 'pimdimm perf --layout '); do
	succeeds "layout $layout" perf -s 8x8 -b 512 -e 512 -n 1 -w 0 \
		--layout "$layout" allgather
done

offers 'pimdimm lo' load
offers 'pimdimm --' --help --version
offers 'pimdimm perf --su' --suite
offers 'pimdimm perf --opponents mpich,o' mpich,openmpi
offers 'pimdimm perf --suite ' ablation apps datatypes dev hosts hosts-targets messages paper pe targets truth
offers 'pimdimm perf --suite=p' paper pe
offers 'pimdimm perf -d i8 --json all' alltoall allreduce allgather
offers 'pimdimm perf -a auto,pr+' auto,pr+im auto,pr+im+cm
offers 'pimdimm perf -p ' in out both
offers 'pimdimm perf --layout x' xeon_sp
offers 'pimdimm perf -- -'
offers 'pimdimm perf -- gat' gather
offers 'pimdimm load l' layout=linear layout=xeon_sp
offers 'pimdimm load layout=l' linear
offers 'pimdimm load ranks=2 mr' mram_size=
offers 'pimdimm demo --uri m' mem:
offers 'pimdimm cc file' file.c
offers 'pimdimm cc --labels=file' file.c
offers 'pimdimm app c' cc
offers 'pimdimm app bfs --so' --source
offers 'pimdimm app bfs --source 3 --dir' --directed
offers 'pimdimm app cc -a pr' pr pr+im pr+im+cm
offers 'pimdimm app cc --format=j' json
offers 'pimdimm app cc file' file.c
offers 'pimdimm app cc --so'
offers 'pimdimm info --sysfs f' folder
offers 'pimdimm trace -o file' file.c
offers 'pimdimm trace mkdi' mkdir
offers 'pimdimm trace mkdir --parents fi' file.c
offers 'pimdimm help unl' unload
offers 'pimdimm completion ' bash fish zsh
offers 'pimdimm list '
offers 'pimdimm fly '

# who has taken = and : out of what breaks words gets whole ones
reply 'pimdimm perf --suite=ta' ' ' >"$tmp/out"
prints 'a whole option' '^--suite=targets$'
reply 'pimdimm cc --labels=file' ' ' >"$tmp/out"
prints 'a whole option with a file' '^--labels=file.c$'

# a bash with a terminal of its own, where tabs are pressed
cat >"$tmp/keys" <<END
set +o history; . '$tmp/scripts/bash'; cd '$tmp/work'
pimdimm() { printf '%s|' "\$@" >>'$tmp/pressed'; echo >>'$tmp/pressed'; }
pimdimm sel	
pimdimm perf --algo	auto,dir	allr	
pimdimm perf --layout=xe	--js	
pimdimm load ra	2 layout=l	
pimdimm cc --uri me	ranks=2 fil	
exit
END
cat >"$tmp/expected" <<'END'
selftest|
perf|--algorithms|auto,direct|allreduce|
perf|--layout=xeon_sp|--json|
load|ranks=2|layout=linear|
cc|--uri|mem:ranks=2|file.c|
END
TERM=dumb INPUTRC=/dev/null timeout 600 script -qec \
	'bash --norc --noprofile -i' /dev/null <"$tmp/keys" >"$tmp/out" 2>&1
status=$?
diff "$tmp/expected" "$tmp/pressed" >"$tmp/err" 2>&1
result 'tabs in a terminal'

# reads SHELL: it takes its script for one
reads()
{
	if ! command -v "$1" >/dev/null; then
		count=$((count + 1))
		echo "ok $count - $1 reads it # SKIP there is no $1"
		return
	fi
	"$1" -n "$tmp/scripts/$1" >"$tmp/out" 2>"$tmp/err"
	status=$?
	[ "$status" = 0 ] && [ ! -s "$tmp/err" ]
	result "$1 reads it"
}
for shell in bash zsh fish; do
	reads "$shell"
done

finish
