/* SPDX-License-Identifier: MIT */
/* The words that options of `perf` take. */
#ifndef PIMDIMM_PERF_WORDS_H
#define PIMDIMM_PERF_WORDS_H

#include "tools/nearest.h"

/* built-in operations, from 1 on */
#define PERF_OPS 10

tool_word_fn perf_collective_word, perf_type_word, perf_op_word,
	perf_algorithm_word, perf_layout_word, perf_place_word, perf_check_word;

#endif /* PIMDIMM_PERF_WORDS_H */
