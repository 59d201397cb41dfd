// SPDX-License-Identifier: MIT
/*
 * Usage: oracle PROGRAM SEEDS [FIRST]
 * Random scripts for oracle/script.c, whose races are known by brute force: two accesses
 * to a byte of which neither reaches the other in the graph of what the scripts' steps are
 * ordered by. The program, run with PIMDIMM_CHECK=races, must tell of each byte that has a
 * race, at least one, where each pair of lines is told once; and nothing that is none. What a semaphore orders
 * depends on when its taker looked: so there are two graphs, one with what any run of the
 * script has ordered, one with what this one may have.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pimdimm/pimdimm.h>
#include <pimdimm/program.h>

#include "script.h"

/* each step begins and ends */
#define NODES	(2 * TASKLETS * STEPS)
#define WORDS	(NODES / 64)
#define BYTES	(8 * SLOTS)
#define PLACES	(BYTES + FAR_WORDS)	/* bytes of slots, then words of MRAM */
#define MAX_TOLD 512

struct graph {
	uint64_t reach[NODES][WORDS];
};

struct told {
	char object[16], function[2][16];
	unsigned int offset, bytes[2], tasklet[2];
	bool write[2];
};

static struct pimdimm *sys;
static struct step script[TASKLETS][STEPS];
static uint32_t length[TASKLETS];
static uint32_t entries[LOG_ENTRIES], nr_entries;
static struct told told[MAX_TOLD];
static unsigned int nr_told;
static uint64_t state;

static void check(int err, const char *what)
{
	if (!err)
		return;
	printf("%s: %s\n", what, pimdimm_errmsg());
	exit(2);
}

static uint32_t below(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % n;
}

static void add(uint32_t t, enum step_op op, uint32_t which, uint32_t at, uint32_t bytes)
{
	script[t][length[t]++] = (struct step){ (uint8_t)op, (uint8_t)which, (uint8_t)at,
						(uint8_t)bytes };
}

static void add_access(uint32_t t)
{
	uint32_t bytes = 1u << below(4), which = below(4);

	switch (below(8)) {
	case 0:
		add(t, STEP_FILL, which, 0, 8);
		break;
	case 1:
		add(t, STEP_FAR_READ, which, 0, 8 * (1 + below(FAR_WORDS - which)));
		break;
	case 2:
		add(t, STEP_FAR_WRITE, which, 0, 8 * (1 + below(FAR_WORDS - which)));
		break;
	default:
		add(t, below(3) ? STEP_READ : STEP_WRITE, which,
		    bytes * below(8 / bytes), bytes);
	}
}

/* what is ordered, so that the order of the script as it is made is one without deadlock */
static void add_meeting(void)
{
	uint32_t t = below(TASKLETS), which = below(2), kind = below(12);

	if (!kind) {
		for (uint32_t u = 0; u < TASKLETS; u++)
			add(u, STEP_MEET, 0, 0, 0);
	} else if (kind < 5) {
		add(t, STEP_LOCK, which, 0, 0);
		for (uint32_t n = 1 + below(2); n; n--)
			add_access(t);
		add(t, STEP_UNLOCK, which, 0, 0);
	} else if (kind < 9) {
		/* each one notifies but one other: no two wait for it at a time */
		add(t, STEP_NOTIFY, 0, 0, 0);
		add((t + 1) % TASKLETS, STEP_AWAIT, t, 0, 0);
	} else {
		/* one gives, another takes */
		add(which, STEP_GIVE, which, 0, 0);
		add(TASKLETS - 1 - which, STEP_TAKE, which, 0, 0);
	}
}

static void make_script(uint64_t seed)
{
	state = seed * 0x9e3779b97f4a7c15u + 1;
	memset(script, 0, sizeof(script));
	memset(length, 0, sizeof(length));
	for (;;) {
		for (uint32_t t = 0; t < TASKLETS; t++)
			if (length[t] + 5 > STEPS)
				return;
		if (below(8) <= seed % 7)
			add_meeting();
		else
			add_access(below(TASKLETS));
	}
}

static uint32_t begin_of(uint32_t step)
{
	return 2 * step;
}

static void order(struct graph *g, uint32_t from, uint32_t to)
{
	g->reach[from][to / 64] |= 1ull << to % 64;
}

static bool reaches(const struct graph *g, uint32_t from, uint32_t to)
{
	return g->reach[from][to / 64] >> to % 64 & 1;
}

static void close_graph(struct graph *g)
{
	for (uint32_t k = 0; k < NODES; k++)
		for (uint32_t i = 0; i < NODES; i++)
			if (reaches(g, i, k))
				for (uint32_t w = 0; w < WORDS; w++)
					g->reach[i][w] |= g->reach[k][w];
}

/* the nth of a tasklet's steps of a kind; TASKLETS * STEPS: it has not so many */
static uint32_t nth(uint32_t t, enum step_op op, uint32_t which, uint32_t n)
{
	for (uint32_t i = 0; i < length[t]; i++)
		if (script[t][i].op == op && script[t][i].which == which && !n--)
			return t * STEPS + i;
	return TASKLETS * STEPS;
}

/* both begin before either ends */
static void order_pair(struct graph *g, uint32_t a, uint32_t b)
{
	order(g, begin_of(a), begin_of(b) + 1);
	order(g, begin_of(b), begin_of(a) + 1);
}

static void order_by_script(struct graph *g)
{
	for (uint32_t t = 0; t < TASKLETS; t++) {
		for (uint32_t i = 0; i < length[t]; i++) {
			order(g, begin_of(t * STEPS + i), begin_of(t * STEPS + i) + 1);
			if (i)
				order(g, begin_of(t * STEPS + i) - 1, begin_of(t * STEPS + i));
		}
		for (uint32_t n = 0; nth(t, STEP_MEET, 0, n) < TASKLETS * STEPS; n++)
			for (uint32_t u = 0; u < TASKLETS; u++)
				order_pair(g, nth(t, STEP_MEET, 0, n), nth(u, STEP_MEET, 0, n));
		for (uint32_t n = 0; nth(t, STEP_NOTIFY, 0, n) < TASKLETS * STEPS; n++)
			order_pair(g, nth(t, STEP_NOTIFY, 0, n),
				   nth((t + 1) % TASKLETS, STEP_AWAIT, t, n));
	}
	/* the nth taken needs n given, by the one who gives */
	for (uint32_t s = 0; s < SEMAPHORES; s++)
		for (uint32_t n = 0; nth(s, STEP_GIVE, s, n) < TASKLETS * STEPS; n++)
			order(g, begin_of(nth(s, STEP_GIVE, s, n)),
			      begin_of(nth(TASKLETS - 1 - s, STEP_TAKE, s, n)) + 1);
}

static const struct step *step_of(uint32_t entry)
{
	return &script[entry / STEPS][entry % STEPS];
}

/* What one entry of the log orders before a later one: of semaphores, only it may. */
static bool passes(const struct step *a, const struct step *b, bool maybe)
{
	return a->which == b->which &&
	       ((a->op == STEP_UNLOCK && b->op == STEP_LOCK) ||
		(maybe && a->op == STEP_GIVE && b->op == STEP_TAKE));
}

static void make_graph(struct graph *g, bool maybe)
{
	memset(g, 0, sizeof(*g));
	order_by_script(g);
	for (uint32_t a = 0; a < nr_entries; a++)
		for (uint32_t b = a + 1; b < nr_entries; b++)
			if (passes(step_of(entries[a]), step_of(entries[b]), maybe))
				order(g, begin_of(entries[a]), begin_of(entries[b]) + 1);
	close_graph(g);
}

/* a bit for each place that a step accesses */
static uint64_t places(const struct step *s)
{
	uint64_t all = (1ull << s->bytes) - 1;

	switch (s->op) {
	case STEP_READ:
	case STEP_WRITE:
	case STEP_FILL:
		return all << (8 * s->which + s->at);
	case STEP_FAR_READ:
	case STEP_FAR_WRITE:
		return ((1ull << s->bytes / 8) - 1) << (BYTES + s->which);
	default:
		return 0;
	}
}

static bool writes(const struct step *s)
{
	return s->op == STEP_WRITE || s->op == STEP_FILL || s->op == STEP_FAR_WRITE;
}

static uint64_t race(const struct graph *g, uint32_t a, uint32_t b)
{
	const struct step *x = step_of(a), *y = step_of(b);

	if (a / STEPS == b / STEPS || (!writes(x) && !writes(y)) ||
	    reaches(g, begin_of(a) + 1, begin_of(b)) || reaches(g, begin_of(b) + 1, begin_of(a)))
		return 0;
	return places(x) & places(y);
}

static uint64_t all_races(const struct graph *g)
{
	uint64_t found = 0;

	for (uint32_t a = 0; a < TASKLETS * STEPS; a++)
		for (uint32_t b = a + 1; b < TASKLETS * STEPS; b++)
			found |= race(g, a, b);
	return found;
}

static uint64_t place_told(const struct told *f)
{
	return 1ull << (!strcmp(f->object, "slots") ? f->offset : BYTES + f->offset / 8);
}

static bool is_line(const struct told *f, int i, uint32_t step)
{
	static const char *const names[] = {
		[STEP_READ] = "read", [STEP_WRITE] = "write", [STEP_FILL] = "fill",
		[STEP_FAR_READ] = "far_read", [STEP_FAR_WRITE] = "far_write",
	};
	const struct step *s = step_of(step);
	char name[16];

	if (s->op < STEP_READ)
		return false;
	snprintf(name, sizeof(name), "%s%u", names[s->op], s->which);
	return !strcmp(name, f->function[i]);
}

static bool is_access(const struct told *f, int i, uint32_t step)
{
	const struct step *s = step_of(step);

	return step / STEPS == f->tasklet[i] && writes(s) == f->write[i] &&
	       s->bytes == f->bytes[i] && is_line(f, i, step);
}

/* The places that these two lines race for; 0: what is told is no race. */
static uint64_t races_told(const struct graph *g, const struct told *f)
{
	uint64_t lines = 0;
	bool found = false;

	for (uint32_t a = 0; a < TASKLETS * STEPS; a++) {
		for (uint32_t b = 0; b < TASKLETS * STEPS; b++) {
			uint64_t at = is_line(f, 0, a) && is_line(f, 1, b) ? race(g, a, b) : 0;

			lines |= at;
			found |= at & place_told(f) && is_access(f, 0, a) && is_access(f, 1, b);
		}
	}
	return found ? lines : 0;
}

/* What the library has said on standard error, which is a file. */
static void read_told(void)
{
	char line[1024], kind[2][8];
	FILE *f;

	fflush(stderr);
	lseek(STDERR_FILENO, 0, SEEK_SET);
	f = fdopen(dup(STDERR_FILENO), "r");
	nr_told = 0;
	while (f && fgets(line, sizeof(line), f) && nr_told < MAX_TOLD) {
		struct told *t = &told[nr_told++];
		const char *at = strstr(line, " at ");

		if (!strstr(line, "race in PE 0") || !at ||
		    sscanf(at, " at %*s 0x%*x (%15[a-z]+%u): %7s of %u bytes by tasklet %u at %*s (%15[a-z_0-9])",
			   t->object, &t->offset, kind[0], &t->bytes[0], &t->tasklet[0],
			   t->function[0]) != 6 ||
		    !(at = strstr(at, "; ")) ||
		    sscanf(at, "; %7s of %u bytes by tasklet %u at %*s (%15[a-z_0-9])", kind[1],
			   &t->bytes[1], &t->tasklet[1], t->function[1]) != 4) {
			printf("not understood: %s", line);
			exit(1);
		}
		t->write[0] = !strcmp(kind[0], "write");
		t->write[1] = !strcmp(kind[1], "write");
	}
	fclose(f);
	check(ftruncate(STDERR_FILENO, 0), "ftruncate");
	lseek(STDERR_FILENO, 0, SEEK_SET);
}

static struct pimdimm_symbol symbol(const struct pimdimm_program *program, const char *name)
{
	struct pimdimm_symbol s;

	check(pimdimm_program_symbol(program, name, &s), name);
	return s;
}

static void run_script(const char *path, uint64_t seed)
{
	struct pimdimm_run run = { .size = sizeof(run), .timeout_ms = 200000 };
	struct pimdimm_program *program;
	const uint32_t pe = 0;

	check(pimdimm_program_open(path, &program), path);
	check(pimdimm_load(sys, &pe, 1, program), "load");
	check(pimdimm_write(sys, 0, symbol(program, "script").address, script, sizeof(script)),
	      "write");
	if (pimdimm_run(sys, &pe, 1, &run)) {
		printf("seed %llu: %s\n", (unsigned long long)seed, run.first.text);
		exit(1);
	}
	check(pimdimm_wram_read(sys, 0, symbol(program, "log_nr").address, &nr_entries,
				sizeof(nr_entries)), "log_nr");
	check(pimdimm_wram_read(sys, 0, symbol(program, "log_entries").address, entries,
				sizeof(entries)), "log_entries");
	pimdimm_program_close(program);
	read_told();
}

/* Whether what is told is what there is. *exact: nothing hung on a semaphore. */
static bool judge(uint64_t seed, bool *exact, uint64_t *nr_races)
{
	static struct graph always, maybe;
	uint64_t found = 0, at_least;

	make_graph(&always, false);
	make_graph(&maybe, true);
	at_least = all_races(&maybe);
	*exact = at_least == all_races(&always);
	*nr_races += (uint64_t)__builtin_popcountll(at_least);
	for (unsigned int i = 0; i < nr_told; i++) {
		uint64_t covered = races_told(&always, &told[i]);

		found |= covered;
		if (!covered) {
			printf("seed %llu: told, but there is none: %s+%u, tasklets %u and %u\n",
			       (unsigned long long)seed, told[i].object, told[i].offset,
			       told[i].tasklet[0], told[i].tasklet[1]);
			return false;
		}
	}
	if (at_least & ~found) {
		printf("seed %llu: not told of: %#llx\n", (unsigned long long)seed,
		       (unsigned long long)(at_least & ~found));
		return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	uint64_t seeds = argc > 2 ? strtoull(argv[2], NULL, 10) : 0, nr_exact = 0, nr_races = 0;
	uint64_t first = argc > 3 ? strtoull(argv[3], NULL, 10) : 0, wrong = 0;
	bool exact;

	if (!seeds)
		return 2;
	if (!freopen("/dev/null", "r", stdin) || !freopen(getenv("ORACLE_TOLD"), "w+", stderr)) {
		printf("ORACLE_TOLD: %s\n", strerror(errno));
		return 2;
	}
	check(pimdimm_open("mem:ranks=1,mram=2M", &sys), "open");
	for (uint64_t seed = first; seed < first + seeds; seed++) {
		make_script(seed);
		run_script(argv[1], seed);
		wrong += !judge(seed, &exact, &nr_races);
		nr_exact += exact;
	}
	pimdimm_close(sys);
	printf("%llu scripts, %llu exact, %llu racy bytes and words, %llu wrong\n",
	       (unsigned long long)seeds, (unsigned long long)nr_exact,
	       (unsigned long long)nr_races, (unsigned long long)wrong);
	return wrong || !nr_races || nr_exact < seeds / 2;
}
