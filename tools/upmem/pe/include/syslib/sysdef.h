/* SPDX-License-Identifier: MIT */
#ifndef SYSDEF_H
#define SYSDEF_H

/* the number of a tasklet */
typedef unsigned int thread_id_t;

/* the name of a system structure */
typedef unsigned int sysname_t;

#endif /* SYSDEF_H */
