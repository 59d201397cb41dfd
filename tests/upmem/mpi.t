#!/bin/sh
# SPDX-License-Identifier: MIT
# Usage: mpi.t [NAME]...: builds the programs of mpi/, runs each by `pimdimm mpirun` as its
# first lines say, see mpi/check.h, then with tasklets switched at random, and linked with the
# conventional engine; and the ring of pimdimm-messages(7) by the page's lines, the example's
# by the same. MPI_SEEDS=N runs the random program so often, MPI_SEED=N begins there.

here=$(dirname "$0")
# shellcheck source=../tool/lib.sh
. "$here/../tool/lib.sh"
# shellcheck source=told.sh
. "$here/told.sh"
B=${B:-build}
CC=$B/upmem/bin/dpu-upmem-dpurte-clang

# build SOURCE FLAG...
build()
{
	source=$1
	shift
	words=$(field mpi "$source")
	"$CC" -std=gnu11 -O2 -g -Wall -Wextra -Werror -I"$here/../.." "$@" \
		"-DNR_TASKLETS=$(option tasklets 1 "$words")" \
		"-DSTACK_SIZE_DEFAULT=$(option stack 2048 "$words")" \
		-o "$tmp/program" "$source" >"$tmp/out" 2>"$tmp/err"
	status=$?
	[ "$status" = 0 ]
}

# the same program on the engine that juggles
conventional()
{
	build "$1" -DCONVENTIONAL -fpimdimm-mpi=conventional
}

# run RANKS: each of them has printed "ok", and nothing else was
run()
{
	"$TOOL" mpirun -n "$1" "$tmp/program" >"$tmp/out" 2>"$tmp/err"
	status=$?
	[ "$status" = 0 ] && [ "$(grep -cx ok "$tmp/out")" = "$1" ] &&
		! grep -vx ok "$tmp/out"
}

# fault RANKS PATTERN [FINE]: one that must not end well, but for so many ranks
fault()
{
	"$TOOL" mpirun -n "$1" "$tmp/program" >"$tmp/out" 2>"$tmp/err"
	status=$?
	[ "$status" = 1 ] && grep -q -e "$2" "$tmp/err" &&
		{ [ -z "$3" ] || [ "$(grep -cx ok "$tmp/out")" = "$3" ]; }
}

program()
{
	name=$(basename "$1" .c)
	ranks=$(option ranks 8 "$(field mpi "$1")")
	expected=$(field fault "$1")
	fine=$(option fine '' "$(field mpi "$1")")
	if [ -n "$expected" ]; then
		build "$1" && fault "$ranks" "$expected" "$fine"
		result "$name"
		conventional "$1" && fault "$ranks" "$expected" "$fine"
		result "$name, conventional"
		return
	fi
	build "$1" && run "$ranks"
	result "$name"
	[ "$(option engines 2 "$(field mpi "$1")")" = 2 ] || return
	PIMDIMM_SCHEDULE=random:${MPI_SEED:-1} run "$ranks"
	result "$name, tasklets at random"
	conventional "$1" && run "$ranks"
	result "$name, conventional"
}

seeds()
{
	seed=${MPI_SEED:-1}
	last=$((seed + ${MPI_SEEDS:-2}))
	while [ "$seed" -lt "$last" ]; do
		# with little room for messages that wait, in turn
		pool=$((seed % 2 ? 512 : 16))
		for engine in '' -fpimdimm-mpi=conventional; do
			build "$here/mpi/random.c" "-DSEED=$seed" "-DPOOL=$pool<<10" $engine &&
				run 12 && PIMDIMM_SCHEDULE="random:$seed" run 12
			result "random, seed $seed${engine:+, conventional}"
		done
		seed=$((seed + 1))
	done
}

# setting NAME EAGER POLL FLAG...: with PIMDIMM_EAGER and PIMDIMM_LOITER, on either engine
setting()
{
	name=$1 eager=$2 poll=$3
	shift 3
	for engine in '' -fpimdimm-mpi=conventional; do
		build "$here/mpi/settings.c" "$@" $engine &&
			PIMDIMM_EAGER=$eager PIMDIMM_LOITER=$poll run 2
		result "settings, $name${engine:+, conventional}"
	done
}

settings()
{
	setting 'none' '' ''
	setting 'eager below 8 bytes' 8 '' -DEAGER=8
	setting 'eager below 1000 bytes, long ones look' 1000 poll -DEAGER=1000 -DPOLL=true
	setting 'none eager' 0 wake -DEAGER=0
	setting 'more than a parcel has' 1G '' -DEAGER=65536
	PIMDIMM_EAGER=all fault 2 'PIMDIMM_EAGER is "all", expected'
	result 'settings, no number'
	PIMDIMM_LOITER=never fault 2 'PIMDIMM_LOITER is "never", expected wake or poll'
	result 'settings, no way to loiter'
}

# what pimdimm-messages(7) shows, typed in
page()
{
	page=$(readlink -f "$here/../../tools/man/pimdimm-messages.7")
	blocks=$(readlink -f "$here/../blocks")
	mkdir "$tmp/page" "$tmp/page/bin"
	ln -s "$(readlink -f "$TOOL")" "$tmp/page/bin/pimdimm"
	"$blocks" program token "$page" >"$tmp/page/ring.c"
	"$blocks" lines "$page" >"$tmp/page/session"
	(cd "$tmp/page" && PATH=$tmp/page/bin:$PATH sh -e ./session) \
		>"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
	[ "$status" = 0 ] && [ "$(cat "$tmp/out")" = 2016 ]
	result 'the ring of pimdimm-messages(7), by its lines'
}

# the example, whose number of tasklets is whoever builds it's business
example()
{
	for tasklets in 1 4 24; do
		"$CC" "-DNR_TASKLETS=$tasklets" "$here/../../tools/examples/ring.c" \
			-o "$tmp/ring" >"$tmp/out" 2>"$tmp/err"
		status=$?
		for schedule in '' random:1 random:2 random:3; do
			[ "$status" = 0 ] || break
			PIMDIMM_SCHEDULE=$schedule "$TOOL" mpirun -n 64 "$tmp/ring" \
				>"$tmp/out" 2>"$tmp/err"
			status=$?
			[ "$(cat "$tmp/out")" = 'ring: 2016, expected 2016' ] || status=1
		done
		[ "$status" = 0 ] && [ ! -s "$tmp/err" ]
		result "the example ring, $tasklets tasklets"
	done
}

for source in "$here"/mpi/*.c; do
	name=$(basename "$source" .c)
	case " $* " in
	"  " | *" $name "*) ;;
	*) continue ;;
	esac
	case $name in
	random) seeds ;;
	settings) settings ;;
	*) program "$source" ;;
	esac
done
case " $* " in
"  " | *" page "*) page ;;
esac
case " $* " in
"  " | *" example "*) example ;;
esac
finish
