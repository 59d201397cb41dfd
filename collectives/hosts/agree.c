// SPDX-License-Identifier: MIT
/* Hosts arrive at a call, compare what they are about to do, and leave it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/base/error.h"
#include "collectives/hosts/agree.h"
#include "collectives/hosts/segments.h"
#include "collectives/hosts/waiting.h"

static struct pc_hosts_record *record_of(const struct pimdimm_hosts *h, uint32_t host)
{
	return &h->page->line[host].record[h->number & 1];
}

static uint8_t *cell_of(const struct pimdimm_hosts *h, uint32_t host, size_t bytes)
{
	struct pc_hosts_line *line = &h->page->line[host];

	return bytes <= PC_HOSTS_TINY ? line->tiny[h->number & 1] : line->cell[h->number & 1];
}

const uint8_t *pc_hosts_cell(const struct pimdimm_hosts *h, uint32_t host, size_t bytes)
{
	return cell_of(h, host, bytes);
}

/* A hash of what a host says, in four lanes that do not wait for each other. */
static uint64_t digest_of(const struct pc_hosts_said *said)
{
	enum { WORDS = sizeof(*said) / sizeof(uint64_t), LANES = 4 };
	uint64_t words[WORDS], lanes[LANES] = { 1, 2, 3, 4 }, hash = 0;

	_Static_assert(sizeof(words) == sizeof(*said), "words, without a rest");
	memcpy(words, said, sizeof(words));
	for (unsigned int i = 0; i < WORDS; i++) {
		uint64_t *lane = &lanes[i % LANES];

		*lane = (*lane ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
		*lane ^= *lane >> 29;
	}
	for (unsigned int i = 0; i < LANES; i++)
		hash = (hash ^ lanes[i]) * UINT64_C(0xbf58476d1ce4e5b9) + (hash >> 31);
	return hash;
}

static const char *type_name(uint32_t type)
{
	static const char *const types[] = { "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64",
					     "f16", "bf16", "f32", "f64" };

	return type < sizeof(types) / sizeof(*types) ? types[type] : "?";
}

static void describe_on_cube(const struct pc_hosts_args *args, const char *type, char *text,
			     size_t bytes)
{
	char words[sizeof(args->words) + 1] = "", reduces[48] = "", root[32] = "";
	const enum pc_collective id = (enum pc_collective)(args->kind - PC_HOSTS_ON_CUBES);

	pc_hosts_words(words, args->words, sizeof(words) - 1);
	if (pc_traits[id].reduces)
		snprintf(reduces, sizeof(reduces), " type=%s operation=%u", type, args->op);
	if (args->root != PIDCOMM_HOME)
		snprintf(root, sizeof(root), " root=%u", args->root);
	snprintf(text, bytes, "%s %s bytes=%llu src=%llu dst=%llu%s%s",
		 pc_collective_name(id), words, (unsigned long long)args->bytes,
		 (unsigned long long)args->src, (unsigned long long)args->dst, reduces, root);
}

void pc_hosts_describe(const struct pc_hosts_args *args, char *text, size_t bytes)
{
	if (args->kind >= PC_HOSTS_ON_CUBES && args->kind <= PC_HOSTS_ON_CUBES_LAST) {
		describe_on_cube(args, type_name(args->type), text, bytes);
		return;
	}
	snprintf(text, bytes, "%s of %llu bytes (type %s, operation %u, root %u, algorithm %u)",
		 args->kind < PC_HOSTS_KINDS ? pc_hosts_kind_name(args->kind) : "nothing known",
		 (unsigned long long)args->bytes,
		 type_name(args->type), args->op,
		 args->root, args->algorithm);
}

static int calls_differ(struct pimdimm_hosts *h, uint32_t other)
{
	const uint32_t first = other < h->host ? other : h->host;
	const uint32_t second = other < h->host ? h->host : other;
	char a[192], b[192];

	pc_hosts_describe(&h->peers[first].args, a, sizeof(a));
	pc_hosts_describe(&h->peers[second].args, b, sizeof(b));
	return pc_hosts_break(h, EPROTO, "call %llu differs: host %u (pid %d) makes %s, host %u (pid %d) %s%s",
			      (unsigned long long)h->number, first, (int)h->pids[first], a, second,
			      (int)h->pids[second], b,
			      strcmp(a, b) ? "" : ", with other counts");
}

static int refused_by(struct pimdimm_hosts *h, uint32_t other)
{
	char words[PC_HOSTS_WORDS];

	pc_hosts_words(words, record_of(h, other)->words, sizeof(words));
	return pd_error(EPROTO, "host %u (pid %d) refuses %s: %s", other, (int)h->pids[other],
			pc_hosts_kind_name(h->kind), words);
}

static int compare_all(struct pimdimm_hosts *h)
{
	for (uint32_t i = 0; i < h->hosts; i++) {
		if (i != h->host && h->peers[i].refused)
			return refused_by(h, i);
	}
	for (uint32_t i = 0; i < h->hosts; i++) {
		if (memcmp(&h->peers[i].args, &h->peers[h->host].args, sizeof(h->peers[i].args)))
			return calls_differ(h, i);
	}
	return 0;
}

/*
 * What others say is read where it differs: who says the same has put a hash of it beside
 * its step, in a line that has come already.
 */
static int hear_all(struct pimdimm_hosts *h, const struct pc_hosts_said *mine, uint64_t digest)
{
	int ret = pc_hosts_wait_all(h, PC_HOSTS_ARRIVED);
	uint64_t oldest = UINT64_MAX;

	for (uint32_t i = 0; !ret && i < h->hosts; i++) {
		bool same = i == h->host || h->page->line[i].digest[h->number & 1] == digest;

		memcpy(&h->peers[i], same ? mine : &record_of(h, i)->said, sizeof(h->peers[i]));
		if (h->peers[i].oldest < oldest)
			oldest = h->peers[i].oldest;
	}
	if (!ret && h->segments)
		pc_hosts_sweep(h, oldest);
	return ret;
}

/* What another host still reads is that of the call before. The hash of what is said. */
static uint64_t speak(struct pimdimm_hosts *h, const struct pc_hosts_said *said, const void *cell,
		      size_t bytes)
{
	struct pc_hosts_record *record = record_of(h, h->host);
	uint64_t digest = digest_of(said);

	record->said = *said;
	record->failed = record->faulted = 0;
	if (said->refused)
		snprintf(record->words, sizeof(record->words), "%s", pimdimm_errmsg());
	else if (bytes)
		memcpy(cell_of(h, h->host, bytes), cell, bytes);
	h->page->line[h->host].digest[h->number & 1] = digest;
	/* within a larger call that one says what it is doing */
	if (!h->as)
		pc_hosts_doing(h, PC_HOSTS_ARRIVING);
	pc_hosts_post(h, PC_HOSTS_ARRIVED);
	return digest;
}

int pc_hosts_arrive(struct pimdimm_hosts *h, const struct pc_hosts_said *mine, int refused,
		    const void *cell, size_t bytes)
{
	struct pc_hosts_said said = *mine;
	struct pd_error_text kept;
	uint64_t begin, digest;
	int ret;

	if (h->machine)
		return h->beyond->arrive(h, mine, refused);
	if (pc_hosts_is_child(h))
		return pd_error(EBUSY, "pid %d has not joined: it is a child of host %u (pid %d)",
				(int)getpid(), h->host, (int)h->pid);
	if (refused)
		pd_error_save(&kept);
	ret = pc_hosts_repeat(h);
	if (ret)
		return ret;
	said.refused = refused != 0;
	said.oldest = pc_hosts_oldest(h);
	h->number++;
	h->kind = h->as ? h->as : mine->args.kind;
	h->stats = (struct pimdimm_hosts_stats){ .size = sizeof(h->stats) };
	begin = h->brief ? 0 : pd_now_ns();
	h->deadline = h->brief ? 0 : pc_hosts_deadline_from(begin, h->timeout_ms);
	digest = speak(h, &said, cell, bytes);
	ret = hear_all(h, &said, digest);
	/* nobody makes it: who tries again is not ahead of those who have not tried yet */
	if (ret == -EBUSY)
		h->number--;
	h->arrived = h->brief ? 0 : pd_now_ns();
	h->stats.ns_arrive = h->arrived - begin;
	if (!ret && refused) {
		pd_error_restore(&kept);
		return pc_hosts_over(h, refused);
	}
	return ret || (ret = compare_all(h)) ? pc_hosts_over(h, ret) : 0;
}

int pc_hosts_arrive_again(struct pimdimm_hosts *h, const struct pc_hosts_said *mine, int refused)
{
	const struct pimdimm_hosts_stats first = h->stats;
	int ret = pc_hosts_arrive(h, mine, refused, NULL, 0);

	if (ret)
		return ret;
	h->stats.ns_leave = h->stats.ns_arrive;
	h->stats.ns_arrive = first.ns_arrive;
	h->stats.ns_handles = first.ns_handles;
	h->stats.handles_made = first.handles_made;
	h->stats.handles_mapped = first.handles_mapped;
	h->stats.waits += first.waits;
	return 0;
}

int pc_hosts_over(struct pimdimm_hosts *h, int ret)
{
	if (h->machine)
		return h->beyond->over(h, ret);
	h->kind = h->as;
	h->brief = false;
	pc_hosts_doing(h, h->as ? PC_HOSTS_FOLDING : PC_HOSTS_ARRIVING);
	return ret;
}

static int failed_at(struct pimdimm_hosts *h, uint32_t other)
{
	char words[PC_HOSTS_WORDS];

	pc_hosts_words(words, record_of(h, other)->words, sizeof(words));
	return pd_error(EIO, "host %u (pid %d) failed in %s: %s", other, (int)h->pids[other],
			pc_hosts_kind_name(h->kind), words);
}

/* What the others say of the call that all are leaving. */
static int hear_last(struct pimdimm_hosts *h, int ret)
{
	int broken = 0;

	for (uint32_t i = 0; i < h->hosts; i++) {
		const volatile struct pc_hosts_record *record = record_of(h, i);

		h->faulted |= record->faulted != 0;
		if (!broken && !ret && record->failed)
			broken = failed_at(h, i);
	}
	return broken;
}

int pc_hosts_leave_call(struct pimdimm_hosts *h, int ret)
{
	struct pc_hosts_record *record;
	struct pd_error_text kept;
	uint64_t begin = pd_now_ns();
	int broken;

	if (h->machine)
		return h->beyond->leave_call(h, ret);
	record = record_of(h, h->host);
	if (ret) {
		pd_error_save(&kept);
		snprintf(record->words, sizeof(record->words), "%s", pimdimm_errmsg());
		record->failed = 1;
	}
	record->faulted = h->faulted;
	pc_hosts_doing(h, PC_HOSTS_LEAVING);
	pc_hosts_post(h, PC_HOSTS_LEFT);
	broken = pc_hosts_wait_all(h, PC_HOSTS_LEFT);
	if (!broken)
		broken = hear_last(h, ret);
	h->stats.ns_leave = pd_now_ns() - begin;
	if (ret && !broken)
		pd_error_restore(&kept);
	return pc_hosts_over(h, broken ? broken : ret);
}
