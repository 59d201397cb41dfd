# SPDX-License-Identifier: MIT
"""The host interface for Python."""

from .driver import (ALLOCATE_ALL, DpuError, DpuProgram, DpuSet, DpuSymbol,
                     DpuVariable)

__all__ = ['ALLOCATE_ALL', 'DpuError', 'DpuProgram', 'DpuSet', 'DpuSymbol',
           'DpuVariable']
