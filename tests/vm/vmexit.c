// SPDX-License-Identifier: MIT
/*
 * Usage: vmexit [STATUS]
 *
 * Ends the virtual machine through qemu's isa-debug-exit device, whose exit
 * status is then 2 * STATUS + 1: odd, so that it differs from a reboot's 0.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/io.h>
#include <unistd.h>

#define DEBUG_EXIT_PORT 0xf4

int main(int argc, char **argv)
{
	unsigned char status = argc > 1 ? (unsigned char)atoi(argv[1]) : 0;

	sync();
	if (ioperm(DEBUG_EXIT_PORT, 4, 1)) {
		perror("vmexit: ioperm");
		return 1;
	}
	outb(status, DEBUG_EXIT_PORT);
	fprintf(stderr, "vmexit: no device at port 0xf4\n");
	return 1;
}
