/* SPDX-License-Identifier: MIT */
/*
 * Resources that can be made to fail. The test is linked with --wrap for each
 * of these functions, so that the library's calls arrive here.
 */
#ifndef TESTS_FAILING_H
#define TESTS_FAILING_H

#include <stdbool.h>

/* From now on the library's requests are counted, and the @nth fails. */
void failing_start(unsigned nth);

/* Ends that; whether a request was made to fail. */
bool failing_stop(void);

/* What has been obtained since the program's start and not given back. */
long failing_outstanding(void);

/* The same of memory of malloc() and its kind alone. */
long failing_memory(void);

#endif
