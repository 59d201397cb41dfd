/* SPDX-License-Identifier: MIT */
/* What the loaded module says of its ranks, without opening a node. */
#ifndef PIMDIMM_SYSFS_H
#define PIMDIMM_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYSFS_CLASS "/sys/class/pimdimm"

struct sysfs_rank {
	uint32_t number;	/* of /dev/pimdimmN */
	char layout[16];
	char system[32];	/* the name; "" where an older module has none */
	char mux[8];		/* host or pes; "" where an older module has none */
	uint64_t abi, channel, rank, channels, ranks;
	uint64_t mram_size, window_size, allocated;
	uint64_t transfers_to_mram, transfers_from_mram;
	uint64_t bytes_to_mram, bytes_from_mram;
	uint64_t opens, resets, exports, errors, pinned;
	int64_t owner;		/* process, 0 nobody, -1 one that is not visible */
	bool hidden;		/* owner, transfers and bytes, from this user */
};

struct sysfs_ranks {
	struct sysfs_rank *ranks;	/* by number */
	size_t count;
};

/*
 * Read the folder of the class, SYSFS_CLASS but in tests. No such folder is no
 * ranks. Returns 0; -errno after a message.
 */
int sysfs_read(const char *folder, struct sysfs_ranks *ranks);
void sysfs_free(struct sysfs_ranks *ranks);

/* Is pimdimm.ko loaded, and its version; "" where it is not told. */
bool sysfs_module(char *version, size_t bytes);

/* Is a module of this name loaded, or built in? */
bool sysfs_has_module(const char *name);

/* The process's name by its number, "?" when it cannot be told. */
void sysfs_process_name(int64_t pid, char *name, size_t bytes);

/*
 * NAME[PID] of who opened the node, "free", or "taken" where that cannot be told;
 * "?" where it is hidden.
 */
void sysfs_owner(const struct sysfs_rank *rank, char *text, size_t bytes);

/* One line of a small file without its newline; false when there is none. */
bool sysfs_line(const char *path, char *line, size_t bytes);

#endif /* PIMDIMM_SYSFS_H */
