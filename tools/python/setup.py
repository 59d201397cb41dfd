# SPDX-License-Identifier: MIT
"""Builds the wheel. The library is that of PIMDIMM_BUILD, a folder that make has built
it in, else the one that pkg-config finds; the wheel has no copy of it."""

import glob
import os
import subprocess

from setuptools import Extension, setup

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(os.path.dirname(here))


def flags(*what):
    return subprocess.check_output(('pkg-config', *what, 'pimdimm'), text=True).split()


build = os.environ.get('PIMDIMM_BUILD')
if build:
    build = os.path.abspath(build)
    compiling, folders = ['-I' + os.path.join(build, 'include')], [build]
    linking = ['-L' + build, '-lpimdimm']
    line = [line for line in open(os.path.join(build, 'pimdimm.pc')) if 'Version:' in line][0]
    version = line.split()[1]
else:
    compiling, linking = flags('--cflags'), flags('--libs')
    folders, version = [flags('--variable=libdir')[0]], flags('--modversion')[0]

setup(
    version=version,
    ext_modules=[Extension(
        'pimdimm._core', sorted(glob.glob('*.c')), py_limited_api=True,
        extra_compile_args=['-std=gnu11', '-I' + root, *compiling],
        extra_link_args=linking, runtime_library_dirs=folders)],
    options={'bdist_wheel': {'py_limited_api': 'cp311'}},
)
