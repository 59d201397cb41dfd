// SPDX-License-Identifier: MIT
/* The WRAM of PEs between their runs; pimdimm_load() */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/error.h"
#include "runtime/ranks/owner.h"
#include "runtime/ranks/room.h"
#include "runtime/pe/wram.h"
#include "runtime/base/util.h"
#include "runtime/base/zeros.h"
#include "runtime/ranks/transfer.h"
#include "runtime/watch/report.h"

#define GRAIN	64u

static const uint8_t *wram_image(const struct pd_pe *pe, uint32_t *bytes)
{
	if (pe->wram.data) {
		*bytes = pe->wram.bytes;
		return pe->wram.data;
	}
	*bytes = pe->program->wram_image_bytes;
	return pe->program->wram;
}

void pd_wram_enter(struct pd_arena *arena, const struct pd_pe *pe)
{
	uint32_t bytes;
	const uint8_t *data = wram_image(pe, &bytes);

	if (bytes)
		memcpy(arena->wram, data, bytes);
	if (arena->wram_used > bytes)
		memset(arena->wram + bytes, 0, arena->wram_used - bytes);
	/* until it is seen what the PE makes of it */
	arena->wram_used = PE_WRAM_BYTES;
}

/* Have room for so many bytes; what is there is kept if `keep`. */
static int reserve_wram(struct pd_wram *w, uint32_t bytes)
{
	uint8_t *data;

	if (w->data && bytes <= w->room)
		return 0;
	bytes = (uint32_t)pd_round_up(bytes ? bytes : 1, GRAIN);
	data = realloc(w->data, bytes);
	if (!data)
		return pd_error(ENOMEM, "no memory for %u bytes of WRAM", bytes);
	w->data = data;
	w->room = bytes;
	return 0;
}

int pd_wram_leave(struct pd_arena *arena, struct pd_pe *pe)
{
	uint32_t bytes = (uint32_t)pd_zeros_behind(arena->wram,
						   arena->touched.wram_bytes);
	int ret;

	arena->wram_used = bytes;
	ret = reserve_wram(&pe->wram, bytes);
	if (ret)
		return ret;
	memcpy(pe->wram.data, arena->wram, bytes);
	pe->wram.bytes = bytes;
	return 0;
}

/* Give the PE a WRAM of its own, of `bytes` at least. */
static int own_wram(struct pd_pe *pe, uint32_t bytes)
{
	uint32_t had;
	const uint8_t *data = wram_image(pe, &had);
	bool fresh = !pe->wram.data;
	int ret = reserve_wram(&pe->wram, had > bytes ? had : bytes);

	if (ret)
		return ret;
	if (fresh) {
		if (had)
			memcpy(pe->wram.data, data, had);
		pe->wram.bytes = had;
	}
	if (pe->wram.bytes < bytes) {
		memset(pe->wram.data + pe->wram.bytes, 0,
		       bytes - pe->wram.bytes);
		pe->wram.bytes = bytes;
	}
	return 0;
}

static int check_access(struct pimdimm *sys, uint32_t pe, uint32_t off,
			const char *name, const void *buffer, size_t bytes)
{
	if (!sys)
		return pd_error(EINVAL, "sys is NULL");
	if (pe >= sys->geometry.nr_pes)
		return pd_error(EINVAL, "pe=%u, expected below %u", pe,
				sys->geometry.nr_pes);
	if (!buffer && bytes)
		return pd_error(EINVAL, "%s is NULL, expected %zu bytes", name,
				bytes);
	if (off > PE_WRAM_BYTES || bytes > PE_WRAM_BYTES - off)
		return pd_error(EINVAL,
				"off=%u and %zu bytes reach past the WRAM of %u bytes",
				off, bytes, PE_WRAM_BYTES);
	return pd_pe_state(sys) ? 0 : -ENOMEM;
}

/* Called with the lock held. */
static int check_idle(const struct pd_pe *pe, uint32_t number)
{
	if (!pe->program)
		return pd_error(ENOEXEC, "PE %u has no program loaded", number);
	if (pe->run)
		return pd_error(EBUSY, "PE %u runs", number);
	return 0;
}

static void tell_access(uint64_t start, enum pd_bus_kind kind, size_t bytes)
{
	const struct pd_bus_call call = pd_bus_serial(kind, bytes);

	pd_report_transfer(start, kind == PD_BUS_WRAM_WRITE ? "write to WRAM" :
							      "read from WRAM",
			   &call);
}

int pimdimm_wram_write(struct pimdimm *sys, uint32_t pe, uint32_t off,
		       const void *src, size_t bytes)
{
	uint64_t start = pd_report_begin();
	int ret = check_access(sys, pe, off, "src", src, bytes);
	struct pd_pe *p;

	if (ret)
		return ret;
	p = &sys->pe->pes[pe];
	pthread_mutex_lock(&sys->pe->lock);
	ret = check_idle(p, pe);
	if (!ret && bytes)
		ret = own_wram(p, off + (uint32_t)bytes);
	if (!ret && bytes)
		memcpy(p->wram.data + off, src, bytes);
	pthread_mutex_unlock(&sys->pe->lock);
	if (start && !ret)
		tell_access(start, PD_BUS_WRAM_WRITE, bytes);
	return ret;
}

static void copy_part(const struct pd_pe *pe, uint32_t off, uint8_t *dst,
		      size_t bytes)
{
	uint32_t had;
	const uint8_t *data = wram_image(pe, &had);
	size_t n = off < had ? had - off : 0;

	if (n > bytes)
		n = bytes;
	if (n)
		memcpy(dst, data + off, n);
	memset(dst + n, 0, bytes - n);
}

int pimdimm_wram_read(struct pimdimm *sys, uint32_t pe, uint32_t off,
		      void *dst, size_t bytes)
{
	uint64_t start = pd_report_begin();
	int ret = check_access(sys, pe, off, "dst", dst, bytes);

	if (ret)
		return ret;
	pthread_mutex_lock(&sys->pe->lock);
	ret = check_idle(&sys->pe->pes[pe], pe);
	if (!ret && bytes)
		copy_part(&sys->pe->pes[pe], off, dst, bytes);
	pthread_mutex_unlock(&sys->pe->lock);
	if (start && !ret)
		tell_access(start, PD_BUS_WRAM_READ, bytes);
	return ret;
}

/* A load of initialised MRAM objects, a PE a work item. */
struct loading {
	struct pimdimm *sys;
	const uint32_t *pes;
	struct pimdimm_program *program;
};

static void load_mram(void *ctx, uint64_t first, uint64_t count)
{
	const struct loading *l = ctx;

	for (uint64_t i = first; i < first + count; i++) {
		for (uint32_t j = 0; j < l->program->nr_mram; j++) {
			const struct pd_program_piece *m = &l->program->mram[j];

			pd_pe_write(l->sys, l->pes[i], m->offset, m->data,
				    m->bytes);
		}
	}
}

/* Called with the lock held. */
static void set_program(struct pd_pe *pe, struct pimdimm_program *program)
{
	struct pimdimm_program *old = pe->program;

	pe->program = pd_program_get(program);
	pe->nr_launches = 0;
	if (old)
		pimdimm_program_close(old);
	free(pe->wram.data);
	pe->wram = (struct pd_wram){ 0 };
}

static int check_load(struct pimdimm *sys, const uint32_t pes[],
		      uint32_t nr_pes, const struct pimdimm_program *program)
{
	if (!sys)
		return pd_error(EINVAL, "sys is NULL");
	if (!program)
		return pd_error(EINVAL, "program is NULL");
	if (!pes && nr_pes)
		return pd_error(EINVAL, "pes is NULL, expected %u PEs", nr_pes);
	for (uint32_t i = 0; i < nr_pes; i++) {
		if (pes[i] >= sys->geometry.nr_pes)
			return pd_error(EINVAL, "pes[%u]=%u, expected below %u",
					i, pes[i], sys->geometry.nr_pes);
	}
	if (program->info.mram_bytes > sys->geometry.mram_size)
		return pd_error(E2BIG,
				"the program needs %u bytes of MRAM%s, the PEs have %llu",
				program->info.mram_bytes,
				program->info.has_log ?
					", the buffer of its printf (1 MiB, unless STDOUT_BUFFER_INIT says otherwise) among them" : "",
				(unsigned long long)sys->geometry.mram_size);
	return pd_pe_state(sys) ? 0 : -ENOMEM;
}

/* Room for the initialised objects, in a system that is kept in a file. */
static int claim_mram(struct pimdimm *sys, const uint32_t pes[], uint32_t nr_pes,
		      const struct pimdimm_program *program)
{
	int ret = 0;

	for (uint32_t i = 0; i < nr_pes && sys->file && !ret; i++) {
		for (uint32_t j = 0; j < program->nr_mram && !ret; j++)
			ret = pd_room_claim_pe(sys, pes[i], program->mram[j].offset,
					       program->mram[j].bytes, true);
	}
	return ret;
}

/*
 * Called with the state's lock held: all PEs or none. Those gone through so far
 * are marked as in a run, which this load is: so a PE that comes again is seen.
 */
static int set_programs(const struct loading *l, uint32_t nr_pes)
{
	uint32_t marked;
	int ret = 0;

	for (marked = 0; marked < nr_pes && !ret; marked += !ret) {
		struct pd_pe *pe = &l->sys->pe->pes[l->pes[marked]];

		if (pe->run == l)
			ret = pd_error(EINVAL, "pes[%u]=%u is there twice",
				       marked, l->pes[marked]);
		else if (pe->run)
			ret = pd_error(EBUSY, "PE %u runs", l->pes[marked]);
		else
			pe->run = l;
	}
	for (uint32_t i = 0; i < marked; i++) {
		struct pd_pe *pe = &l->sys->pe->pes[l->pes[i]];

		if (!ret)
			set_program(pe, l->program);
		pe->run = NULL;
	}
	return ret;
}

static int load_program(struct pimdimm *sys, const uint32_t pes[], uint32_t nr_pes,
			struct pimdimm_program *program)
{
	struct loading l = { .sys = sys, .pes = pes, .program = program };
	int ret = claim_mram(sys, pes, nr_pes, program);

	if (ret)
		return ret;

	pthread_mutex_lock(&sys->pe->lock);
	ret = set_programs(&l, nr_pes);
	pthread_mutex_unlock(&sys->pe->lock);
	if (!ret && program->nr_mram)
		pd_workers_run(sys->workers, nr_pes, 8, load_mram, &l);
	return ret;
}

/* Loads are not modelled: no times of hardware's are published. */
static void tell_load(uint64_t start, uint32_t nr_pes,
		      const struct pimdimm_program *program)
{
	struct pd_report_call call = {
		.row = {
			.kind = PIMDIMM_REPORT_LOAD,
			.calls = 1,
			.host_ns = pd_now_ns() - start,
		},
	};

	for (uint32_t i = 0; i < program->nr_mram; i++)
		call.row.mram_bytes += program->mram[i].bytes;
	call.row.host_bytes = call.row.mram_bytes + program->info.wram_bytes +
			      program->info.text_bytes;
	call.row.mram_bytes *= nr_pes;
	pd_report_text(call.row.name, sizeof(call.row.name), program->name);
	pd_report_add(&call);
}

/* Load into PEs of ranks that the host owns. */
static int load_owned(struct pimdimm *sys, const uint32_t pes[],
		      uint32_t nr_pes, struct pimdimm_program *program)
{
	const struct pd_host_call call = { .name = "pimdimm_load()", .nr_pes = nr_pes,
					   .first_pe = nr_pes ? pes[0] : 0 };
	struct pd_rank_set ranks;
	int ret;

	/* without objects in MRAM nothing there is touched */
	if (!program->nr_mram)
		return load_program(sys, pes, nr_pes, program);
	pd_ranks_of_list(&ranks, pes, nr_pes);
	ret = pd_host_enter(sys, &ranks, &call);
	if (ret)
		return ret;
	ret = load_program(sys, pes, nr_pes, program);
	pd_host_leave(sys, &ranks);
	return ret;
}

int pimdimm_load(struct pimdimm *sys, const uint32_t pes[], uint32_t nr_pes,
		 struct pimdimm_program *program)
{
	uint64_t start = pd_report_begin();
	int ret = check_load(sys, pes, nr_pes, program);

	if (!ret)
		ret = load_owned(sys, pes, nr_pes, program);
	if (start && !ret && nr_pes)
		tell_load(start, nr_pes, program);
	return ret;
}
