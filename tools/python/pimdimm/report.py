# SPDX-License-Identifier: MIT
"""What the process did with its PEs: rows of numbers, phases, a timeline."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Optional

from . import _core


def report() -> None:
    """Collect rows from now on: report_rows()."""
    _core.report_start()


def phase(name: Optional[str]) -> None:
    """Calls from now on are of the phase of this name, the whole process's."""
    _core.report_phase(name)


def report_rows() -> List[Dict[str, Any]]:
    """What has been collected since report(): a row for all calls of one kind and name
    in one phase, in the order of their first calls, with the members of the library's
    struct pimdimm_report_row. host_ns and emulation_ns are measured; pe_ns, bus_ns and
    launch_ns are modelled times of hardware. All are nanoseconds."""
    rows: List[Dict[str, Any]] = []
    while True:
        row = _core.report_row(len(rows))
        if row is None:
            return rows
        rows.append(row)


def trace(path: str) -> None:
    """The next system that is opened begins a timeline of the process's calls, threads and
    PEs in this file, for https://ui.perfetto.dev; there is one of a process."""
    os.environ['PIMDIMM_TRACE'] = os.fspath(path)
