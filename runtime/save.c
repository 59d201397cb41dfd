// SPDX-License-Identifier: MIT
/*
 * pimdimm_save(): what a system holds, written beside the file that it is to be and
 * put in its place when all of it is on disk.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/error.h"
#include "runtime/base/threads.h"
#include "runtime/base/util.h"
#include "runtime/base/zeros.h"
#include "runtime/checkpoint.h"
#include "runtime/pe/state.h"
#include "runtime/ranks/holes.h"
#include "runtime/ranks/inject.h"

#define UNIT_BYTES	(PD_HOLE_WORDS * PIMDIMM_BLOCK_BYTES)

struct saver {
	struct pimdimm *sys;
	const char *path;	/* what it is to be called */
	char *partial;		/* what it is called until it is whole */
	int fd, folder;
	uint64_t hash;		/* of the record before, or of the header */
	uint64_t nr_records;
	struct pimdimm_program **programs;	/* each that a PE has, once */
	uint32_t nr_programs;
	uint32_t *program_of;	/* by PE */
	/* blocks of one entangled group that follow each other */
	uint8_t *blocks;
	uint32_t eg, bytes;
	uint64_t word;
};

static int save_fail(const struct saver *s, int err, const char *what)
{
	return pd_error(err, "save: path=%s: %s: %s", s->path, what, strerror(err));
}

static int put_bytes(const struct saver *s, const void *data, size_t bytes)
{
	int err = pd_write_all(s->fd, data, bytes);

	return err ? save_fail(s, err, "write") : 0;
}

static int put_header(struct saver *s)
{
	const struct pimdimm_geometry *g = &s->sys->geometry;
	struct pd_save_header h = {
		.magic = PD_SAVE_MAGIC,
		.channels = g->channels,
		.ranks = g->ranks_per_channel,
		.layout = g->layout,
		.nr_programs = s->nr_programs,
		.mram_size = g->mram_size,
	};

	h.hash = pd_save_header_hash(&h);
	s->hash = h.hash;
	return put_bytes(s, &h, sizeof(h));
}

static int put_record(struct saver *s, struct pd_save_record *r, const void *data)
{
	int ret;

	r->hash = pd_save_record_hash(r, data, s->hash);
	s->hash = r->hash;
	s->nr_records++;
	ret = put_bytes(s, r, sizeof(*r));
	return ret || !r->bytes ? ret : put_bytes(s, data, r->bytes);
}

static int put_program(struct saver *s, uint32_t number)
{
	const struct pimdimm_program *program = s->programs[number];
	struct pd_save_record r = {
		.kind = PD_SAVE_PROGRAM,
		.number = number,
		.bytes = PD_SAVE_NAME + program->image_bytes,
	};
	uint8_t *data = calloc(1, r.bytes);
	int ret;

	if (!data)
		return pd_error(ENOMEM, "save: no memory for a program of %zu bytes",
				program->image_bytes);
	memcpy(data, program->name, strnlen(program->name, PD_SAVE_NAME - 1));
	memcpy(data + PD_SAVE_NAME, program->image, program->image_bytes);
	ret = put_record(s, &r, data);
	free(data);
	return ret;
}

static int put_pe(struct saver *s, uint32_t number)
{
	const struct pd_pe *pe = &s->sys->pe->pes[number];
	struct pd_save_record r = {
		.kind = pe->wram.data ? PD_SAVE_PE : PD_SAVE_PE_LOADED,
		.number = number,
		.at = s->program_of[number] | (uint64_t)pe->nr_launches << 32,
		.bytes = pe->wram.data ? pe->wram.bytes : 0,
	};

	return pe->program ? put_record(s, &r, pe->wram.data) : 0;
}

/* The number of a PE's program; mostly it is that of the PE before. */
static uint32_t number_of(struct saver *s, struct pimdimm_program *program,
			  uint32_t guess)
{
	uint32_t i = guess < s->nr_programs && s->programs[guess] == program ?
			     guess : 0;

	while (i < s->nr_programs && s->programs[i] != program)
		i++;
	if (i == s->nr_programs)
		s->programs[s->nr_programs++] = program;
	return i;
}

/* Called with the lock of the PEs' state held, if there is any. */
static int number_programs(struct saver *s)
{
	uint32_t nr_pes = s->sys->geometry.nr_pes, guess = 0;

	s->programs = calloc(nr_pes, sizeof(*s->programs));
	s->program_of = calloc(nr_pes, sizeof(*s->program_of));
	if (!s->programs || !s->program_of)
		return pd_error(ENOMEM, "save: no memory for %u PEs", nr_pes);
	for (uint32_t i = 0; i < nr_pes; i++) {
		const struct pd_pe *pe = &s->sys->pe->pes[i];

		if (pe->run)
			return pd_error(EBUSY, "save: PE %u runs", i);
		if (pe->program)
			guess = s->program_of[i] = number_of(s, pe->program, guess);
	}
	return 0;
}

static int put_pes(struct saver *s)
{
	int ret = s->sys->pe ? number_programs(s) : 0;

	if (!ret)
		ret = put_header(s);
	for (uint32_t i = 0; i < s->nr_programs && !ret; i++)
		ret = put_program(s, i);
	for (uint32_t i = 0; s->sys->pe && i < s->sys->geometry.nr_pes && !ret; i++)
		ret = put_pe(s, i);
	return ret;
}

static int put_pes_locked(struct saver *s)
{
	struct pd_pe_state *st = s->sys->pe;
	int ret;

	if (!st)
		return put_pes(s);
	pthread_mutex_lock(&st->lock);
	ret = put_pes(s);
	pthread_mutex_unlock(&st->lock);
	return ret;
}

static int flush_blocks(struct saver *s)
{
	struct pd_save_record r = {
		.kind = PD_SAVE_MRAM,
		.number = s->eg,
		.at = s->word,
		.bytes = s->bytes,
	};

	s->bytes = 0;
	return r.bytes ? put_record(s, &r, s->blocks) : 0;
}

/* Copy a unit behind the blocks before it; false: it is all zeros. */
static bool take_unit(const struct saver *s, uint32_t eg, uint64_t word)
{
	const uint8_t *from = pd_block(s->sys, eg, word);
	uint8_t *to = s->blocks + s->bytes;

	for (size_t i = 0; i < PD_HOLE_WORDS; i++)
		memcpy(to + i * PIMDIMM_BLOCK_BYTES, from + i * pd_stride(s->sys),
		       PIMDIMM_BLOCK_BYTES);
	return pd_zeros_behind(to, UNIT_BYTES);
}

static int put_mram_of(struct saver *s, uint32_t eg, struct pd_holes *holes)
{
	const uint64_t words = s->sys->geometry.mram_size / PIMDIMM_WORD_BYTES;
	int ret = 0;

	for (uint64_t word = 0; word < words && !ret; word += PD_HOLE_WORDS) {
		if (pd_is_hole(s->sys, holes, eg, word) || !take_unit(s, eg, word)) {
			ret = flush_blocks(s);
			continue;
		}
		if (!s->bytes) {
			s->eg = eg;
			s->word = word;
		}
		s->bytes += UNIT_BYTES;
		if (s->bytes == PD_SAVE_MOST)
			ret = flush_blocks(s);
	}
	return ret ? ret : flush_blocks(s);
}

static int put_all(struct saver *s)
{
	struct pd_save_record end = { .kind = PD_SAVE_END };
	struct pd_holes holes = { 0 };
	int ret = put_pes_locked(s);

	for (uint32_t eg = 0; eg < s->sys->nr_ranks * PIMDIMM_BANKS && !ret; eg++)
		ret = put_mram_of(s, eg, &holes);
	end.at = s->nr_records;
	return ret ? ret : put_record(s, &end, NULL);
}

/* A file beside the path that nobody else has; another thread's save neither. */
static int open_partial(struct saver *s)
{
	static _Atomic unsigned int number;
	size_t bytes = strlen(s->path) + 32;

	s->partial = malloc(bytes);
	if (!s->partial)
		return pd_error(ENOMEM, "save: no memory for path=%s", s->path);
	do {
		snprintf(s->partial, bytes, "%s.%d-%u", s->path, (int)getpid(),
			 atomic_fetch_add(&number, 1));
		s->fd = open(s->partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	} while (s->fd < 0 && errno == EEXIST);
	return s->fd < 0 ? save_fail(s, errno, "a file beside it cannot be made") : 0;
}

/* Opened before there is anything that could be in it or not. */
static int open_folder(struct saver *s)
{
	char *copy = strdup(s->path);

	if (!copy)
		return pd_error(ENOMEM, "save: no memory for path=%s", s->path);
	s->folder = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(copy);
	return s->folder < 0 ? save_fail(s, errno, "its folder") : 0;
}

/* The name is to be on disk, too; some file systems have nothing to write there. */
static int sync_folder(const struct saver *s)
{
	if (!fsync(s->folder) || errno == EINVAL)
		return 0;
	return save_fail(s, errno, "its folder");
}

static int put_in_place(struct saver *s)
{
	if (fsync(s->fd))
		return save_fail(s, errno, "fsync");
	if (rename(s->partial, s->path))
		return save_fail(s, errno, "rename");
	free(s->partial);
	s->partial = NULL;
	return sync_folder(s);
}

/* A device or a FIFO of that name would be gone. */
static int check_path(const struct saver *s)
{
	struct stat st;

	if (lstat(s->path, &st) || S_ISREG(st.st_mode) || S_ISLNK(st.st_mode))
		return 0;
	return pd_error(S_ISDIR(st.st_mode) ? EISDIR : EINVAL,
			"save: path=%s is there and no regular file", s->path);
}

static int save_system(struct saver *s)
{
	int ret = check_path(s);

	if (!ret)
		ret = open_folder(s);
	if (!ret)
		ret = open_partial(s);
	if (ret)
		return ret;
	s->blocks = malloc(PD_SAVE_MOST);
	ret = s->blocks ? put_all(s) : pd_error(ENOMEM, "save: no memory for blocks");
	if (!ret)
		ret = put_in_place(s);
	if (s->partial)
		unlink(s->partial);
	return ret;
}

static int save_owned(struct saver *s)
{
	const uint32_t nr_pes = s->sys->geometry.nr_pes;
	int ret = pd_host_begin(s->sys, "pimdimm_save()", 0, nr_pes);

	if (ret)
		return ret;
	ret = pd_present(s->sys, 0, nr_pes);
	if (!ret)
		ret = save_system(s);
	pd_host_end(s->sys, 0, nr_pes);
	return ret;
}

int pimdimm_save(struct pimdimm *sys, const char *path)
{
	struct saver s = { .sys = sys, .path = path, .fd = -1, .folder = -1 };
	int ret, cancel;

	if (!sys || !path)
		return pd_error(EINVAL, "save: %s is NULL", sys ? "path" : "sys");
	ret = pd_check_host(sys);
	if (ret)
		return ret;
	cancel = pd_cancel_off();
	ret = save_owned(&s);
	if (s.fd >= 0)
		close(s.fd);
	if (s.folder >= 0)
		close(s.folder);
	free(s.partial);
	free(s.programs);
	free(s.program_of);
	free(s.blocks);
	pd_cancel_restore(cancel);
	return ret;
}
