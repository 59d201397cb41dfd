# SPDX-License-Identifier: MIT
"""Usage: where.py include: the folder of Python.h, or nothing where there is none that
the extension can be built with. where.py site PREFIX: the folder that this interpreter
looks for packages in which are installed with a prefix."""

import os
import site
import sys
import sysconfig


def include():
    folder = sysconfig.get_path('include')
    good = sys.version_info >= (3, 11) and not sysconfig.get_config_var('Py_GIL_DISABLED')
    return folder if good and os.path.exists(os.path.join(folder, 'Python.h')) else ''


def packages(prefix):
    """One that is looked in, by preference one of no version; else where it would be."""
    found = [folder for folder in site.getsitepackages() if
             os.path.dirname(os.path.dirname(os.path.dirname(folder))) == prefix]
    name = 'python%d.%d' % sys.version_info[:2]
    return sorted(found, key=len)[0] if found else \
        os.path.join(prefix, 'lib', name, 'site-packages')


if sys.argv[1] == 'include':
    print(include())
else:
    print(packages(os.path.normpath(sys.argv[2])))
