// SPDX-License-Identifier: MIT
/* Systems of ranks as objects: opening and closing, transfers, windows. */
#include "tools/python/core.h"

#include <errno.h>

const char py_open_doc[] = "open(uri): a system of ranks; None takes PIMDIMM_URI";

PyObject *py_open(PyObject *module, PyObject *args)
{
	struct py_system *self;
	const char *uri;
	int ret;

	if (!PyArg_ParseTuple(args, "z:open", &uri))
		return NULL;
	self = (struct py_system *)py_new(module, py_state(module)->system);
	if (!self)
		return NULL;
	py_link_init(&self->cubes);
	Py_BEGIN_ALLOW_THREADS
	ret = pimdimm_open(uri, &self->sys);
	Py_END_ALLOW_THREADS
	if (!ret)
		return (PyObject *)self;
	self->sys = NULL;
	py_fail(module, ret);
	Py_DECREF(self);
	return NULL;
}

/* The system, which stays open until py_leave(); NULL and an exception where it is closed. */
struct pimdimm *py_enter(struct py_system *system)
{
	if (!system->sys || system->closing) {
		py_refuse(system->module, EBADF, "the system is closed");
		return NULL;
	}
	system->calls++;
	return system->sys;
}

static void py_system_end(struct py_system *self)
{
	struct pimdimm *sys = self->sys;

	self->sys = NULL;
	Py_BEGIN_ALLOW_THREADS
	pimdimm_close(sys);
	Py_END_ALLOW_THREADS
}

/* What was closed while it was in use ends with the last use. */
static void py_system_unused(struct py_system *self)
{
	if (self->closing && self->sys && !self->views && !self->calls)
		py_system_end(self);
}

void py_leave(struct py_system *system)
{
	system->calls--;
	py_system_unused(system);
}

static void py_system_free(PyObject *object)
{
	struct py_system *self = (struct py_system *)object;

	/* hypercubes and views keep their system: there are none */
	if (self->sys)
		py_system_end(self);
	py_free(object, self->module);
}

static PyObject *py_in_use(struct py_system *self)
{
	char sentence[128];

	if (self->views)
		snprintf(sentence, sizeof(sentence),
			 "close(): MRAM is in use by %zu view%s: delete the arrays first",
			 self->views, self->views == 1 ? "" : "s");
	else
		snprintf(sentence, sizeof(sentence),
			 "close(): calls of other threads are under way: %zu", self->calls);
	return py_refuse(self->module, EBUSY, sentence);
}

/* close(defer): with @defer what is in use still is closed as soon as that ends */
static PyObject *py_system_close(PyObject *object, PyObject *args)
{
	struct py_system *self = (struct py_system *)object;
	int defer;

	if (!PyArg_ParseTuple(args, "p:close", &defer))
		return NULL;
	if (!self->sys || self->closing)
		Py_RETURN_NONE;
	if (!defer && (self->views || self->calls))
		return py_in_use(self);
	while (self->cubes.next != &self->cubes)
		if (!py_hypercube_close(self->cubes.next))
			return NULL;
	self->closing = true;
	py_system_unused(self);
	Py_RETURN_NONE;
}

static PyObject *py_system_geometry(PyObject *object, PyObject *none)
{
	struct py_system *self = (struct py_system *)object;
	struct pimdimm *sys = py_enter(self);
	const struct pimdimm_geometry *g;
	PyObject *value;

	(void)none;
	if (!sys)
		return NULL;
	g = pimdimm_geometry(sys);
	value = Py_BuildValue("(IIIIIIKKs)", g->channels, g->ranks_per_channel, g->banks,
			      g->chips, g->nr_pes, g->max_tasklets,
			      (unsigned long long)g->mram_size,
			      (unsigned long long)g->wram_size,
			      pimdimm_layout_name(g->layout));
	py_leave(self);
	return value;
}

static PyObject *py_done(struct py_system *self, int ret)
{
	PyObject *value = ret ? py_fail(self->module, ret) : Py_NewRef(Py_None);

	py_leave(self);
	return value;
}

/* transfer of one PE: write(pe, offset, data), read(pe, offset, out) */
static PyObject *py_one(PyObject *object, PyObject *args, bool read)
{
	struct py_system *self = (struct py_system *)object;
	struct pimdimm *sys;
	PyObject *data;
	Py_buffer view;
	uint64_t off;
	uint32_t pe;
	int ret;

	if (!PyArg_ParseTuple(args, "O&O&O", py_u32, &pe, py_u64, &off, &data) ||
	    !py_bytes_get(data, read ? "out" : "data", read, &view))
		return NULL;
	sys = py_enter(self);
	if (!sys) {
		PyBuffer_Release(&view);
		return NULL;
	}
	Py_BEGIN_ALLOW_THREADS
	ret = read ? pimdimm_read(sys, pe, off, view.buf, (size_t)view.len) :
		     pimdimm_write(sys, pe, off, view.buf, (size_t)view.len);
	Py_END_ALLOW_THREADS
	PyBuffer_Release(&view);
	return py_done(self, ret);
}

static PyObject *py_system_write(PyObject *self, PyObject *args)
{
	return py_one(self, args, false);
}

static PyObject *py_system_read(PyObject *self, PyObject *args)
{
	return py_one(self, args, true);
}

/* transfer of many: push(first_pe, offset, rows), pull(first_pe, offset, rows) */
static PyObject *py_many(PyObject *object, PyObject *args, bool pull)
{
	struct py_system *self = (struct py_system *)object;
	struct pimdimm *sys;
	struct py_rows rows;
	PyObject *data;
	uint64_t off;
	uint32_t pe;
	int ret;

	if (!PyArg_ParseTuple(args, "O&O&O", py_u32, &pe, py_u64, &off, &data))
		return NULL;
	sys = py_enter(self);
	if (!sys)
		return NULL;
	if (!py_rows_get(data, pull ? "out" : "data", pull, pimdimm_geometry(sys)->nr_pes,
			 &rows)) {
		py_leave(self);
		return NULL;
	}
	Py_BEGIN_ALLOW_THREADS
	ret = pull ? pimdimm_pull(sys, pe, rows.count, off, rows.bufs, rows.bytes) :
		     pimdimm_push(sys, pe, rows.count, off, (const void *const *)rows.bufs,
				  rows.bytes);
	Py_END_ALLOW_THREADS
	py_rows_release(&rows);
	return py_done(self, ret);
}

static PyObject *py_system_push(PyObject *self, PyObject *args)
{
	return py_many(self, args, false);
}

static PyObject *py_system_pull(PyObject *self, PyObject *args)
{
	return py_many(self, args, true);
}

/* save(path), restore(path): all that the system holds, to and from a file */
static PyObject *py_file(PyObject *object, PyObject *args,
			 int (*call)(struct pimdimm *sys, const char *path))
{
	struct py_system *self = (struct py_system *)object;
	struct pimdimm *sys;
	const char *path;
	int ret;

	if (!PyArg_ParseTuple(args, "y", &path))
		return NULL;
	sys = py_enter(self);
	if (!sys)
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	ret = call(sys, path);
	Py_END_ALLOW_THREADS
	return py_done(self, ret);
}

static PyObject *py_system_save(PyObject *self, PyObject *args)
{
	return py_file(self, args, pimdimm_save);
}

static PyObject *py_system_restore(PyObject *self, PyObject *args)
{
	return py_file(self, args, pimdimm_restore);
}

/* a rank's window, which keeps the system open */
struct py_window {
	PyObject ob_base;
	PyObject *module;
	struct py_system *system;
	void *address;
	size_t bytes;
};

static PyObject *py_system_window(PyObject *object, PyObject *args)
{
	struct py_system *self = (struct py_system *)object;
	struct py_window *window = NULL;
	struct pimdimm *sys;
	uint32_t rank;
	size_t bytes;
	void *address;

	if (!PyArg_ParseTuple(args, "O&", py_u32, &rank))
		return NULL;
	sys = py_enter(self);
	if (!sys)
		return NULL;
	address = pimdimm_mram(sys, rank, &bytes);
	if (!address)
		py_refuse(self->module, EINVAL, pimdimm_errmsg());
	else
		window = (struct py_window *)py_new(self->module,
						    py_state(self->module)->window);
	if (window) {
		window->system = (struct py_system *)Py_NewRef(object);
		window->address = address;
		window->bytes = bytes;
		self->views++;
	}
	py_leave(self);
	return (PyObject *)window;
}

static int py_window_get(PyObject *object, Py_buffer *view, int flags)
{
	struct py_window *self = (struct py_window *)object;

	return PyBuffer_FillInfo(view, object, self->address, (Py_ssize_t)self->bytes, 0, flags);
}

static void py_window_free(PyObject *object)
{
	struct py_window *self = (struct py_window *)object;

	if (self->system) {
		self->system->views--;
		py_system_unused(self->system);
		Py_DECREF(self->system);
	}
	py_free(object, self->module);
}

static PyType_Slot py_window_slots[] = {
	{ Py_tp_dealloc, py_window_free },
	{ Py_bf_getbuffer, py_window_get },
	{ Py_tp_doc, (char *)"The window of a rank: its MRAM as it lies, in the PIM domain." },
	{ 0 }
};

PyType_Spec py_window_spec = {
	.name = "pimdimm._core.Window",
	.basicsize = sizeof(struct py_window),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.slots = py_window_slots,
};

static PyObject *py_system_closed(PyObject *object, PyObject *none)
{
	struct py_system *self = (struct py_system *)object;

	(void)none;
	return PyBool_FromLong(!self->sys || self->closing);
}

static PyMethodDef py_system_methods[] = {
	{ "close", py_system_close, METH_VARARGS, "close(defer): give the ranks back" },
	{ "closed", py_system_closed, METH_NOARGS, "closed(): whether it is" },
	{ "geometry", py_system_geometry, METH_NOARGS,
	  "geometry(): channels, ranks a channel, banks, chips, PEs, most tasklets, bytes of "
	  "MRAM and WRAM of a PE, layout" },
	{ "write", py_system_write, METH_VARARGS, "write(pe, offset, data)" },
	{ "read", py_system_read, METH_VARARGS, "read(pe, offset, out)" },
	{ "push", py_system_push, METH_VARARGS, "push(first_pe, offset, rows)" },
	{ "pull", py_system_pull, METH_VARARGS, "pull(first_pe, offset, rows)" },
	{ "window", py_system_window, METH_VARARGS, "window(rank): a buffer" },
	{ "save", py_system_save, METH_VARARGS, "save(path): path as bytes" },
	{ "restore", py_system_restore, METH_VARARGS, "restore(path): path as bytes" },
	{ "program_of", py_program_of, METH_VARARGS, "program_of(pe): what it has loaded" },
	{ "load", py_load, METH_VARARGS, "load(pes, program)" },
	{ "run", py_run, METH_VARARGS, "run(pes, timeout_ms, compat): a report, as a dict" },
	{ "log", py_log, METH_VARARGS, "log(pe): what it printed, as bytes" },
	{ "wram_write", py_wram_write, METH_VARARGS, "wram_write(pe, offset, data)" },
	{ "wram_read", py_wram_read, METH_VARARGS, "wram_read(pe, offset, out)" },
	{ 0 }
};

static PyType_Slot py_system_slots[] = {
	{ Py_tp_dealloc, py_system_free },
	{ Py_tp_methods, py_system_methods },
	{ Py_tp_doc, (char *)"An open system, see pimdimm.System." },
	{ 0 }
};

PyType_Spec py_system_spec = {
	.name = "pimdimm._core.System",
	.basicsize = sizeof(struct py_system),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.slots = py_system_slots,
};
