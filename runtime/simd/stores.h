/* SPDX-License-Identifier: MIT */
/* How loops store blocks. */
#ifndef PD_STORES_H
#define PD_STORES_H

enum pd_stores {
	PD_STORES_PLAIN,
	/* each asks for what later ones overwrite: a core has more lines of memory
	 * on their way so than its stores alone would bring */
	PD_STORES_AHEAD,
	PD_STORES_AROUND,	/* non-temporal, around the caches */
	PD_NR_STORES,
};

#endif /* PD_STORES_H */
