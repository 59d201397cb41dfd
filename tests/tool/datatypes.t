#!/bin/sh
# SPDX-License-Identifier: MIT
# Derived datatypes on DDTBench's kernels: every row is what it should be. Times decide nothing.
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/lib.sh"

# suite NAME ARGUMENT...
suite()
{
	name=$1
	shift
	succeeds "$name" perf --suite datatypes -n 1 -w 0 -s 2x4x2 "$@"
}

# holds NAME CONDITION: of each row of CSV, whose columns are called by their names
holds()
{
	awk -F, "
		NR == 1 { for (i = 1; i <= NF; i++) at[\$i] = i; next }
		{
			n++
			for (i in at) v[i] = \$at[i]
			if (!($2)) { print \"# \" \$0; bad = 1 }
		}
		END { exit bad || !n }" "$tmp/csv" >&2
	result "$1"
}

# has CONTEXT OPERATION METHOD...: a row of each
has()
{
	context=$1 operation=$2
	shift 2
	for method; do
		grep -q "^$context,$operation,NAS_LU_y,33,.*,$method," "$tmp/csv" || return
	done
}

suite 'small messages' --csv --plot "$tmp/small" -b 8 -e 13K
grep -v "^#" "$tmp/out" >"$tmp/csv"
holds 'all came as the naive typemap has it' 'v["wrong"] == 0'
holds 'times are times' 'v["time_ns"] > 0 && v["first_ns"] > 0 && v["min_ns"] <= v["time_ns"]'
holds 'ratios are by the plain loop' 'v["method"] != "plain" || v["ratio"] == 1'
for operation in pack unpack copy; do
	has host $operation typed plain blocks
	result "host: $operation"
done
for operation in push pull move; do
	has mram $operation typed plain blocks
	result "MRAM: $operation"
done
has mram move lanes
result 'MRAM: PE by PE'
has mram push calls && has mram pull calls
result 'MRAM: a call for each block'
has host list typed
result 'host: runs as a list'
for operation in latency bandwidth both; do
	has pair $operation typed
	result "two processes: $operation"
done
has pair latency plain
result 'two processes: packed by hand'
for method in typed planned messages plain lanes; do
	grep -q "^halo,halo,stencil,8x8x8,.*,$method," "$tmp/csv"
	result "halo: $method"
done
for method in planned lanes; do
	grep -q "^grid,step,stencil_2d,1048x1048,.*,$method,.*,0\$" "$tmp/csv" &&
		grep -q "^grid,exchange,stencil_2d,1048x1048,.*,$method," "$tmp/csv"
	result "stencil in the plane: $method"
done
grep -q '^planned by lanes,[0-9.]*,$' "$tmp/small/figureFX-15-gain.csv" &&
	grep -q '^"FALCON-X, best",,1.1$' "$tmp/small/figureFX-15-gain.csv"
result "stencil in the plane: the paper's gain beside ours"
[ "$(cut -d, -f3 "$tmp/csv" | sort -u | wc -l)" -ge 8 ]
result 'kernels'

# One set of each kernel that has no short messages, wherever its data may lie: sizes that they have.
for sizes in 26424 43428 63168 67200 106368; do
	succeeds "messages of $sizes bytes" perf --suite datatypes -n 1 -w 0 -s 2x4x2 --csv -b $sizes -e $sizes
	grep -v '^#' "$tmp/out" >"$tmp/csv"
	holds "messages of $sizes bytes: all came as the naive typemap has it" 'v["wrong"] == 0'
	cut -d, -f1-3,7 "$tmp/csv" >>"$tmp/kernels"
done
for kernel in WRF_x_vec WRF_y_vec WRF_x_sa WRF_y_sa SPECFEM3D_cm SPECFEM3D_mt LAMMPS_full; do
	for row in host,pack host,unpack host,copy mram,push mram,pull mram,move pair,latency \
		pair,bandwidth pair,both; do
		grep -qx "$row,$kernel,typed" "$tmp/kernels" || break
	done
	result "$kernel: in each context"
done
# Arrays of 1.5 GiB, of which those slices take memory alone that have what is sent or received. The set
# of a figure that is asked for is measured, and others are told.
suite 'the largest set' --json --plot "$tmp/largest" -b 24M -e 24M
python3 -c 'import json, sys
report = json.load(open(sys.argv[1]))
assert report["total"]["wrong"] == 0
assert {(r["context"], r["set"]) for r in report["rows"] if r["kernel"] == "MILC_su3_zd"} == {
    ("host", "128x128x64x64"), ("pair", "128x128x64x64")}
told = {m["what"]: m["why"] for m in report["not_measured"]}
for letter, lattice, size in (("A", "16x16x32x32", "192 KiB"), ("B", "32x32x32x32", "768 KiB"),
                              ("C", "64x64x32x32", "3 MiB"), ("D", "128x128x32x32", "12 MiB")):
    assert told[f"Figure FX-9, {letter}: MILC_su3_zd {lattice}"] == (
        f"its message of {size} is not within --begin and --end"), told
assert not any(w.startswith("Figure FX-9, E") for w in told)
points = {(p["x"], p["series"]): p["paper"] for f in report["figures"] if f["figure"] == "FX-9"
          for p in f["points"] if p["paper"] is not None}
assert points == {("B", "MVAPICH2-X"): 11, ("KNL", "others"): 10,
                  ("POWER8", "Spectrum MPI"): 3}, points
' "$tmp/out" && ! grep -q warning "$tmp/err" &&
	grep -q '^KNL,.*,10,$' "$tmp/largest/figureFX-9.csv"
result "the largest set: measured, others told, the paper's numbers beside it"

suite 'as text' -b 2K -e 2K
prints 'text: a row' '^ host *pack *NAS_MG_x *34x18x18 *2048 *256 *typed '
prints 'text: a goal and its verdict' \
	'^# push by a plain strided loop, mean  *<=  *0[.]80  *[0-9.]*  \(not \)*met$'
prints 'text: a goal without opponents' \
	'^# DDTBench, two processes: best  *>=  *8[.]00  *nan  not measured$'
prints 'text: a figure of nothing' '^# Figure FX-8, .*: not measured: none of its rows was$'
suite 'drawn, as JSON' --json --plot "$tmp/plot" -b 2K -e 2K
python3 -c 'import json, sys
report = json.load(open(sys.argv[1]))
assert report["rows"] and report["total"]["wrong"] == 0
assert "DDT-host" in [f["figure"] for f in report["figures"]]
' "$tmp/out" && [ -s "$tmp/plot/figureDDT-host.csv" ]
result 'drawn, as JSON: schema'
# so small that they would go with their envelopes, and no layout be told
PIMDIMM_EAGER=1K
export PIMDIMM_EAGER
suite 'figures of the paper' --opponents shm,naive --csv --plot "$tmp/plot" -b 4K -e 4K
unset PIMDIMM_EAGER
grep -v "^#" "$tmp/out" >"$tmp/csv"
holds 'figures of the paper: all came as the naive typemap has it' 'v["wrong"] == 0'
grep -q '^4 KiB,' "$tmp/plot/figureFX-4.csv" && grep -q '^NAS_MG_y naive,' "$tmp/plot/figureFX-5.csv" &&
	grep -q '^NAS_MG_y,' "$tmp/plot/figureFX-7.csv" && [ ! -e "$tmp/plot/figureFX-8.csv" ] &&
	grep -q '^"*SPECFEM3D_cm, best"*,.*,316$' "$tmp/plot/figureFX-7.csv" &&
	[ ! -e "$tmp/plot/figureFX-14.csv" ]
result 'figures of the paper: those that were measured'
# of one run: neither is less than nothing, and without lists of runs nothing goes into them
python3 -c 'import csv, sys
rows = list(csv.reader(line for line in open(sys.argv[1]) if line[0] != "#"))
at = {name: i for i, name in enumerate(rows[0])}
shm, naive = ([r for r in rows if r[0] == "NAS_MG_y " + d][0] for d in ("shm", "naive"))
parts = ["translation", "exchange", "addresses", "copies", "matching, waiting"]
assert all(float(r[at[p]]) >= 0 for p in parts for r in (shm, naive)), rows
assert float(shm[at["translation"]]) == float(shm[at["exchange"]]) == 0, shm
assert all(float(naive[at[p]]) > 0 for p in parts), naive
' "$tmp/plot/figureFX-5.csv"
result 'where the time goes: the parts of each design'
printf 't 20 3\nl 20 3\n' | timeout -k 5 60 env PIMDIMM_ZEROCOPY=naive "$B/pair/own" >"$tmp/answers"
awk 'NR == 2 { n = $3 + $4 + $5 + $6 + $7 - $1; if (NF == 7 && n * n < 1) parts = 1 }
	NR == 3 { plain = NF == 2 } END { exit !(parts && plain) }' "$tmp/answers"
result 'where the time goes: the parts add up to the run'"'"'s'
suite 'private memory' --opponents cma --csv -b 64K -e 64K
if grep -q '^# cma: not measured: ' "$tmp/out"; then
	result 'private memory: refused here'
else
	grep -q '^pair,latency,vector,65536x64,.*,cma,.*,0$' "$tmp/out"
	result 'private memory: copied by the kernel'
fi
fails 'shapes' 2 'takes one shape' perf --suite datatypes -s 2x2x2,8x8
suite 'two processes: designs' --opponents shm,memo --csv -b 1300 -e 1320
grep -v "^#" "$tmp/out" >"$tmp/csv"
has pair latency typed shm memo && has pair both typed shm memo
result 'two processes: a row of each'
holds 'two processes: all designs are right' 'v["wrong"] == 0'

# MPI libraries, where they are; as root, bound to no processor
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_btl=self,vader OMPI_MCA_pml=ob1
suite 'opponents' --opponents mpich,openmpi --csv -b 1300 -e 1320
grep -v "^#" "$tmp/out" >"$tmp/csv"
for mpi in mpich openmpi; do
	has pair latency $mpi || grep -q "^# $mpi: not measured: it" "$tmp/out"
	result "$mpi: measured, or told that it is not"
done
holds 'opponents: all came as the naive typemap has it' 'v["wrong"] == 0'
PATH=/nowhere suite 'without their mpirun' --opponents mpich -b 1300 -e 1320
prints 'not measured' '^# mpich: not measured: it'
PATH=/nowhere suite 'without it, as JSON' --opponents mpich --json -b 1300 -e 1320
python3 -c 'import json, sys
report = json.load(open(sys.argv[1]))
assert [m["what"] for m in report["not_measured"] if m["why"]][0] == "mpich", report["not_measured"]
' "$tmp/out"
result 'not measured: JSON tells it'
fails 'opponents of another suite' 2 'goes with --suite datatypes' \
	perf --suite paper --opponents mpich
fails 'few PEs' 2 'takes 16 PEs at least' perf --suite datatypes -s 8
fails 'layout' 2 'of layout linear' perf --suite datatypes --layout xeon_sp
finish
