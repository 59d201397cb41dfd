#!/bin/sh
# SPDX-License-Identifier: MIT
# PIMDIMM_REPORT of a program that uses the library: text, JSON and CSV, with calls and
# bytes that are exact; children; and files that cannot be written.
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/lib.sh"

B=$(realpath "${B:-build}")
cat >"$tmp/program.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <pimdimm/pidcomm.h>
#include <pimdimm/report.h>

static void check(int ret)
{
	if (ret) {
		fprintf(stderr, "%s\n", pimdimm_errmsg());
		exit(1);
	}
}

static void kernel(struct pimdimm_pe *pe, void *arg)
{
}

static void work(struct pimdimm *sys)
{
	static uint8_t data[64 * 256];
	const void *bufs[64];
	struct pidcomm *hc;

	pimdimm_report_phase("loading, \"all\"");
	for (unsigned int i = 0; i < 64; i++)
		bufs[i] = data + 256 * i;
	check(pimdimm_push(sys, 0, 64, 0, bufs, 256));
	pimdimm_report_phase("run");
	check(pidcomm_create(sys, 2, (const uint32_t[]){ 8, 8 }, &hc));
	for (unsigned int i = 0; i < 3; i++)
		check(pidcomm_allreduce(hc, "10", 256, 0, 0, PIDCOMM_U64, PIDCOMM_SUM));
	check(pimdimm_read(sys, 9, 1, data, 7));
	pidcomm_destroy(hc);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	struct pimdimm *sys;

	check(pimdimm_open("mem:ranks=1,mram=1M", &sys));
	work(sys);
	if (!strcmp(what, "kernel"))
		check(pimdimm_launch(sys, 0, 64, 1, kernel, NULL));
	if (!strcmp(what, "small"))
		check(setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 100, 100 }));
	if (!strcmp(what, "away"))
		check(chdir("/"));
	if (!strcmp(what, "fork") && !fork()) {
		work(sys);
		exit(0);
	}
	if (!strcmp(what, "idle") && !fork())
		exit(0);
	wait(NULL);
	pimdimm_close(sys);
	return 0;
}
END
"${CC:-cc}" -I"$B/include" -o "$tmp/program" "$tmp/program.c" -L"$B" -lpimdimm \
	-Wl,-rpath,"$B" >"$tmp/out" 2>"$tmp/err"
status=$?
[ "$status" = 0 ]
result 'a program'
cd "$tmp" || exit 1

# reports FILE ARGUMENT...: leaves what tool() leaves
reports()
{
	PIMDIMM_REPORT=$1
	export PIMDIMM_REPORT
	shift
	./program "$@" >out 2>err </dev/null
	status=$?
	unset PIMDIMM_REPORT
}

# said NAME PATTERN: the program did its work, and said this alone
said()
{
	[ "$status" = 0 ] && [ ! -s out ] && [ "$(wc -l <err)" = 1 ] && grep -q -e "$2" err
	result "$1"
}

quiet()
{
	[ "$status" = 0 ] && [ ! -s out ] && [ ! -s err ]
}

reports -
[ "$status" = 0 ] && [ ! -s out ] &&
	grep -q '^transfers to DPUs  *1 calls  *16384 bytes' err &&
	grep -q '^transfers from DPUs  *1 calls  *7 bytes' err &&
	grep -q '^collectives  *3 calls' err
result 'text: totals'
grep -q '^run *collective allreduce 10 direct  *3  ' err &&
	grep -q '^run *from PEs *read *1 *7 *7 ' err &&
	grep -q '^loading, "al.* to PEs *push *1 *16384 *16384 ' err
result 'text: rows'
grep -q '^composed, run: \([0-9.]*\) ms = host \1 (measured) + PEs 0.000 (modelled)$' err &&
	grep -q '^composed: .* ms = host .* (measured) + PEs .* (modelled)$' err &&
	[ "$(grep -c '^composed' err)" = 3 ]
result 'text: what is composed, by phase and in all'
reports - kernel
grep -q '^run *PE kernel *launch .* not counted ' err &&
	grep -q '^composed, run: none: 1 of the launches were not counted' err &&
	grep -q '^composed, loading.* = host ' err
result 'text: PE kernels are not counted, and nothing is composed of them'

cat >check.py <<'END'
import csv, json, sys

def rows_of(path):
    if path.endswith('.csv'):
        return list(csv.DictReader(open(path)))
    return json.load(open(path))['rows']

for path in sys.argv[1:]:
    rows = {row['name']: row for row in rows_of(path)}
    assert set(rows) == {'push', 'allreduce', 'read'}, rows
    push, reduce, read = rows['push'], rows['allreduce'], rows['read']
    assert push['phase'] == 'loading, "all"' and push['kind'] == 'to PEs'
    assert [int(push[key]) for key in ('calls', 'mram_bytes', 'host_bytes', 'bus_bytes')] == \
        [1, 16384, 16384, 16384]
    assert reduce['axes'] == '10' and reduce['algorithm'] == 'direct'
    assert int(reduce['calls']) == 3 and int(reduce['mram_bytes']) == 3 * 2 * 16384
    assert abs(int(reduce['bus_ns']) - 3 * 2 * 16384 / 76.8) <= 3
    assert [int(read[key]) for key in ('calls', 'mram_bytes', 'bus_bytes')] == [1, 7, 64]
    for row in rows.values():
        assert int(row['host_ns']) > 0 and int(row['bus_ns']) > 0
        assert not int(row['pe_ns']) and not int(row['emulation_ns'])

phases = json.load(open(sys.argv[1]))['phases']
assert [phase['phase'] for phase in phases] == ['loading, "all"', 'run']
for phase in phases:
    assert phase['composed_ns'] == phase['host_ns'] + phase['pe_ns']
END
reports r.json && quiet && reports r.csv && quiet && reports r.txt && quiet &&
	grep -q '^composed' r.txt && python3 check.py r.json r.csv >out 2>err
result 'JSON and CSV hold the same, and a file has the text'
reports r.json kernel
python3 -c 'import json
report = json.load(open("r.json"))
last = report["phases"][-1]
assert last["composed_ns"] is None and last["uncounted"] == 1, last' 2>err
result 'JSON: no composed time where a launch was not counted'

rm -f r.*
reports r.json away
quiet && [ -s r.json ] && [ ! -e /r.json ]
result 'a relative name is of the folder that the program began in'
reports r.json fork
set -- r.json.*
quiet && [ $# = 1 ] && python3 check.py r.json "$1" 2>err && rm "$1"
result 'a child that uses PEs has a file of its own'
reports r.json idle
set -- r.json.*
quiet && [ "$1" = 'r.json.*' ]
result 'and one that does not has none'
echo 'what was there before, and was longer than a report' >r.txt
head -c 10000 /dev/zero >>r.txt
reports r.txt
quiet && head -n 1 r.txt | grep -q '^loads'
result 'a file that was there is written anew'

reports /dev/full
said 'a full disk' '^pimdimm: PIMDIMM_REPORT: /dev/full: No space left on device$'
mkfifo fifo
reports "$tmp/fifo"
said 'a pipe that nobody reads' "^pimdimm: PIMDIMM_REPORT: $tmp/fifo: No such device or address\$"
reports "$tmp/big" small
said 'a file that may not grow, which ends no program' \
	"^pimdimm: PIMDIMM_REPORT: $tmp/big: File too large\$"
reports "$tmp/none/r"
[ "$status" = 1 ] && grep -q 'PIMDIMM_REPORT is ".*/none/r", expected a file to write' err
result 'a folder that is not there is told before anything runs'
rm -f target
ln -s target own
reports own
quiet && grep -q '^composed' target
result "one's own link is followed"
reports /dev/stdout
[ "$status" = 0 ] && grep -q '^composed' out
result "the system's links are followed"
# the same file, which the command before it and its child write to, too
(echo before && PIMDIMM_REPORT=/dev/stderr ./program fork) >both 2>&1 </dev/null
status=$?
[ "$status" = 0 ] && [ "$(head -n 1 both)" = before ] &&
	[ "$(grep -c '^composed, run' both)" = 2 ] && ! ls /dev/stderr.* 2>/dev/null
result 'standard error is written to behind what is there, by children, too'
if [ "$(id -u)" = 0 ]; then
	rm -f target
	ln -sf target theirs && chown -h 65534 theirs
	reports theirs
	said "another user's link is not" \
		'^pimdimm: PIMDIMM_REPORT: .*/theirs: Too many levels of symbolic links$'
	[ ! -e target ]
	result 'and where it leads to nothing is written'
else
	echo '# skipped: only root gives files away'
fi

finish
