// SPDX-License-Identifier: MIT
/* The user's function for the host: a shared object is made of it. */
#include __mapfunc_filename__

void map_host(void *input, void *output, void *context);

void map_host(void *input, void *output, void *context)
{
	map_func(input, output, context);
}
