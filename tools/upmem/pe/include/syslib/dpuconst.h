/* SPDX-License-Identifier: MIT */
/* Sizes of a PE. */
#ifndef DPUCONST_H
#define DPUCONST_H

#define __DPU_MRAM_SIZE_LOG2	26
#define __DPU_MRAM_SIZE		(1 << __DPU_MRAM_SIZE_LOG2)
#define __EMPTY_WAIT_QUEUE	0xFF

#endif /* DPUCONST_H */
