/* SPDX-License-Identifier: MIT */
/* Hypercubes with their plans and requests, as the extension's sources see them. */
#ifndef TOOLS_PYTHON_HYPERCUBE_H
#define TOOLS_PYTHON_HYPERCUBE_H

#include "tools/python/core.h"

/* hc is NULL once it is closed; who uses it holds the lock */
struct py_hypercube {
	PyObject ob_base;
	PyObject *module;
	struct py_system *system;
	struct pidcomm *hc;
	PyThread_type_lock lock;
	unsigned long owner;
	unsigned depth;
	struct py_link link;
	struct py_link plans;
	struct py_link requests;
};

/* the order of the package's list of collectives */
enum py_kind {
	PY_ALLTOALL,
	PY_REDUCE_SCATTER,
	PY_ALLREDUCE,
	PY_ALLGATHER,
	PY_SCATTER,
	PY_GATHER,
	PY_REDUCE,
	PY_BROADCAST,
	PY_KINDS,
};

/* a Python function as an operation, and the exception that ended its use */
struct py_function {
	PyObject *function;
	pidcomm_op op;
	PyObject *kind, *value, *traceback;
};

/* the arguments of a collective; host's rows are there where the host is the root */
struct py_call {
	uint32_t kind;
	const char *axes;
	uint64_t bytes, src, dst;
	struct py_rows host;
	uint32_t type;
	pidcomm_op op;
	PyObject *function;	/* instead of op; NULL */
	PyObject *result;
};

/* plan is NULL once its hypercube is closed; it keeps the host's buffer */
struct py_plan {
	PyObject ob_base;
	PyObject *module;
	struct py_hypercube *cube;
	struct pidcomm_plan *plan;
	struct py_link link;
	struct py_rows host;
	PyObject *result;
	size_t started;
};

/* request is NULL once its result has been seen, or its hypercube is closed */
struct py_request {
	PyObject ob_base;
	PyObject *module;
	struct py_hypercube *cube;
	struct pidcomm_request *request;
	struct py_link link;
	struct py_plan *plan;
	struct py_rows host;
	PyObject *result;
	bool seen;
};

void py_cube_lock(struct py_hypercube *self);
struct pidcomm *py_cube_enter(struct py_hypercube *self);
void py_cube_leave(struct py_hypercube *self);

/* collectives.c */
bool py_call_get(struct py_hypercube *self, PyObject *args, struct py_call *call);
int py_call_do(struct pidcomm *hc, const struct py_call *c);
int py_call_plan(struct pidcomm *hc, const struct py_call *c, struct pidcomm_plan **plan);
int py_call_start(struct pidcomm *hc, const struct py_call *c, struct pidcomm_request **request);
PyObject *py_cube_call(PyObject *object, PyObject *args);

/* function.c */
bool py_function_get(PyObject *object, struct py_function *self);
bool py_function_end(struct py_function *self);

/* requests.c */
PyObject *py_cube_plan(PyObject *object, PyObject *args);
PyObject *py_cube_start(PyObject *object, PyObject *args);
void py_plans_void(struct py_link *plans);
void py_requests_void(struct py_link *requests);

#endif
