// SPDX-License-Identifier: MIT
/*
 * Hypercubes as objects, and the eight collectives: called, planned, or begun in the
 * background. A lock lets one thread at a time use a hypercube, as the library wants.
 */
#include "tools/python/hypercube.h"

#include <errno.h>

const char py_hypercube_doc[] = "hypercube(system, dims, egs): laid over entangled groups by "
				"number, an array of uint32, or the system's first PEs";

/* PyMem_Free() of what it returns; NULL and an exception where @dims are no numbers. */
static uint32_t *py_dims(PyObject *dims, Py_ssize_t *count)
{
	uint32_t *lengths;

	*count = PySequence_Size(dims);
	if (*count < 0)
		return NULL;
	if (*count > PIDCOMM_MAX_DIMS) {
		PyErr_Format(PyExc_ValueError, "dims has %zd axes: expected 1 to %d", *count,
			     PIDCOMM_MAX_DIMS);
		return NULL;
	}
	lengths = PyMem_Calloc((size_t)*count + 1, sizeof(*lengths));
	if (!lengths) {
		PyErr_NoMemory();
		return NULL;
	}
	for (Py_ssize_t i = 0; i < *count; i++) {
		PyObject *length = PySequence_GetItem(dims, i);
		int got = length && py_u32(length, &lengths[i]);

		Py_XDECREF(length);
		if (!got) {
			PyMem_Free(lengths);
			return NULL;
		}
	}
	return lengths;
}

/* @egs: numbers of entangled groups, or None. */
static int py_create(struct py_hypercube *self, struct pimdimm *sys, unsigned count,
		     const uint32_t *lengths, PyObject *egs)
{
	uint32_t nr_egs;
	Py_buffer view;
	int ret;

	if (egs == Py_None)
		return pidcomm_create(sys, count, lengths, &self->hc);
	if (!py_numbers_get(egs, "egs", pimdimm_geometry(sys)->nr_pes / PIMDIMM_CHIPS, &view,
			    &nr_egs))
		return 0;
	ret = pidcomm_create_on(sys, view.buf, 0, nr_egs, count, lengths, &self->hc);
	PyBuffer_Release(&view);
	return ret;
}

static bool py_hypercube_make(struct py_hypercube *self, PyObject *dims, PyObject *egs)
{
	struct pimdimm *sys;
	uint32_t *lengths;
	Py_ssize_t count;
	int ret;

	lengths = py_dims(dims, &count);
	if (!lengths)
		return false;
	sys = py_enter(self->system);
	if (!sys) {
		PyMem_Free(lengths);
		return false;
	}
	ret = py_create(self, sys, (unsigned)count, lengths, egs);
	PyMem_Free(lengths);
	if (ret) {
		self->hc = NULL;
		py_fail(self->module, ret);
	}
	if (self->hc)
		py_link_add(&self->system->cubes, &self->link);
	py_leave(self->system);
	return self->hc;
}

PyObject *py_hypercube_new(PyObject *module, PyObject *args)
{
	struct py_hypercube *self;
	PyObject *system, *dims, *egs;

	if (!PyArg_ParseTuple(args, "O!OO", py_state(module)->system, &system, &dims, &egs))
		return NULL;
	self = (struct py_hypercube *)py_new(module, py_state(module)->hypercube);
	if (!self)
		return NULL;
	py_link_init(&self->link);
	py_link_init(&self->plans);
	py_link_init(&self->requests);
	self->system = (struct py_system *)Py_NewRef(system);
	self->lock = PyThread_allocate_lock();
	if (!self->lock)
		PyErr_NoMemory();
	if (!self->lock || !py_hypercube_make(self, dims, egs)) {
		Py_DECREF(self);
		return NULL;
	}
	return (PyObject *)self;
}

/*
 * For this thread alone until py_cube_leave(), closed or not. The thread that has it may
 * come again: buffers and exceptions run Python's collector, which ends requests.
 */
void py_cube_lock(struct py_hypercube *self)
{
	unsigned long thread = PyThread_get_thread_ident();

	if (!self->depth || self->owner != thread) {
		if (!PyThread_acquire_lock(self->lock, NOWAIT_LOCK)) {
			Py_BEGIN_ALLOW_THREADS
			PyThread_acquire_lock(self->lock, WAIT_LOCK);
			Py_END_ALLOW_THREADS
		}
		self->owner = thread;
	}
	self->depth++;
}

/* The hypercube, locked; NULL and an exception where it is closed. */
struct pidcomm *py_cube_enter(struct py_hypercube *self)
{
	py_cube_lock(self);
	if (self->hc)
		return self->hc;
	py_cube_leave(self);
	py_refuse(self->module, EBADF, "the hypercube is closed");
	return NULL;
}

void py_cube_leave(struct py_hypercube *self)
{
	if (!--self->depth)
		PyThread_release_lock(self->lock);
}

/* Ends plans, waits for requests and ends these, then the hypercube; its lock is held. */
static void py_cube_end(struct py_hypercube *self)
{
	struct pidcomm *hc = self->hc;

	if (!hc)
		return;
	self->hc = NULL;
	py_link_remove(&self->link);
	Py_BEGIN_ALLOW_THREADS
	for (struct py_link *l = self->plans.next; l != &self->plans; l = l->next)
		pidcomm_plan_free(py_of(l, struct py_plan, link)->plan);
	pidcomm_destroy(hc);
	Py_END_ALLOW_THREADS
	py_plans_void(&self->plans);
	py_requests_void(&self->requests);
}

/* @link is that of the hypercube in its system's list. */
bool py_hypercube_close(struct py_link *link)
{
	struct py_hypercube *self = py_of(link, struct py_hypercube, link);

	if (self->depth) {
		py_refuse(self->module, EBUSY,
			  "close(): a call of another thread is under way on a hypercube");
		return false;
	}
	py_cube_lock(self);
	Py_INCREF(&self->ob_base);
	py_cube_end(self);
	py_cube_leave(self);
	Py_DECREF(&self->ob_base);
	return true;
}

static void py_hypercube_free(PyObject *object)
{
	struct py_hypercube *self = (struct py_hypercube *)object;

	/* plans and requests keep their hypercube: there are none */
	if (self->hc)
		py_cube_end(self);
	if (self->lock)
		PyThread_free_lock(self->lock);
	Py_XDECREF((PyObject *)self->system);
	py_free(object, self->module);
}

static PyObject *py_cube_close(PyObject *object, PyObject *none)
{
	(void)none;
	if (((struct py_hypercube *)object)->hc &&
	    !py_hypercube_close(&((struct py_hypercube *)object)->link))
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *py_groups(PyObject *object, PyObject *args)
{
	struct py_hypercube *self = (struct py_hypercube *)object;
	uint32_t groups, members;
	const char *axes;
	int ret;

	if (!PyArg_ParseTuple(args, "s", &axes) || !py_cube_enter(self))
		return NULL;
	ret = pidcomm_group_count(self->hc, axes, &groups, &members);
	py_cube_leave(self);
	return ret ? py_fail(self->module, ret) : Py_BuildValue("(II)", groups, members);
}

static PyObject *py_group_of(PyObject *object, PyObject *args)
{
	struct py_hypercube *self = (struct py_hypercube *)object;
	uint32_t pe, group, rank;
	const char *axes;
	int ret;

	if (!PyArg_ParseTuple(args, "sO&", &axes, py_u32, &pe) || !py_cube_enter(self))
		return NULL;
	ret = pidcomm_group_of(self->hc, axes, pe, &group, &rank);
	py_cube_leave(self);
	return ret ? py_fail(self->module, ret) : Py_BuildValue("(II)", group, rank);
}

static PyObject *py_algorithm(PyObject *object, PyObject *args)
{
	struct py_hypercube *self = (struct py_hypercube *)object;
	const char *collective, *algorithm;
	int ret;

	if (!PyArg_ParseTuple(args, "zs", &collective, &algorithm) || !py_cube_enter(self))
		return NULL;
	ret = pidcomm_set_algorithm(self->hc, collective, algorithm);
	py_cube_leave(self);
	return ret ? py_fail(self->module, ret) : Py_NewRef(Py_None);
}

static PyObject *py_stats(PyObject *object, PyObject *none)
{
	struct py_hypercube *self = (struct py_hypercube *)object;
	struct pidcomm_stats s;
	int ret;

	(void)none;
	if (!py_cube_enter(self))
		return NULL;
	ret = pidcomm_stats(self->hc, &s);
	py_cube_leave(self);
	if (ret)
		return py_fail(self->module, ret);
	return Py_BuildValue("(KKKKKKK)", (unsigned long long)s.mram_blocks_read,
			     (unsigned long long)s.mram_blocks_written,
			     (unsigned long long)s.domain_transfers,
			     (unsigned long long)s.host_bytes_read,
			     (unsigned long long)s.host_bytes_written,
			     (unsigned long long)s.pe_bytes_moved, (unsigned long long)s.ns);
}

static PyMethodDef py_hypercube_methods[] = {
	{ "close", py_cube_close, METH_NOARGS, "close(): end its life" },
	{ "groups", py_groups, METH_VARARGS, "groups(axes): groups, and members of each" },
	{ "group_of", py_group_of, METH_VARARGS, "group_of(axes, pe): group, rank in it" },
	{ "set_algorithm", py_algorithm, METH_VARARGS, "set_algorithm(collective, algorithm)" },
	{ "stats", py_stats, METH_NOARGS, "stats(): what the last call moved, in its C order" },
	{ "call", py_cube_call, METH_VARARGS,
	  "call(kind, axes, bytes, src, dst, host, type, op, result): does it, returns result" },
	{ "plan", py_cube_plan, METH_VARARGS, "plan(...): arguments of call(); a plan" },
	{ "start", py_cube_start, METH_VARARGS, "start(...): arguments of call(); a request" },
	{ 0 }
};

static PyType_Slot py_hypercube_slots[] = {
	{ Py_tp_dealloc, py_hypercube_free },
	{ Py_tp_methods, py_hypercube_methods },
	{ Py_tp_doc, (char *)"A hypercube, see pimdimm.Hypercube." },
	{ 0 }
};

PyType_Spec py_hypercube_spec = {
	.name = "pimdimm._core.Hypercube",
	.basicsize = sizeof(struct py_hypercube),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.slots = py_hypercube_slots,
};
