/* SPDX-License-Identifier: MIT */
#ifndef ERRNO_H
#define ERRNO_H

/* each tasklet has its own */
int *__pe_errno(void);
#define errno	(*__pe_errno())

#define EPERM		1
#define ENOENT		2
#define EIO		5
#define E2BIG		7
#define EAGAIN		11
#define ENOMEM		12
#define EACCES		13
#define EFAULT		14
#define EBUSY		16
#define EINVAL		22
#define ENOSPC		28
#define EDOM		33
#define ERANGE		34
#define EALREADY	114

#endif /* ERRNO_H */
