#!/bin/sh
# SPDX-License-Identifier: MIT
# C++ exceptions in PE kernels: each tasklet handles its own, across barriers too, and
# one that no tasklet catches ends the program as anywhere.
. "$(dirname "$0")/tap.sh"

work=$(mktemp -d)
trap 'rm -rf "$work" "$output"' EXIT

cat >"$work/kernels.cc" <<'END'
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <pimdimm/pimdimm.h>

static unsigned wrong;

/* while it is handled, and in a destructor while the stack is unwound */
struct waiting {
	struct pimdimm_pe *pe;
	~waiting()
	{
		pimdimm_barrier(pe);
		if (std::uncaught_exceptions() != 1)
			wrong++;
	}
};

static void throwing(struct pimdimm_pe *pe, void *)
{
	std::string mine = std::to_string(pimdimm_tasklet_id(pe));

	try {
		waiting w{pe};

		throw std::runtime_error(mine);
	} catch (const std::exception &e) {
		pimdimm_barrier(pe);
		try {
			throw;
		} catch (const std::exception &same) {
			if (mine != same.what() || &same != &e)
				wrong++;
		}
		pimdimm_barrier(pe);
	}
	if (std::current_exception())
		wrong++;
}

static void uncaught(struct pimdimm_pe *pe, void *)
{
	pimdimm_barrier(pe);
	throw 1;
}

int main(int argc, char **)
{
	struct pimdimm *sys;

	std::set_terminate([] {
		std::puts("terminated");
		std::fflush(stdout);
		std::_Exit(3);
	});
	if (pimdimm_open("mem:ranks=1,mram=64K", &sys) ||
	    pimdimm_launch(sys, 0, 64, 5, argc > 1 ? uncaught : throwing,
			   nullptr))
		return std::puts(pimdimm_errmsg()), 1;
	pimdimm_close(sys);
	return wrong ? 2 : 0;
}
END

compiles()
{
	"${CXX:-g++}" -std=c++17 -O1 -Wall -Wextra -Werror -I"$B/include" \
		-o "$work/kernels" "$work/kernels.cc" -L"$B" -lpimdimm \
		-Wl,-rpath,"$(realpath "$B")"
}

# one thread, so that the count of what is wrong needs no lock
terminates()
{
	"$work/kernels" uncaught
	[ $? = 3 ]
}

export PIMDIMM_THREADS=1
ok 'kernels in C++' compiles
ok 'exceptions are the tasklet'\''s own' "$work/kernels"
ok 'one that nobody catches' terminates
finish
