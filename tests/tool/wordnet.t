#!/bin/sh
# SPDX-License-Identifier: MIT
# The demonstration's graph, and WordNet files that are damaged.
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/lib.sh"

wordnet=/usr/share/wordnet
if [ ! -e $wordnet/data.noun ]; then
	echo '1..0 # SKIP wordnet-base is not installed'
	exit
fi

tool cc --json --uri mem:ranks=1 $wordnet
[ "$status" = 0 ] && [ ! -s "$tmp/err" ]
result 'WordNet'
# counted by another program from the same files
prints 'vertices' '"vertices": 117659,'
prints 'pointers' '"pairs": 377592,'
prints 'edges' '"edges": 183789,'
prints 'components' '"components": 1377,'
prints 'the largest' '"largest": 115426,'
prints 'verified' '"verified": true'

# damage FILE SCRIPT: a copy of the four files, one of them edited
damage()
{
	mkdir -p "$tmp/wn"
	for file in noun verb adj adv; do
		rm -f "$tmp/wn/data.$file"
		ln -s "$wordnet/data.$file" "$tmp/wn/data.$file"
	done
	rm "$tmp/wn/data.$1"
	LC_ALL=C sed "$2" "$wordnet/data.$1" >"$tmp/wn/data.$1"
}

damage adv ''
succeeds 'a copy' cc --uri mem:ranks=1 "$tmp/wn"
rm "$tmp/wn/data.adv"
fails 'a file missing' 1 'wn/data.adv: No such file' cc "$tmp/wn"
damage adv '40,100000d'
fails 'a file cut off at a line' 1 'wn/data\..*: a pointer to offset' \
	cc "$tmp/wn"
damage adv ''
head -c 100000 $wordnet/data.adv >"$tmp/wn/data.adv"
# within an explanation, whose last line is a whole one without a newline
fails 'a file cut off' 1 'wn/data\..*: a pointer to offset' cc "$tmp/wn"
LC_ALL=C awk 'NR < 100; NR == 100 { printf "%s", substr($0, 1, 30) }' \
	$wordnet/data.adv >"$tmp/wn/data.adv"
fails 'a file cut off within a synset' 1 'wn/data.adv:100: ' cc "$tmp/wn"
damage adv '35s/^/0/'
fails 'an offset of nine digits' 1 'wn/data.adv:35: .*its offset' cc "$tmp/wn"
damage adv '30d'
fails 'a line gone' 1 'wn/data.adv:30: .*its offset' cc "$tmp/wn"
damage adv '30s/ r / n /'
fails 'another part of speech' 1 'wn/data.adv:30: .*part of speech' \
	cc "$tmp/wn"
damage adv '30s/|/!/'
fails 'no gloss' 1 'wn/data.adv:30: .*gloss' cc "$tmp/wn"
damage adv 's/^[^ ].*//'
fails 'empty lines' 1 'wn/data.adv:30: ' cc "$tmp/wn"
damage adv '/^[^ ]/d'
fails 'no synset' 1 'wn/data.adv:29: .*without a synset' cc "$tmp/wn"
finish
