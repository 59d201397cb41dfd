/* SPDX-License-Identifier: MIT */
/*
 * What the sources of the Python extension share: pimdimm._core holds systems,
 * hypercubes, plans, requests and programs as objects, moves buffers, and frees the
 * interpreter's lock meanwhile. Arrays, dtypes and names are the package's, in Python.
 *
 * It is compiled against the stable ABI of Python 3.11, so that one file serves every
 * later version. NumPy's arrays are seen by the buffer protocol alone.
 */
#ifndef TOOLS_PYTHON_CORE_H
#define TOOLS_PYTHON_CORE_H

#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <pimdimm/pidcomm.h>
#include <pimdimm/pimdimm.h>
#include <pimdimm/program.h>

/* what an interpreter has of its own */
struct py_state {
	PyObject *error;
	PyTypeObject *system;
	PyTypeObject *window;
	PyTypeObject *hypercube;
	PyTypeObject *plan;
	PyTypeObject *request;
	PyTypeObject *program;
};

/* how each object of this module begins */
struct py_object {
	PyObject ob_base;
	PyObject *module;
};

/* an element of a list that starts and ends with its owner's own */
struct py_link {
	struct py_link *prev, *next;
};

/*
 * sys is NULL once it is closed. It is not closed while calls are under way, nor while
 * views show its MRAM; with closing, the last view closes it.
 */
struct py_system {
	PyObject ob_base;
	PyObject *module;
	struct pimdimm *sys;
	struct py_link cubes;
	size_t calls;
	size_t views;
	bool closing;
};

/* rows of a caller's buffer, each of them contiguous */
struct py_rows {
	Py_buffer view;
	void **bufs;
	uint32_t count;
	size_t bytes;
};

#define py_of(link, type, member) ((type *)((char *)(link) - offsetof(type, member)))

/* module.c */
struct py_state *py_state(PyObject *module);
PyObject *py_new(PyObject *module, PyTypeObject *type);
void py_free(PyObject *self, PyObject *module);
void py_link_init(struct py_link *list);
void py_link_add(struct py_link *list, struct py_link *link);
void py_link_remove(struct py_link *link);
PyObject *py_fail(PyObject *module, int ret);
PyObject *py_refuse(PyObject *module, int err, const char *sentence);
int py_u32(PyObject *number, void *value);
int py_u64(PyObject *number, void *value);

/* buffers.c */
bool py_bytes_get(PyObject *object, const char *name, bool writable, Py_buffer *view);
bool py_rows_get(PyObject *object, const char *name, bool writable, uint32_t most,
		 struct py_rows *rows);
void py_rows_release(struct py_rows *rows);
bool py_numbers_get(PyObject *object, const char *name, uint32_t most, Py_buffer *view,
		    uint32_t *count);

/* system.c */
extern PyType_Spec py_system_spec, py_window_spec;
extern const char py_open_doc[];
PyObject *py_open(PyObject *module, PyObject *args);
struct pimdimm *py_enter(struct py_system *system);
void py_leave(struct py_system *system);

/* hypercube.c, requests.c */
extern PyType_Spec py_hypercube_spec, py_plan_spec, py_request_spec;
extern const char py_hypercube_doc[];
PyObject *py_hypercube_new(PyObject *module, PyObject *args);
bool py_hypercube_close(struct py_link *link);

/* program.c */
extern PyType_Spec py_program_spec;
extern const char py_program_doc[];
PyObject *py_program_new(PyObject *module, PyObject *args);
PyObject *py_program_of(PyObject *self, PyObject *args);
PyObject *py_load(PyObject *self, PyObject *args);
PyObject *py_run(PyObject *self, PyObject *args);
PyObject *py_log(PyObject *self, PyObject *args);
PyObject *py_wram_write(PyObject *self, PyObject *args);
PyObject *py_wram_read(PyObject *self, PyObject *args);

/* report.c */
PyObject *py_report_start(PyObject *module, PyObject *none);
PyObject *py_report_phase(PyObject *module, PyObject *args);
PyObject *py_report_row(PyObject *module, PyObject *args);

#endif
