/* SPDX-License-Identifier: MIT */
/*
 * The one door of libdpu to private headers of the library: the clock, sizes rounded up,
 * the signals that a library's threads block, locks and fork(), and where the memory of PE
 * programs lies.
 * libdpu is linked to libpimdimm as any program is, so all that it uses of them is inline.
 */
#ifndef HOST_INSIDE_H
#define HOST_INSIDE_H

#include "runtime/base/clock.h"
#include "runtime/base/signals.h"
#include "runtime/base/threads.h"
#include "runtime/base/util.h"
#include "runtime/pe/shared/abi.h"

#endif /* HOST_INSIDE_H */
