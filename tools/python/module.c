// SPDX-License-Identifier: MIT
/* The module pimdimm._core: its types and functions, errors, and what objects share. */
#include "tools/python/core.h"

#include <errno.h>

struct py_state *py_state(PyObject *module)
{
	return PyModule_GetState(module);
}

/* An object of a type that cannot be made by calling it; it keeps the module. */
PyObject *py_new(PyObject *module, PyTypeObject *type)
{
	PyObject *self = PyType_GenericAlloc(type, 0);

	if (self)
		((struct py_object *)self)->module = Py_NewRef(module);
	return self;
}

void py_free(PyObject *self, PyObject *module)
{
	PyTypeObject *type = Py_TYPE(self);

	PyObject_Free(self);
	Py_DECREF(type);
	Py_XDECREF(module);
}

void py_link_init(struct py_link *list)
{
	list->prev = list;
	list->next = list;
}

void py_link_add(struct py_link *list, struct py_link *link)
{
	link->prev = list->prev;
	link->next = list;
	list->prev->next = link;
	list->prev = link;
}

void py_link_remove(struct py_link *link)
{
	link->prev->next = link->next;
	link->next->prev = link->prev;
	py_link_init(link);
}

PyObject *py_refuse(PyObject *module, int err, const char *sentence)
{
	PyObject *text = PyUnicode_DecodeUTF8(sentence, (Py_ssize_t)strlen(sentence),
					      "backslashreplace");
	PyObject *args = text ? Py_BuildValue("(iN)", err, text) : NULL;

	if (args)
		PyErr_SetObject(py_state(module)->error, args);
	Py_XDECREF(args);
	return NULL;
}

/* Raises the library's last error of this thread, of which @ret is the number. */
PyObject *py_fail(PyObject *module, int ret)
{
	return py_refuse(module, -ret, pimdimm_errmsg());
}

int py_u64(PyObject *number, void *value)
{
	PyObject *index = PyNumber_Index(number);
	unsigned long long n;

	if (!index)
		return 0;
	n = PyLong_AsUnsignedLongLong(index);
	if (n == (unsigned long long)-1 && PyErr_Occurred()) {
		PyErr_Format(PyExc_ValueError,
			     "%R is out of range: expected 0 to 2**64 - 1", index);
		Py_DECREF(index);
		return 0;
	}
	Py_DECREF(index);
	*(uint64_t *)value = n;
	return 1;
}

int py_u32(PyObject *number, void *value)
{
	uint64_t n;

	if (!py_u64(number, &n))
		return 0;
	if (n > UINT32_MAX) {
		PyErr_Format(PyExc_ValueError,
			     "%R is out of range: expected 0 to 2**32 - 1", number);
		return 0;
	}
	*(uint32_t *)value = (uint32_t)n;
	return 1;
}

static PyObject *py_version(PyObject *module, PyObject *none)
{
	(void)module;
	(void)none;
	return PyUnicode_FromString(pimdimm_version());
}

static PyObject *py_domain_transfer(PyObject *module, PyObject *object)
{
	Py_buffer view;

	(void)module;
	if (!py_bytes_get(object, "blocks", true, &view))
		return NULL;
	if (view.len % PIMDIMM_BLOCK_BYTES) {
		PyErr_Format(PyExc_ValueError, "blocks has %zd bytes: expected a multiple of 64",
			     view.len);
		PyBuffer_Release(&view);
		return NULL;
	}
	Py_BEGIN_ALLOW_THREADS
	pimdimm_domain_transfer(view.buf, view.buf, (size_t)view.len / PIMDIMM_BLOCK_BYTES);
	Py_END_ALLOW_THREADS
	PyBuffer_Release(&view);
	Py_RETURN_NONE;
}

static PyMethodDef py_functions[] = {
	{ "open", py_open, METH_VARARGS, py_open_doc },
	{ "hypercube", py_hypercube_new, METH_VARARGS, py_hypercube_doc },
	{ "program", py_program_new, METH_VARARGS, py_program_doc },
	{ "version", py_version, METH_NOARGS, "version(): the library's version" },
	{ "domain_transfer", py_domain_transfer, METH_O,
	  "domain_transfer(blocks): transposes blocks of 64 bytes in place" },
	{ "report_start", py_report_start, METH_NOARGS, "report_start(): collect rows" },
	{ "report_phase", py_report_phase, METH_VARARGS, "report_phase(name): begin a phase" },
	{ "report_row", py_report_row, METH_VARARGS,
	  "report_row(index): a row as a dict, or None where there is none" },
	{ 0 }
};

static bool py_type(PyObject *module, PyType_Spec *spec, PyTypeObject **type)
{
	*type = (PyTypeObject *)PyType_FromModuleAndSpec(module, spec, NULL);
	return *type && PyModule_AddType(module, *type) == 0;
}

static int py_exec(PyObject *module)
{
	struct py_state *state = py_state(module);

	state->error = PyErr_NewExceptionWithDoc(
		"pimdimm.Error", "What the library refuses or fails: errno, and its sentence.",
		PyExc_OSError, NULL);
	if (!state->error || PyModule_AddObjectRef(module, "Error", state->error))
		return -1;
	return py_type(module, &py_system_spec, &state->system) &&
		       py_type(module, &py_window_spec, &state->window) &&
		       py_type(module, &py_hypercube_spec, &state->hypercube) &&
		       py_type(module, &py_plan_spec, &state->plan) &&
		       py_type(module, &py_request_spec, &state->request) &&
		       py_type(module, &py_program_spec, &state->program) ?
	       0 : -1;
}

static int py_traverse(PyObject *module, visitproc visit, void *arg)
{
	struct py_state *state = py_state(module);

	if (!state)
		return 0;
	Py_VISIT(state->error);
	Py_VISIT(state->system);
	Py_VISIT(state->window);
	Py_VISIT(state->hypercube);
	Py_VISIT(state->plan);
	Py_VISIT(state->request);
	Py_VISIT(state->program);
	return 0;
}

static int py_clear(PyObject *module)
{
	struct py_state *state = py_state(module);

	if (!state)
		return 0;
	Py_CLEAR(state->error);
	Py_CLEAR(state->system);
	Py_CLEAR(state->window);
	Py_CLEAR(state->hypercube);
	Py_CLEAR(state->plan);
	Py_CLEAR(state->request);
	Py_CLEAR(state->program);
	return 0;
}

static void py_module_free(void *module)
{
	py_clear(module);
}

static PyModuleDef_Slot py_slots[] = {
	{ Py_mod_exec, py_exec },
	{ 0 }
};

static struct PyModuleDef py_module = {
	PyModuleDef_HEAD_INIT,
	.m_name = "pimdimm._core",
	.m_doc = "The library behind the package pimdimm, which is what to import.",
	.m_size = sizeof(struct py_state),
	.m_methods = py_functions,
	.m_slots = py_slots,
	.m_traverse = py_traverse,
	.m_clear = py_clear,
	.m_free = py_module_free,
};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void)
{
	return PyModuleDef_Init(&py_module);
}
