/* SPDX-License-Identifier: MIT */
/* A small disk, which a test fills. */
#ifndef TESTS_DISK_H
#define TESTS_DISK_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * A tmpfs of so many bytes ("8m") that is mounted nowhere, and ends with this process: the
 * folder's name that is written here leads to it. That works in a chroot, too, whose root is no
 * mount that could be made private. False: it may not be made here.
 */
static inline bool unit_small_disk(const char *size, char *folder, size_t bytes)
{
	int context = (int)syscall(SYS_fsopen, "tmpfs", FSOPEN_CLOEXEC), disk = -1;

	if (context < 0)
		return false;
	if (!syscall(SYS_fsconfig, context, FSCONFIG_SET_STRING, "size", size, 0) &&
	    !syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		disk = (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, 0);
	close(context);
	snprintf(folder, bytes, "/proc/%d/fd/%d", getpid(), disk);
	return disk >= 0;
}

#endif
