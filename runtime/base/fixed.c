// SPDX-License-Identifier: MIT
/* Looks at descriptors of other processes' memory before it is mapped. */
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>

#include "runtime/base/fixed.h"

bool pd_fd_has_fixed_size(int fd)
{
	int seals = fcntl(fd, F_GET_SEALS);
	struct statfs fs;

	if (fstatfs(fd, &fs) || fs.f_type == HUGETLBFS_MAGIC)
		return false;
	return seals >= 0 ? seals & F_SEAL_SHRINK : fs.f_type == DMA_BUF_MAGIC;
}
