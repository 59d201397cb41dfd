/* SPDX-License-Identifier: MIT */
/* What the two programs here share. */
#ifndef GUEST_H
#define GUEST_H

#define GUEST_LARGE	300000
#define GUEST_LENGTHS	{ 0, 1, 8, 9, 1000, 4096, 65535, 65536, 65537, 300000 }
#define GUEST_FLOOD	100

enum guest_mode {
	GUEST_SERVE,
	GUEST_EXCHANGE,
	GUEST_FLOODS,
	GUEST_WAITS,	/* rank 1, for a message of the host's */
	GUEST_FORGES,	/* rank 0 sends the host what MPI does not; then all serve */
	GUEST_ENDS,
};

#endif /* GUEST_H */
