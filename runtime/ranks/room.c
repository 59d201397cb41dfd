// SPDX-License-Identifier: MIT
/* Claiming space of a file piece by piece, and all room that MRAM takes at once. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include "runtime/base/error.h"
#include "runtime/base/quota.h"
#include "runtime/base/threads.h"
#include "runtime/ranks/file.h"
#include "runtime/ranks/geometry.h"
#include "runtime/ranks/room.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23	/* since Linux 5.14 */
#endif

/* claimed at a time: what a run of xeon_sp takes, and two groups share */
#define CHUNK	(UINT64_C(128) << 10)

/* a range of chunks, behind the header */
struct span {
	uint64_t first, end;
};

int pd_room_create(struct pd_file *file, uint32_t nr_ranks)
{
	uint64_t words = (nr_ranks * file->rank_bytes / CHUNK + 63) / 64;
	struct statfs fs;

	/* a file system that cannot do this could tell of no full disk */
	if (fallocate(file->fd, FALLOC_FL_KEEP_SIZE, 0, 4096)) {
		int err = errno;

		return pd_error(err, "mem: file=%s: space cannot be reserved: %s%s",
				file->path, strerror(err), err == EOPNOTSUPP ?
				" (this file system has no fallocate; ext4, xfs, btrfs and tmpfs have)" : "");
	}
	if (fstatfs(file->fd, &fs))
		return pd_error(errno, "mem: file=%s: statfs: %s", file->path,
				strerror(errno));
	file->greedy = fs.f_type == TMPFS_MAGIC;
	file->claimed = calloc(words, sizeof(*file->claimed));
	if (!file->claimed)
		return pd_error(ENOMEM, "mem: no memory for file=%s", file->path);
	return 0;
}

static bool is_claimed(const struct pd_file *file, uint64_t chunk)
{
	return __atomic_load_n(&file->claimed[chunk / 64], __ATOMIC_ACQUIRE) >>
		       chunk % 64 & 1;
}

/* lock held: chunks none of which is claimed */
static int claim_chunks(struct pd_file *file, const struct span *s)
{
	off_t at = (off_t)(PD_FILE_ALIGN + s->first * CHUNK);
	off_t bytes = (off_t)((s->end - s->first) * CHUNK);

	while (fallocate(file->fd, FALLOC_FL_KEEP_SIZE, at, bytes)) {
		int err = errno;

		if (err != EINTR)
			return pd_error(err,
					"mem: file=%s: no space for %lld bytes of MRAM at offset %lld: %s",
					file->path, (long long)bytes,
					(long long)at, strerror(err));
	}
	for (uint64_t i = s->first; i < s->end; i++)
		__atomic_fetch_or(&file->claimed[i / 64], UINT64_C(1) << i % 64,
				  __ATOMIC_RELEASE);
	return 0;
}

/* Claim those of a span that are not, as few times as possible. */
static int claim_span(struct pd_file *file, const struct span *s)
{
	struct span part = *s;
	int ret = 0, cancel;

	while (part.first < s->end && is_claimed(file, part.first))
		part.first++;
	if (part.first == s->end)
		return 0;
	cancel = pd_cancel_off();
	pthread_mutex_lock(&file->lock);
	while (part.first < s->end && !ret) {
		part.end = part.first;
		while (part.end < s->end && !is_claimed(file, part.end))
			part.end++;
		if (part.end > part.first)
			ret = claim_chunks(file, &part);
		part.first = part.end + 1;
	}
	pthread_mutex_unlock(&file->lock);
	pd_cancel_restore(cancel);
	return ret;
}

/* Where the run of words that begins here lies in its window. */
static struct span run_of(const struct pimdimm *sys, uint32_t eg, uint64_t word,
			  uint64_t end, uint64_t *words)
{
	const struct pimdimm_geometry *g = &sys->geometry;
	uint64_t at = pimdimm_layout_offset(g->layout, g->mram_size,
					    eg % PIMDIMM_BANKS, word);

	*words = pd_run(sys, word);
	if (*words > end - word)
		*words = end - word;
	return (struct span){ at, at + (*words - 1) * pd_stride(sys) +
					  PIMDIMM_BLOCK_BYTES };
}

static int claim_eg(struct pimdimm *sys, uint32_t eg, uint64_t off, uint64_t bytes)
{
	uint64_t before = eg / PIMDIMM_BANKS * sys->file->rank_bytes, words;
	uint64_t word = off / PIMDIMM_WORD_BYTES;
	uint64_t end = (off + bytes + PIMDIMM_WORD_BYTES - 1) / PIMDIMM_WORD_BYTES;
	int ret = 0;

	for (; word < end && !ret; word += words) {
		struct span s = run_of(sys, eg, word, end, &words);

		s.first = (before + s.first) / CHUNK;
		s.end = (before + s.end + CHUNK - 1) / CHUNK;
		ret = claim_span(sys->file, &s);
	}
	return ret;
}

/* whether one of the group's PEs is touched */
static bool takes_part(const struct pd_room *room, uint32_t eg)
{
	for (uint32_t l = 0; l < PIMDIMM_CHIPS; l++) {
		uint32_t nth = eg * PIMDIMM_CHIPS + l - room->first_pe;

		if (nth < room->nr_pes && (!room->bufs || room->bufs[nth]))
			return true;
	}
	return false;
}

/*
 * What is only read takes space in a file system of memory, too; and injected faults
 * flip bits of MRAM that is read.
 */
int pd_room_claim_file(struct pimdimm *sys, const struct pd_room *room)
{
	uint32_t eg = pd_eg_of(room->first_pe);
	int ret = 0;

	if (!room->nr_pes || !room->bytes ||
	    !(room->to_mram || sys->file->greedy || sys->injector))
		return 0;
	for (; eg <= pd_eg_of(room->first_pe + room->nr_pes - 1) && !ret; eg++) {
		if (takes_part(room, eg))
			ret = claim_eg(sys, eg, room->off, room->bytes);
	}
	return ret;
}

static uint64_t mram_bytes(const struct pimdimm_geometry *g)
{
	return (uint64_t)g->nr_pes * g->mram_size;
}

/* what the machine could give without swapping; PD_CGROUP_NONE if it does not tell */
static uint64_t memory_available(void)
{
	unsigned long long kib = 0, found = UINT64_MAX;
	char line[128];
	FILE *f = fopen("/proc/meminfo", "re");

	if (!f)
		return found;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "MemAvailable: %llu", &kib) == 1)
			found = kib << 10;
	}
	fclose(f);
	return found;
}

static int no_room(int err, const struct pimdimm_geometry *g, const char *where,
		   uint64_t need, uint64_t have)
{
	return pd_error(err,
			"mem: reserve=1: the MRAM of %u PEs, %llu bytes each, lacks %llu bytes of %s, which has %llu",
			g->nr_pes, (unsigned long long)g->mram_size,
			(unsigned long long)need, where,
			(unsigned long long)have);
}

static int check_disk(const struct pd_file *file, const struct pimdimm_geometry *g)
{
	uint64_t need = mram_bytes(g), has, left;
	struct statvfs fs;
	struct stat st;

	if (fstat(file->fd, &st) || fstatvfs(file->fd, &fs))
		return pd_error(errno, "mem: file=%s: stat: %s", file->path,
				strerror(errno));
	has = (uint64_t)st.st_blocks * 512;
	left = (uint64_t)fs.f_bavail * fs.f_frsize;
	need = need > has ? need - has : 0;
	return need > left ? no_room(ENOSPC, g, "the file's disk", need, left) : 0;
}

int pd_room_check(const struct pd_file *file, const struct pimdimm_geometry *g)
{
	uint64_t need = mram_bytes(g), group = pd_quota_memory("");
	uint64_t machine = memory_available();

	if (file && !file->greedy)
		return check_disk(file, g);
	if (need > group)
		return no_room(ENOMEM, g, "the memory that its control group has left",
			       need, group);
	if (need > machine)
		return no_room(ENOMEM, g, "the machine's available memory", need,
			       machine);
	return file ? check_disk(file, g) : 0;
}

static int populate(const struct pimdimm *sys, uint32_t eg, const struct span *s)
{
	struct pd_rank *rank = &sys->ranks[eg / PIMDIMM_BANKS];
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t from = s->first / page * page;
	int err = 0;

	if (madvise(rank->window + from, s->end - from, MADV_POPULATE_WRITE))
		err = errno;
	/* kernels before 5.14 do not know that */
	if (err == EINVAL)
		err = fallocate(rank->fd, 0, (off_t)from, (off_t)(s->end - from)) ?
			      errno : 0;
	return err ? pd_error(ENOMEM,
			      "mem: reserve=1: memory for rank %u: %s",
			      eg / PIMDIMM_BANKS, strerror(err)) : 0;
}

static int reserve_memory(struct pimdimm *sys)
{
	uint64_t end = sys->geometry.mram_size / PIMDIMM_WORD_BYTES, words;
	int ret = 0;

	for (uint32_t eg = 0; eg < sys->nr_ranks * PIMDIMM_BANKS; eg++) {
		for (uint64_t word = 0; word < end && !ret; word += words) {
			struct span s = run_of(sys, eg, word, end, &words);

			ret = populate(sys, eg, &s);
		}
	}
	return ret;
}

int pd_room_reserve(struct pimdimm *sys)
{
	const struct pd_room all = {
		.nr_pes = sys->geometry.nr_pes,
		.bytes = sys->geometry.mram_size,
		.to_mram = true,
	};

	return sys->file ? pd_room_claim(sys, &all) : reserve_memory(sys);
}
