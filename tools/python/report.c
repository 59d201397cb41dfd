// SPDX-License-Identifier: MIT
/* What the process did with its PEs: the library's report, rows as dicts. */
#include "tools/python/core.h"

#include <errno.h>

#include <pimdimm/report.h>

PyObject *py_report_start(PyObject *module, PyObject *none)
{
	(void)module;
	(void)none;
	pimdimm_report_start();
	Py_RETURN_NONE;
}

PyObject *py_report_phase(PyObject *module, PyObject *args)
{
	const char *name;

	(void)module;
	if (!PyArg_ParseTuple(args, "z:report_phase", &name))
		return NULL;
	pimdimm_report_phase(name);
	Py_RETURN_NONE;
}

/* the numbers of a row by their names; @kind, the texts and @size are set apart */
static const struct {
	const char *name;
	size_t offset;
} py_columns[] = {
#define COLUMN(name) { #name, offsetof(struct pimdimm_report_row, name) }
	COLUMN(calls), COLUMN(uncounted), COLUMN(mram_bytes), COLUMN(host_bytes),
	COLUMN(bus_bytes), COLUMN(host_ns), COLUMN(pe_ns), COLUMN(bus_ns),
	COLUMN(emulation_ns), COLUMN(cycles), COLUMN(instructions), COLUMN(faults),
	COLUMN(launch_ns), COLUMN(forced), COLUMN(issued), COLUMN(spun), COLUMN(dma_slots),
	COLUMN(idle_dma), COLUMN(idle_stop), COLUMN(idle_few), COLUMN(all_cycles),
	COLUMN(room_cycles), COLUMN(longest_cycles),
#undef COLUMN
};

static PyObject *py_row_dict(const struct pimdimm_report_row *row)
{
	static const char *const kinds[] = { "load", "to_pes", "from_pes", "collective",
					     "program", "kernel" };
	PyObject *dict = Py_BuildValue(
		"{sssssssssssIsIsI}", "kind",
		row->kind < sizeof(kinds) / sizeof(*kinds) ? kinds[row->kind] : "unknown",
		"phase", row->phase, "name", row->name, "axes", row->axes, "algorithm",
		row->algorithm, "slowest_pe", row->slowest_pe, "stack_used", row->stack_used,
		"stack_room", row->stack_room);

	for (size_t i = 0; dict && i < sizeof(py_columns) / sizeof(*py_columns); i++) {
		uint64_t n;
		PyObject *value;

		memcpy(&n, (const char *)row + py_columns[i].offset, sizeof(n));
		value = PyLong_FromUnsignedLongLong(n);
		if (!value || PyDict_SetItemString(dict, py_columns[i].name, value))
			Py_CLEAR(dict);
		Py_XDECREF(value);
	}
	return dict;
}

PyObject *py_report_row(PyObject *module, PyObject *args)
{
	struct pimdimm_report_row row = { .size = sizeof(row) };
	uint32_t index;
	int ret;

	if (!PyArg_ParseTuple(args, "O&:report_row", py_u32, &index))
		return NULL;
	ret = pimdimm_report_read(index, &row);
	if (ret == -ENOENT)
		Py_RETURN_NONE;
	return ret ? py_fail(module, ret) : py_row_dict(&row);
}
