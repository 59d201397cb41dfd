#!/bin/sh
# SPDX-License-Identifier: MIT
# `perf --reproduce` at a tiny size: the page is whole, has what the suites drew, and refers
# to nothing outside itself; never timings.
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/lib.sh"

if [ "$(uname -m)" != x86_64 ]; then
	echo '1..0 # SKIP programs for PEs inside the command are built on x86-64 alone'
	exit
fi

# figures beside MPI libraries take their time: suite_hosts.t has them
for launcher in mpirun.openmpi mpirun.mpich; do
	printf '#!/bin/sh\nexit 1\n' >"$tmp/$launcher"
	chmod +x "$tmp/$launcher"
done
PATH="$tmp:$PATH"
tiny='-s 8x8 -b 512 -e 1K -n 1 -w 0'
# shellcheck disable=SC2086 # words
{
succeeds 'all suites that draw' perf --reproduce "$tmp/all" $tiny
cat >"$tmp/check.py" <<'PY'
import json, os, re, sys
import xml.etree.ElementTree as tree
folder, failed = sys.argv[1], sys.argv[2:]
html, svg = "{http://www.w3.org/1999/xhtml}", "{http://www.w3.org/2000/svg}"
text = open(folder + "/index.html", encoding="utf-8").read()
page = tree.fromstring(text)
# each suite of the command that takes --plot is a section; their order is the command's
sections = {s.get("id"): s for s in page.iter(html + "section")}
assert {"paper", "ablation", "truth", "apps", "messages", "datatypes", "hosts"} <= set(sections), set(sections)
names = [i for e in page.iter() if (i := e.get("id"))]
assert len(names) == len(set(names)), "two elements of one name"
for suite, section in sections.items():
    figures = {f.get("id"): f for f in section.iter(html + "figure")}
    if suite in failed:
        assert not figures and "ended with status" in "".join(section.itertext()), suite
        continue
    report = json.load(open(f"{folder}/{suite}.json"))
    assert list(figures) == [f"{suite}-{f['figure']}" for f in report["figures"]], figures
    for figure in report["figures"]:
        shown = figures[f"{suite}-{figure['figure']}"]
        drawn = list(shown.iter(svg + "svg"))
        assert len(drawn) == bool(figure["points"]), figure["figure"]
        for suffix in ("csv", "svg", "pdf") if drawn else ():
            assert os.path.getsize(f"{folder}/{suite}/figure{figure['figure']}.{suffix}")
        rows = [[c.text or "" for c in r.iter(html + "td")] for r in shown.iter(html + "tr")][1:]
        assert len(rows) == len(figure["points"]), figure["figure"]
        for row, point in zip(rows, figure["points"]):
            assert row[:2] == [point["x"], point["series"]], row
            for cell, key in zip(row[2:], ("ours", "paper", "bound")):
                assert cell == ("" if point[key] is None else "%.4g" % point[key]), (row, point)
# nothing is fetched, and what is referred to is there
for element in page.iter():
    assert element.tag.split("}")[1] not in ("script", "link", "img", "image", "iframe", "object")
    for key, value in element.attrib.items():
        key = key.split("}")[-1]
        assert key not in ("src", "data", "action") and not key.startswith("on"), (key, value)
        if key == "href":
            assert value[:1] == "#" and value[1:] in names, value
        for target in re.findall(r"url\(([^)]*)\)", value):
            assert target[:1] == "#" and target[1:] in names, value
assert "@import" not in text
if not failed:
    for number in ("2.83", "2.05", "7.89", "1.99", "4.07"):
        assert f"<td>{number}</td>" in text, number
PY
python3 "$tmp/check.py" "$tmp/all" 2>"$tmp/err"
result 'the page is well-formed, whole and alone'
grep -q '^# .*; pimdimm [0-9.]*\( at [0-9a-f]*\)\{0,1\}, [0-9]\{4\}-' "$tmp/all/paper/figure14.csv"
result 'data says what it was measured with'

# apps and datatypes are of the other layout, and messages and hosts find no place for their files
TMPDIR=$tmp/nowhere tool perf --reproduce "$tmp/some" -s 8x8 -b 512 -e 512 -n 1 -w 0 --layout xeon_sp
[ "$status" = 2 ] && grep -q 'suite apps makes systems of layout linear' "$tmp/err"
result 'a suite that fails sets the exit status'
python3 "$tmp/check.py" "$tmp/some" apps messages datatypes hosts 2>"$tmp/err"
result 'and is named on the page, beside the others'
! ls "$tmp"/*/*.html.* >"$tmp/err" 2>&1
result 'nothing is left beside it'
fails 'with a suite' 2 'goes without --suite' perf --reproduce "$tmp/x" --suite paper
fails 'as JSON' 2 'goes without --suite' perf --reproduce "$tmp/x" --json
fails 'where no folder can be' 2 'No such file' perf --reproduce "$tmp/none/x"
}
finish
