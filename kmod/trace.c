// SPDX-License-Identifier: GPL-2.0-only
/*
 * The bodies of the tracepoints, which trace.h describes.
 */
#define CREATE_TRACE_POINTS
#include "kmod/trace.h"
