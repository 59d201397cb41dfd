// SPDX-License-Identifier: MIT
/* The public collectives on hosts' buffers: arguments, the algorithm, what all agree on. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/clock.h"
#include "runtime/base/env.h"
#include "runtime/base/error.h"
#include "runtime/base/fpenv.h"
#include "runtime/base/threads.h"
#include "runtime/machine/trials.h"
#include "collectives/hosts/agree.h"
#include "collectives/hosts/buffers_calls.h"
#include "collectives/hosts/segments.h"
#include "collectives/hosts/traced.h"

#define KIND(k)	(1u << (k))
#define REDUCTIONS	(KIND(PC_HOSTS_ALLREDUCE) | KIND(PC_HOSTS_REDUCE_SCATTER) | \
			 KIND(PC_HOSTS_REDUCE))

const struct pc_buffers_algorithm *const pc_buffers_algorithms[] = {
	&pc_buffers_flat, &pc_buffers_direct, &pc_buffers_ma, &pc_buffers_wave,
	&pc_buffers_pipelined, &pc_buffers_dpml, &pc_buffers_dpml2, &pc_buffers_ma_socket,
	&pc_buffers_ring, &pc_buffers_rabenseifner, &pc_buffers_rg,
	&pc_buffers_leaders, &pc_buffers_leader, &pc_buffers_chain,
};
const unsigned int pc_buffers_nr_algorithms =
	sizeof(pc_buffers_algorithms) / sizeof(*pc_buffers_algorithms);

/* Arguments of any of the five, as they came. */
struct buffers_args {
	enum pc_hosts_kind kind;
	const void *src;
	void *dst;
	uint64_t count;			/* elements of the vector, or bytes */
	const uint64_t *counts;		/* or NULL */
	enum pidcomm_type type;
	pidcomm_op op;
	uint32_t root;
};

static bool overlap(const void *a, uint64_t a_bytes, const void *b, uint64_t b_bytes)
{
	return (uintptr_t)a < (uintptr_t)b + b_bytes && (uintptr_t)b < (uintptr_t)a + a_bytes;
}

/* Elements of all parts, where they fit into what a vector may have. */
static int sum_counts(const struct pimdimm_hosts *h, struct buffers_args *a)
{
	a->count = 0;
	if (!a->counts)
		return pd_error(EINVAL, "counts is NULL");
	for (uint32_t i = 0; i < h->hosts; i++) {
		if (a->counts[i] > (UINT64_C(1) << 44) - a->count)
			return pd_error(EINVAL, "counts[%u]=%llu: expected %llu elements in all at most",
					i, (unsigned long long)a->counts[i], 1ull << 44);
		a->count += a->counts[i];
	}
	return 0;
}

static int check_reduction(const struct pimdimm_hosts *h, struct buffers_args *a)
{
	unsigned int element;
	int ret = pc_op_check(a->type, a->op);

	if (!ret && a->kind == PC_HOSTS_REDUCE_SCATTER)
		ret = sum_counts(h, a);
	if (ret)
		return ret;
	if (a->count > UINT64_C(1) << 44)
		return pd_error(EINVAL, "count=%llu, expected %llu at most",
				(unsigned long long)a->count, 1ull << 44);
	element = pc_type_size(a->type);
	if ((uintptr_t)a->src % element || (uintptr_t)a->dst % element)
		return pd_error(EINVAL, "src=%p and dst=%p, expected multiples of %u, an element's bytes",
				a->src, a->dst, element);
	return 0;
}

/* What this host receives at dst, in bytes of the result. */
static void received(const struct pimdimm_hosts *h, const struct buffers_args *a,
		     struct pc_buffers_call *call)
{
	call->out_begin = 0;
	call->out_end = call->bytes;
	if (a->kind == PC_HOSTS_REDUCE_SCATTER) {
		call->out_begin = call->begins[h->host];
		call->out_end = call->begins[h->host + 1];
	} else if (a->kind == PC_HOSTS_REDUCE && h->host != a->root) {
		call->out_end = 0;
	}
}

static int check_places(const struct pimdimm_hosts *h, const struct buffers_args *a,
			const struct pc_buffers_call *call)
{
	uint64_t out = a->kind == PC_HOSTS_ALLGATHER ? call->bytes * h->hosts :
						       call->out_end - call->out_begin;
	const bool same = a->kind == PC_HOSTS_ALLGATHER ?
			  a->src == (const uint8_t *)a->dst + h->host * call->bytes :
			  a->src == a->dst && a->kind != PC_HOSTS_REDUCE_SCATTER;

	if (call->bytes && !a->src)
		return pd_error(EINVAL, "src is NULL");
	if (out && !a->dst)
		return pd_error(EINVAL, "dst is NULL");
	if (!same && overlap(a->src, call->bytes, a->dst, out) &&
	    a->kind != PC_HOSTS_BROADCAST)
		return pd_error(EINVAL, "%s: src=%p of %llu bytes and dst=%p of %llu overlap",
				pc_hosts_kind_name(a->kind), a->src,
				(unsigned long long)call->bytes, a->dst, (unsigned long long)out);
	return 0;
}

/* Parts of the vector: as given, or as even as elements let them be. */
static void cut_parts(const struct pimdimm_hosts *h, const struct buffers_args *a,
		      struct pc_buffers_call *call)
{
	for (uint32_t x = 0; x < h->hosts; x++) {
		uint64_t n = a->counts ? a->counts[x] :
			     a->count / h->hosts + (x < a->count % h->hosts);

		call->begins[x + 1] = call->begins[x] + n * call->element;
	}
}

static int check_call(const struct pimdimm_hosts *h, struct buffers_args *a,
		      struct pc_buffers_call *call)
{
	int ret = 0;

	if (a->root >= h->hosts)
		ret = pd_error(EINVAL, "root=%u, expected less than %u", a->root, h->hosts);
	else if (KIND(a->kind) & REDUCTIONS)
		ret = check_reduction(h, a);
	else if (a->count > UINT64_C(1) << 47)
		ret = pd_error(EINVAL, "bytes=%llu, expected %llu at most",
			       (unsigned long long)a->count, 1ull << 47);
	if (ret)
		return ret;
	call->kind = a->kind;
	call->root = a->root;
	call->src = a->src;
	call->dst = a->dst;
	call->type = a->type;
	call->op = a->op;
	call->element = KIND(a->kind) & REDUCTIONS ? pc_type_size(a->type) : 1;
	call->bytes = a->count * call->element;
	call->wide = 1;
	call->exact = true;
	cut_parts(h, a, call);
	received(h, a, call);
	if (KIND(a->kind) & REDUCTIONS) {
		pc_fold_init(&call->fold, h->folds, a->type, a->op, h->hosts);
		call->wide = call->fold.widen ? 2 : 1;
		call->exact = call->fold.exact;
	}
	return check_places(h, a, call);
}

static const struct pc_buffers_algorithm *algorithm_set(const struct pimdimm_hosts *h,
							enum pc_hosts_kind kind)
{
	return h->algorithms[kind] ? pc_buffers_algorithms[h->algorithms[kind] - 1] : NULL;
}

/* Bytes that a host hands over on its arrival, if the call is such a one. */
static uint64_t cell_bytes(const struct pimdimm_hosts *h, const struct pc_buffers_call *call)
{
	const struct pc_buffers_algorithm *set = algorithm_set(h, call->kind);

	if (h->machine || call->bytes > PC_HOSTS_CELL || (set && !(set->needs & PC_NEEDS_CELL)))
		return 0;
	if (call->kind == PC_HOSTS_BROADCAST && h->host != call->root)
		return 0;
	return call->bytes;
}

/* Whether all comes with the arrival, as it then does at all hosts. */
static bool is_brief(const struct pimdimm_hosts *h, const struct pc_buffers_call *call)
{
	const struct pc_buffers_algorithm *set = algorithm_set(h, call->kind);

	return !h->machine && !h->as && call->bytes <= PC_HOSTS_CELL &&
	       h->stores[call->kind] == PC_HOSTS_ADAPTIVE && (!set || set->needs & PC_NEEDS_CELL);
}

/* Where this host's buffers lie in memory that all map. */
static void say_places(const struct pimdimm_hosts *h, const struct pc_buffers_call *call,
		       struct pc_hosts_said *said)
{
	uint64_t out = call->kind == PC_HOSTS_ALLGATHER ? call->bytes * h->hosts :
							  call->out_end - call->out_begin;

	said->src = pc_hosts_place_of(h, call->src, call->bytes);
	/* whatever receives nothing is as good as mapped */
	said->dst = out ? pc_hosts_place_of(h, call->dst, out) : said->src;
}

/* What the algorithm that is set refuses here. */
static int check_set(const struct pimdimm_hosts *h, const struct pc_buffers_call *call,
		     const struct pc_hosts_said *said)
{
	const struct pc_buffers_algorithm *set = algorithm_set(h, call->kind);

	if (!set)
		return 0;
	if (set->needs & PC_NEEDS_CELL && call->bytes > PC_HOSTS_CELL)
		return pd_error(EOPNOTSUPP, "%s: %llu bytes by %s, which serves %d at most",
				pc_hosts_kind_name(call->kind), (unsigned long long)call->bytes,
				set->name, PC_HOSTS_CELL);
	if (set->needs & PC_NEEDS_EXACT && !call->exact && set != &pc_buffers_ma)
		return pd_error(EOPNOTSUPP,
				"%s by %s, which folds in another order than the hosts': expected integers, or logical operations",
				pc_hosts_kind_name(call->kind), set->name);
	if (set->needs & PC_NEEDS_MAPPED && call->bytes &&
	    (!said->src.segment || !said->dst.segment))
		return pd_error(EINVAL, "%s by %s: %s is not of pimdimm_hosts_alloc()",
				pc_hosts_kind_name(call->kind), set->name,
				said->src.segment ? "dst" : "src");
	return 0;
}

/* All hosts' buffers, as far as they are mapped here: whether all are. */
static bool map_all(struct pc_buffers_call *call)
{
	const struct pimdimm_hosts *h = call->h;

	for (uint32_t i = 0; i < h->hosts; i++) {
		const struct pc_hosts_said *said = &h->peers[i];
		uint64_t out = call->bytes;

		if (call->kind == PC_HOSTS_ALLGATHER)
			out *= h->hosts;
		else if (call->kind == PC_HOSTS_REDUCE_SCATTER)
			out = call->begins[i + 1] - call->begins[i];
		else if (call->kind == PC_HOSTS_REDUCE && i != call->root)
			out = 0;
		call->srcs[i] = pc_hosts_at(h, i, said->src, call->bytes);
		call->dsts[i] = pc_hosts_at(h, i, said->dst, out);
		if (!call->srcs[i] || !call->dsts[i])
			return false;
	}
	return true;
}

static bool serves(const struct pc_buffers_algorithm *a, const struct pc_buffers_call *call,
		   bool mapped)
{
	return a->kinds & KIND(call->kind) &&
	       !(a->needs & PC_NEEDS_CELL && call->bytes > PC_HOSTS_CELL) &&
	       !(a->needs & PC_NEEDS_MAPPED && !mapped) &&
	       !(a->needs & (PC_NEEDS_EXACT | PC_AUTO_IF_EXACT) && !call->exact) &&
	       !(a->needs & PC_NEEDS_MACHINES) == !call->h->machine;
}

/* The same at every host, since all have heard the same. */
static const struct pc_buffers_algorithm *choose(const struct pc_buffers_call *call, bool mapped)
{
	const struct pc_buffers_algorithm *set = algorithm_set(call->h, call->kind);

	/* the movement-avoiding reduction in the order of the hosts */
	if (set == &pc_buffers_ma && !call->exact)
		return &pc_buffers_wave;
	for (unsigned int i = 0; !set && i < pc_buffers_nr_algorithms; i++) {
		if (serves(pc_buffers_algorithms[i], call, mapped))
			return pc_buffers_algorithms[i];
	}
	return set;
}

static void choose_stores(struct pc_buffers_call *call)
{
	const struct pimdimm_hosts *h = call->h;
	enum pd_nt nt;

	switch ((enum pc_hosts_stores)h->stores[call->kind]) {
	case PC_HOSTS_NT_COPY:
		call->around = true;
		break;
	case PC_HOSTS_MEMMOVE:
		call->memmoves = true;
		break;
	case PC_HOSTS_T_COPY:
		break;
	default:
		call->around = pc_buffers_around(
			pc_buffers_work_set(call->kind, call->bytes, h->hosts, h->sockets,
					    pc_buffers_slice(call, PC_HOSTS_SLICE)), h->cache);
		if (!pd_env_nt(&nt) && nt != PD_NT_AUTO) {
			call->around = nt == PD_NT_ALWAYS;
			return;
		}
		call->tries = true;
	}
}

const struct pc_buffers_algorithm *pc_buffers_auto(struct pimdimm_hosts *h,
						   enum pc_hosts_kind kind, uint64_t bytes,
						   bool exact, bool mapped, bool *around)
{
	struct pc_buffers_call call = { .h = h, .kind = kind, .bytes = bytes, .exact = exact };

	if (!is_brief(h, &call))
		choose_stores(&call);
	*around = call.around;
	return choose(&call, mapped);
}

static void run_alone(struct pc_buffers_call *call)
{
	if (call->kind != PC_HOSTS_BROADCAST)
		pc_buffers_keep(call, call->dst, call->src, call->bytes);
}

/*
 * Whether this host copies into memory that others read, without widening, and does nothing
 * else meanwhile: times of calls that also send what is folded tell nothing of copies.
 */
static bool copies_in(const struct pc_buffers_call *call, const struct pc_buffers_algorithm *a)
{
	const struct pimdimm_hosts *h = call->h;

	return !h->machine && !h->folded && call->wide == 1 &&
	       !(a->needs & (PC_NEEDS_MAPPED | PC_NEEDS_CELL)) &&
	       (call->kind != PC_HOSTS_BROADCAST || h->host == call->root);
}

/*
 * Through the caches or around them, as whole calls of the kind try: which is faster depends
 * on how far apart the hosts' cores are. Others only read what was copied, so that each host
 * decides by itself.
 */
static void run_trying(struct pc_buffers_call *call, const struct pc_buffers_algorithm *a)
{
	const struct pd_kind kind = {
		.what = a,
		.traits = (uint64_t)call->kind << 32 | call->h->hosts,
		.work_set = call->bytes,
		.fits = true,
	};
	struct pd_trial trial;

	pd_trials_begin(&trial, &kind, PD_STORES_PLAIN, PD_STORES_PLAIN);
	call->in_around = trial.stores == PD_STORES_AROUND;
	a->run(call);
	if (!call->err)
		pd_trials_end(&trial);
}

static int run_call(struct pc_buffers_call *call)
{
	struct pimdimm_hosts *h = call->h;
	const struct pc_buffers_algorithm *a;
	/* what comes with the arrival lies in no buffer */
	bool mapped = !h->brief && map_all(call);
	uint64_t begin = h->machine ? pd_now_ns() : h->arrived;
	pd_fpenv env;

	call->algorithm = a = choose(call, mapped);
	if (a->needs & PC_NEEDS_MAPPED && !mapped)
		return pc_hosts_break(h, EIO, "the hosts' control page is corrupt: a buffer lies nowhere");
	if (!h->brief)
		choose_stores(call);
	pc_hosts_doing(h, PC_HOSTS_FOLDING);
	env = pd_fpenv_enter();
	if (h->hosts == 1)
		run_alone(call);
	else if (call->tries && copies_in(call, a))
		run_trying(call, a);
	else
		a->run(call);
	pd_fpenv_leave(env);
	pc_buffers_spread_over(call);
	if (!h->brief)
		h->stats.ns_fold = pd_now_ns() - begin - h->stats.ns_spread -
				   h->stats.ns_network;
	return call->err;
}

static uint64_t hash_counts(const struct pimdimm_hosts *h, const uint64_t *counts)
{
	uint64_t hash = 1;

	for (uint32_t i = 0; counts && i < h->hosts; i++)
		hash = (hash ^ counts[i]) * UINT64_C(0x9e3779b97f4a7c15) + (hash >> 29);
	return hash;
}

/* Between machines, where a call that has begun cannot be given up by one host. */
static int reserve(struct pc_buffers_call *call)
{
	const struct pc_buffers_algorithm *a = call->h->machine ? choose(call, false) : NULL;

	return a && a->reserve ? a->reserve(call) : 0;
}

static int buffers_run(struct buffers_args *a, struct pc_buffers_call *call)
{
	struct pimdimm_hosts *h = call->h;
	struct pc_hosts_said said = { .args.kind = a->kind };
	unsigned int index;
	uint64_t cell = 0;
	int ret;

	h->brief = false;
	ret = check_call(h, a, call);
	if (!ret) {
		said.args = (struct pc_hosts_args){
			.kind = a->kind,
			.algorithm = h->algorithms[a->kind],
			.type = a->type,
			.op = pc_op_builtin(a->op, &index) ? index + 1 : PC_NR_OPS + 1,
			.root = a->root,
			.bytes = call->bytes,
			.counts = hash_counts(h, a->counts),
		};
		h->brief = is_brief(h, call);
		if (!h->brief)
			say_places(h, call, &said);
		ret = check_set(h, call, &said);
		cell = cell_bytes(h, call);
		if (!ret)
			ret = reserve(call);
	}
	ret = pc_hosts_arrive(h, &said, ret, call->src, cell);
	if (ret)
		return ret;
	return pc_hosts_over(h, call->bytes ? run_call(call) : 0);
}

static int buffers_traced(struct buffers_args *a, struct pc_buffers_call *call)
{
	struct pd_span span = pc_hosts_trace_begin(a->kind);
	int ret = buffers_run(a, call);

	/* what is refused is of this kind, too */
	call->kind = a->kind;
	pc_hosts_trace_buffers(&span, call, call->algorithm ? call->algorithm->name : "-", ret);
	return ret;
}

/* a thread that is cancelled ends after its call: others count on it */
static int buffers_call(struct pimdimm_hosts *h, struct buffers_args *a)
{
	struct pc_buffers_call call = { .h = h };
	int ret, cancel;

	if (!h)
		return pd_error(EINVAL, "hosts is NULL");
	cancel = pd_cancel_off();
	ret = pd_timeline_on() ? buffers_traced(a, &call) : buffers_run(a, &call);
	pd_cancel_restore(cancel);
	return ret;
}

int pimdimm_hosts_allreduce(struct pimdimm_hosts *hosts, const void *src, void *dst,
			    uint64_t count, enum pidcomm_type type, pidcomm_op op)
{
	return buffers_call(hosts, &(struct buffers_args){ PC_HOSTS_ALLREDUCE, src, dst, count,
							    NULL, type, op, 0 });
}

int pimdimm_hosts_reduce_scatter(struct pimdimm_hosts *hosts, const void *src, void *dst,
				 const uint64_t counts[], enum pidcomm_type type, pidcomm_op op)
{
	return buffers_call(hosts, &(struct buffers_args){ PC_HOSTS_REDUCE_SCATTER, src, dst, 0,
							    counts, type, op, 0 });
}

int pimdimm_hosts_reduce(struct pimdimm_hosts *hosts, const void *src, void *dst, uint64_t count,
			 enum pidcomm_type type, pidcomm_op op, uint32_t root)
{
	return buffers_call(hosts, &(struct buffers_args){ PC_HOSTS_REDUCE, src, dst, count, NULL,
							    type, op, root });
}

int pimdimm_hosts_broadcast(struct pimdimm_hosts *hosts, void *buf, uint64_t bytes, uint32_t root)
{
	return buffers_call(hosts, &(struct buffers_args){ PC_HOSTS_BROADCAST, buf, buf, bytes,
							    NULL, PIDCOMM_U8, PIDCOMM_BOR, root });
}

int pimdimm_hosts_allgather(struct pimdimm_hosts *hosts, const void *src, void *dst,
			    uint64_t bytes)
{
	return buffers_call(hosts, &(struct buffers_args){ PC_HOSTS_ALLGATHER, src, dst, bytes,
							    NULL, PIDCOMM_U8, PIDCOMM_BOR, 0 });
}

/* "name" or "name:stores"; 0: auto, else 1 and its row; negative: there is none such */
static int parse_algorithm(const char *text, uint8_t *stores)
{
	static const char *const names[PC_HOSTS_NR_STORES] = {
		[PC_HOSTS_ADAPTIVE] = "adaptive",
		[PC_HOSTS_T_COPY] = "t-copy",
		[PC_HOSTS_NT_COPY] = "nt-copy",
		[PC_HOSTS_MEMMOVE] = "memmove",
	};
	size_t len = strcspn(text, ":");

	*stores = PC_HOSTS_ADAPTIVE;
	while (text[len] && strcmp(text + len + 1, names[*stores])) {
		if (++*stores == PC_HOSTS_NR_STORES)
			return -1;
	}
	if (len == 4 && !strncmp(text, "auto", 4))
		return 0;
	for (unsigned int i = 0; i < pc_buffers_nr_algorithms; i++) {
		if (!strncmp(text, pc_buffers_algorithms[i]->name, len) &&
		    !pc_buffers_algorithms[i]->name[len])
			return (int)i + 1;
	}
	return -1;
}

/* The kinds that a name means; 0: none. */
static unsigned int kinds_named(const char *collective)
{
	unsigned int kinds = 0;

	for (unsigned int k = PC_HOSTS_ALLREDUCE; k < PC_HOSTS_KINDS; k++) {
		if (!collective || !strcmp(collective, pc_hosts_kind_name(k)))
			kinds |= KIND(k);
	}
	return kinds;
}

int pimdimm_hosts_set_algorithm(struct pimdimm_hosts *h, const char *collective,
				const char *algorithm)
{
	unsigned int kinds = kinds_named(collective);
	uint8_t stores;
	int row;

	if (!h || !algorithm)
		return pd_error(EINVAL, "%s is NULL", h ? "algorithm" : "hosts");
	row = parse_algorithm(algorithm, &stores);
	if (!kinds)
		return pd_error(EINVAL, "collective=\"%s\", expected allreduce, reduce_scatter, reduce, broadcast or allgather",
				collective);
	if (row < 0)
		return pd_error(EINVAL, "algorithm=\"%s\", expected auto or a name of pimdimm_hosts_set_algorithm(3)",
				algorithm);
	if (row && !(pc_buffers_algorithms[row - 1]->needs & PC_NEEDS_MACHINES) != !h->machine)
		return pd_error(EOPNOTSUPP, "algorithm %s serves hosts of %s", algorithm,
				h->machine ? "one machine" : "several machines");
	if (row && collective && !(pc_buffers_algorithms[row - 1]->kinds & kinds))
		return pd_error(EOPNOTSUPP, "algorithm %s does not serve %s", algorithm,
				collective);
	for (unsigned int k = PC_HOSTS_ALLREDUCE; k < PC_HOSTS_KINDS; k++) {
		if (!(kinds & KIND(k)))
			continue;
		/* of all five, those that it does not serve choose for themselves */
		h->algorithms[k] = row && !(pc_buffers_algorithms[row - 1]->kinds & KIND(k)) ?
				   0 : (uint32_t)row;
		h->stores[k] = stores;
	}
	return 0;
}
