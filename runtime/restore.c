// SPDX-License-Identifier: MIT
/*
 * pimdimm_restore(): the whole file is read and checked before anything of the system
 * changes, and its blocks are read and checked again when they go to MRAM.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/error.h"
#include "runtime/base/threads.h"
#include "runtime/checkpoint.h"
#include "runtime/pe/state.h"
#include "runtime/ranks/holes.h"
#include "runtime/ranks/inject.h"
#include "runtime/ranks/room.h"

struct restorer {
	struct pimdimm *sys;
	const char *path;
	int fd;
	uint64_t size;		/* of the file */
	uint64_t at;		/* of the record, then of what follows it */
	uint64_t hash;		/* of the record before, or of the header */
	uint64_t nr_records;
	struct pimdimm_program **programs;
	uint32_t nr_programs, nr_read;
	struct pd_pe *pes;	/* what they are to be */
	uint64_t next_block;	/* the first of MRAM that a record may have */
	uint8_t *data;		/* of the record */
	uint64_t room;
	bool applying;
};

#define bad(r, why) bad_at(r, (r)->at, why)

/* The file is not what was saved: where and why. */
static int bad_at(const struct restorer *r, uint64_t at, const char *why)
{
	return pd_error(EBADMSG, "restore: path=%s, offset %" PRIu64 ": %s", r->path,
			at, why);
}

static int get_bytes(const struct restorer *r, uint64_t at, void *to, uint64_t bytes)
{
	uint64_t done = 0;

	if (at > r->size || bytes > r->size - at)
		return bad_at(r, r->size, "the file ends here, before its end was due");
	while (done < bytes) {
		ssize_t n = pread(r->fd, (uint8_t *)to + done, bytes - done,
				  (off_t)(at + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return pd_error(errno, "restore: path=%s, offset %" PRIu64 ": %s",
					r->path, at + done, strerror(errno));
		if (!n)
			return bad_at(r, at + done, "the file has become shorter");
		done += (uint64_t)n;
	}
	return 0;
}

static int differs(const struct restorer *r, const char *what, uint64_t has,
		   uint64_t ours)
{
	return pd_error(EINVAL,
			"restore: path=%s is of a system with %s=%" PRIu64 ", this one has %" PRIu64,
			r->path, what, has, ours);
}

/* A layout is how blocks lie in windows, and may be another. */
static int check_geometry(const struct restorer *r, const struct pd_save_header *h)
{
	const struct pimdimm_geometry *g = &r->sys->geometry;

	if (h->channels != g->channels)
		return differs(r, "channels", h->channels, g->channels);
	if (h->ranks != g->ranks_per_channel)
		return differs(r, "ranks", h->ranks, g->ranks_per_channel);
	if (h->mram_size != g->mram_size)
		return differs(r, "mram", h->mram_size, g->mram_size);
	return 0;
}

static int get_header(struct restorer *r)
{
	struct pd_save_header h;
	int ret = get_bytes(r, 0, &h, sizeof(h));

	if (ret)
		return ret;
	r->at = 0;
	if (memcmp(h.magic, PD_SAVE_MAGIC, sizeof(h.magic)))
		return bad(r, memcmp(h.magic, PD_SAVE_MAGIC, 12) ?
				      "no file of pimdimm_save()" :
				      "of a version that this library does not know");
	if (h.hash != pd_save_header_hash(&h))
		return bad(r, "the header is damaged");
	if (h.nr_programs > r->sys->geometry.nr_pes)
		return bad(r, "more programs than PEs");
	r->nr_programs = h.nr_programs;
	r->hash = h.hash;
	r->at = sizeof(h);
	r->nr_records = r->next_block = 0;
	return check_geometry(r, &h);
}

static int have_room(struct restorer *r, uint64_t bytes)
{
	uint8_t *data;

	if (bytes <= r->room)
		return 0;
	data = realloc(r->data, bytes);
	if (!data)
		return pd_error(ENOMEM, "restore: path=%s, offset %" PRIu64 ": no memory for %" PRIu64 " bytes",
				r->path, r->at, bytes);
	r->data = data;
	r->room = bytes;
	return 0;
}

/* A record, and what follows it, as it was written. */
static int get_record(struct restorer *r, struct pd_save_record *rec)
{
	int ret = get_bytes(r, r->at, rec, sizeof(*rec));

	if (ret)
		return ret;
	/* the file has so much, or memory is not even asked for it */
	if (rec->bytes > r->size - r->at - sizeof(*rec))
		return bad(r, "a record reaches past the end of the file");
	ret = have_room(r, rec->bytes);
	if (!ret)
		ret = get_bytes(r, r->at + sizeof(*rec), r->data, rec->bytes);
	if (!ret && rec->hash != pd_save_record_hash(rec, r->data, r->hash))
		ret = bad(r, "the record here is damaged");
	return ret;
}

static int take_program(struct restorer *r, const struct pd_save_record *rec)
{
	struct pimdimm_program **program = &r->programs[r->nr_read];
	char name[PD_SAVE_NAME];
	int ret;

	if (rec->number != r->nr_read || r->nr_read == r->nr_programs ||
	    rec->bytes <= PD_SAVE_NAME)
		return bad(r, "a program that the header does not count");
	memcpy(name, r->data, sizeof(name));
	name[sizeof(name) - 1] = '\0';
	ret = pimdimm_program_open_memory(r->data + PD_SAVE_NAME,
					  rec->bytes - PD_SAVE_NAME, program);
	if (ret)
		return pd_error(-ret, "restore: path=%s, offset %" PRIu64 ": %s",
				r->path, r->at, pimdimm_errmsg());
	pimdimm_program_set_name(*program, name);
	r->nr_read++;
	if ((*program)->info.mram_bytes > r->sys->geometry.mram_size)
		return bad(r, "a program that needs more MRAM than there is");
	return 0;
}

static int take_pe(struct restorer *r, const struct pd_save_record *rec)
{
	uint32_t number = (uint32_t)rec->at;
	struct pd_pe *pe;

	if (rec->number >= r->sys->geometry.nr_pes || number >= r->nr_read)
		return bad(r, "a PE, or a program, that there is not");
	pe = &r->pes[rec->number];
	if (pe->program)
		return bad(r, "a PE that was there before");
	if (rec->bytes > (rec->kind == PD_SAVE_PE ? PE_WRAM_BYTES : 0))
		return bad(r, "more WRAM than a PE has");
	if (rec->kind == PD_SAVE_PE) {
		pe->wram.data = malloc(rec->bytes ? rec->bytes : 1);
		if (!pe->wram.data)
			return pd_error(ENOMEM, "restore: no memory for the WRAM of PE %u",
					rec->number);
		memcpy(pe->wram.data, r->data, rec->bytes);
		pe->wram.bytes = (uint32_t)rec->bytes;
		pe->wram.room = (uint32_t)(rec->bytes ? rec->bytes : 1);
	}
	pe->program = pd_program_get(r->programs[number]);
	pe->nr_launches = (uint32_t)(rec->at >> 32);
	return 0;
}

static void put_blocks(const struct restorer *r, const struct pd_save_record *rec)
{
	for (uint64_t i = 0; i < rec->bytes / PIMDIMM_BLOCK_BYTES; i++)
		memcpy(pd_block(r->sys, rec->number, rec->at + i),
		       r->data + i * PIMDIMM_BLOCK_BYTES, PIMDIMM_BLOCK_BYTES);
}

static int take_mram(struct restorer *r, const struct pd_save_record *rec)
{
	const uint64_t words = r->sys->geometry.mram_size / PIMDIMM_WORD_BYTES;
	const struct pd_room room = {
		.first_pe = PIMDIMM_CHIPS * rec->number,
		.nr_pes = PIMDIMM_CHIPS,
		.off = PIMDIMM_WORD_BYTES * rec->at,
		.bytes = rec->bytes / PIMDIMM_CHIPS,
		.to_mram = true,
	};
	uint64_t n = rec->bytes / PIMDIMM_BLOCK_BYTES;

	if (rec->number >= r->sys->nr_ranks * PIMDIMM_BANKS || rec->at > words ||
	    n > words - rec->at || rec->bytes % PIMDIMM_BLOCK_BYTES || !n ||
	    rec->bytes > PD_SAVE_MOST)
		return bad(r, "blocks that MRAM does not have");
	if (rec->number * words + rec->at < r->next_block)
		return bad(r, "blocks that were there before");
	r->next_block = rec->number * words + rec->at + n;
	if (!r->applying)
		return pd_room_claim(r->sys, &room);
	put_blocks(r, rec);
	return 0;
}

static int take_end(const struct restorer *r, const struct pd_save_record *rec)
{
	if (rec->at != r->nr_records || r->nr_read != r->nr_programs)
		return bad(r, "records or programs are missing before the end");
	if (r->at + sizeof(*rec) + rec->bytes != r->size || rec->bytes)
		return bad(r, "something follows the end");
	return 0;
}

static int take_record(struct restorer *r, const struct pd_save_record *rec)
{
	if (r->applying && rec->kind != PD_SAVE_MRAM)
		return 0;
	switch (rec->kind) {
	case PD_SAVE_PROGRAM:
		return take_program(r, rec);
	case PD_SAVE_PE:
	case PD_SAVE_PE_LOADED:
		return take_pe(r, rec);
	case PD_SAVE_MRAM:
		return take_mram(r, rec);
	case PD_SAVE_END:
		return take_end(r, rec);
	default:
		return bad(r, "a record of a kind that there is not");
	}
}

static int take_records(struct restorer *r)
{
	struct pd_save_record rec = { 0 };
	int ret = 0;

	while (!ret && rec.kind != PD_SAVE_END) {
		ret = get_record(r, &rec);
		if (!ret)
			ret = take_record(r, &rec);
		if (!ret) {
			r->at += sizeof(rec) + rec.bytes;
			r->hash = rec.hash;
			r->nr_records++;
		}
	}
	return ret;
}

static bool is_zero_block(const uint8_t *block)
{
	uint64_t words[PIMDIMM_BLOCK_BYTES / PIMDIMM_WORD_BYTES], any = 0;

	memcpy(words, block, sizeof(words));
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		any |= words[i];
	return !any;
}

/* What is zero already is not stored to: it may have no memory yet. */
static void clear_unit(struct pimdimm *sys, uint32_t eg, uint64_t word)
{
	uint8_t *block = pd_block(sys, eg, word);

	for (size_t i = 0; i < PD_HOLE_WORDS; i++, block += pd_stride(sys)) {
		if (!is_zero_block(block))
			memset(block, 0, PIMDIMM_BLOCK_BYTES);
	}
}

static void clear_mram(struct pimdimm *sys)
{
	const uint64_t words = sys->geometry.mram_size / PIMDIMM_WORD_BYTES;
	struct pd_holes holes = { 0 };

	for (uint32_t eg = 0; eg < sys->nr_ranks * PIMDIMM_BANKS; eg++) {
		for (uint64_t word = 0; word < words; word += PD_HOLE_WORDS) {
			if (!pd_is_hole(sys, &holes, eg, word))
				clear_unit(sys, eg, word);
		}
	}
}

static int apply(struct restorer *r)
{
	int ret;

	r->applying = true;
	ret = get_header(r);
	if (ret)
		return ret;
	clear_mram(r->sys);
	return take_records(r);
}

static int open_file(struct restorer *r)
{
	struct stat st;

	/* O_NONBLOCK: no waiting for the other end of a FIFO */
	r->fd = open(r->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (r->fd < 0 || fstat(r->fd, &st))
		return pd_error(errno, "restore: path=%s: %s", r->path,
				strerror(errno));
	if (!S_ISREG(st.st_mode))
		return pd_error(S_ISDIR(st.st_mode) ? EISDIR : EINVAL,
				"restore: path=%s is no regular file", r->path);
	r->size = (uint64_t)st.st_size;
	return 0;
}

static int restore_file(struct restorer *r)
{
	const uint32_t nr_pes = r->sys->geometry.nr_pes;
	int ret = open_file(r);

	if (!ret)
		ret = get_header(r);
	if (ret)
		return ret;
	r->programs = calloc(r->nr_programs + 1, sizeof(*r->programs));
	r->pes = calloc(nr_pes, sizeof(*r->pes));
	if (!r->programs || !r->pes || !pd_pe_state(r->sys))
		return pd_error(ENOMEM, "restore: no memory for %u PEs", nr_pes);
	ret = take_records(r);
	if (!ret)
		ret = pd_pe_state_check_idle(r->sys);
	if (!ret)
		ret = apply(r);
	if (!ret)
		ret = pd_pe_state_exchange(r->sys, r->pes);
	return ret;
}

static int restore_owned(struct restorer *r)
{
	const uint32_t nr_pes = r->sys->geometry.nr_pes;
	int ret = pd_host_begin(r->sys, "pimdimm_restore()", 0, nr_pes);

	if (ret)
		return ret;
	ret = pd_present(r->sys, 0, nr_pes);
	if (!ret)
		ret = restore_file(r);
	pd_host_end(r->sys, 0, nr_pes);
	return ret;
}

static void restorer_free(struct restorer *r)
{
	if (r->fd >= 0)
		close(r->fd);
	for (uint32_t i = 0; i < r->nr_read; i++)
		pimdimm_program_close(r->programs[i]);
	free(r->programs);
	if (r->pes)
		pd_pes_free(r->pes, r->sys->geometry.nr_pes);
	free(r->data);
}

int pimdimm_restore(struct pimdimm *sys, const char *path)
{
	struct restorer r = { .sys = sys, .path = path, .fd = -1 };
	int ret, cancel;

	if (!sys || !path)
		return pd_error(EINVAL, "restore: %s is NULL", sys ? "path" : "sys");
	ret = pd_check_host(sys);
	if (ret)
		return ret;
	cancel = pd_cancel_off();
	ret = restore_owned(&r);
	restorer_free(&r);
	pd_cancel_restore(cancel);
	return ret;
}
