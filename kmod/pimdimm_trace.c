// SPDX-License-Identifier: GPL-2.0-only
/*
 * The bodies of the tracepoints, which pimdimm_trace.h describes.
 */
#define CREATE_TRACE_POINTS
#include "kmod/pimdimm_trace.h"
