// SPDX-License-Identifier: MIT
/* Which case was running, should the process be killed by a signal. */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/conformance/crash.h"

static char note[512];

void crash_note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(note, sizeof(note), format, args);
	va_end(args);
}

static void say(const char *text)
{
	if (write(STDOUT_FILENO, text, strlen(text)) < 0)
		_exit(1);
}

static void on_signal(int number)
{
	say("\n# killed by a signal in: ");
	say(note);
	say("\nBail out! a signal\n");
	signal(number, SIG_DFL);
	raise(number);
}

/* The sanitizers' own reports of memory errors say more. */
void crash_watch(void)
{
	static const int all[] = { SIGTERM, SIGALRM,
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
		SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT,
#endif
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		signal(all[i], on_signal);
}
