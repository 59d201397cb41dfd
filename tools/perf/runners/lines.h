/* SPDX-License-Identifier: MIT */
/* Plain loops over lines of 64 bytes, with the widest registers there are. */
#ifndef PIMDIMM_PERF_LINES_H
#define PIMDIMM_PERF_LINES_H

#include <stddef.h>
#include <stdint.h>

struct perf_lines {
	void (*load)(const uint8_t *p, size_t stride, uint64_t n);
	void (*store)(uint8_t *p, size_t stride, uint64_t n);
	void (*stream)(uint8_t *p, size_t stride, uint64_t n);
	void (*copy)(uint8_t *to, size_t to_stride, const uint8_t *from,
		     size_t from_stride, uint64_t n);
	void (*copy_stream)(uint8_t *to, size_t to_stride, const uint8_t *from,
			    size_t from_stride, uint64_t n);
	void (*fence)(void);	/* after streaming stores */
};

/* this CPU's, whatever PIMDIMM_ISA says */
const struct perf_lines *perf_lines(void);

#endif /* PIMDIMM_PERF_LINES_H */
