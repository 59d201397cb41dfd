// SPDX-License-Identifier: MIT
/* Hosts: where they are, by which path, and which algorithm serves which size. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "tools/cmd/info/info_hosts.h"
#include "tools/inside.h"
#include "tools/hosts/team.h"
#include "tools/tool.h"

/* sizes that are looked at, up to which an algorithm is told */
#define LARGEST		(UINT64_C(1) << 34)
#define NO_SOCKET	UINT32_MAX

/* what a host says of itself, to all */
struct host_row {
	uint32_t machine, local, socket, mapped;
	int32_t pid;
	char cores[108];
};

struct hosts_info {
	struct tool_team team;
	struct pimdimm_hosts_info info;
	struct host_row rows[128];
};

static const enum pc_hosts_kind kinds[] = { PC_HOSTS_ALLREDUCE, PC_HOSTS_REDUCE_SCATTER,
					    PC_HOSTS_REDUCE, PC_HOSTS_BROADCAST,
					    PC_HOSTS_ALLGATHER };

static uint32_t socket_of(int cpu)
{
	char path[80];
	uint64_t socket;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/physical_package_id",
		 cpu);
	socket = tool_number_in(path, "", 1);
	return socket < NO_SOCKET ? (uint32_t)socket : NO_SOCKET;
}

/* "0-3,8" of those that the systems of this process keep to */
static void tell_cores(struct host_row *row)
{
	size_t at = 0;
	cpu_set_t own;

	if (!pd_affinity_own(&own) && sched_getaffinity(0, sizeof(own), &own))
		CPU_ZERO(&own);
	row->socket = NO_SOCKET;
	for (int i = 0, last; i < CPU_SETSIZE && at < sizeof(row->cores); i = last + 1) {
		last = i;
		if (!CPU_ISSET(i, &own))
			continue;
		while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &own))
			last++;
		if (!at)
			row->socket = socket_of(i);
		at += (size_t)snprintf(row->cores + at, sizeof(row->cores) - at,
				       last > i ? "%s%d-%d" : "%s%d", at ? "," : "", i, last);
	}
}

/* All hosts try whether memory of theirs is mapped by the others of their machine. */
static int tell_all(struct hosts_info *h)
{
	struct host_row row = { .pid = (int32_t)getpid() };
	void *memory;

	h->info.size = sizeof(h->info);
	if (pimdimm_hosts_info(h->team.hosts, &h->info))
		return tool_error("%s", pimdimm_errmsg());
	row.machine = h->info.machine;
	row.local = h->info.local;
	tell_cores(&row);
	row.mapped = !pimdimm_hosts_alloc(h->team.hosts, 1, &memory);
	if (row.mapped)
		pimdimm_hosts_free(h->team.hosts, memory);
	if (pimdimm_hosts_allgather(h->team.hosts, &row, h->rows, sizeof(row)))
		return tool_error("%s", pimdimm_errmsg());
	return TOOL_OK;
}

/* as the host that prints reaches it */
static const char *path_of(const struct hosts_info *h, uint32_t host)
{
	if (host == h->info.host)
		return "itself";
	if (h->rows[host].machine != h->info.machine)
		return "MPI";
	return h->rows[host].mapped ? "mapped" : "staged";
}

static const char *socket_text(uint32_t socket, char text[16])
{
	snprintf(text, 16, socket == NO_SOCKET ? "-" : "%u", socket);
	return text;
}

/* From `from` bytes on, until the next one, the algorithm and stores are these. */
struct hosts_switch {
	enum pc_hosts_kind kind;
	bool exact, mapped, around;
	uint64_t from, to;
	const char *name;
};

static const char *served_by(const struct hosts_info *h, struct hosts_switch *s, uint64_t bytes)
{
	const struct pc_buffers_algorithm *a = pc_buffers_auto(h->team.hosts, s->kind, bytes,
							       s->exact, s->mapped, &s->around);

	return a ? a->name : "none";
}

/* The last size that is served as s->from is: doubled while it is, then halved in. */
static void find_end(const struct hosts_info *h, struct hosts_switch *s)
{
	struct hosts_switch probe = *s;
	uint64_t low, high;

	s->name = served_by(h, s, s->from);
	for (low = high = s->from; high < LARGEST; low = high) {
		high *= 2;
		if (served_by(h, &probe, high) != s->name || probe.around != s->around)
			break;
	}
	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;

		if (served_by(h, &probe, middle) == s->name && probe.around == s->around)
			low = middle;
		else
			high = middle;
	}
	s->to = high >= LARGEST && low >= LARGEST ? UINT64_MAX : low;
}

typedef void switch_fn(const struct hosts_switch *s, void *context);

static void each_of(const struct hosts_info *h, struct hosts_switch s, switch_fn *fn,
		    void *context)
{
	for (s.from = 1; s.from <= LARGEST; s.from = s.to + 1) {
		find_end(h, &s);
		fn(&s, context);
		if (s.to == UINT64_MAX)
			break;
	}
}

/* Floating-point numbers are told apart where the order of reductions counts. */
static void each_switch(const struct hosts_info *h, switch_fn *fn, void *context)
{
	for (size_t k = 0; k < TOOL_COUNT(kinds); k++) {
		bool folds = kinds[k] != PC_HOSTS_BROADCAST && kinds[k] != PC_HOSTS_ALLGATHER;

		for (int mapped = 0; mapped <= (h->info.machines == 1); mapped++) {
			for (int exact = 1; exact >= !folds; exact--)
				each_of(h, (struct hosts_switch){ .kind = kinds[k],
								  .mapped = mapped,
								  .exact = exact },
					fn, context);
		}
	}
}

static const char *elements_of(const struct hosts_switch *s)
{
	if (s->kind == PC_HOSTS_BROADCAST || s->kind == PC_HOSTS_ALLGATHER)
		return "any";
	return s->exact ? "integers" : "floats";
}

static void print_switch(const struct hosts_switch *s, void *context)
{
	char to[24] = "-";

	(void)context;
	if (s->to != UINT64_MAX)
		snprintf(to, sizeof(to), "%" PRIu64, s->to);
	printf("%-15s %-8s %-9s %12" PRIu64 " %12s %-10s %s\n", pc_hosts_kind_name(s->kind),
	       s->mapped ? "mapped" : "private", elements_of(s), s->from, to, s->name,
	       s->around ? "around caches" : "through caches");
}

static void hosts_print(const struct hosts_info *h)
{
	char socket[16];

	printf("hosts    %u on %u machine%s\n", h->info.hosts, h->info.machines,
	       h->info.machines > 1 ? "s" : "");
	printf("waits    %s\n\n", h->team.hosts->spins ? "spin first: every host has a processor" :
							 "sleep: hosts share processors");
	printf("%4s %7s %5s %8s %6s %-12s %s\n", "HOST", "MACHINE", "LOCAL", "PID", "SOCKET",
	       "CORES", "PATH");
	for (uint32_t i = 0; i < h->info.hosts; i++) {
		const struct host_row *r = &h->rows[i];

		printf("%4u %7u %5u %8d %6s %-12s %s\n", i, r->machine, r->local, r->pid,
		       socket_text(r->socket, socket), r->cores, path_of(h, i));
	}
	puts("\nBuffers, as \"auto\" serves them, by bytes of a host's vector:");
	printf("%-15s %-8s %-9s %12s %12s %-10s %s\n", "COLLECTIVE", "BUFFERS", "ELEMENTS",
	       "FROM", "TO", "ALGORITHM", "STORES");
	each_switch(h, print_switch, NULL);
	puts("\nHypercubes: \"auto\" tries direct and staged at each kind of call, and keeps the\n"
	     "faster one; PIMDIMM_TRACE tells which.");
}

static void add_switch(const struct hosts_switch *s, void *context)
{
	struct json_object *row = json_object_new_object();

	tool_json_add(row, "collective", tool_json_string(pc_hosts_kind_name(s->kind)));
	tool_json_add(row, "mapped", json_object_new_boolean(s->mapped));
	tool_json_add(row, "elements", tool_json_string(elements_of(s)));
	tool_json_add(row, "from", json_object_new_uint64(s->from));
	if (s->to != UINT64_MAX)
		tool_json_add(row, "to", json_object_new_uint64(s->to));
	tool_json_add(row, "algorithm", tool_json_string(s->name));
	tool_json_add(row, "around", json_object_new_boolean(s->around));
	json_object_array_add(context, row);
}

static void hosts_print_json(const struct hosts_info *h)
{
	struct json_object *object = json_object_new_object();
	struct json_object *hosts = json_object_new_array(), *switches = json_object_new_array();

	tool_json_add(object, "machines", json_object_new_uint64(h->info.machines));
	tool_json_add(object, "spins", json_object_new_boolean(h->team.hosts->spins));
	tool_json_add(object, "hosts", hosts);
	for (uint32_t i = 0; i < h->info.hosts; i++) {
		struct json_object *row = json_object_new_object();
		const struct host_row *r = &h->rows[i];

		tool_json_add(row, "machine", json_object_new_uint64(r->machine));
		tool_json_add(row, "local", json_object_new_uint64(r->local));
		tool_json_add(row, "pid", json_object_new_int(r->pid));
		if (r->socket != NO_SOCKET)
			tool_json_add(row, "socket", json_object_new_uint64(r->socket));
		tool_json_add(row, "cores", tool_json_string(r->cores));
		tool_json_add(row, "path", tool_json_string(path_of(h, i)));
		json_object_array_add(hosts, row);
	}
	tool_json_add(object, "switches", switches);
	each_switch(h, add_switch, switches);
	tool_print_json(object);
}

int info_hosts(uint32_t count, bool json)
{
	static struct hosts_info h;
	int ret = tool_team_start(&h.team, count);

	if (!ret)
		ret = tell_all(&h);
	if (!ret && !h.team.host && json)
		hosts_print_json(&h);
	else if (!ret && !h.team.host)
		hosts_print(&h);
	return tool_team_end(&h.team, ret);
}
