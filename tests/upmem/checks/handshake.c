// SPDX-License-Identifier: MIT
/* A handshake is in the wrong direction: who writes waits, and writes after it. */
#include "race.h"

uint32_t value;

int main(void)
{
	if (me() == 0) {
		MEND(value = 7;)
		handshake_notify();
#ifndef MENDED
		value = 7;	/* BUG_1 */
#endif
	} else if (me() == 1) {
		handshake_wait_for(0);
		use(value);	/* BUG_2 */
	}
	return 0;
}
