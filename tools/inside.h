/* SPDX-License-Identifier: MIT */
/*
 * The one door to private headers of the library. The tool is linked with all of
 * it: `info` tells what no API does, parameters of the module are numbers and
 * layouts as a URI has them, and measurements look into systems and calls.
 */
#ifndef PIMDIMM_INSIDE_H
#define PIMDIMM_INSIDE_H

#include "collectives/algorithms/table.h"
#include "collectives/api/calls.h"
#include "collectives/call/args.h"
#include "collectives/call/comm.h"
#include "collectives/call/ops.h"
#include "collectives/hosts/buffers_calls.h"
#include "collectives/hosts/segments.h"
#include "runtime/base/clock.h"
#include "runtime/base/env.h"
#include "runtime/base/error.h"
#include "runtime/base/nearest.h"
#include "runtime/base/quota.h"
#include "runtime/base/util.h"
#include "runtime/machine/topology.h"
#include "runtime/pe/debug/debugger.h"
#include "runtime/pe/shared/cost.h"
#include "runtime/ranks/backend.h"
#include "runtime/ranks/system.h"
#include "runtime/ranks/uri.h"
#include "runtime/simd/isa.h"
#include "runtime/watch/bus.h"

#endif /* PIMDIMM_INSIDE_H */
