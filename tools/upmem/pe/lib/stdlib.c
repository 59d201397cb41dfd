// SPDX-License-Identifier: MIT
/* abort(), exit() and the arithmetic of <stdlib.h>. */
#include <stdint.h>
#include <stdlib.h>

#include <pimdimm.h>

#include "pe.h"

void abort(void)
{
	PE_SVC->fault(PE_FAULT_HALT, 0, "abort");
}

void exit(int status)
{
	(void)status;
	PE_SVC->exit();
}

int abs(int x)
{
	return x < 0 ? -x : x;
}

long labs(long x)
{
	return x < 0 ? -x : x;
}

long long llabs(long long x)
{
	return x < 0 ? -x : x;
}

div_t div(int x, int by)
{
	return (div_t){ x / by, x % by };
}

ldiv_t ldiv(long x, long by)
{
	return (ldiv_t){ x / by, x % by };
}

lldiv_t lldiv(long long x, long long by)
{
	return (lldiv_t){ x / by, x % by };
}

char *getenv(const char *name)
{
	(void)name;
	return NULL;
}

static uint64_t random_state = 1;

int rand(void)
{
	int x;

	pe_enter();
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	x = (int)(random_state >> 33);
	pe_leave();
	return x;
}

void srand(unsigned int seed)
{
	random_state = seed;
}
