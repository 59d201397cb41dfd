/* SPDX-License-Identifier: MIT */
/* What every source of libdpu needs: the headers it is made of and for, what is exported. */
#ifndef HOST_API_H
#define HOST_API_H

#include <stdbool.h>
#include <stdint.h>

#include <pimdimm/program.h>

#include <dpu.h>
#include <dpu_description.h>
#include <dpu_management.h>
#include <dpu_rank.h>

/* the library exports what its headers declare and nothing else */
#define DPU_API __attribute__((visibility("default")))

#endif /* HOST_API_H */
