// SPDX-License-Identifier: MIT
/* Python functions as operations of reductions: the library's threads call them. */
#include "tools/python/hypercube.h"

/* bytes of an element, by enum pidcomm_type */
static const uint8_t py_widths[] = { 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8 };

static PyObject *py_window_on(void *bytes, size_t count, int flags)
{
	return PyMemoryView_FromMemory(bytes, (Py_ssize_t)count, flags);
}

/* What a function has kept of it shows nothing any more. */
static void py_window_end(PyObject *view)
{
	PyObject *none;

	if (!view)
		return;
	none = PyObject_CallMethod(view, "release", NULL);
	if (!none)
		PyErr_Clear();
	Py_XDECREF(none);
	Py_DECREF(view);
}

static bool py_function_call(PyObject *function, void *inout, const void *in, size_t bytes,
			     enum pidcomm_type type)
{
	PyObject *lower = py_window_on(inout, bytes, PyBUF_WRITE);
	PyObject *higher = py_window_on((void *)(uintptr_t)in, bytes, PyBUF_READ);
	PyObject *none = NULL, *kind, *value, *traceback;

	if (lower && higher)
		none = PyObject_CallFunction(function, "OOI", lower, higher, (unsigned)type);
	PyErr_Fetch(&kind, &value, &traceback);
	py_window_end(lower);
	py_window_end(higher);
	PyErr_Restore(kind, value, traceback);
	Py_XDECREF(none);
	return none;
}

/* After a function has raised something, nothing more is asked of it. */
static void py_function_fold(void *inout, const void *in, size_t count, enum pidcomm_type type,
			     void *ctx)
{
	struct py_function *self = ctx;
	PyGILState_STATE state = PyGILState_Ensure();

	if (!self->kind &&
	    !py_function_call(self->function, inout, in, count * py_widths[type], type))
		PyErr_Fetch(&self->kind, &self->value, &self->traceback);
	PyGILState_Release(state);
}

bool py_function_get(PyObject *object, struct py_function *self)
{
	int ret;

	*self = (struct py_function){ .function = object };
	/* the library's threads know the main interpreter alone */
	if (PyInterpreterState_GetID(PyInterpreterState_Get())) {
		PyErr_SetString(PyExc_TypeError,
				"op is a function: subinterpreters have operations by name");
		return false;
	}
	ret = pidcomm_op_create(py_function_fold, self, &self->op);
	if (ret)
		PyErr_NoMemory();
	return !ret;
}

/* false: it has raised an exception, which is set */
bool py_function_end(struct py_function *self)
{
	pidcomm_op_free(self->op);
	if (!self->kind)
		return true;
	PyErr_Restore(self->kind, self->value, self->traceback);
	return false;
}
