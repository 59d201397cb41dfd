/* SPDX-License-Identifier: MIT */
/* The calling thread's last failure. */
#ifndef PD_ERROR_H
#define PD_ERROR_H

/*
 * Keep a sentence for pimdimm_errmsg() and return -err, so that a check reads
 * `return pd_error(EINVAL, "...")`.
 */
__attribute__((format(printf, 2, 3)))
int pd_error(int err, const char *format, ...);

#endif /* PD_ERROR_H */
