// SPDX-License-Identifier: MIT
/* The eight collectives: arguments from Python, and the library's call for each. */
#include "tools/python/hypercube.h"

#include <pimdimm/types.h>

static bool py_rooted(uint32_t kind)
{
	return kind >= PY_SCATTER;
}

/* The library cannot know how long host buffers are: there is one of each group's size. */
static bool py_host_check(struct py_hypercube *self, struct py_call *c)
{
	uint32_t groups, members;
	uint64_t expected = c->bytes;
	int ret = pidcomm_group_count(self->hc, c->axes, &groups, &members);

	if (ret) {
		py_fail(self->module, ret);
		return false;
	}
	if (c->kind == PY_SCATTER || c->kind == PY_GATHER) {
		if (c->bytes > SIZE_MAX / members) {
			PyErr_Format(PyExc_ValueError, "%llu bytes of each PE are too many",
				     (unsigned long long)c->bytes);
			return false;
		}
		expected *= members;
	}
	if (c->host.count == groups && c->host.bytes == expected)
		return true;
	PyErr_Format(PyExc_ValueError,
		     "the array has %u rows of %zu bytes: expected one of %llu bytes for each of "
		     "%u groups", c->host.count, c->host.bytes, (unsigned long long)expected,
		     groups);
	return false;
}

static bool py_host_get(struct py_hypercube *self, PyObject *host, struct py_call *c)
{
	bool writable = c->kind == PY_GATHER || c->kind == PY_REDUCE;

	c->host.bufs = NULL;
	if (!py_rooted(c->kind))
		return true;
	if (!py_rows_get(host, writable ? "out" : "the array", writable, UINT32_MAX >> 4,
			 &c->host))
		return false;
	if (py_host_check(self, c))
		return true;
	py_rows_release(&c->host);
	return false;
}

/* An operation's number, or a function. */
static bool py_op_get(PyObject *op, struct py_call *c)
{
	uint32_t number = 1;

	c->function = PyCallable_Check(op) ? op : NULL;
	if (!c->function && !py_u32(op, &number))
		return false;
	c->op = (pidcomm_op)(uintptr_t)number;
	if (c->kind < PY_KINDS && c->type <= PIDCOMM_F64 && number >= 1 && number <= 10)
		return true;
	PyErr_Format(PyExc_ValueError, "no collective %u of type %u, operation %u", c->kind,
		     c->type, number);
	return false;
}

/*
 * The arguments of a collective, of which py_rows_release() ends the host's rows. The
 * hypercube is entered.
 */
bool py_call_get(struct py_hypercube *self, PyObject *args, struct py_call *c)
{
	PyObject *host, *op;

	if (!PyArg_ParseTuple(args, "O&sO&O&O&OO&OO", py_u32, &c->kind, &c->axes, py_u64,
			      &c->bytes, py_u64, &c->src, py_u64, &c->dst, &host, py_u32,
			      &c->type, &op, &c->result) ||
	    !py_op_get(op, c))
		return false;
	if (!py_cube_enter(self))
		return false;
	if (py_host_get(self, host, c))
		return true;
	py_cube_leave(self);
	return false;
}

static const void *const *py_from(const struct py_call *c)
{
	return (const void *const *)c->host.bufs;
}

int py_call_do(struct pidcomm *hc, const struct py_call *c)
{
	switch (c->kind) {
	case PY_ALLTOALL:
		return pidcomm_alltoall(hc, c->axes, c->bytes, c->src, c->dst);
	case PY_REDUCE_SCATTER:
		return pidcomm_reduce_scatter(hc, c->axes, c->bytes, c->src, c->dst, c->type,
					      c->op);
	case PY_ALLREDUCE:
		return pidcomm_allreduce(hc, c->axes, c->bytes, c->src, c->dst, c->type,
					 c->op);
	case PY_ALLGATHER:
		return pidcomm_allgather(hc, c->axes, c->bytes, c->src, c->dst);
	case PY_SCATTER:
		return pidcomm_scatter(hc, c->axes, c->bytes, py_from(c), c->dst);
	case PY_GATHER:
		return pidcomm_gather(hc, c->axes, c->bytes, c->src, c->host.bufs);
	case PY_REDUCE:
		return pidcomm_reduce(hc, c->axes, c->bytes, c->src, c->host.bufs, c->type,
				      c->op);
	default:
		return pidcomm_broadcast(hc, c->axes, c->bytes, py_from(c), c->dst);
	}
}

int py_call_plan(struct pidcomm *hc, const struct py_call *c, struct pidcomm_plan **plan)
{
	switch (c->kind) {
	case PY_ALLTOALL:
		return pidcomm_plan_alltoall(hc, c->axes, c->bytes, c->src, c->dst, plan);
	case PY_REDUCE_SCATTER:
		return pidcomm_plan_reduce_scatter(hc, c->axes, c->bytes, c->src, c->dst,
						   c->type, c->op, plan);
	case PY_ALLREDUCE:
		return pidcomm_plan_allreduce(hc, c->axes, c->bytes, c->src, c->dst, c->type,
					      c->op, plan);
	case PY_ALLGATHER:
		return pidcomm_plan_allgather(hc, c->axes, c->bytes, c->src, c->dst, plan);
	case PY_SCATTER:
		return pidcomm_plan_scatter(hc, c->axes, c->bytes, py_from(c), c->dst, plan);
	case PY_GATHER:
		return pidcomm_plan_gather(hc, c->axes, c->bytes, c->src, c->host.bufs, plan);
	case PY_REDUCE:
		return pidcomm_plan_reduce(hc, c->axes, c->bytes, c->src, c->host.bufs, c->type,
					   c->op, plan);
	default:
		return pidcomm_plan_broadcast(hc, c->axes, c->bytes, py_from(c), c->dst, plan);
	}
}

int py_call_start(struct pidcomm *hc, const struct py_call *c, struct pidcomm_request **r)
{
	switch (c->kind) {
	case PY_ALLTOALL:
		return pidcomm_ialltoall(hc, c->axes, c->bytes, c->src, c->dst, r);
	case PY_REDUCE_SCATTER:
		return pidcomm_ireduce_scatter(hc, c->axes, c->bytes, c->src, c->dst, c->type,
					       c->op, r);
	case PY_ALLREDUCE:
		return pidcomm_iallreduce(hc, c->axes, c->bytes, c->src, c->dst, c->type,
					  c->op, r);
	case PY_ALLGATHER:
		return pidcomm_iallgather(hc, c->axes, c->bytes, c->src, c->dst, r);
	case PY_SCATTER:
		return pidcomm_iscatter(hc, c->axes, c->bytes, py_from(c), c->dst, r);
	case PY_GATHER:
		return pidcomm_igather(hc, c->axes, c->bytes, c->src, c->host.bufs, r);
	case PY_REDUCE:
		return pidcomm_ireduce(hc, c->axes, c->bytes, c->src, c->host.bufs, c->type,
				       c->op, r);
	default:
		return pidcomm_ibroadcast(hc, c->axes, c->bytes, py_from(c), c->dst, r);
	}
}

PyObject *py_cube_call(PyObject *object, PyObject *args)
{
	struct py_hypercube *self = (struct py_hypercube *)object;
	struct py_function function;
	struct py_call call;
	bool done = false;
	int ret = 0;

	if (!py_call_get(self, args, &call))
		return NULL;
	if (!call.function || py_function_get(call.function, &function)) {
		if (call.function)
			call.op = function.op;
		Py_BEGIN_ALLOW_THREADS
		ret = py_call_do(self->hc, &call);
		Py_END_ALLOW_THREADS
		done = !call.function || py_function_end(&function);
	}
	py_cube_leave(self);
	py_rows_release(&call.host);
	if (!done)
		return NULL;
	return ret ? py_fail(self->module, ret) : Py_NewRef(call.result);
}
