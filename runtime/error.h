/* SPDX-License-Identifier: MIT */
/* The calling thread's last failure. */
#ifndef PD_ERROR_H
#define PD_ERROR_H

/*
 * Keep a sentence for pimdimm_errmsg() and yield -err, so that a check reads
 * `return pd_error(EINVAL, "...")`. A macro, so that the compiler sees that the
 * value is not 0.
 */
#define pd_error(err, ...)			\
	({					\
		int err_ = (err);		\
						\
		pd_error_keep(__VA_ARGS__);	\
		-err_;				\
	})

__attribute__((format(printf, 1, 2)))
void pd_error_keep(const char *format, ...);

#endif /* PD_ERROR_H */
