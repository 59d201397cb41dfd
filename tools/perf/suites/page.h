/* SPDX-License-Identifier: MIT */
/* The page of all figures: one file of HTML, which refers to nothing outside itself. */
#ifndef PIMDIMM_PERF_PAGE_H
#define PIMDIMM_PERF_PAGE_H

struct perf_page_part {
	const char *suite, *meaning;
	int status;	/* that the suite ended with */
};

/*
 * DIR/index.html, of the reports DIR/SUITE.json and the pictures DIR/SUITE/figureNUMBER.svg:
 * 0 or an exit status after a message.
 */
int perf_page_write(const char *folder, const struct perf_page_part *parts,
		    unsigned int count);

#endif /* PIMDIMM_PERF_PAGE_H */
