// SPDX-License-Identifier: MIT
/*
 * Messages between two processes. Each library has a pair of its own, started once, which sleeps
 * until it gets an order by its standard input: so pairs take turns, and none has a core while
 * another one works.
 */
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/nearest.h"
#include "tools/perf/suites/datatypes/peers.h"
#include "tools/perf/suites/datatypes/turns.h"
#include "tools/tool.h"

#define START_MS	20000
#define ANSWER_MS	120000

extern char **environ;

static bool is_mpi(const char *name)
{
	return !strcmp(name, "mpich") || !strcmp(name, "openmpi");
}

static bool is_cma(const char *name)
{
	return !strcmp(name, "cma");
}

/* a line, without its end; false: none came in time */
static bool read_line(int from, int ms, char *line, size_t size)
{
	size_t at = 0;

	while (at + 1 < size) {
		struct pollfd wait = { .fd = from, .events = POLLIN };

		if (poll(&wait, 1, ms) != 1 || read(from, line + at, 1) != 1)
			return false;
		if (line[at] == '\n') {
			line[at] = '\0';
			return true;
		}
		at++;
	}
	return false;
}

static int spawn_between(struct ddt_peer *peer, char *const argv[], int in[2], int out[2])
{
	posix_spawn_file_actions_t actions;
	int ret;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in[0], 0);
	posix_spawn_file_actions_adddup2(&actions, out[1], 1);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	ret = posix_spawnp(&peer->pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(in[0]);
	close(out[1]);
	peer->to = in[1];
	peer->from = out[0];
	if (ret)
		peer->pid = 0;
	return ret;
}

static int spawn_peer(struct ddt_peer *peer, char *const argv[])
{
	int in[2], out[2];

	if (pipe2(in, O_CLOEXEC))
		return -1;
	if (pipe2(out, O_CLOEXEC)) {
		close(in[0]);
		close(in[1]);
		return -1;
	}
	return spawn_between(peer, argv, in, out);
}

static void stop_peer(struct ddt_peer *peer)
{
	close(peer->to);
	close(peer->from);
	if (!peer->pid)
		return;
	/* the end of its orders ends it; one that does not answer must go */
	for (int i = 0; i < 200; i++) {
		if (waitpid(peer->pid, NULL, WNOHANG))
			return;
		usleep(10000);
	}
	kill(peer->pid, SIGTERM);
	waitpid(peer->pid, NULL, 0);
}

/* NULL, or why there is none */
static const char *start_peer(struct ddt_peer *peer, const char *name)
{
	bool mpi = is_mpi(name);
	char path[PATH_MAX], run[32], line[64];
	char *by_mpi[] = { run, (char *)"-n", (char *)"2", path, NULL, NULL };

	*peer = (struct ddt_peer){ .name = name };
	if (!tool_part("pair", mpi ? name : "own", path, sizeof(path)))
		return "it was not there when pimdimm was built";
	snprintf(run, sizeof(run), "mpirun.%s", name);
	/* memory that nobody maps */
	if (is_cma(name))
		by_mpi[4] = (char *)"private";
	if (spawn_peer(peer, mpi ? by_mpi : by_mpi + 3)) {
		if (peer->to)
			stop_peer(peer);
		return mpi ? "its mpirun does not start" : "its program does not start";
	}
	if (read_line(peer->from, START_MS, line, sizeof(line)) && !strcmp(line, "ready"))
		return NULL;
	stop_peer(peer);
	return "its processes do not start";
}

/* with the design that is called so */
static const char *start_design(struct ddt_peer *peer, const char *name)
{
	char *kept = getenv("PIMDIMM_ZEROCOPY");
	const char *why;

	kept = kept ? strdup(kept) : NULL;
	/* which lets the kernel copy whatever the runs; auto would pack short ones */
	setenv("PIMDIMM_ZEROCOPY", is_cma(name) ? "memo" : name, 1);
	why = start_peer(peer, name);
	if (kept)
		setenv("PIMDIMM_ZEROCOPY", kept, 1);
	else
		unsetenv("PIMDIMM_ZEROCOPY");
	free(kept);
	return why;
}

static void start_one(struct perf_suite *suite, struct ddt_peers *peers, const char *name,
		      const char *design)
{
	struct ddt_peer *peer = &peers->each[peers->nr];
	const char *why = design ? start_design(peer, design) : start_peer(peer, name);

	if (!why)
		peers->nr++;
	else if (suite->report.format == PERF_CSV)	/* whose head this is */
		fprintf(suite->report.out, "# %s: not measured: %s\n", name, why);
	else
		perf_report_absent(&suite->report, name, why);
}

void ddt_peers_start(struct perf_suite *suite, struct ddt_peers *peers)
{
	peers->nr = 0;
	signal(SIGPIPE, SIG_IGN);
	start_one(suite, peers, "typed", NULL);
	for (unsigned int i = 0; peers->nr && perf_opponent_word(i) && peers->nr < DDT_PEERS; i++) {
		const char *name = perf_opponent_word(i);

		if (suite->args->opponents & (1u << i))
			start_one(suite, peers, name, is_mpi(name) ? NULL : name);
	}
}

void ddt_peers_stop(struct ddt_peers *peers)
{
	for (unsigned int i = 0; i < peers->nr; i++)
		stop_peer(&peers->each[i]);
	peers->nr = 0;
}

int ddt_peer_ask(const struct ddt_peer *peer, char what, unsigned int at, unsigned int times,
		 char answer[DDT_ANSWER])
{
	char line[64];
	int length = snprintf(line, sizeof(line), "%c %u %u\n", what, at, times);

	if (write(peer->to, line, (size_t)length) != length ||
	    !read_line(peer->from, ANSWER_MS, answer, DDT_ANSWER))
		return tool_error("two processes, %s: no answer", peer->name);
	return TOOL_OK;
}

struct order {
	struct ddt_peers *peers;
	unsigned int at;	/* the kernel's number */
};

static int give_order(void *of, const struct ddt_way *way, char what, unsigned int times,
		      double *ns, uint64_t *wrong)
{
	const struct order *o = of;
	const struct ddt_peer *peer = &o->peers->each[way->peer];
	unsigned long long bad;
	char answer[DDT_ANSWER];

	if (ddt_peer_ask(peer, what, o->at, times, answer))
		return TOOL_FAILED;
	if (sscanf(answer, "%lf %llu", ns, &bad) != 2)
		return tool_error("two processes, %s: \"%s\" is no answer", peer->name, answer);
	*wrong = bad;
	return TOOL_OK;
}

void ddt_peers_take(struct perf_suite *suite, struct ddt_peers *peers,
		    const struct ddt_kernel *k, unsigned int at)
{
	static const struct {
		const char *name;
		char what;
	} operations[] = { { "latency", 'l' }, { "bandwidth", 'b' }, { "both", 'd' } };
	struct order o = { peers, at };

	if (!peers->nr)
		return;
	for (size_t i = 0; i < TOOL_COUNT(operations); i++) {
		struct ddt_turns turns = { .context = "pair", .operation = operations[i].name,
					   .kernel = k, .bytes = k->bytes * (i == 2 ? 2 : 1),
					   .of = &o, .order = give_order };

		for (unsigned int p = 0; p < peers->nr; p++)
			turns.ways[turns.nr++] = (struct ddt_way){
				.name = peers->each[p].name, .peer = p,
				.what = operations[i].what
			};
		if (!i)	/* by hand: loops that pack, and one block */
			turns.ways[turns.nr++] = (struct ddt_way){ .name = "plain", .what = 'p' };
		ddt_turns_take(suite, &turns);
	}
}
