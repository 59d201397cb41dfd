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

/*
 * What fails inside a call that succeeds is nothing to tell the caller of: such a
 * call gives the sentence back that was there before.
 */
struct pd_error_text {
	char text[512];
};

void pd_error_save(struct pd_error_text *kept);
void pd_error_restore(const struct pd_error_text *kept);

#endif /* PD_ERROR_H */
