// SPDX-License-Identifier: MIT
/*
 * Runs rounds under callgrind, in a folder of their own, and sorts what their profiles have. A
 * profile is of a rank and a round, or of a round where both ranks are of one process.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/perf/rounds/rounds.h"
#include "tools/perf/suites/messages/callgrind.h"
#include "tools/perf/suites/messages/counted.h"
#include "tools/perf/suites/messages/sorts_x86.h"
#include "tools/tool.h"

/* of a cell and a round: of both ranks */
struct sums {
	double instructions[MESSAGE_SORTS], references[MESSAGE_SORTS];
	char unsorted[64];
	unsigned int profiles;
};

struct counting {
	const char *folder;
	bool mpi;
	struct sums sums[COUNTED_SIZES][COUNTED_SHARES][ROUNDS_REPEATS];
	struct sums *now;
};

/* "NAME.PID.NUMBER": a process writes them in order */
struct dump {
	unsigned int pid, number;
};

static bool no_count(char why[LAUNCH_WHY], const char *because)
{
	snprintf(why, LAUNCH_WHY, "%s", because);
	return false;
}

static bool run_counted(const char *name, const char *folder, bool mpi, char why[LAUNCH_WHY])
{
	char program[PATH_MAX], out[PATH_MAX], place[PATH_MAX], run[32];
	char *argv[] = {
		run, (char *)"-n", (char *)"2", (char *)"valgrind", (char *)"--tool=callgrind",
		(char *)"--collect-atstart=no", (char *)"--cache-sim=yes", out, program,
		(char *)"count", place, NULL,
	};
	int fd, status;

	if (!tool_part("rounds", name, program, sizeof(program)))
		return no_count(why, "it was not there when pimdimm was built");
	snprintf(run, sizeof(run), "mpirun.%s", name);
	snprintf(out, sizeof(out), "--callgrind-out-file=%s/%%p", folder);
	snprintf(place, sizeof(place), "%s/place", folder);
	fd = open(place, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		return no_count(why, "no file in the folder for its profiles");
	close(fd);
	status = launch_run(mpi ? argv : argv + 3, NULL, NULL, why);
	if (status == ROUNDS_UNCOUNTED)
		return no_count(why, "it was built without valgrind's header");
	return !status;
}

static void count_line(void *ctx, const struct callgrind_line *line)
{
	struct counting *c = ctx;
	enum message_sort sort = c->mpi ? message_sort_of_mpi(line->object, line->function) :
					  message_sort_of_kernels(line->file, line->function);

	c->now->instructions[sort] += (double)line->instructions;
	c->now->references[sort] += (double)line->references;
	if (sort == MESSAGE_UNSORTED && line->instructions)
		snprintf(c->now->unsorted, sizeof(c->now->unsorted), "%.60s", line->function);
}

static int in_order(const void *a, const void *b)
{
	const struct dump *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Adds a profile to the sums of its round, the n-th of its kind that its process has written. */
static bool count_dump(struct counting *c, const struct dump *dump,
		       unsigned int seen[COUNTED_SIZES][COUNTED_SHARES])
{
	char path[PATH_MAX], label[64];
	unsigned int bytes, posted, size, round;
	struct sums sums = { 0 }, *to;

	snprintf(path, sizeof(path), "%s/%u.%u", c->folder, dump->pid, dump->number);
	c->now = &sums;
	if (callgrind_read(path, label, count_line, c))
		return false;
	/* the last one of a process, of nothing */
	if (sscanf(label, "%u %u", &bytes, &posted) != 2)
		return true;
	size = bytes == MESSAGE_MAX;
	if (posted >= COUNTED_SHARES || seen[size][posted] >= ROUNDS_REPEATS)
		return false;
	round = seen[size][posted]++;
	to = &c->sums[size][posted][round];
	for (unsigned int s = 0; s < MESSAGE_SORTS; s++) {
		to->instructions[s] += sums.instructions[s];
		to->references[s] += sums.references[s];
	}
	if (sums.unsorted[0])
		memcpy(to->unsorted, sums.unsorted, sizeof(to->unsorted));
	to->profiles++;
	return true;
}

static bool count_dumps(struct counting *c, const struct dump dumps[], size_t nr)
{
	unsigned int seen[COUNTED_SIZES][COUNTED_SHARES];

	for (size_t i = 0; i < nr; i++) {
		if (!i || dumps[i].pid != dumps[i - 1].pid)
			memset(seen, 0, sizeof(seen));
		if (!count_dump(c, &dumps[i], seen))
			return false;
	}
	return true;
}

static bool count_folder(struct counting *c)
{
	enum { MOST = 4 * COUNTED_SIZES * COUNTED_SHARES * ROUNDS_REPEATS };
	static struct dump dumps[MOST];
	DIR *dir = opendir(c->folder);
	struct dirent *entry;
	size_t nr = 0;

	if (!dir)
		return false;
	while ((entry = readdir(dir)) && nr < MOST) {
		struct dump *d = &dumps[nr];
		int end = 0;

		nr += sscanf(entry->d_name, "%u.%u%n", &d->pid, &d->number, &end) == 2 &&
		      !entry->d_name[end];
	}
	closedir(dir);
	qsort(dumps, nr, sizeof(*dumps), in_order);
	return nr && count_dumps(c, dumps, nr);
}

static void remove_folder(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(dir), entry->d_name, 0);
	}
	if (dir)
		closedir(dir);
	rmdir(folder);
}

/* the least of all rounds but the first, category by category; false: some are missing */
static bool take_least(const struct sums rounds[ROUNDS_REPEATS], bool mpi,
		       struct exchange_counts *to)
{
	*to = (struct exchange_counts){ .cycles = 0 };
	for (unsigned int i = 1; i < ROUNDS_REPEATS; i++) {
		const struct sums *sums = &rounds[i];

		if (sums->profiles != (mpi ? 2 : 1))
			return false;
		for (unsigned int s = 0; s < MESSAGE_SORTS; s++) {
			if (i == 1 || sums->instructions[s] < to->instructions[s])
				to->instructions[s] = sums->instructions[s];
			if (i == 1 || sums->references[s] < to->references[s])
				to->references[s] = sums->references[s];
		}
		if (sums->unsorted[0])
			memcpy(to->unsorted, sums->unsorted, sizeof(to->unsorted));
	}
	return true;
}

static bool count_into(const char *program, struct counting *c, counted_rounds rounds,
		       char why[LAUNCH_WHY])
{
	if (!run_counted(program, c->folder, c->mpi, why))
		return false;
	if (!count_folder(c))
		return no_count(why, "callgrind's profiles are not to be read");
	for (unsigned int size = 0; size < COUNTED_SIZES; size++)
		for (unsigned int share = 0; share < COUNTED_SHARES; share++)
			if (!take_least(c->sums[size][share], c->mpi, &rounds[size][share]))
				return no_count(why, "callgrind's profiles are not all there");
	return true;
}

bool counted_by(const char *program, counted_rounds rounds, char why[LAUNCH_WHY])
{
	static struct counting c;
	char folder[TOOL_TEMPORARY];
	bool counted;

	tool_temporary("rounds", folder);
	if (!mkdtemp(folder)) {
		snprintf(why, LAUNCH_WHY, "no folder like %.80s: %s", folder, strerror(errno));
		return false;
	}
	memset(&c, 0, sizeof(c));
	c.folder = folder;
	c.mpi = strcmp(program, "own");
	counted = count_into(program, &c, rounds, why);
	remove_folder(folder);
	return counted;
}
