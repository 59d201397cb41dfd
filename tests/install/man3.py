#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Usage: man3.py PAGES FAULTS HEADER...

Compares manual pages of section 3, which lie in PAGES, with the headers that they are
made of, and writes what each lacks, a line each, into files of the folder FAULTS, which
are empty where nothing is lacking: HEADER.prototypes and HEADER.words for each header,
with dashes for the slashes of its path, types, type-words and references."""

import os
import re
import subprocess
import sys

# in front of each page's name, where it begins in the text of all
MARK = 'page::'
ENTRY = r'^ \* (struct|enum|typedef) ([a-z_]+) - '


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def names_of(folder):
    return [name for name in sorted(os.listdir(folder)) if not name.startswith('.')]


def pages_of(folder):
    """Each page in plain text by its name: lines as long as they like, and no word divided."""
    source = ['.hy 0', '.ll 5000n']
    for name in names_of(folder):
        for line in read(os.path.join(folder, name)).splitlines():
            source.append(line)
            if line.startswith('.TH '):
                source += ['.hy 0', '.ll 5000n', MARK + name, '.br']
    groff = ['groff', '-man', '-Tascii', '-P-cbou', '-rHY=0', '-rLL=5000n']
    done = subprocess.run(groff, input='\n'.join(source) + '\n', text=True, check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    pages = {}
    for page in re.split('^ *' + MARK, done.stdout, flags=re.M)[1:]:
        name, rest = page.split('\n', 1)
        # the title of the next page comes before its mark
        pages[name] = rest.rstrip().rsplit('\n', 1)[0]
    return pages


def squeezed(source):
    return re.sub(r'\* ', '*', re.sub(r'\s+', ' ', source))


def declarations(header):
    """Prototypes as the compiler reads them, bodies left out."""
    done = subprocess.run([os.environ.get('CC', 'gcc'), '-fpreprocessed', '-dD', '-E', '-P', header],
                          text=True, check=True, stdout=subprocess.PIPE)
    code = '\n'.join(line for line in done.stdout.splitlines() if not line.startswith('#'))
    for part in re.findall(r'[^;{}]*[;{}]', squeezed(code)):
        if '(' in part:
            yield re.sub(r' *[;{]$', ';', re.sub(r'^ *(static inline )*', '', part))


def functions(header):
    return re.findall(r'^ \* ([a-z0-9_]+)\(\) - ', read(header), flags=re.M)


def prototypes(pages, header):
    declared = list(declarations(header))
    names = functions(header)
    if not names:
        yield f'{header} documents no function'
    for name in names:
        wanted = [d for d in declared if re.search(r'[ *]' + name + r'\(', d)]
        if not wanted:
            yield f'{header} declares no {name}'
        elif wanted[0] not in squeezed(pages.get(name + '.3', '')):
            yield f'{name}.3 lacks: {wanted[0]}'


def words_of(source):
    """Without marks of the comment's form, and of punctuation."""
    found = set()
    for word in re.sub(r'@([A-Za-z])', r'\1', source).split():
        word = re.sub(r'[:.]*$', '', '' if word in '*-' else word).replace('()', '', 1)
        found.add(word)
    return found - {'', 'Return'}


def comment(title, header):
    """The comment that begins with a title, without the marks before its lines."""
    found, inside = [], False
    for line in read(header).splitlines():
        inside = line.startswith(f' * {title} - ') or inside and not line.startswith(' */')
        if inside:
            found.append(re.sub(r'^ \*', '', line))
    return '\n'.join(found)


def lost(page, wanted, pages):
    missing = wanted - words_of(pages.get(page, ''))
    if not wanted or missing:
        yield f'{page} has lost: {" ".join(sorted(missing)) or "its comment"}'


def words(pages, header):
    for name in functions(header):
        yield from lost(name + '.3', words_of(comment(name + '()', header)), pages)


def types_of(headers):
    return [entry for header in headers for entry in re.findall(ENTRY, read(header), flags=re.M)]


def types(pages, headers):
    """A function's page explains each documented type of its prototype."""
    declared = [d for header in headers for d in declarations(header)]
    if not types_of(headers):
        yield 'the headers document no type'
    for kind, name in types_of(headers):
        title = name if kind == 'typedef' else f'{kind} {name}'
        for prototype in declared:
            function = re.match(r'[^(]*[ *]([a-z_0-9]+)\(', prototype)
            if not function or not re.search(r'(^|[ (])' + title + r'[ )]', prototype):
                continue
            if not re.search(rf'^   (typedef )?{title}$', pages.get(function[1] + '.3', ''), re.M):
                yield f'{function[1]}.3 does not explain {title}'


def type_words(pages, headers):
    """The page of each type has every word of its comment."""
    for kind, name in types_of(headers):
        wanted = words_of('\n'.join(comment(f'{kind} {name}', h) for h in headers)) - {kind}
        yield from lost(name + '.3type', wanted, pages)


def references(folder):
    """Each page shows an example, and pages that it refers to are there."""
    names = names_of(folder)
    if not names:
        yield f'{folder} has no pages'
    for name in names:
        page = read(os.path.join(folder, name))
        if not re.search(r'^\.SH EXAMPLES\n(.*\n){0,3}?\.EX$', page, flags=re.M):
            yield f'{name} has no example'
        for other, section in re.findall(r'^\.BR ([a-z_0-9]*) \((3[a-z]*)\)', page, flags=re.M):
            if f'{other}.{section}' not in names:
                yield f'{name} refers to {other}.{section}'


def main():
    folder, out, *headers = sys.argv[1:]
    pages = pages_of(folder)
    faults = {'types': types(pages, headers), 'type-words': type_words(pages, headers),
              'references': references(folder)}
    for header in headers:
        name = header.replace('/', '-')
        faults[name + '.prototypes'] = prototypes(pages, header)
        faults[name + '.words'] = words(pages, header)
    for name, lines in faults.items():
        with open(os.path.join(out, name), 'w', encoding='utf-8') as file:
            file.writelines(line + '\n' for line in lines)


main()
