#!/bin/sh
# SPDX-License-Identifier: MIT
# Graph formats, good and bad. `cc` compares every result with a union-find.
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/lib.sh"

# small graphs run on one rank: starting tasklets costs most of their time
cc()
{
	name=$1 pattern=$2
	shift 2
	tool cc --uri mem:ranks=1,mram=64K "$@"
	[ "$status" = 0 ] && [ ! -s "$tmp/err" ] &&
		grep -q 'on the host: verified' "$tmp/out" &&
		grep -q -e "$pattern" "$tmp/out"
	result "$name"
}

# graph NAME TEXT: a file whose text printf makes
graph()
{
	# shellcheck disable=SC2059 # a format is what it is
	printf "$2" >"$tmp/$1"
}

snap=$tmp/snap mtx=$tmp/mtx
symmetric='%%%%MatrixMarket matrix coordinate pattern symmetric\n'

graph snap '0 1\n'
cc 'one edge' '^  1 components; the largest has 2 ' "$snap"
graph snap '7 7\n'
cc 'a loop alone' '^  1 components; the largest has 1 ' "$snap"
graph snap '# Nodes: 5 Edges: 3\n\n0\t1\r\n 1  2 \n9 4294967294\n'
cc 'sparse numbers, blanks, comments' '^  2 components; the largest has 3 ' \
	"$snap"
graph snap '1 2 0.5\n2 3 -1e9 1082040961\n'
cc 'further columns of numbers' '^  1 components; the largest has 3 ' "$snap"
graph snap '0 1\n1 0\n0 1\n2 2\n'
cc 'repetitions and loops' 'snap (edge list): 3 vertices, 4 pairs, 1 edges' \
	"$snap"
graph mtx "$symmetric"'%% a comment\n\n5 5 3\n2 1\n\n3 2\n4 4\n'
cc 'Matrix Market' '^  3 components; the largest has 3 ' "$mtx"
graph mtx "$symmetric"'9 9 0\n'
cc 'Matrix Market without entries' '^  9 components; the largest has 1 ' "$mtx"
graph mtx '%%%%matrixmarket MATRIX Coordinate Complex General\n2 2 1\n1 2 0 1\n'
cc 'Matrix Market in other letters' '^  1 components; ' "$mtx"
graph snap '0 1\n'
"$TOOL" cc /dev/stdin <"$snap" >"$tmp/out" 2>"$tmp/err"
status=$?
[ "$status" = 0 ] && grep '' "$snap" | "$TOOL" cc /dev/stdin >"$tmp/out" 2>&1
result 'a graph from a pipe'

awk 'BEGIN { for (i = 0; i < 5000; i++) print i, i + 1 }' >"$tmp/path"
cc 'a path' '^  1 components; the largest has 5,001 ' "$tmp/path"
awk 'BEGIN { for (i = 5000; i; i--) print i, i - 1 }' >"$tmp/path"
cc 'the path backwards' '^  1 components; the largest has 5,001 ' "$tmp/path"
awk 'BEGIN { for (i = 0; i < 5000; i++) print 5000, i }' >"$tmp/star"
cc 'a star' '^  1 components; the largest has 5,001 ' "$tmp/star"
awk 'BEGIN { srand(1); for (i = 0; i < 4000; i++)
	print int(rand() * 6000), int(rand() * 6000) }' >"$tmp/random"
cc 'a random graph' 'components; ' "$tmp/random"

# labels NAME EXPECTED ARGUMENT...: the same, and the labels that it writes
labels()
{
	expected=$2
	rm -f "$tmp/labels"
	name=$1
	shift 2
	cc "$name" 'components; ' --labels "$tmp/labels" "$@"
	[ "$(tr '\n' ',' <"$tmp/labels")" = "$expected" ]
	result "$name: labels"
}

graph snap '7 9\n4294967294 5\n9 8'
labels 'numbers of an edge list' \
	'5 5,7 7,8 7,9 7,4294967294 5,' "$snap"
graph mtx "$symmetric"'4 4 2\n2 1\n4 2\n'
labels 'numbers of a matrix' '1 1,2 1,3 3,4 1,' "$mtx"
fails 'labels into a folder' 1 'Is a directory' \
	cc --uri mem:ranks=1,mram=64K --labels "$tmp" "$mtx"
ln -s /dev/full "$tmp/full"
"$TOOL" cc --uri mem:ranks=1,mram=64K --labels "$tmp/full" "$mtx" \
	>"$tmp/out" 2>"$tmp/err"
status=$?
[ "$status" = 1 ] && grep -q 'No space left' "$tmp/err" && [ -c /dev/full ]
result 'labels on a full disk'

# --- compressed, or from a pipe ---

graph snap '# Nodes: 4 Edges: 2\n0 1\n2 3\n'
gzip -c "$snap" >"$tmp/snap.gz"
cc 'an edge list by gzip' '^  2 components; the largest has 2 ' "$tmp/snap.gz"
gzip -c "$mtx" >"$tmp/mtx.gz"
cc 'a matrix by gzip' '^  2 components; the largest has 3 ' "$tmp/mtx.gz"
cat "$tmp/snap.gz" "$tmp/snap.gz" >"$tmp/twice.gz"
cc 'two pieces of gzip' 'snap\|twice.gz (edge list): 4 vertices, 4 pairs' \
	"$tmp/twice.gz"
{ cat "$tmp/snap.gz"; head -c 70000 /dev/zero; } >"$tmp/zeros.gz"
cc 'zeros behind gzip, as on tapes' 'zeros.gz (edge list): 4 vertices, 2 pairs' "$tmp/zeros.gz"
for garbage in x '\0\0x' '\037x'; do
	# shellcheck disable=SC2059 # a format is what it is
	{ cat "$tmp/snap.gz"; printf "$garbage"; } >"$tmp/garbage.gz"
	fails "garbage behind gzip: $garbage" 1 "$tmp/garbage.gz:[0-9]*: garbage follows the compressed data" \
		cc "$tmp/garbage.gz"
done
if command -v zstd >/dev/null; then
	zstd -q "$tmp/snap"
	cc 'an edge list by zstd' '^  2 components; the largest has 2 ' "$tmp/snap.zst"
	cat "$tmp/snap.zst" "$tmp/snap.zst" >"$tmp/twice.zst"
	cc 'two pieces of zstd' 'twice.zst (edge list): 4 vertices, 4 pairs' \
		"$tmp/twice.zst"
fi
for file in snap snap.gz mtx; do
	"$TOOL" cc --uri mem:ranks=1,mram=64K - <"$tmp/$file" >"$tmp/out" \
		2>"$tmp/err" && grep -q '^  2 components' "$tmp/out"
	status=$?
	result "$file on standard input"
	# shellcheck disable=SC2002 # a pipe is what is tried
	cat "$tmp/$file" | "$TOOL" cc --uri mem:ranks=1,mram=64K - \
		>"$tmp/out" 2>"$tmp/err" && grep -q '^  2 components' "$tmp/out"
	status=$?
	result "$file from a pipe"
done
fails 'nothing on standard input' 1 'standard input:1: an empty file' cc -

# --- large edge lists, which threads read, against the same line by line ---

awk 'BEGIN { srand(3); for (i = 0; i < 20000; i++) {
	if (i == 9000) print "# Edges: 20000\n"
	printf "%d%s%d\n", rand() * 50000, i % 2 ? "\t" : " ", rand() * 4294967295 } }' >"$tmp/large"
gzip -c "$tmp/large" >"$tmp/large.gz"
for threads in 1 2 3 7; do
	tool app bfs --directed -u mem:ranks=1,mram=512K -t $threads -o "$tmp/levels" "$tmp/large"
	[ "$status" = 0 ] && tool app bfs --directed -u mem:ranks=1,mram=512K \
		-o "$tmp/expected" "$tmp/large.gz"
	cmp "$tmp/levels" "$tmp/expected" >>"$tmp/err" 2>&1
	result "read by $threads threads"
done
# what is read is the input, whatever files are called
mkdir "$tmp/named"
echo '1 2' >"$tmp/named/standard input"
awk 'BEGIN { for (i = 0; i < 30000; i++) print 7, 8 }' >>"$tmp/named/standard input"
(cd "$tmp/named" && "$TOOL" cc --uri mem:ranks=1,mram=1M - <"$tmp/large") >"$tmp/out" 2>"$tmp/err"
status=$?
[ "$status" = 0 ] && grep -q '(edge list): .* 20,000 pairs' "$tmp/out"
result 'standard input, where a file has its name'
# late FILE LINE: what is wrong in the large one is told with its line
late()
{
	awk -v line="$2" 'NR == 15000 { print line; next } 1' "$tmp/large" >"$tmp/late"
	fails "$1" 1 "$tmp/late:15000: $3" cc "$tmp/late"
}
late 'one number, late' '17' 'one vertex number'
late 'a large number, late' '17 4294967295' 'vertex 4294967295 is out of range'
late 'text, late' '17 x' '"x" is no vertex number'
awk 'NR == 15000 { print "5 6 0.25"; next } 1' "$tmp/large" >"$tmp/late"
cc 'a weight, late' '20,000 pairs' --uri mem:ranks=1,mram=1M "$tmp/late"
head -c 200000 "$tmp/large" | sed '$d' >"$tmp/late"
fails 'cut off' 1 'where its comment announces 20,000, so it seems cut off' cc "$tmp/late"

# --- METIS ---

metis=$tmp/mesh.graph
graph mesh.graph '%% a comment\n5 3\n2 3\n1\n1\n5\n4\n'
cc 'METIS' 'METIS): 5 vertices, 6 entries, 3 edges' "$metis"
labels 'numbers of METIS' '1 1,2 1,3 1,4 4,5 4,' "$metis"
graph mesh.graph '4 2 111 2\n9 1 1 2 7\n9 1 1 1 7\n\n'
fails 'a vertex without its weights' 1 "$metis:4: a size or weight is missing" cc "$metis"
graph mesh.graph '3 1 1\n2 7\n1 7\n\n'
cc 'weights of edges, and a vertex alone' '^  2 components; ' "$metis"
gzip -c "$metis" >"$metis.gz"
cc 'METIS by gzip' '^  2 components; ' "$metis.gz"
awk 'BEGIN { n = 20000; print n + 1, n; for (i = 2; i <= n + 1; i++) printf "%d ", i
	print ""; for (i = 0; i < n; i++) print 1 }' >"$metis"
cc 'a list longer than other lines may be' 'the largest has 20,001 ' \
	--uri mem:ranks=1,mram=256K "$metis"

# --- what is no graph ---

# bad NAME PATTERN FILE
bad()
{
	fails "$1" 1 "$3:$2" cc "$3"
}

bad 'a missing file' ' No such file or directory' "$tmp/nosuch"
fails 'a folder without WordNet' 1 "$tmp: a folder without WordNet's data.noun" \
	cc "$tmp"
: >"$snap"
bad 'an empty file' '1: .*empty' "$snap"
graph snap '# only a comment\n'
bad 'comments alone' '1: .*without any edge' "$snap"
graph snap '0 1\n1 2'
cc 'a last line without newline' ': 3 vertices, 2 pairs' "$snap"
graph snap '0 1\n1'
bad 'cut off in a line' '2: one vertex number' "$snap"
graph snap '# Nodes: 3 Edges: 3\n0 1\n1 2\n'
bad 'fewer edges than announced' '3: .*2 edges .* announces 3' "$snap"
graph snap '0 1\n1\n2 3\n'
bad 'one number in a line' '2: one vertex number' "$snap"
graph snap '0 1\n1 4294967295\n'
bad 'number 2^32 - 1' '2: vertex 4294967295 is out of range' "$snap"
graph snap '0 1\n4294967296 1\n'
bad 'number 2^32' '2: vertex 4294967296 is out of range' "$snap"
graph snap '0 1\n18446744073709551616 1\n'
bad 'number 2^64' '2: vertex 18446744073709551616 is out of range' "$snap"
graph snap '0 1\n-1 2\n'
bad 'a negative number' '2: "-1" is no vertex number' "$snap"
graph snap '0 1\n1 2 x\n'
bad 'a further column of text' '2: "x" after a pair' "$snap"
graph snap 'source,target\n0,1\n'
bad 'comma-separated values' '1: "source,target" is no vertex' "$snap"
printf 'BZh91AY' >"$snap"
bad 'bzip2' '1: compressed with bzip2' "$snap"
head -c 20 "$tmp/snap.gz" >"$tmp/cut.gz"
bad 'gzip, cut off' '1: .*compressed file is cut off' "$tmp/cut.gz"
{
	head -c -8 "$tmp/snap.gz"
	printf 'checksum'
} >"$tmp/damaged.gz"
bad 'gzip, damaged' '[0-9]*: the compressed file is damaged' "$tmp/damaged.gz"
if [ -e "$tmp/snap.zst" ]; then
	head -c 20 "$tmp/snap.zst" >"$tmp/cut.zst"
	bad 'zstd, cut off' '1: .*compressed file is cut off' "$tmp/cut.zst"
	{
		head -c -4 "$tmp/snap.zst"
		printf 'sums'
	} >"$tmp/damaged.zst"
	bad 'zstd, damaged' '[0-9]*: the compressed file is damaged' \
		"$tmp/damaged.zst"
	printf '1 2\n' | zstd -q --long=31 >"$tmp/long.zst"
	bad 'zstd, a window of 2 GiB' "1: packed with zstd's --long: unpack it first" \
		"$tmp/long.zst"
fi
head -c 4096 /dev/zero >"$snap"
bad 'zeros' '1: a NUL byte' "$snap"
head -c 100000 /dev/zero | tr '\000' 1 >"$snap"
bad 'a line without end' '1: longer than 65535 bytes' "$snap"
awk 'BEGIN { srand(2); for (i = 0; i < 5000; i++)
	printf "%c", 1 + int(rand() * 254) }' | LC_ALL=C tr -d '\n' >"$snap"
fails 'rubbish' 1 "$snap:1: " cc "$snap"
LC_ALL=C grep -q '[^ -~]' "$tmp/err"
[ $? = 1 ]
result 'rubbish does not reach the terminal'

graph mtx '%%%%MatrixMarket matrix array real general\n2 2\n1\n1\n1\n1\n'
bad 'a dense matrix' '1: .*sparse' "$mtx"
graph mtx '%%%%MatrixMarket matrix coordinate quaternion general\n1 1 0\n'
bad 'an unknown field' '1: the fourth word' "$mtx"
graph mtx '%%%%MatrixMarket matrix coordinate real\n1 1 0\n'
bad 'no symmetry' '1: the fifth word' "$mtx"
graph mtx "$symmetric"
bad 'no sizes' '1: expected three numbers' "$mtx"
graph mtx "$symmetric"'3 4 1\n1 1\n'
bad 'not square' '2: 3 rows and 4 columns' "$mtx"
graph mtx "$symmetric"'0 0 0\n'
bad 'no vertices' '2: 0 rows' "$mtx"
graph mtx "$symmetric"'4294967296 4294967296 1\n2 1\n'
bad '2^32 vertices' '2: 4294967296 rows' "$mtx"
graph mtx "$symmetric"'4294967295 4294967295 1\n2 1\n'
fails 'more vertices than MRAM holds' 1 'bytes of MRAM in each PE' cc "$mtx"
graph mtx "$symmetric"'3 3 2\n2 1\n'
bad 'fewer entries than announced' '3: .*after 1 of 2 entries' "$mtx"
graph mtx "$symmetric"'3 3 18446744073709551615\n2 1\n'
bad '2^64 - 1 entries announced' '3: .*after 1 of' "$mtx"
graph mtx "$symmetric"'3 3 1\n2 1\n3 1\n'
bad 'more entries than announced' '4: more entries' "$mtx"
graph mtx "$symmetric"'3 3 1\n4 1\n'
bad 'an index too large' '3: index 4 is out of range' "$mtx"
graph mtx "$symmetric"'3 3 1\n0 1\n'
bad 'index 0' '3: index 0 is out of range' "$mtx"
graph mtx "$symmetric"'3 3 1\n2 1 5\n'
bad 'a value in a pattern' '3: more fields' "$mtx"
graph mtx '%%%%MatrixMarket matrix coordinate real general\n3 3 1\n2 1\n'
bad 'no value' '3: expected 1 value' "$mtx"
graph mtx '%%%%MatrixMarket matrix coordinate real general\n3 3 1\n2 1 x\n'
bad 'a value of text' '3: expected 1 value' "$mtx"

graph mesh.graph '4\n'
bad 'METIS: one number first' '1: expected two numbers' "$metis"
graph mesh.graph '0 0\n'
bad 'METIS: no vertices' '1: 0 vertices, expected 1 to' "$metis"
graph mesh.graph '4294967296 1\n'
bad 'METIS: 2^32 vertices' '1: 4294967296 vertices' "$metis"
graph mesh.graph '%% a comment\n\000\n'
bad 'METIS: no text behind a comment, in one sentence' '2: a NUL byte' "$metis"
graph mesh.graph '3 9223372036854775810\n2\n1 3\n2\n'
fails 'METIS: twice the edges wrap around' 1 \
	':1: 9223372036854775810 edges, expected fewer than 2^63' \
	app bfs --directed -u mem:ranks=1,mram=512K "$metis"
graph mesh.graph '2 1 7\n2\n1\n'
bad 'METIS: an unknown kind' '1: the third number' "$metis"
graph mesh.graph '3 1\n2\n1\n'
bad 'METIS: fewer vertices than announced' '3: the file ends after 2 of 3 vertices' "$metis"
graph mesh.graph '2 1\n2\n1\n1\n'
bad 'METIS: more of them' '4: more vertices than the 2' "$metis"
graph mesh.graph '2 1\n3\n1\n'
bad 'METIS: a vertex out of range' '2: vertex 3 is out of range, expected 1 to 2' "$metis"
graph mesh.graph '3 2\n2\n1 3\n\n'
bad 'METIS: an edge at one end alone' '4: the lists have 3 entries of 2 different' "$metis"
graph mesh.graph '2 1\n2 2\n1 1\n'
bad 'METIS: more edges than announced' '3: more in the lists' "$metis"

# --- systems that do not fit ---

awk 'BEGIN { for (i = 0; i < 20000; i++) print i, i + 1 }' >"$tmp/path"
fails 'MRAM too small' 1 'mram=84K (mram_size=84K for the module) would fit' \
	cc --uri mem:mram=64K,ranks=1 "$tmp/path"
PIMDIMM_URI=mem:mram=64K,ranks=1
export PIMDIMM_URI
fails 'MRAM too small, by PIMDIMM_URI' 1 'would fit' cc "$tmp/path"
unset PIMDIMM_URI
fails 'demo: a bad graph comes before anything runs' 1 'No such file' \
	demo --graph "$tmp/nosuch"
fails 'demo: so does MRAM that is too small' 1 'would fit' \
	demo --uri mem:mram=64K,ranks=1 --graph "$tmp/path"
fails 'a wrong URI' 1 'cannot open the system' cc --uri nonsense "$tmp/path"
finish
