// SPDX-License-Identifier: MIT
/* PE programs: opened, loaded, run with a report, their symbols, WRAM and logs. */
#include "tools/python/core.h"

#include <stdlib.h>

const char py_program_doc[] = "program(path, image, name): by its path, or of bytes with a name";

struct py_program {
	PyObject ob_base;
	PyObject *module;
	struct pimdimm_program *program;
};

static int py_program_open(struct py_program *self, const char *path, PyObject *image,
			   const char *name)
{
	Py_buffer view;
	int ret;

	if (path) {
		Py_BEGIN_ALLOW_THREADS
		ret = pimdimm_program_open(path, &self->program);
		Py_END_ALLOW_THREADS
		return ret;
	}
	if (!py_bytes_get(image, "image", false, &view))
		return 0;
	ret = pimdimm_program_open_memory(view.buf, (size_t)view.len, &self->program);
	PyBuffer_Release(&view);
	if (!ret)
		pimdimm_program_set_name(self->program, name);
	return ret;
}

PyObject *py_program_new(PyObject *module, PyObject *args)
{
	struct py_program *self;
	const char *path, *name;
	PyObject *image;
	int ret;

	if (!PyArg_ParseTuple(args, "zOz:program", &path, &image, &name))
		return NULL;
	self = (struct py_program *)py_new(module, py_state(module)->program);
	if (!self)
		return NULL;
	ret = py_program_open(self, path, image, name);
	if (ret) {
		self->program = NULL;
		py_fail(module, ret);
	}
	if (ret || PyErr_Occurred()) {
		Py_DECREF(self);
		return NULL;
	}
	return (PyObject *)self;
}

static void py_program_free(PyObject *object)
{
	struct py_program *self = (struct py_program *)object;

	pimdimm_program_close(self->program);
	py_free(object, self->module);
}

static PyObject *py_program_info(PyObject *object, PyObject *none)
{
	const struct pimdimm_program_info *i =
		pimdimm_program_info(((struct py_program *)object)->program);

	(void)none;
	return Py_BuildValue("(IIIIIO)", i->nr_tasklets, i->text_bytes, i->wram_bytes,
			     i->stack_bytes, i->mram_bytes, i->has_log ? Py_True : Py_False);
}

static PyObject *py_program_symbol(PyObject *object, PyObject *args)
{
	struct py_program *self = (struct py_program *)object;
	struct pimdimm_symbol symbol;
	const char *name;
	int ret;

	if (!PyArg_ParseTuple(args, "s:symbol", &name))
		return NULL;
	ret = pimdimm_program_symbol(self->program, name, &symbol);
	if (ret)
		return py_fail(self->module, ret);
	return Py_BuildValue("(sIII)", symbol.name, (unsigned)symbol.space, symbol.address,
			     symbol.bytes);
}

/* program_of(pe): what it has loaded, and the name of that */
PyObject *py_program_of(PyObject *object, PyObject *args)
{
	struct py_system *self = (struct py_system *)object;
	struct py_program *found;
	struct pimdimm *sys;
	uint32_t pe;
	int ret;

	if (!PyArg_ParseTuple(args, "O&:program_of", py_u32, &pe))
		return NULL;
	sys = py_enter(self);
	if (!sys)
		return NULL;
	found = (struct py_program *)py_new(self->module, py_state(self->module)->program);
	if (found) {
		ret = pimdimm_program_of(sys, pe, &found->program);
		if (ret) {
			found->program = NULL;
			py_fail(self->module, ret);
			Py_CLEAR(found);
		}
	}
	py_leave(self);
	return (PyObject *)found;
}

PyObject *py_load(PyObject *object, PyObject *args)
{
	struct py_system *self = (struct py_system *)object;
	struct pimdimm *sys = py_enter(self);
	PyObject *pes, *program, *value = NULL;
	uint32_t count;
	Py_buffer view;
	int ret;

	if (!sys)
		return NULL;
	if (!PyArg_ParseTuple(args, "OO!:load", &pes, py_state(self->module)->program,
			      &program) ||
	    !py_numbers_get(pes, "pes", pimdimm_geometry(sys)->nr_pes, &view, &count))
		goto out;
	Py_BEGIN_ALLOW_THREADS
	ret = pimdimm_load(sys, view.buf, count, ((struct py_program *)program)->program);
	Py_END_ALLOW_THREADS
	PyBuffer_Release(&view);
	value = ret ? py_fail(self->module, ret) : Py_NewRef(Py_None);
out:
	py_leave(self);
	return value;
}

/* Puts a number into a dict unless an exception is set already. */
static void py_set(PyObject *dict, const char *name, uint64_t number)
{
	PyObject *value = PyErr_Occurred() ? NULL : PyLong_FromUnsignedLongLong(number);

	if (value)
		PyDict_SetItemString(dict, name, value);
	Py_XDECREF(value);
}

/* The same, of what Py_BuildValue() and its like return; takes it over. */
static void py_put(PyObject *dict, const char *name, PyObject *value)
{
	if (value && !PyErr_Occurred())
		PyDict_SetItemString(dict, name, value);
	Py_XDECREF(value);
}

static PyObject *py_times(const struct pimdimm_times *t)
{
	PyObject *dict = PyDict_New();

	if (!dict)
		return NULL;
	py_set(dict, "cycles", t->cycles);
	py_set(dict, "instructions", t->instructions);
	py_set(dict, "transfers", t->transfers);
	py_set(dict, "dma_bytes", t->dma_bytes);
	py_set(dict, "dma_wait", t->dma_wait);
	py_set(dict, "stop_wait", t->stop_wait);
	py_set(dict, "spin_wait", t->spin_wait);
	py_set(dict, "spun", t->spun);
	py_set(dict, "dma_slots", t->dma_slots);
	py_set(dict, "idle_dma", t->idle_dma);
	py_set(dict, "idle_stop", t->idle_stop);
	py_set(dict, "idle_few", t->idle_few);
	return dict;
}

static PyObject *py_fault(const struct pimdimm_fault *f)
{
	return Py_BuildValue("(IIIKN)", f->pe, f->tasklet, f->kind,
			     (unsigned long long)f->address,
			     PyUnicode_DecodeUTF8(f->text, (Py_ssize_t)strlen(f->text),
						  "backslashreplace"));
}

static PyObject *py_run_report(const struct pimdimm_run *run, uint32_t nr_pes)
{
	PyObject *dict = PyDict_New();

	if (!dict)
		return NULL;
	py_set(dict, "nr_faulted", run->nr_faulted);
	py_set(dict, "cycles", run->cycles);
	py_set(dict, "clock_hz", run->clock_hz);
	py_set(dict, "instructions", run->instructions);
	py_set(dict, "dma_bytes", run->dma_bytes);
	py_set(dict, "ns", run->ns);
	py_set(dict, "emulation_ns", run->emulation_ns);
	py_set(dict, "launch_ns", run->launch_ns);
	py_set(dict, "stack_used", run->stack_used);
	py_set(dict, "stack_room", run->stack_room);
	py_set(dict, "uncounted", run->uncounted);
	py_set(dict, "slowest_pe", run->slowest_pe);
	py_set(dict, "clock", run->clock);
	py_put(dict, "total", py_times(&run->total));
	py_put(dict, "slowest", py_times(&run->slowest));
	py_put(dict, "faulted", PyBytes_FromStringAndSize((const char *)run->faulted,
							  (Py_ssize_t)nr_pes));
	py_put(dict, "first", run->nr_faulted ? py_fault(&run->first) : Py_NewRef(Py_None));
	if (PyErr_Occurred())
		Py_CLEAR(dict);
	return dict;
}

static PyObject *py_run_pes(struct py_system *self, struct pimdimm *sys, const Py_buffer *pes,
			    uint32_t nr_pes, struct pimdimm_run *run)
{
	PyObject *report;
	int ret;

	run->size = sizeof(*run);
	run->faulted = PyMem_Calloc(nr_pes + 1, 1);
	if (!run->faulted)
		return PyErr_NoMemory();
	Py_BEGIN_ALLOW_THREADS
	ret = pimdimm_run(sys, pes->buf, nr_pes, run);
	Py_END_ALLOW_THREADS
	/* faults are in the report, of which the package makes an exception */
	report = ret && !run->nr_faulted ? py_fail(self->module, ret) :
					   py_run_report(run, nr_pes);
	PyMem_Free(run->faulted);
	return report;
}

PyObject *py_run(PyObject *object, PyObject *args)
{
	struct py_system *self = (struct py_system *)object;
	struct pimdimm *sys = py_enter(self);
	struct pimdimm_run run = { 0 };
	PyObject *pes, *value = NULL;
	uint32_t count;
	Py_buffer view;
	int compat;

	if (!sys)
		return NULL;
	if (PyArg_ParseTuple(args, "OO&p:run", &pes, py_u32, &run.timeout_ms, &compat) &&
	    py_numbers_get(pes, "pes", pimdimm_geometry(sys)->nr_pes, &view, &count)) {
		run.compat = (uint32_t)compat;
		value = py_run_pes(self, sys, &view, count, &run);
		PyBuffer_Release(&view);
	}
	py_leave(self);
	return value;
}

PyObject *py_log(PyObject *object, PyObject *args)
{
	struct py_system *self = (struct py_system *)object;
	struct pimdimm *sys = py_enter(self);
	PyObject *value = NULL;
	char *text = NULL;
	uint32_t pe;
	int ret;

	if (!sys)
		return NULL;
	if (PyArg_ParseTuple(args, "O&:log", py_u32, &pe)) {
		Py_BEGIN_ALLOW_THREADS
		ret = pimdimm_log_read(sys, pe, &text);
		Py_END_ALLOW_THREADS
		value = ret ? py_fail(self->module, ret) : PyBytes_FromString(text);
		if (!ret)
			free(text);
	}
	py_leave(self);
	return value;
}

static PyObject *py_wram(PyObject *object, PyObject *args, bool read)
{
	struct py_system *self = (struct py_system *)object;
	struct pimdimm *sys = py_enter(self);
	PyObject *data, *value = NULL;
	uint32_t pe, off;
	Py_buffer view;
	int ret;

	if (!sys)
		return NULL;
	if (PyArg_ParseTuple(args, "O&O&O", py_u32, &pe, py_u32, &off, &data) &&
	    py_bytes_get(data, read ? "out" : "data", read, &view)) {
		ret = read ? pimdimm_wram_read(sys, pe, off, view.buf, (size_t)view.len) :
			     pimdimm_wram_write(sys, pe, off, view.buf, (size_t)view.len);
		PyBuffer_Release(&view);
		value = ret ? py_fail(self->module, ret) : Py_NewRef(Py_None);
	}
	py_leave(self);
	return value;
}

PyObject *py_wram_write(PyObject *self, PyObject *args)
{
	return py_wram(self, args, false);
}

PyObject *py_wram_read(PyObject *self, PyObject *args)
{
	return py_wram(self, args, true);
}

static PyMethodDef py_program_methods[] = {
	{ "info", py_program_info, METH_NOARGS,
	  "info(): tasklets, bytes of text, WRAM, stacks, MRAM, whether it prints" },
	{ "symbol", py_program_symbol, METH_VARARGS, "symbol(name): name, space, address, bytes" },
	{ 0 }
};

static PyType_Slot py_program_slots[] = {
	{ Py_tp_dealloc, py_program_free },
	{ Py_tp_methods, py_program_methods },
	{ Py_tp_doc, (char *)"A PE program, see pimdimm.Program." },
	{ 0 }
};

PyType_Spec py_program_spec = {
	.name = "pimdimm._core.Program",
	.basicsize = sizeof(struct py_program),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.slots = py_program_slots,
};
