// SPDX-License-Identifier: MIT
/* Callers' buffers: rows of arrays, plain bytes, lists of PEs, and what is wrong with them. */
#include "tools/python/core.h"

/*
 * A view with its strides, and for the sake of what must not leave the process,
 * pointers to Python's objects, its format.
 */
static bool py_view_get(PyObject *object, const char *name, bool writable, Py_buffer *view)
{
	if (PyObject_GetBuffer(object, view,
			       PyBUF_STRIDES | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0))) {
		if (!writable || !PyObject_CheckBuffer(object))
			return false;
		PyErr_Clear();
		if (PyObject_GetBuffer(object, view, PyBUF_STRIDES))
			return false;
		PyBuffer_Release(view);
		PyErr_Format(PyExc_BufferError, "%s is read-only: it is to receive data", name);
		return false;
	}
	if (view->format && strchr(view->format, 'O')) {
		PyBuffer_Release(view);
		PyErr_Format(PyExc_TypeError, "%s holds Python objects: expected numbers", name);
		return false;
	}
	return true;
}

/* Bytes of the dimensions from @first on, or -1 where they do not lie one behind the other. */
static Py_ssize_t py_contiguous(const Py_buffer *view, int first)
{
	Py_ssize_t bytes = view->itemsize;

	for (int d = view->ndim - 1; d >= first; d--) {
		if (view->shape[d] > 1 && view->strides[d] != bytes)
			return view->len ? -1 : 0;
		bytes *= view->shape[d];
	}
	return bytes;
}

bool py_bytes_get(PyObject *object, const char *name, bool writable, Py_buffer *view)
{
	if (!py_view_get(object, name, writable, view))
		return false;
	if (py_contiguous(view, 0) >= 0)
		return true;
	PyBuffer_Release(view);
	PyErr_Format(PyExc_BufferError,
		     "%s is not contiguous: use numpy.ascontiguousarray()", name);
	return false;
}

static bool py_rows_check(const struct py_rows *rows, Py_ssize_t bytes, const char *name,
			  bool writable, uint32_t most)
{
	const Py_buffer *view = &rows->view;
	Py_ssize_t stride;

	if (bytes < 0) {
		PyErr_Format(PyExc_BufferError,
			     "the rows of %s are not contiguous: use numpy.ascontiguousarray()",
			     name);
		return false;
	}
	if (view->shape[0] > (Py_ssize_t)most) {
		PyErr_Format(PyExc_ValueError, "%s has %zd rows: expected at most %u", name,
			     view->shape[0], most);
		return false;
	}
	stride = view->strides[0] < 0 ? -view->strides[0] : view->strides[0];
	if (writable && view->shape[0] > 1 && stride < bytes) {
		PyErr_Format(PyExc_BufferError, "rows of %s overlap: it is to receive data", name);
		return false;
	}
	return true;
}

/*
 * Rows are what the first dimension counts. They may lie anywhere, as those of a part
 * of an array do, but each is contiguous.
 */
bool py_rows_get(PyObject *object, const char *name, bool writable, uint32_t most,
		 struct py_rows *rows)
{
	Py_buffer *view = &rows->view;
	Py_ssize_t bytes;

	rows->bufs = NULL;
	if (!py_view_get(object, name, writable, view))
		return false;
	if (view->ndim < 1) {
		PyErr_Format(PyExc_ValueError, "%s is a scalar: expected an array of rows", name);
		goto fail;
	}
	bytes = py_contiguous(view, 1);
	if (!py_rows_check(rows, bytes, name, writable, most))
		goto fail;
	rows->count = (uint32_t)view->shape[0];
	rows->bytes = view->len ? (size_t)bytes : 0;
	rows->bufs = PyMem_Malloc((rows->count + 1) * sizeof(*rows->bufs));
	if (!rows->bufs) {
		PyErr_NoMemory();
		goto fail;
	}
	for (uint32_t i = 0; i < rows->count; i++)
		rows->bufs[i] = (char *)view->buf + (Py_ssize_t)i * view->strides[0];
	return true;
fail:
	PyBuffer_Release(view);
	return false;
}

/* Rows that were never had, or released already, are left alone. */
void py_rows_release(struct py_rows *rows)
{
	if (!rows->bufs)
		return;
	PyMem_Free(rows->bufs);
	rows->bufs = NULL;
	PyBuffer_Release(&rows->view);
}

/* Numbers of PEs, or of what else there is, @most of it, as an array of uint32. */
bool py_numbers_get(PyObject *object, const char *name, uint32_t most, Py_buffer *view,
		    uint32_t *count)
{
	if (!py_bytes_get(object, name, false, view))
		return false;
	if (view->itemsize != sizeof(uint32_t) || view->ndim != 1 || !view->format ||
	    (strcmp(view->format, "I") && strcmp(view->format, "=I") &&
	     strcmp(view->format, "<I"))) {
		PyErr_Format(PyExc_TypeError, "%s is no array of one dimension of uint32", name);
	} else if (view->shape[0] > (Py_ssize_t)most) {
		PyErr_Format(PyExc_ValueError, "%s has %zd entries: the system has %u", name,
			     view->shape[0], most);
	} else {
		*count = (uint32_t)view->shape[0];
		return true;
	}
	PyBuffer_Release(view);
	return false;
}
