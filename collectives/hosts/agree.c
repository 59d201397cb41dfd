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

static struct pc_hosts_record *record_of(const struct pimdimm_hosts *h, uint32_t host)
{
	return &h->page->line[host].record[h->number & 1];
}

const uint8_t *pc_hosts_cell(const struct pimdimm_hosts *h, uint32_t host)
{
	return h->page->line[host].cell[h->number & 1];
}

static void describe(const struct pc_hosts_args *args, char *text, size_t bytes)
{
	static const char *const types[] = { "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64",
					     "f16", "bf16", "f32", "f64" };

	snprintf(text, bytes, "%s of %llu bytes (type %s, operation %u, root %u, algorithm %u)",
		 args->kind < PC_HOSTS_KINDS ? pc_hosts_kind_name(args->kind) : "nothing known",
		 (unsigned long long)args->bytes,
		 args->type < sizeof(types) / sizeof(*types) ? types[args->type] : "?", args->op,
		 args->root, args->algorithm);
}

static int calls_differ(struct pimdimm_hosts *h, uint32_t other)
{
	const uint32_t first = other < h->host ? other : h->host;
	const uint32_t second = other < h->host ? h->host : other;
	char a[128], b[128];

	describe(&h->peers[first].args, a, sizeof(a));
	describe(&h->peers[second].args, b, sizeof(b));
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

static int hear_all(struct pimdimm_hosts *h)
{
	int ret = pc_hosts_wait_all(h, PC_HOSTS_ARRIVED);
	uint64_t oldest = UINT64_MAX;

	for (uint32_t i = 0; !ret && i < h->hosts; i++) {
		memcpy(&h->peers[i], &record_of(h, i)->said, sizeof(h->peers[i]));
		if (h->peers[i].oldest < oldest)
			oldest = h->peers[i].oldest;
	}
	if (!ret && h->segments)
		pc_hosts_sweep(h, oldest);
	return ret;
}

/* What another host still reads is that of the call before. */
static void speak(struct pimdimm_hosts *h, const struct pc_hosts_said *mine, int refused,
		  const void *cell, size_t bytes)
{
	struct pc_hosts_record *record = record_of(h, h->host);

	record->said = *mine;
	record->said.refused = refused != 0;
	record->said.oldest = pc_hosts_oldest(h);
	if (refused)
		snprintf(record->words, sizeof(record->words), "%s", pimdimm_errmsg());
	else if (bytes)
		memcpy(h->page->line[h->host].cell[h->number & 1], cell, bytes);
	pc_hosts_doing(h, PC_HOSTS_ARRIVING);
	pc_hosts_post(h, PC_HOSTS_ARRIVED);
}

int pc_hosts_arrive(struct pimdimm_hosts *h, const struct pc_hosts_said *mine, int refused,
		    const void *cell, size_t bytes)
{
	struct pd_error_text kept;
	uint64_t begin;
	int ret;

	if (getpid() != h->pid)
		return pd_error(EBUSY, "pid %d has not joined: it is a child of host %u (pid %d)",
				(int)getpid(), h->host, (int)h->pid);
	pd_error_save(&kept);
	ret = pc_hosts_repeat(h);
	if (ret)
		return ret;
	h->number++;
	h->kind = mine->args.kind;
	h->stats = (struct pimdimm_hosts_stats){ .size = sizeof(h->stats) };
	begin = pd_now_ns();
	h->deadline = pc_hosts_deadline(h->timeout_ms);
	speak(h, mine, refused, cell, bytes);
	ret = hear_all(h);
	h->stats.ns_arrive = pd_now_ns() - begin;
	if (!ret && refused) {
		pd_error_restore(&kept);
		return pc_hosts_over(h, refused);
	}
	return ret || (ret = compare_all(h)) ? pc_hosts_over(h, ret) : 0;
}

int pc_hosts_over(struct pimdimm_hosts *h, int ret)
{
	h->kind = PC_HOSTS_NONE;
	pc_hosts_doing(h, PC_HOSTS_ARRIVING);
	return ret;
}
