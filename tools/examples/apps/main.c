// SPDX-License-Identifier: MIT
/*
 * apps: runs the applications of `pimdimm app`, built by the Makefile beside it from
 * their sources.
 *
 *     eval "$(pimdimm compat --env)"	# dpu-upmem-dpurte-clang
 *     make && ./apps bfs kron:scale=10
 */
#include <stdio.h>
#include <string.h>

#include "tools/apps/apps.h"
#include "tools/apps/common/app.h"

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && app_at(i); i++) {
		if (!strcmp(argv[1], app_at(i)->name))
			return app_main(app_at(i), argc - 1, argv + 1);
	}
	fputs("apps: expected the name of an application:", stderr);
	for (size_t i = 0; app_at(i); i++)
		fprintf(stderr, " %s", app_at(i)->name);
	fputc('\n', stderr);
	return TOOL_USAGE;
}
