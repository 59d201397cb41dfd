/* SPDX-License-Identifier: MIT */
/* A report as text for people, as JSON, as CSV. */
#ifndef PD_REPORT_FORMAT_H
#define PD_REPORT_FORMAT_H

#include <stddef.h>

#include "runtime/watch/report.h"

/* 0 and a text to free(), or -EINVAL, -ENOMEM */
int pd_report_format(const struct pd_report_all *all,
		     enum pimdimm_report_format format, char **text,
		     size_t *bytes);

#endif /* PD_REPORT_FORMAT_H */
