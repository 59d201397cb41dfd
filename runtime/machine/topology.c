// SPDX-License-Identifier: MIT
/* Asking hwloc what the machine is like, and dealing it out to a system's threads. */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* hwloc's inline functions assert; a library does not abort */
#ifndef NDEBUG
#define NDEBUG
#endif
#include <hwloc.h>

#ifdef __x86_64__
#include <cpuid.h>
#endif

#include "runtime/base/env.h"
#include "runtime/base/error.h"
#include "runtime/base/threads.h"
#include "runtime/machine/topology.h"

/* the last level where nobody knows it: smaller than on most machines */
#define UNKNOWN_CACHE_BYTES (8 << 20)

/*
 * The machine, looked at once a process: that takes a millisecond. hwloc allows
 * any number of threads to read it. Where it fails, for want of memory or of
 * descriptors, the next one tries again.
 */
static struct {
	pthread_mutex_t lock;
	hwloc_topology_t hwloc;	/* NULL: not known yet */
} machine = { .lock = PTHREAD_MUTEX_INITIALIZER };

PD_FORK_SAFE(&machine.lock);

/* What has no bearing on placement is not looked for. */
static int configure(hwloc_topology_t t)
{
	/* the calling thread's binding is its own, even for a millisecond */
	const unsigned long flags = HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING |
				    HWLOC_TOPOLOGY_FLAG_NO_DISTANCES |
				    HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS |
				    HWLOC_TOPOLOGY_FLAG_NO_CPUKINDS;

	if (hwloc_topology_set_io_types_filter(t, HWLOC_TYPE_FILTER_KEEP_NONE) ||
	    hwloc_topology_set_icache_types_filter(t,
						   HWLOC_TYPE_FILTER_KEEP_NONE) ||
	    hwloc_topology_set_type_filter(t, HWLOC_OBJ_MISC,
					   HWLOC_TYPE_FILTER_KEEP_NONE))
		return -1;
	return hwloc_topology_set_flags(t, flags);
}

/* hwloc would say on standard error that it misses this, unless it is to read
 * something else */
static bool has_sysfs(void)
{
	return getenv("HWLOC_XMLFILE") || getenv("HWLOC_SYNTHETIC") ||
	       !access("/sys/devices/system/cpu", R_OK | X_OK);
}

/* NULL if it fails, and *why */
static hwloc_topology_t ask_hwloc(const char **why)
{
	hwloc_topology_t t;

	if (!has_sysfs()) {
		*why = "there is no /sys/devices/system/cpu";
		return NULL;
	}
	errno = 0;
	if (!hwloc_topology_init(&t)) {
		if (!configure(t) && !hwloc_topology_load(t))
			return t;
		*why = errno ? strerror(errno) : "no reason told";
		hwloc_topology_destroy(t);
	} else {
		*why = "no memory";
	}
	return NULL;
}

/* NULL if it is not to be had, and *why */
static hwloc_topology_t topology(const char **why)
{
	hwloc_topology_t t;

	pthread_mutex_lock(&machine.lock);
	if (!machine.hwloc)
		machine.hwloc = ask_hwloc(why);
	t = machine.hwloc;
	pthread_mutex_unlock(&machine.lock);
	return t;
}

__attribute__((destructor))
void pd_topology_forget(void)
{
	pthread_mutex_lock(&machine.lock);
	if (machine.hwloc)
		hwloc_topology_destroy(machine.hwloc);
	machine.hwloc = NULL;
	pthread_mutex_unlock(&machine.lock);
}

/* whether this CPU's caches of this level hold all that those inside them do */
static bool cpu_inclusive(unsigned int level)
{
#ifdef __x86_64__
	static const unsigned int leaves[] = { 4, 0x8000001d };
	unsigned int a, b, c, d;

	for (int l = 0; l < 2; l++) {
		for (unsigned int i = 0; i < 16; i++) {
			if (!__get_cpuid_count(leaves[l], i, &a, &b, &c, &d) ||
			    !(a & 0x1f))
				break;
			/* 2: holds instructions only */
			if ((a & 0x1f) != 2 && (a >> 5 & 7) == level)
				return d >> 1 & 1;
		}
	}
#else
	(void)level;
#endif
	return false;
}

static bool is_inclusive(hwloc_topology_t t, hwloc_obj_t cache)
{
	const char *told = hwloc_obj_get_info_by_name(cache, "Inclusive");

	if (told)
		return !strcmp(told, "1");
	return hwloc_topology_is_thissystem(t) &&
	       cpu_inclusive(cache->attr->cache.depth);
}

/* bytes of the caches that these PUs have, from the outermost inwards; `pus` is
 * consumed: an inclusive cache takes those away that it serves */
static uint64_t caches_bytes(hwloc_topology_t t, hwloc_bitmap_t pus)
{
	uint64_t sum = 0;

	for (int type = HWLOC_OBJ_L5CACHE; type >= HWLOC_OBJ_L1CACHE; type--) {
		hwloc_obj_t o = NULL;

		while ((o = hwloc_get_next_obj_by_type(t, type, o))) {
			if (!hwloc_bitmap_intersects(o->cpuset, pus))
				continue;
			sum += o->attr->cache.size;
			if (is_inclusive(t, o))
				hwloc_bitmap_andnot(pus, pus, o->cpuset);
		}
	}
	return sum;
}

/* add to a text of a fixed size; what does not fit is cut off */
__attribute__((format(printf, 3, 4)))
static void append_text(char *text, size_t bytes, const char *format, ...)
{
	size_t at = strlen(text);
	va_list ap;

	va_start(ap, format);
	vsnprintf(text + at, bytes - at, format, ap);
	va_end(ap);
}

static void append_cache(struct pd_placement *p, const char *level,
			 unsigned int count, uint64_t bytes)
{
	bool megabytes = bytes % (1 << 20) == 0;

	append_text(p->caches, sizeof(p->caches), *p->caches ? ", %s " : "%s ",
		    level);
	if (count > 1)
		append_text(p->caches, sizeof(p->caches), "%u x ", count);
	append_text(p->caches, sizeof(p->caches), "%llu%c",
		    (unsigned long long)bytes >> (megabytes ? 20 : 10),
		    megabytes ? 'M' : 'K');
}

static void describe_caches(struct pd_placement *p, hwloc_topology_t t,
			    hwloc_const_bitmap_t pus)
{
	static const char *const names[] = { "L1d", "L2", "L3", "L4", "L5" };

	for (int i = 0; i < 5; i++) {
		unsigned int count = 0;
		hwloc_obj_t o = NULL;
		uint64_t bytes = 0;

		while ((o = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_L1CACHE + i,
						       o))) {
			if (!hwloc_bitmap_intersects(o->cpuset, pus))
				continue;
			bytes = o->attr->cache.size;
			count++;
		}
		if (count)
			append_cache(p, names[i], count, bytes);
	}
}

/* last level, and what each thread has of its own beside it, as libc knows them
 * for whatever CPU it asks on */
static void sysconf_caches(struct pd_placement *p)
{
	long last = sysconf(_SC_LEVEL3_CACHE_SIZE);
	long own = sysconf(_SC_LEVEL2_CACHE_SIZE);

	if (last <= 0) {
		p->cache_bytes = UNKNOWN_CACHE_BYTES;
		snprintf(p->caches, sizeof(p->caches), "unknown, taken for ");
		append_text(p->caches, sizeof(p->caches), "%dM",
			    UNKNOWN_CACHE_BYTES >> 20);
		return;
	}
	p->cache_bytes = (uint64_t)last;
	if (own > 0) {
		p->cache_bytes += p->threads * (uint64_t)own;
		append_cache(p, "L2", 1, (uint64_t)own);
	}
	append_cache(p, "L3", 1, (uint64_t)last);
	append_text(p->caches, sizeof(p->caches), " as sysconf says");
}

/* the PUs of one part of the machine, and how many cores or PUs they are */
struct dealing {
	hwloc_topology_t t;
	hwloc_const_bitmap_t allowed;
	hwloc_bitmap_t *shares;
	hwloc_bitmap_t scratch;
};

static unsigned int count_of(const struct dealing *d, hwloc_obj_t part,
			     hwloc_obj_type_t type)
{
	unsigned int count = 0;
	hwloc_obj_t o = NULL;

	hwloc_bitmap_and(d->scratch, part->cpuset, d->allowed);
	while ((o = hwloc_get_next_obj_covering_cpuset_by_type(d->t, d->scratch,
							       type, o)))
		count++;
	return count;
}

/* one thread's share: these children of a part of the machine */
static void give_pus(const struct dealing *d, hwloc_obj_t part, unsigned int from,
		     unsigned int upto, hwloc_bitmap_t share)
{
	hwloc_bitmap_zero(share);
	for (unsigned int i = from; i < upto; i++)
		hwloc_bitmap_or(share, share, part->children[i]->cpuset);
	hwloc_bitmap_and(share, share, d->allowed);
}

/*
 * Deal threads `first` to first + n - 1 out over a part of the machine, to its
 * own parts in proportion to their cores, or to their PUs where there are more
 * threads than cores. Parts too small for a thread join the next one's thread.
 */
static void deal_part(const struct dealing *d, hwloc_obj_t part, unsigned int first,
		      unsigned int n)
{
	hwloc_obj_type_t unit = HWLOC_OBJ_CORE;
	unsigned int total = count_of(d, part, unit);
	unsigned int since = 0, dealt = 0;
	uint64_t units = 0;

	for (unsigned int i = first; !part->arity && i < first + n; i++)
		hwloc_bitmap_copy(d->shares[i], part->cpuset);
	if (n > total) {
		unit = HWLOC_OBJ_PU;
		total = count_of(d, part, unit);
	}
	for (unsigned int i = 0; i < part->arity; i++) {
		unsigned int upto;

		units += count_of(d, part->children[i], unit);
		upto = (unsigned int)(n * units / total);
		if (upto - dealt == 1)
			give_pus(d, part, since, i + 1, d->shares[first + dealt]);
		else if (upto > dealt)
			deal_part(d, part->children[i], first + dealt, upto - dealt);
		if (upto > dealt)
			since = i + 1;
		dealt = upto;
	}
}

/* the first of the nodes that this share is inside of; NULL: it spans several */
static hwloc_obj_t node_of(hwloc_topology_t t, hwloc_const_bitmap_t share)
{
	hwloc_obj_t o = NULL;

	while ((o = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_NUMANODE, o)))
		if (hwloc_bitmap_isincluded(share, o->cpuset))
			return o;
	return NULL;
}

/* the place of a node among those of the placement, at its end if it is new */
static unsigned int node_index(struct pd_placement *p, unsigned int node)
{
	unsigned int i = 0;

	while (i < p->nr_nodes && p->nodes[i] != node)
		i++;
	p->nodes[i] = node;
	if (i == p->nr_nodes)
		p->nr_nodes++;
	return i;
}

/* false: some thread is at home on several nodes, or goes where there is room */
static bool all_have_nodes(struct pd_placement *p, const struct dealing *d)
{
	for (unsigned int i = 0; i < p->threads; i++) {
		hwloc_obj_t node = node_of(d->t, d->shares[i]);

		if (!node)
			return false;
		p->shares[i].node = node_index(p, node->logical_index);
	}
	return p->threads <= p->nr_pus;
}

static void find_nodes(struct pd_placement *p, const struct dealing *d)
{
	if (all_have_nodes(p, d))
		return;
	p->nr_nodes = 1;
	for (unsigned int i = 0; i < p->threads; i++)
		p->shares[i].node = 0;
}

/* a set that needs no hwloc to be read, and nothing allocated to be bound to */
static cpu_set_t *plain_set(hwloc_const_bitmap_t set, size_t bytes)
{
	cpu_set_t *plain = calloc(1, bytes);
	unsigned int pu;

	if (!plain)
		return NULL;
	hwloc_bitmap_foreach_begin(pu, set)
		CPU_SET_S(pu, bytes, plain);
	hwloc_bitmap_foreach_end();
	return plain;
}

static int keep_shares(struct pd_placement *p, const struct dealing *d)
{
	unsigned int pu;

	p->nr_share_of = (unsigned int)hwloc_bitmap_last(d->allowed) + 1;
	p->pus_bytes = CPU_ALLOC_SIZE(p->nr_share_of);
	p->allowed = plain_set(d->allowed, p->pus_bytes);
	p->shares = calloc(p->threads, sizeof(*p->shares));
	p->nodes = calloc(p->threads, sizeof(*p->nodes));
	p->share_of = malloc(p->nr_share_of * sizeof(*p->share_of));
	if (!p->allowed || !p->shares || !p->nodes || !p->share_of)
		return -ENOMEM;
	memset(p->share_of, -1, p->nr_share_of * sizeof(*p->share_of));
	for (unsigned int i = 0; i < p->threads; i++) {
		p->shares[i].pus = plain_set(d->shares[i], p->pus_bytes);
		if (!p->shares[i].pus)
			return -ENOMEM;
		hwloc_bitmap_foreach_begin(pu, d->shares[i])
			p->share_of[pu] = (int)i;
		hwloc_bitmap_foreach_end();
	}
	return 0;
}

/* one PU of each share stands for all: a thread runs on one at a time */
static void find_caches(struct pd_placement *p, const struct dealing *d)
{
	hwloc_bitmap_zero(d->scratch);
	for (unsigned int i = 0; i < p->threads; i++)
		hwloc_bitmap_set(d->scratch,
				 (unsigned int)hwloc_bitmap_first(d->shares[i]));
	p->cache_bytes = caches_bytes(d->t, d->scratch);
	describe_caches(p, d->t, d->allowed);
	if (!p->cache_bytes)
		sysconf_caches(p);
}

static int place_threads(struct pd_placement *p, const struct dealing *d)
{
	hwloc_obj_t root = hwloc_get_root_obj(d->t);
	int ret;

	deal_part(d, root, 0, p->threads);
	p->nr_pus = count_of(d, root, HWLOC_OBJ_PU);
	p->nr_cores = count_of(d, root, HWLOC_OBJ_CORE);
	p->nr_numa = count_of(d, root, HWLOC_OBJ_NUMANODE);
	ret = keep_shares(p, d);
	if (ret)
		return ret;
	find_nodes(p, d);
	find_caches(p, d);
	/* more threads than PUs take turns: that is the scheduler's business */
	p->binds = hwloc_topology_is_thissystem(d->t) &&
		   p->threads <= p->nr_pus;
	return 0;
}

static int place_with_hwloc(struct pd_placement *p, hwloc_topology_t t,
			    hwloc_const_bitmap_t allowed)
{
	struct dealing d = {
		.t = t,
		.allowed = allowed,
		.shares = calloc(p->threads, sizeof(*d.shares)),
		.scratch = hwloc_bitmap_alloc(),
	};
	bool ok = d.shares && d.scratch;
	int ret = -ENOMEM;

	for (unsigned int i = 0; ok && i < p->threads; i++)
		ok = (d.shares[i] = hwloc_bitmap_alloc());
	if (ok)
		ret = place_threads(p, &d);
	for (unsigned int i = 0; d.shares && i < p->threads; i++)
		hwloc_bitmap_free(d.shares[i]);
	hwloc_bitmap_free(d.scratch);
	free(d.shares);
	return ret;
}

static void name_source(struct pd_placement *p, hwloc_topology_t t)
{
	hwloc_obj_t root = hwloc_get_root_obj(t);
	const char *version = hwloc_obj_get_info_by_name(root, "hwlocVersion");
	const char *backend = hwloc_obj_get_info_by_name(root, "Backend");

	snprintf(p->source, sizeof(p->source), "hwloc %.16s, %.32s%s",
		 version ? version : "", backend ? backend : "without /sys",
		 hwloc_topology_is_thissystem(t) ?
			 "" : " instead of this machine: nothing is bound");
}

/* what is allowed of what hwloc knows; false: nothing is, or it knows nothing */
static bool find_allowed(hwloc_topology_t t, const cpu_set_t *pus, size_t bytes,
			 hwloc_bitmap_t set)
{
	if (!pus) {
		if (hwloc_get_cpubind(t, set, HWLOC_CPUBIND_THREAD))
			return false;
	} else {
		for (unsigned int i = 0; i < 8 * bytes; i++)
			if (CPU_ISSET_S(i, bytes, pus))
				hwloc_bitmap_set(set, i);
	}
	hwloc_bitmap_and(set, set, hwloc_topology_get_allowed_cpuset(t));
	return !hwloc_bitmap_iszero(set);
}

/* Without hwloc the scheduler places threads. */
static void place_blindly(struct pd_placement *p, const char *why)
{
	sysconf_caches(p);
	p->nr_nodes = 1;
	snprintf(p->source, sizeof(p->source),
		 "sysconf alone: hwloc failed: %.64s; nothing is bound", why);
}

static int fill_placement(struct pd_placement *p, const cpu_set_t *allowed, size_t bytes)
{
	const char *why;
	hwloc_topology_t t = topology(&why);
	hwloc_bitmap_t set;
	cpu_set_t own;
	int ret = 0;

	if (!allowed && pd_affinity_own(&own)) {
		allowed = &own;
		bytes = sizeof(own);
	}
	if (!t) {
		place_blindly(p, why);
		return 0;
	}
	set = hwloc_bitmap_alloc();
	if (!set)
		return -ENOMEM;
	if (find_allowed(t, allowed, bytes, set)) {
		name_source(p, t);
		ret = place_with_hwloc(p, t, set);
	} else {
		place_blindly(p, "it knows no allowed processing unit");
	}
	hwloc_bitmap_free(set);
	return ret;
}

int pd_placement_make(unsigned int threads, const cpu_set_t *allowed,
		      size_t bytes, struct pd_placement **placement)
{
	struct pd_placement *p = calloc(1, sizeof(*p));
	int ret = -ENOMEM;

	if (p) {
		p->threads = threads;
		ret = fill_placement(p, allowed, bytes);
	}
	if (ret) {
		pd_placement_free(p);
		return pd_error(ENOMEM, "no memory to place %u threads",
				threads);
	}
	*placement = p;
	return 0;
}

unsigned int pd_sockets(void)
{
	const char *why;
	hwloc_topology_t t = topology(&why);
	int n = t ? hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_PACKAGE) : 1;

	return n > 1 ? (unsigned int)n : 1;
}

void pd_placement_free(struct pd_placement *p)
{
	if (!p)
		return;
	for (unsigned int i = 0; p->shares && i < p->threads; i++)
		free(p->shares[i].pus);
	free(p->shares);
	free(p->allowed);
	free(p->share_of);
	free(p->nodes);
	free(p);
}

void pd_share_print(const struct pd_placement *p, unsigned int share,
		    char *text, size_t bytes)
{
	const cpu_set_t *pus = p->shares[share].pus;
	unsigned int last;

	*text = '\0';
	for (unsigned int i = 0; i < p->nr_share_of; i = last + 1) {
		last = i;
		if (!CPU_ISSET_S(i, p->pus_bytes, pus))
			continue;
		while (last + 1 < p->nr_share_of &&
		       CPU_ISSET_S(last + 1, p->pus_bytes, pus))
			last++;
		append_text(text, bytes, last > i ? "%s%u-%u" : "%s%u",
			    *text ? "," : "", i, last);
	}
	if (strlen(text) == bytes - 1)
		strcpy(text + bytes - 4, "...");
}

int pd_memory_near(const struct pd_placement *p, unsigned int node, void *at,
		   size_t bytes)
{
	const char *why;
	hwloc_topology_t t = topology(&why);
	hwloc_obj_t o = t ? hwloc_get_obj_by_type(t, HWLOC_OBJ_NUMANODE,
						  p->nodes[node]) : NULL;

	if (!o)
		return ENODEV;
	/* not strictly: a node that is full shall cost speed, not the program */
	if (hwloc_set_area_membind(t, at, bytes, o->nodeset, HWLOC_MEMBIND_BIND,
				   HWLOC_MEMBIND_BYNODESET))
		return errno;
	return 0;
}
