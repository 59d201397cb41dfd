// SPDX-License-Identifier: MIT
/*
 * A message larger than the log stops the PE.
 * quirk: tasklets=1
 * fault: 5 printf of more than the log's size, at .*log_full.c:[0-9]* (main)
 */
#include <stdio.h>

#include "quirk.h"

STDOUT_BUFFER_INIT(64)

int main(void)
{
	puts("short");
	puts("a message that is longer than all of the log that it is to go to");
	return 0;
}
