// SPDX-License-Identifier: MIT
/* Plans and requests as objects, which keep the arrays that they read or write. */
#include "tools/python/hypercube.h"

#include <errno.h>

/*
 * Arguments of what outlives its call: a function is for calls alone, which wait without
 * the interpreter's lock.
 */
static bool py_later_get(struct py_hypercube *self, PyObject *args, struct py_call *call)
{
	if (!py_call_get(self, args, call))
		return false;
	if (!call->function)
		return true;
	py_cube_leave(self);
	py_rows_release(&call->host);
	PyErr_SetString(PyExc_TypeError,
			"op is a function: plans and requests have operations by name");
	return false;
}

PyObject *py_cube_plan(PyObject *object, PyObject *args)
{
	struct py_hypercube *self = (struct py_hypercube *)object;
	struct py_plan *plan;
	struct py_call call;
	int ret;

	if (!py_later_get(self, args, &call))
		return NULL;
	plan = (struct py_plan *)py_new(self->module, py_state(self->module)->plan);
	if (!plan) {
		py_cube_leave(self);
		py_rows_release(&call.host);
		return NULL;
	}
	py_link_init(&plan->link);
	plan->cube = (struct py_hypercube *)Py_NewRef(object);
	plan->host = call.host;
	plan->result = Py_NewRef(call.result);
	ret = py_call_plan(self->hc, &call, &plan->plan);
	if (ret) {
		plan->plan = NULL;
		py_fail(self->module, ret);
	} else {
		py_link_add(&self->plans, &plan->link);
	}
	py_cube_leave(self);
	if (ret) {
		Py_DECREF(plan);
		return NULL;
	}
	return (PyObject *)plan;
}

/* A request without one of the library's yet. */
static struct py_request *py_request_new(struct py_hypercube *cube)
{
	struct py_request *self = (struct py_request *)py_new(cube->module,
							       py_state(cube->module)->request);

	if (!self)
		return NULL;
	py_link_init(&self->link);
	self->cube = (struct py_hypercube *)Py_NewRef((PyObject *)cube);
	return self;
}

/* What began @request returned @ret. */
static PyObject *py_request_begun(struct py_request *self, int ret)
{
	if (!ret) {
		py_link_add(&self->cube->requests, &self->link);
		return (PyObject *)self;
	}
	self->request = NULL;
	py_fail(self->module, ret);
	return NULL;
}

PyObject *py_cube_start(PyObject *object, PyObject *args)
{
	struct py_hypercube *self = (struct py_hypercube *)object;
	struct py_request *request;
	PyObject *begun = NULL;
	struct py_call call;
	int ret;

	if (!py_later_get(self, args, &call))
		return NULL;
	request = py_request_new(self);
	if (request) {
		request->host = call.host;
		request->result = Py_NewRef(call.result);
		/* it may have to wait for one that a function of Python is part of */
		Py_BEGIN_ALLOW_THREADS
		ret = py_call_start(self->hc, &call, &request->request);
		Py_END_ALLOW_THREADS
		begun = py_request_begun(request, ret);
	}
	py_cube_leave(self);
	if (!request)
		py_rows_release(&call.host);
	else if (!begun)
		Py_DECREF(request);
	return begun;
}

/* A hypercube that is closed has freed its plans, and waited for its requests. */
void py_plans_void(struct py_link *plans)
{
	while (plans->next != plans) {
		struct py_plan *plan = py_of(plans->next, struct py_plan, link);

		py_link_remove(&plan->link);
		plan->plan = NULL;
		py_rows_release(&plan->host);
	}
}

void py_requests_void(struct py_link *requests)
{
	while (requests->next != requests) {
		struct py_request *request = py_of(requests->next, struct py_request, link);

		py_link_remove(&request->link);
		request->request = NULL;
		py_rows_release(&request->host);
	}
}

static bool py_plan_enter(struct py_plan *self)
{
	if (!py_cube_enter(self->cube))
		return false;
	if (self->plan)
		return true;
	py_cube_leave(self->cube);
	py_refuse(self->module, EBADF, "the plan's hypercube is closed");
	return false;
}

static PyObject *py_plan_run(PyObject *object, PyObject *none)
{
	struct py_plan *self = (struct py_plan *)object;
	int ret;

	(void)none;
	if (!py_plan_enter(self))
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	ret = pidcomm_plan_run(self->plan);
	Py_END_ALLOW_THREADS
	py_cube_leave(self->cube);
	return ret ? py_fail(self->module, ret) : Py_NewRef(self->result);
}

static PyObject *py_plan_start(PyObject *object, PyObject *none)
{
	struct py_plan *self = (struct py_plan *)object;
	struct py_request *request;
	PyObject *begun = NULL;
	int ret;

	(void)none;
	if (!py_plan_enter(self))
		return NULL;
	request = py_request_new(self->cube);
	if (request) {
		request->plan = (struct py_plan *)Py_NewRef(object);
		request->result = Py_NewRef(self->result);
		Py_BEGIN_ALLOW_THREADS
		ret = pidcomm_plan_start(self->plan, &request->request);
		Py_END_ALLOW_THREADS
		begun = py_request_begun(request, ret);
	}
	py_cube_leave(self->cube);
	if (request && !begun)
		Py_DECREF(request);
	return begun;
}

static void py_plan_free(PyObject *object)
{
	struct py_plan *self = (struct py_plan *)object;

	/* requests keep their plan: none of this one is under way */
	if (self->plan) {
		py_cube_lock(self->cube);
		if (self->plan)
			pidcomm_plan_free(self->plan);
		py_link_remove(&self->link);
		py_cube_leave(self->cube);
	}
	py_rows_release(&self->host);
	Py_XDECREF(self->result);
	Py_XDECREF((PyObject *)self->cube);
	py_free(object, self->module);
}

/* The library has said what became of it. */
static void py_request_ended(struct py_request *self)
{
	self->request = NULL;
	py_link_remove(&self->link);
	py_rows_release(&self->host);
}

/*
 * Waits for the library's result, unless there is none to wait for any more. Nobody
 * else uses the hypercube meanwhile.
 */
static bool py_request_end(struct py_request *self, int *ret)
{
	bool there;

	py_cube_lock(self->cube);
	there = self->request;
	if (there) {
		Py_BEGIN_ALLOW_THREADS
		*ret = pidcomm_wait(&self->request);
		Py_END_ALLOW_THREADS
		py_request_ended(self);
	}
	py_cube_leave(self->cube);
	return there;
}

static PyObject *py_request_result(struct py_request *self, int ret)
{
	if (ret)
		return py_fail(self->module, ret);
	self->seen = true;
	return Py_NewRef(self->result);
}

static PyObject *py_request_void(struct py_request *self)
{
	if (self->seen)
		return Py_NewRef(self->result);
	return py_refuse(self->module, EINVAL,
			 "the request has no result: it has failed, or its hypercube was closed");
}

static PyObject *py_request_wait(PyObject *object, PyObject *none)
{
	struct py_request *self = (struct py_request *)object;
	int ret;

	(void)none;
	if (!self->request || !py_request_end(self, &ret))
		return py_request_void(self);
	return py_request_result(self, ret);
}

static PyObject *py_request_test(PyObject *object, PyObject *none)
{
	struct py_request *self = (struct py_request *)object;
	int done = 0, ret = 0;

	(void)none;
	if (self->request && !py_cube_enter(self->cube))
		return NULL;
	if (!self->request)
		Py_RETURN_TRUE;
	ret = pidcomm_test(&self->request, &done);
	if (done)
		py_request_ended(self);
	py_cube_leave(self->cube);
	if (ret)
		return py_fail(self->module, ret);
	self->seen = done;
	return PyBool_FromLong(done);
}

static void py_request_free(PyObject *object)
{
	struct py_request *self = (struct py_request *)object;
	int ret;

	/* its arrays are being read or written until it ends; nobody asks for its error */
	if (self->request)
		py_request_end(self, &ret);
	py_rows_release(&self->host);
	Py_XDECREF((PyObject *)self->plan);
	Py_XDECREF(self->result);
	Py_XDECREF((PyObject *)self->cube);
	py_free(object, self->module);
}

static PyMethodDef py_plan_methods[] = {
	{ "run", py_plan_run, METH_NOARGS,
	  "run(): do what the plan says, and wait.\n\n"
	  "Returns the array of a plan of gather or reduce, else None." },
	{ "start", py_plan_start, METH_NOARGS, "start(): begin it; returns a Request." },
	{ 0 }
};

static PyType_Slot py_plan_slots[] = {
	{ Py_tp_dealloc, py_plan_free },
	{ Py_tp_methods, py_plan_methods },
	{ Py_tp_doc, (char *)"A collective whose arguments are checked once, and which runs often.\n\n"
		     "It keeps the array that it reads or writes." },
	{ 0 }
};

PyType_Spec py_plan_spec = {
	.name = "pimdimm.Plan",
	.basicsize = sizeof(struct py_plan),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.slots = py_plan_slots,
};

static PyMethodDef py_request_methods[] = {
	{ "wait", py_request_wait, METH_NOARGS,
	  "wait(): wait until it has ended.\n\n"
	  "Returns the array of gather or reduce, else None. Raises what the call itself would." },
	{ "test", py_request_test, METH_NOARGS, "test(): whether it has ended." },
	{ 0 }
};

static PyType_Slot py_request_slots[] = {
	{ Py_tp_dealloc, py_request_free },
	{ Py_tp_methods, py_request_methods },
	{ Py_tp_doc, (char *)"A collective that runs in the background.\n\n"
		     "It keeps the array that it reads or writes; one that is dropped is "
		     "waited for." },
	{ 0 }
};

PyType_Spec py_request_spec = {
	.name = "pimdimm.Request",
	.basicsize = sizeof(struct py_request),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.slots = py_request_slots,
};
