# SPDX-License-Identifier: MIT
# Usage: awk -v version=VERSION -v dir=DIR -f man3.awk HEADER... EXAMPLES.c...: writes
# a manual page of section 3 into DIR for each function and of section 3type for each
# type that the headers document: comments of the kernel's form (kernel-doc), with the
# declarations that follow them. A function's page also has the documented types that
# it takes or returns. Its example is what stands in a C file between two comments,
# "example of NAME, ...: title" and "end of example".

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

function is_type(block)
{
	return kind[block] != "function" && kind[block] != "define"
}

# a type's name without struct, enum or typedef
function plain_name(block,	name)
{
	name = title[block]
	sub(/^.* /, "", name)
	return name
}

function has_type(text, block)
{
	return text ~ ("(^|[^a-z_])" pattern[block] "([^a-z_(]|$)")
}

# A declaration of a type as the header has it; ends its .nf.
function put_declaration(file, block,	lines, n, i)
{
	n = split(declared[block], lines, "\n")
	for (i = 1; i <= n; i++) {
		gsub(/\t/, "    ", lines[i])
		print "\\fB" escaped(lines[i]) "\\fP" > file
	}
	print ".fi" > file
}

function put_type(file, block)
{
	print ".SS " title[block] > file
	print of_text(block, summary[block]) "." > file
	print ".PP\n.nf" > file
	put_declaration(file, block)
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
		if (!is_type(i) || i in shown || !has_type(text, i))
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

# note NAME SUFFIX: once in the list of the page's references
function note(name, suffix)
{
	if ((name suffix) in noted)
		return
	noted[name suffix] = 1
	references = references ".BR " name " (3" suffix "),\n"
}

# functions that a text names
function note_functions(text, own,	name)
{
	while (match(text, /(pimdimm|pidcomm|pimtype|parcel|wide|pe)_[a-z_0-9]*\(/)) {
		name = substr(text, RSTART, RLENGTH - 1)
		text = substr(text, RSTART + RLENGTH)
		if (name != own && name in is_function)
			note(name, "")
	}
}

# functions whose prototypes have the type
function note_users(block,	i)
{
	for (i = 1; i <= blocks; i++) {
		if (kind[i] == "function" && has_type(declared[i], block))
			note(title[i], "")
	}
}

function put_see_also(file, block,	text, i, concepts)
{
	text = summary[block] "\n" body[block] "\n" returns[block]
	for (i = 1; i <= members[block]; i++)
		text = text "\n" about[block, member[block, i]]
	split("", noted)
	references = ""
	note_functions(text, is_type(block) ? "" : title[block])
	note_functions(example[title[block]], is_type(block) ? "" : title[block])
	if (is_type(block))
		note_users(block)
	for (i = 1; i <= blocks; i++) {
		if (i != block && is_type(i) && has_type(declared[block], i))
			note(plain_name(i), "type")
	}
	concepts = header[block] == "pidcomm.h" ? ".BR pidcomm (7)" : \
		header[block] == "types.h" ? ".BR pimdimm-types (7)" : \
		header[block] == "messages.h" ? ".BR pimdimm-messages (7)" : ".BR pimdimm (7)"
	printf ".SH \"SEE ALSO\"\n.BR pimdimm (1),\n%s%s\n", references, concepts > file
}

function put_example(file, name,	lines, n, i)
{
	print ".SH EXAMPLES\n" of_text(0, example_title[name]) ":" > file
	print ".PP\n.in +4n\n.EX" > file
	n = split(example[name], lines, "\n")
	for (i = 1; i <= n; i++) {
		gsub(/\t/, "        ", lines[i])
		sub(/^[.\047]/, "\\\\&&", lines[i])
		print escaped(lines[i]) > file
	}
	print ".EE\n.in" > file
	if (example[name] ~ /(^|[^a-z_])check\(/ && name != "pimdimm_errmsg")
		print ".PP\n.B check()\nis the function in the example of\n.BR pimdimm_errmsg (3)." > file
}

function put_head(file, name, section, block)
{
	printf ".TH %s %s \"\" \"pimdimm %s\" pimdimm\n", name, section, version > file
	print ".SH NAME\n" name " \\- " of_text(block, summary[block]) > file
	print ".SH LIBRARY" > file
	if (of_pes[block])
		print "programs of PEs: dpu\\-upmem\\-dpurte\\-clang" > file
	else
		print "libpimdimm: cc ... $(pkg\\-config \\-\\-cflags \\-\\-libs pimdimm)" > file
	print ".SH SYNOPSIS\n.nf" > file
	print ".B #include <" (of_pes[block] ? "" : "pimdimm/") header[block] ">\n.PP" > file
}

function put_rest(file, name, block)
{
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
	if (!is_type(block))
		put_types(file, declared[block])
	if (name in example)
		put_example(file, name)
	put_see_also(file, block)
	close(file)
}

function put_page(block,	file)
{
	file = dir "/" title[block] ".3"
	put_head(file, title[block], "3", block)
	put_prototype(file, block)
	print ".fi" > file
	if (members[block]) {
		print ".SH ARGUMENTS" > file
		put_members(file, block)
	}
	put_rest(file, title[block], block)
}

function put_type_page(block,	file, name)
{
	name = plain_name(block)
	file = dir "/" name ".3type"
	put_head(file, name, "3type", block)
	put_declaration(file, block)
	if (members[block]) {
		print ".SH " (title[block] ~ /^typedef/ ? "ARGUMENTS" : "MEMBERS") > file
		put_members(file, block)
	}
	put_rest(file, name, block)
}

# The first line: what it is of, and in few words what that does.
function start_block(line,	words)
{
	block = ++blocks
	header[block] = base(FILENAME)
	of_pes[block] = FILENAME ~ /\/syslib\//
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

# start_example "NAME, ...: TITLE"
function start_example(heading,	names, i)
{
	names = heading
	sub(/: .*/, "", names)
	sub(/^[^:]*: /, "", heading)
	nr_names = split(names, named, ", ")
	for (i = 1; i <= nr_names; i++) {
		example_title[named[i]] = heading
		example[named[i]] = ""
	}
}

FNR == 1 {
	state = "code"
	in_example = 0
}

# The names that an example is for, and its title; the comment may have several lines.
FILENAME ~ /\.c$/ && /^\t*\/\* example of / {
	indent = $0
	sub(/\/.*/, "", indent)
	sub(/^\t*\/\* example of /, "")
	heading = $0
	in_heading = 1
}

in_heading {
	sub(/^\t* \* /, "")
	if (heading != $0)
		heading = heading " " $0
	if (heading ~ / \*\/$/) {
		start_example(substr(heading, 1, length(heading) - 3))
		in_heading = 0
		in_example = 1
	}
	next
}

/^\t*\/\* end of example \*\/$/ { in_example = 0 }

in_example {
	sub("^" indent, "")
	for (i = 1; i <= nr_names; i++)
		example[named[i]] = add(example[named[i]], $0)
}

FILENAME ~ /\.c$/ { next }

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
	for (n = 1; n <= blocks; n++)
		if (kind[n] == "function")
			is_function[title[n]] = 1
	for (n = 1; n <= blocks; n++) {
		if (kind[n] == "function")
			put_page(n)
		else if (is_type(n))
			put_type_page(n)
	}
}
