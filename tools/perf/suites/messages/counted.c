// SPDX-License-Identifier: MIT
/*
 * Runs rounds under callgrind, in a folder of their own, and sorts what their profiles have. A
 * profile is of a rank and a round, or of a round where both ranks are of one process.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/perf/rounds/rounds.h"
#include "tools/perf/suites/messages/sorts/callgrind.h"
#include "tools/perf/suites/messages/counted.h"
#include "tools/perf/suites/messages/sorts/sorts_mpi.h"
#include "tools/perf/suites/messages/sorts/sorts_x86.h"
#include "tools/perf/suites/messages/sorts/unsorted.h"
#include "tools/tool.h"

/* of a size: all routines by shares, then each routine alone */
#define KINDS	(COUNTED_SHARES + ROUTINES - 1)

/* of a cell and a round: of both ranks */
struct sums {
	double instructions[MESSAGE_SORTS], references[MESSAGE_SORTS];
	struct unsorted_list unsorted;
	unsigned int profiles;
};

typedef struct sums sums_of_rounds[ROUNDS_REPEATS];

struct counting {
	const char *folder, *method;
	bool mpi, no_memory;
	sums_of_rounds sums[COUNTED_SIZES][KINDS];
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
	if (sort == MESSAGE_UNSORTED && line->instructions &&
	    !unsorted_add(&c->now->unsorted, c->mpi ? line->object : line->file, line->function,
			  (double)line->instructions, (double)line->references))
		c->no_memory = true;
}

static int in_order(const void *a, const void *b)
{
	const struct dump *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* the sums that a profile with this label belongs to, `seen` being how many of each there were */
static struct sums *sums_of(struct counting *c, const char *label,
			    unsigned int seen[COUNTED_SIZES][KINDS])
{
	unsigned int bytes, posted, routine, size, kind;

	if (sscanf(label, "%u %u %u", &bytes, &posted, &routine) != 3)
		return NULL;
	size = bytes == MESSAGE_MAX;
	if (posted >= COUNTED_SHARES || routine >= ROUTINES)
		return NULL;
	kind = routine == ROUTINE_ALL ? posted : COUNTED_SHARES + routine - 1;
	if (seen[size][kind] >= ROUNDS_REPEATS)
		return NULL;
	return &c->sums[size][kind][seen[size][kind]++];
}

/* Adds a profile to the sums of its round, the n-th of its kind that its process has written. */
static bool count_dump(struct counting *c, const struct dump *dump,
		       unsigned int seen[COUNTED_SIZES][KINDS])
{
	char path[PATH_MAX], label[64];

	snprintf(path, sizeof(path), "%s/%u.%u", c->folder, dump->pid, dump->number);
	if (callgrind_label(path, label))
		return false;
	/* the last one of a process, of nothing */
	if (!label[0])
		return true;
	c->now = sums_of(c, label, seen);
	if (!c->now || callgrind_read(path, count_line, c))
		return false;
	c->now->profiles++;
	return true;
}

static bool count_dumps(struct counting *c, const struct dump dumps[], size_t nr)
{
	unsigned int seen[COUNTED_SIZES][KINDS];

	for (size_t i = 0; i < nr; i++) {
		if (!i || dumps[i].pid != dumps[i - 1].pid)
			memset(seen, 0, sizeof(seen));
		if (!count_dump(c, &dumps[i], seen))
			return false;
	}
	return !c->no_memory;
}

static bool count_folder(struct counting *c)
{
	enum { MOST = 4 * COUNTED_SIZES * KINDS * ROUNDS_REPEATS };
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

static void take_less(double of[MESSAGE_SORTS], const double other[MESSAGE_SORTS])
{
	for (unsigned int s = 0; s < MESSAGE_SORTS; s++)
		of[s] = fmin(of[s], other[s]);
}

/* the least of all rounds but the first, category by category; false: some are missing */
static bool take_least(struct counting *c, sums_of_rounds rounds, struct exchange_counts *to)
{
	struct sums *least = &rounds[1];

	for (unsigned int i = 1; i < ROUNDS_REPEATS; i++) {
		if (rounds[i].profiles != (c->mpi ? 2 : 1))
			return false;
		take_less(least->instructions, rounds[i].instructions);
		take_less(least->references, rounds[i].references);
		unsorted_least(&least->unsorted, &rounds[i].unsorted);
	}
	*to = (struct exchange_counts){ .cycles = 0 };
	memcpy(to->instructions, least->instructions, sizeof(to->instructions));
	memcpy(to->references, least->references, sizeof(to->references));
	c->no_memory |= !unsorted_keep(c->method, &least->unsorted, EXCHANGE_MESSAGES);
	return !c->no_memory;
}

static bool take_all(struct counting *c, struct counted *to)
{
	for (unsigned int size = 0; size < COUNTED_SIZES; size++) {
		for (unsigned int share = 0; share < COUNTED_SHARES; share++)
			if (!take_least(c, c->sums[size][share], &to->rounds[size][share]))
				return false;
		for (unsigned int r = ROUTINE_PROBE; r < ROUTINES; r++)
			if (!take_least(c, c->sums[size][COUNTED_SHARES + r - 1],
					&to->routines[size][r]))
				return false;
	}
	return true;
}

static void free_sums(struct counting *c)
{
	for (unsigned int size = 0; size < COUNTED_SIZES; size++)
		for (unsigned int kind = 0; kind < KINDS; kind++)
			for (unsigned int i = 0; i < ROUNDS_REPEATS; i++)
				unsorted_free(&c->sums[size][kind][i].unsorted);
}

static bool count_into(const char *program, struct counting *c, struct counted *to,
		       char why[LAUNCH_WHY])
{
	bool read;

	if (!run_counted(program, c->folder, c->mpi, why))
		return false;
	read = count_folder(c);
	if (read && take_all(c, to))
		return true;
	return no_count(why, c->no_memory ? "no memory for functions without a sort" :
			     !read ? "callgrind's profiles are not to be read" :
				     "callgrind's profiles are not all there");
}

bool counted_by(unsigned int method, struct counted *to, char why[LAUNCH_WHY])
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
	c.method = exchange_methods[method].name;
	c.mpi = method != METHOD_RESIDENT;
	counted = count_into(exchange_methods[method].rounds, &c, to, why);
	free_sums(&c);
	remove_folder(folder);
	return counted;
}
