# SPDX-License-Identifier: MIT
# Usage: awk -v version=VERSION -v dir=DIR -f man3.awk HEADER...: writes a manual
# page of section 3 into DIR for each function that the headers document: comments
# of the kernel's form (kernel-doc), with the declarations that follow them. A page
# also has the documented types that its function takes or returns.

function base(path)
{
	sub(/.*\//, "", path)
	return path
}

# what would mean something to troff is to mean itself
function escaped(line)
{
	gsub(/\\/, "\\e", line)
	line = " " line
	gsub(/[ ("'`]-/, "&\001", line)
	gsub(/-\001/, "\\-", line)
	return substr(line, 2)
}

# of_text BLOCK LINE: names of parameters in italics, of functions in bold
function of_text(block, line,	done, word, at)
{
	line = escaped(line)
	done = ""
	while (match(line, /@[A-Za-z_][A-Za-z_0-9]*|[A-Za-z_][A-Za-z_0-9]*\(\)/)) {
		word = substr(line, RSTART, RLENGTH)
		at = RSTART + RLENGTH
		done = done substr(line, 1, RSTART - 1)
		if (word ~ /\(\)$/)
			done = done "\\fB" substr(word, 1, length(word) - 2) "\\fP()"
		else if ((block, substr(word, 2)) in about)
			done = done "\\fI" substr(word, 2) "\\fP"
		else
			done = done word
		line = substr(line, at)
	}
	line = done line
	return (line ~ /^[.']/ ? "\\&" : "") line
}

# A list's items begin with a dash; an empty line ends a paragraph or an item.
function put_text(file, block, text,	lines, n, i, listed)
{
	n = split(text, lines, "\n")
	listed = 0
	for (i = 1; i <= n; i++) {
		if (lines[i] ~ /^- /) {
			print ".IP \\(bu 2" > file
			listed = 1
			sub(/^- +/, "", lines[i])
		} else if (lines[i] == "") {
			if (i < n && lines[i + 1] !~ /^- /)
				print ".PP" > file
			listed = 0
			continue
		}
		sub(/^[ \t]+/, "", lines[i])
		print of_text(block, lines[i]) > file
	}
}

function put_members(file, block,	i)
{
	for (i = 1; i <= members[block]; i++) {
		print ".TP\n.I " member[block, i] > file
		put_text(file, block, about[block, member[block, i]])
	}
}

# A declaration of a type as the header has it.
function put_type(file, block,	lines, n, i)
{
	print ".SS " title[block] > file
	print of_text(block, summary[block]) "." > file
	print ".PP\n.nf" > file
	n = split(declared[block], lines, "\n")
	for (i = 1; i <= n; i++) {
		gsub(/\t/, "    ", lines[i])
		print "\\fB" escaped(lines[i]) "\\fP" > file
	}
	print ".fi" > file
	put_members(file, block)
	if (body[block] != "") {
		print ".PP" > file
		put_text(file, block, body[block])
	}
}

# types of TEXT that are documented and that the page has not yet, and theirs
function put_types(file, text,	i)
{
	for (i = 1; i <= blocks; i++) {
		if (kind[i] == "function" || kind[i] == "define" || i in shown ||
		    text !~ ("(^|[^a-z_])" pattern[i] "([^a-z_(]|$)"))
			continue
		if (!started++)
			print ".SH TYPES" > file
		shown[i] = 1
		put_type(file, i)
		put_types(file, declared[i])
	}
}

# italic PROTOTYPE BLOCK: with its parameters' names in italics
function italic(prototype, block,	done, word, rest)
{
	done = ""
	rest = escaped(prototype)
	while (match(rest, /[A-Za-z_][A-Za-z_0-9]*/)) {
		word = substr(rest, RSTART, RLENGTH)
		done = done substr(rest, 1, RSTART - 1)
		rest = substr(rest, RSTART + RLENGTH)
		if ((block, word) in about && rest ~ /^[\[\],) ]/)
			word = "\\fI" word "\\fB"
		done = done word
	}
	return "\\fB" done rest "\\fP"
}

# On one line, or on several that begin below the first parameter.
function put_prototype(file, block,	parts, n, i, line, indent, begin)
{
	line = declared[block]
	gsub(/[ \t\n]+/, " ", line)
	sub(/^static inline /, "", line)
	gsub(/\* /, "*", line)
	begin = index(line, "(")
	indent = sprintf("%" (begin < 40 ? begin : 8) "s", "")
	n = split(line, parts, ", ")
	line = parts[1]
	for (i = 2; i <= n; i++) {
		if (length(line ", " parts[i]) > 70) {
			print italic(line ",", block) > file
			line = indent parts[i]
		} else {
			line = line ", " parts[i]
		}
	}
	print italic(line, block) > file
}

# functions that the text names, the page's own left out
function put_see_also(file, block,	text, name, names)
{
	text = body[block] "\n" returns[block]
	for (i = 1; i <= members[block]; i++)
		text = text "\n" about[block, member[block, i]]
	names = ""
	while (match(text, /(pimdimm|pidcomm)_[a-z_0-9]*\(\)/)) {
		name = substr(text, RSTART, RLENGTH - 2)
		text = substr(text, RSTART + RLENGTH)
		if (name == title[block] || index(names, ".BR " name " (3)"))
			continue
		names = names ".BR " name " (3),\n"
	}
	printf ".SH \"SEE ALSO\"\n%s.BR pimdimm (1),\n.BR pimdimm (4)\n", names > file
}

function put_page(block,	file)
{
	file = dir "/" title[block] ".3"
	printf ".TH %s 3 \"\" \"pimdimm %s\" pimdimm\n", title[block], version > file
	print ".SH NAME\n" title[block] " \\- " of_text(block, summary[block]) > file
	print ".SH LIBRARY\nlibpimdimm: cc ... $(pkg\\-config \\-\\-cflags \\-\\-libs pimdimm)" > file
	print ".SH SYNOPSIS\n.nf\n.B #include <pimdimm/" header[block] ">\n.PP" > file
	put_prototype(file, block)
	print ".fi" > file
	if (members[block]) {
		print ".SH ARGUMENTS" > file
		put_members(file, block)
	}
	if (body[block] != "") {
		print ".SH DESCRIPTION" > file
		put_text(file, block, body[block])
	}
	if (returns[block] != "") {
		print ".SH \"RETURN VALUE\"" > file
		put_text(file, block, returns[block])
	}
	split("", shown)
	started = 0
	put_types(file, declared[block])
	put_see_also(file, block)
	close(file)
}

# The first line: what it is of, and in few words what that does.
function start_block(line,	words)
{
	block = ++blocks
	header[block] = base(FILENAME)
	summary[block] = line
	sub(/^.* - /, "", summary[block])
	sub(/ - .*/, "", line)
	kind[block] = line ~ /\(\)$/ ? "function" : line
	sub(/ .*/, "", kind[block])
	title[block] = line
	sub(/\(\)$/, "", title[block])
	pattern[block] = title[block]
	sub(/^typedef /, "", pattern[block])
	where = "summary"
}

function add(text, line)
{
	return text (text == "" ? "" : "\n") line
}

function block_line(line)
{
	if (line ~ /^@[A-Za-z_0-9]+:/) {
		name = line
		sub(/:.*/, "", name)
		sub(/^@/, "", name)
		sub(/^@[A-Za-z_0-9]+:[ \t]*/, "", line)
		member[block, ++members[block]] = name
		about[block, name] = line
		where = "member"
	} else if (line ~ /^Return:/) {
		sub(/^Return:[ \t]*/, "", line)
		returns[block] = line
		where = "return"
	} else if (where == "return") {
		returns[block] = add(returns[block], line)
	} else if (line == "" && where != "body") {
		where = "body"
	} else if (where == "member") {
		about[block, name] = add(about[block, name], line)
	} else if (where == "summary") {
		summary[block] = summary[block] " " line
	} else if (body[block] != "" || line != "") {
		body[block] = add(body[block], line)
	}
}

FNR == 1 { state = "code" }

state == "code" && /^\/\*\*$/ { state = "first"; next }

state == "first" {
	sub(/^ \* ?/, "")
	start_block($0)
	state = "comment"
	next
}

state == "comment" && /^ \*\/$/ {
	sub(/\n+$/, "", body[block])
	state = "declaration"
	next
}

state == "comment" {
	sub(/^ \* ?/, "")
	block_line($0)
	next
}

# A function's ends before its body; a type's with its closing brace.
state == "declaration" {
	if (kind[block] == "function" && /^{/) {
		declared[block] = declared[block] ";"
		state = "code"
		next
	}
	declared[block] = add(declared[block], $0)
	if (kind[block] == "function" || kind[block] == "typedef" ? /;$/ : /^}.*;/)
		state = "code"
}

END {
	for (i = 1; i <= blocks; i++)
		page[i] = kind[i] == "function"
	for (n = 1; n <= blocks; n++)
		if (page[n])
			put_page(n)
}
