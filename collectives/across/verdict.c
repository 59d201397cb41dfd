// SPDX-License-Identifier: MIT
/*
 * Arrivals: the hosts of a machine say what they are about to do, the first of them hears
 * the other machines, and all get its verdict.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/base/error.h"
#include "collectives/across/network.h"
#include "collectives/across/verdict.h"
#include "collectives/hosts/agree.h"

/* what a host says on its machine */
struct local_word {
	struct pc_hosts_args args;
	uint64_t number;
	uint32_t refused;
	char words[PC_HOSTS_WORDS];
};

/* what the machine's first host answers: a code, 0 to go on, and whether it is for good */
struct verdict {
	int32_t code;
	uint32_t lasting;
	char words[2 * PC_HOSTS_WORDS];
};

static struct local_word word_of(const struct pc_world *w, uint32_t local)
{
	struct local_word word;

	memcpy(&word, pc_hosts_cell(w->machine, local, sizeof(word)), sizeof(word));
	return word;
}

static void summarize(const struct pc_world *w, struct pc_net_summary *s)
{
	struct local_word first = word_of(w, 0);

	memset(s, 0, sizeof(*s));
	s->args = first.args;
	s->number = first.number;
	s->first = pc_world_host(w, w->me, 0);
	s->other = s->refuser = PC_HOSTS_MOST;
	for (uint32_t i = w->locals[w->me]; i--;) {
		struct local_word word = word_of(w, i);

		if (word.refused) {
			s->refuser = pc_world_host(w, w->me, i);
			pc_hosts_words(s->words, word.words, sizeof(s->words));
		}
		if (memcmp(&word.args, &first.args, sizeof(first.args))) {
			s->other = pc_world_host(w, w->me, i);
			s->other_args = word.args;
		}
	}
}

/* Begins to send to and receive from the first hosts of all machines: 0, or what broke. */
static int begin_summaries(struct pc_world *w)
{
	struct pc_net_summary *mine = &w->memory->mine;
	int ret = 0;

	for (uint32_t m = 0; !ret && m < w->machines; m++) {
		uint32_t peer = w->first[m];

		if (m == w->me)
			continue;
		if (pc_world_irecv(w, &w->memory->theirs[m], sizeof(*mine), peer,
			       PC_NET_CONTROL, &w->summaries_in[m]) ||
		    pc_world_isend(w, mine, sizeof(*mine), peer, PC_NET_CONTROL,
			       &w->summaries_out[m]))
			ret = pc_net_unreachable(w, peer);
	}
	return ret;
}

/*
 * Once a host has left nobody begins any more, since messages of a call that is given up would
 * be in the way of the next one's.
 */
static int exchange_summaries(struct pc_world *w)
{
	int ret = pc_net_gone(w);

	if (!ret)
		ret = begin_summaries(w);
	w->arriving = true;
	for (uint32_t m = 0; !ret && m < w->machines; m++) {
		if (m != w->me)
			ret = pc_net_wait(w, &w->summaries_in[m], w->first[m]);
		if (!ret)
			pc_world_hears(w, m);
		/* who has heard all may leave: what it says has left before */
		if (m != w->me && !ret)
			ret = pc_net_wait(w, &w->summaries_out[m], w->first[m]);
	}
	w->arriving = false;
	return ret;
}

/* The host with the least number that makes another call than host 0, and that call. */
static uint32_t find_other(const struct pc_world *w, const struct pc_net_summary *own,
			   struct pc_hosts_args *args)
{
	const struct pc_net_summary *zero = w->of[0] == w->me ? own : &w->memory->theirs[w->of[0]];
	uint32_t other = PC_HOSTS_MOST;

	for (uint32_t m = 0; m < w->machines; m++) {
		const struct pc_net_summary *s = m == w->me ? own : &w->memory->theirs[m];
		const bool differs = memcmp(&s->args, &zero->args, sizeof(s->args)) != 0;
		uint32_t host = differs ? w->first[m] : s->other;

		if (host < other) {
			other = host;
			*args = differs ? s->args : s->other_args;
		}
	}
	return other;
}

static bool summary_is_right(const struct pc_world *w, const struct pc_net_summary *s, uint32_t m)
{
	return s->number == w->all->number && s->first == w->first[m] &&
	       (s->other == PC_HOSTS_MOST || (s->other < w->all->hosts && w->of[s->other] == m)) &&
	       (s->refuser == PC_HOSTS_MOST ||
		(s->refuser < w->all->hosts && w->of[s->refuser] == m));
}

static void say(struct verdict *v, int code, bool lasting, const char *words)
{
	v->code = code;
	v->lasting = lasting;
	snprintf(v->words, sizeof(v->words), "%s", words);
}

static void refuse(const struct pc_world *w, const struct pc_net_summary *s, struct verdict *v)
{
	char words[2 * PC_HOSTS_WORDS], text[PC_HOSTS_WORDS];

	pc_hosts_words(text, s->words, sizeof(text));
	snprintf(words, sizeof(words), "host %u (pid %d) %s %s: %.200s", s->refuser,
		 (int)w->all->pids[s->refuser], w->leaving ? "failed in" : "refuses",
		 pc_hosts_kind_name(w->all->kind), text);
	say(v, w->leaving ? EIO : EPROTO, false, words);
}

/* Every machine's first host comes to the same. */
static void judge(const struct pc_world *w, const struct pc_net_summary *own, struct verdict *v)
{
	const struct pc_net_summary *refuser = NULL, *zero;
	char a[192], b[192], words[2 * PC_HOSTS_WORDS];
	struct pc_hosts_args args;
	uint32_t other;

	for (uint32_t m = 0; m < w->machines; m++) {
		const struct pc_net_summary *s = m == w->me ? own : &w->memory->theirs[m];

		if (!summary_is_right(w, s, m)) {
			say(v, EIO, true, "what a host on another machine says of a call makes no sense");
			return;
		}
		if (s->refuser < (refuser ? refuser->refuser : PC_HOSTS_MOST))
			refuser = s;
	}
	other = find_other(w, own, &args);
	if (refuser) {
		refuse(w, refuser, v);
	} else if (other < PC_HOSTS_MOST) {
		zero = w->of[0] == w->me ? own : &w->memory->theirs[w->of[0]];
		pc_hosts_describe(&zero->args, a, sizeof(a));
		pc_hosts_describe(&args, b, sizeof(b));
		snprintf(words, sizeof(words),
			 "call %llu differs: host 0 (pid %d) makes %s, host %u (pid %d) %s%s",
			 (unsigned long long)w->all->number, (int)w->all->pids[0], a, other,
			 (int)w->all->pids[other], b, strcmp(a, b) ? "" : ", with other counts");
		say(v, EPROTO, true, words);
	}
}

/* All hosts of the machine meet, with a word of each: 0, or what broke. */
static int machine_meets(struct pc_world *w, const void *cell, size_t bytes, uint32_t grace_ms)
{
	const struct pc_hosts_said said = { .args = { .kind = PC_HOSTS_ACROSS } };
	struct pimdimm_hosts *machine = w->machine;
	uint32_t timeout = machine->timeout_ms;
	int ret;

	/* the longest there is has no later one */
	if (timeout)
		machine->timeout_ms = grace_ms < UINT32_MAX - timeout ? timeout + grace_ms :
									UINT32_MAX;
	ret = pc_hosts_arrive(machine, &said, 0, cell, bytes);
	machine->timeout_ms = timeout;
	pc_world_add_stats(w);
	return ret;
}

static int hear_verdict(struct pc_world *w, struct verdict *v)
{
	int ret = 0;

	if (w->local[w->all->host] == 0) {
		struct pc_net_summary *own = &w->memory->mine;

		summarize(w, own);
		ret = exchange_summaries(w);
		if (!ret) {
			judge(w, own, v);
		} else if (ret == -EBUSY) {
			say(v, EBUSY, false, pimdimm_errmsg());
			ret = 0;
		}
	}
	if (!ret)
		ret = machine_meets(w, v, sizeof(*v), 2 * (uint32_t)w->grace_ms);
	if (!ret)
		memcpy(v, pc_hosts_cell(w->machine, 0, sizeof(*v)), sizeof(*v));
	/* the first host has heard all machines: so it says in the name of its own */
	for (uint32_t m = 0; !ret && !v->code && m < w->machines; m++)
		pc_world_hears(w, m);
	return ret;
}

static int follow_verdict(struct pc_world *w, const struct verdict *v)
{
	char words[2 * PC_HOSTS_WORDS];

	if (!v->code)
		return 0;
	pc_hosts_words(words, v->words, sizeof(words));
	if (v->lasting)
		return pc_hosts_break(w->machine, v->code == EPROTO ? EPROTO : EIO, "%s", words);
	return pd_error(v->code == EPROTO || v->code == EBUSY ? v->code : EIO, "%s", words);
}

/* All say what they are about to do, or how it ended, and get the verdict. */
static int world_meets(struct pc_world *w, const struct pc_hosts_args *args, int refused)
{
	struct local_word word = { .args = *args, .number = ++w->all->number,
				   .refused = refused != 0 };
	struct verdict v = { 0 };
	struct pd_error_text kept;
	int ret;

	pd_error_save(&kept);
	if (refused)
		snprintf(word.words, sizeof(word.words), "%s", pimdimm_errmsg());
	ret = machine_meets(w, &word, sizeof(word), 0);
	if (!ret)
		ret = hear_verdict(w, &v);
	if (!ret && refused) {
		pd_error_restore(&kept);
		return refused;
	}
	return ret ? ret : follow_verdict(w, &v);
}

int pc_world_arrive(struct pimdimm_hosts *h, const struct pc_hosts_said *mine, int refused)
{
	struct pc_world *w = pc_world_of(h);
	struct pd_error_text kept;
	uint64_t begin = pd_now_ns();
	int ret;

	if (pc_hosts_is_child(h))
		return pd_error(EBUSY, "pid %d has not joined: it is a child of host %u (pid %d)",
				(int)getpid(), h->host, (int)h->pid);
	atomic_store(&w->thread, pthread_self());
	pd_error_save(&kept);
	pc_net_hear_breaks(w);
	ret = pc_hosts_repeat(w->machine);
	if (ret)
		return pc_world_over(h, ret);
	pd_error_restore(&kept);
	h->kind = w->machine->kind = w->machine->as = mine->args.kind;
	pc_hosts_doing(h, PC_HOSTS_ARRIVING);
	h->stats = (struct pimdimm_hosts_stats){ .size = sizeof(h->stats) };
	ret = world_meets(w, &mine->args, refused);
	h->stats.ns_arrive = pd_now_ns() - begin;
	return ret ? pc_world_over(h, ret) : 0;
}

/* No host has gone on that others may still fail for. */
int pc_world_leave_call(struct pimdimm_hosts *h, int ret)
{
	const struct pc_hosts_args args = { .kind = h->kind };
	struct pc_world *w = pc_world_of(h);
	uint64_t begin = pd_now_ns();
	int broken;

	w->leaving = true;
	pc_hosts_doing(h, PC_HOSTS_LEAVING);
	broken = pc_hosts_repeat(w->machine);
	ret = broken ? broken : world_meets(w, &args, ret);
	w->leaving = false;
	h->stats.ns_leave = pd_now_ns() - begin;
	return pc_world_over(h, ret);
}

int pc_world_over(struct pimdimm_hosts *h, int ret)
{
	struct pc_world *w = pc_world_of(h);
	struct pd_error_text kept;

	h->kind = w->machine->as = PC_HOSTS_NONE;
	pc_hosts_over(w->machine, ret);
	if (!ret)
		return 0;
	pd_error_save(&kept);
	pc_net_tell_break(w);
	pd_error_restore(&kept);
	return ret;
}
