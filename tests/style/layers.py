#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Usage: layers.py ROOT: says where the sources under ROOT depart from the plan of
the house, a line each, by the list of folders beside this script: what they
include, circles, prototypes away from their definitions, names, sizes, and what
files and folders say about themselves. Exits with 1 if there is any."""

import os
import re
import sys

FOLDER_FILES, FILE_LINES, FUNCTION_LINES = 30, 600, 65
README_LINES = range(10, 41)
LIBRARIES = {'libpimdimm': ('runtime', 'collectives'), 'libdpu': ('tools/upmem/host',)}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.M)
SPDX = 'SPDX-License-Identifier: '


class House:
    """The list of folders, and the sources that lie in them."""

    def __init__(self, root, plan):
        self.root = root
        self.order, self.only, self.doors = [], {}, set()
        self.many, self.whole = set(), set()
        for line in open(plan):
            words = line.split('#')[0].split()
            if words[:1] == ['door']:
                self.doors.add(words[1])
            elif words:
                self.add(words[0], words[1:])
        self.text = {}
        for folder in self.order:
            self.read(folder)

    def add(self, folder, words):
        self.order.append(folder)
        if 'many' in words:
            self.many.add(folder)
        if 'whole' in words:
            self.whole.add(folder)
        if 'only' in words:
            self.only[folder] = {folder, *words[words.index('only') + 1:]}

    def read(self, folder):
        path = os.path.join(self.root, folder)
        if os.path.isdir(path):
            names = [folder + '/' + name for name in sorted(os.listdir(path))]
        else:
            names = [folder]
        for name in names:
            path = os.path.join(self.root, name)
            if re.search(r'\.[chS]$', name) and os.path.isfile(path):
                self.text[name] = open(path).read()

    def place(self, name):
        return name if name in self.order else os.path.dirname(name)

    def sources(self, folder):
        return [name for name in self.text if os.path.dirname(name) == folder]

    def public(self, name):
        return name.endswith('.h') and '/include/' in name or name.startswith('uapi/')


def breach(name, text, at, sentence):
    line = text.count('\n', 0, at) + 1
    return f'{name}:{line}: {sentence}'


def header(house, bracket, spelling):
    """The file that an include means, or None where it is not one of ours."""
    if bracket == '"':
        return spelling
    for folder in ('runtime/include', 'collectives/include'):
        if f'{folder}/{spelling}' in house.text:
            return f'{folder}/{spelling}'
    base = os.path.basename(spelling)
    return {'pimdimm/pimdimm_layout.h': 'uapi/' + base, 'linux/pimdimm.h': 'uapi/' + base,
            'linux/pimdimm_inject.h': 'uapi/internal/' + base}.get(spelling)


def may_include(house, name, target):
    here, there = house.place(name), house.place(target)
    if here in house.only:
        return there in house.only[here] or name in house.doors
    return house.order.index(there) <= house.order.index(here)


def includes(house):
    for name, text in house.text.items():
        for found in INCLUDE.finditer(text):
            target = header(house, found[1], found[2])
            if target is None:
                continue
            if target not in house.text:
                yield breach(name, text, found.start(),
                             f'"{target}" is no file by its path from the root')
            elif not may_include(house, name, target):
                yield breach(name, text, found.start(),
                             f'{house.place(name)} is to include nothing of {house.place(target)}')
            elif name.startswith('tools/') and name not in house.doors and \
                    re.match('(runtime|collectives)/', target) and not house.public(target):
                yield breach(name, text, found.start(),
                             f'"{target}" is private to the library: go through '
                             + ' or '.join(sorted(house.doors)))


def unit(name):
    return re.sub(r'(_tmpl)?\.[chS]$', '', name)


def unit_graph(house):
    graph = {}
    for name, text in house.text.items():
        edges = graph.setdefault(unit(name), set())
        for found in INCLUDE.finditer(text):
            target = header(house, found[1], found[2])
            if target in house.text and unit(target) != unit(name):
                edges.add(unit(target))
    return graph


def circles(house):
    """Each unit that reaches itself, with a shortest way."""
    graph, told = unit_graph(house), set()
    for start in sorted(graph):
        ways, seen = [[start]], set()
        while ways and start not in told:
            way = ways.pop(0)
            for to in sorted(graph.get(way[-1], ())):
                if to == start:
                    told.update(way)
                    yield f'{start}: a circle of includes: {" -> ".join(way + [start])}'
                    ways = []
                    break
                if to not in seen:
                    seen.add(to)
                    ways.append(way + [to])


def bare(text):
    """Without comments, strings and preprocessor lines; line numbers stay."""
    def blank(found):
        return re.sub(r'[^\n]', ' ', found[0])
    text = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text,
                  flags=re.S)
    return re.sub(r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', blank, text, flags=re.M)


def outermost(text):
    """The text at depth 0, blocks in braces blanked but for the braces."""
    depth, out = 0, []
    for char in text:
        depth -= char == '}'
        out.append(char if depth <= 0 or char == '\n' else ' ')
        depth += char == '{'
    return ''.join(out)


def prototypes(text):
    for found in re.finditer(r'[^;{}]*;', outermost(bare(text))):
        words = re.sub(r'__attribute__\s*\(\(.*?\)\)', '', found[0], flags=re.S)
        name = re.match(r'\s*[\w\s*]*?\b([a-z_]\w*)\s*\(', words)
        if name and name[1] != '_Static_assert' and not re.search(r'\b(typedef|static|struct\s+\w+\s*\{)|\(\s*\*', words):
            yield name[1], found.start() + len(found[0]) - len(found[0].lstrip())


def defines(text, name):
    return re.search(r'\b' + name + r'\s*\([^;{}]*\)\s*(?:__\w+\s*)*\{', outermost(bare(text))) or \
        re.search(r'^' + name + r':', text, re.M)


def promises(house):
    for name, text in house.text.items():
        if not name.endswith('.h') or house.public(name) or house.place(name) in house.whole:
            continue
        bodies = [t for n, t in house.text.items() if unit(n) == unit(name)]
        for function, at in prototypes(text):
            if not any(defines(body, function) for body in bodies):
                yield breach(name, text, at, f'{function}() is not defined in {unit(name)}.c')


def same_names(house):
    for library, folders in LIBRARIES.items():
        first = {}
        for name in house.text:
            inside = any(name.startswith(f + '/') for f in folders)
            if not inside or name.endswith('.h') or house.place(name) == 'runtime/pe/worker':
                continue
            base = os.path.basename(name)
            if base in first:
                yield f'{name}:1: {library} has a {base} already, {first[base]}'
            first[base] = name


def sizes(house):
    for folder in house.order:
        files = len(house.sources(folder))
        if files > FOLDER_FILES and folder not in house.many:
            yield f'{folder}: {files} files, {FOLDER_FILES} at most'
    for name, text in house.text.items():
        lines = text.count('\n')
        if lines > FILE_LINES and not house.public(name) and not name.startswith('tests/'):
            yield f'{name}:1: {lines} lines, {FILE_LINES} at most'
        for found in re.finditer(r'^\{\n(.*?)^\}', text, re.M | re.S):
            lines = found[1].count('\n')
            if lines > FUNCTION_LINES:
                yield breach(name, text, found.start(),
                             f'a function of {lines} lines, {FUNCTION_LINES} at most')


def introductions(house):
    for name, text in house.text.items():
        first, _, rest = text.partition('\n')
        form = '// ' + SPDX if name.endswith('.c') else '/* ' + SPDX
        if not first.startswith(form):
            yield f'{name}:1: the first line is to begin with "{form}"'
        if name.endswith('.c') and not re.match(r'\s*(/\*+\s|//\s)\s*\S', rest):
            yield f'{name}:2: a comment is to say here what the file is for'
    for folder in house.order:
        readme = os.path.join(house.root, folder, 'README.md')
        if not house.sources(folder) or folder.endswith('include/pimdimm'):
            continue
        if folder.count('/') > 1 and not os.path.exists(readme):
            readme = os.path.join(house.root, os.path.dirname(folder), 'README.md')
        if not os.path.exists(readme):
            yield f'{folder}: no README.md says what it owns'
        elif len(open(readme).readlines()) not in README_LINES and folder != 'tests':
            yield f'{os.path.relpath(readme, house.root)}:1: 10 to 40 lines are asked for'


def main():
    plan = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'layers')
    house = House(sys.argv[1], plan)
    found = [line for check in (includes, circles, promises, same_names, sizes, introductions)
             for line in check(house)]
    print('\n'.join(dict.fromkeys(found)))
    sys.exit(bool(found))


main()
