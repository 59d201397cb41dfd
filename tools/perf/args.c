// SPDX-License-Identifier: MIT
/*
 * Reads what `perf` is asked for: words, which come from the library's tables, numbers
 * and lists into one structure.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pimdimm/pidcomm.h>
#include <pimdimm/pimdimm_layout.h>

#include "tools/hosts/launched.h"
#include "tools/inside.h"
#include "tools/perf/args.h"
#include "tools/tool.h"

#define MAX_SIZE (UINT64_C(1) << 40)
#define MAX_TIMES 100000

#define TYPES (PIDCOMM_F64 + 1)

const char *perf_collective_word(size_t at)
{
	return at < PC_NR_COLLECTIVES ? pc_collective_name(at) : NULL;
}

const char *perf_type_word(size_t at)
{
	if (at < TYPES)
		return pc_type_name(at);
	return at == TYPES ? "all" : NULL;
}

const char *perf_op_word(size_t at)
{
	if (at < PERF_OPS)
		return pc_op_name((pidcomm_op)(at + 1));
	return at == PERF_OPS ? "all" : NULL;
}

bool perf_is_word(tool_word_fn *word, const char *item, size_t length)
{
	for (size_t at = 0; word(at); at++) {
		if (!strncmp(word(at), item, length) && !word(at)[length])
			return true;
	}
	return false;
}

/* does the table have the name of a row in an earlier one? */
static bool named_before(const struct pc_algorithm *const *table, size_t row)
{
	for (size_t i = 0; i < row; i++) {
		if (!strcmp(table[i]->name, table[row]->name))
			return true;
	}
	return false;
}

/* what serves hypercubes; NULL after the last */
static const char *cubes_word(size_t at)
{
	static const char *const own[] = { "auto", "sdk", "staged" };
	const struct pc_algorithm *const *table;
	size_t count, names = TOOL_COUNT(own);

	if (at < TOOL_COUNT(own))
		return own[at];
	table = pc_algorithms(&count);
	for (size_t row = 0; row < count; row++) {
		if (!named_before(table, row) && names++ == at)
			return table[row]->name;
	}
	return NULL;
}

const char *perf_buffers_word(size_t at)
{
	static const char *const names[] = {
		"auto", "flat", "direct", "ma", "wave", "ma+socket", "pipelined", "dpml",
		"dpml2", "ring", "rabenseifner", "rg", "leaders", "leader", "chain", PERF_MPI,
		PERF_MPI_BLOCK, PERF_ROOFLINE, PERF_STREAM,
	};

	return at < TOOL_COUNT(names) ? names[at] : NULL;
}

const char *perf_algorithm_word(size_t at)
{
	const char *word;
	size_t names = 0;

	for (; cubes_word(names); names++) {
		if (names == at)
			return cubes_word(at);
	}
	for (size_t i = 0; (word = perf_buffers_word(i)); i++) {
		if (!perf_is_word(cubes_word, word, strlen(word)) && names++ == at)
			return word;
	}
	return NULL;
}

/* MPI libraries, then this library's ways to copy between two processes */
const char *perf_opponent_word(size_t at)
{
	static const char *const names[] = { "mpich", "openmpi", "shm", "naive", "pipeline",
					     "exchange", "memo", "cma" };

	return at < TOOL_COUNT(names) ? names[at] : NULL;
}

const char *perf_layout_word(size_t at)
{
	return at < PIMDIMM_NR_LAYOUTS ? pimdimm_layout_name((uint32_t)at) : NULL;
}

const char *perf_place_word(size_t at)
{
	static const char *const places[] = { "in", "out", "both" };

	return at < TOOL_COUNT(places) ? places[at] : NULL;
}

const char *perf_check_word(size_t at)
{
	static const char *const answers[] = { "0", "1" };

	return at < TOOL_COUNT(answers) ? answers[at] : NULL;
}

typedef int (*take_fn)(const struct command *self, struct perf_args *args,
		       const char *item);

/* each item of "a,b,c" */
static int args_each(const struct command *self, struct perf_args *args,
		     const char *list, take_fn take)
{
	char *copy = strdup(list), *at = copy, *item;
	int ret = copy ? TOOL_OK : TOOL_USAGE;

	while (!ret && (item = strsep(&at, ",")))
		ret = take(self, args, item);
	free(copy);
	return ret;
}

static int take_type(const struct command *self, struct perf_args *args,
		     const char *item)
{
	bool all = !strcmp(item, "all"), found = all;

	for (unsigned int t = 0; t <= PIDCOMM_F64; t++) {
		if (all || !strcasecmp(item, pc_type_name(t))) {
			args->types |= 1u << t;
			found = true;
		}
	}
	return found ? TOOL_OK :
		       tool_unknown(self, "type", item, perf_type_word);
}

static int take_op(const struct command *self, struct perf_args *args,
		   const char *item)
{
	bool all = !strcmp(item, "all"), found = all;

	for (uintptr_t op = 1; op <= PERF_OPS; op++) {
		if (all || !strcasecmp(item, pc_op_name((pidcomm_op)op))) {
			args->ops |= 1u << op;
			found = true;
		}
	}
	return found ? TOOL_OK :
		       tool_unknown(self, "operation", item, perf_op_word);
}

static int take_collective(const struct command *self, struct perf_args *args,
			   const char *item)
{
	for (unsigned int id = 0; perf_collective_word(id); id++) {
		if (!strcmp(item, perf_collective_word(id))) {
			args->collectives |= 1u << id;
			return TOOL_OK;
		}
	}
	return tool_unknown(self, "collective", item, perf_collective_word);
}

static int take_algorithm(const struct command *self, struct perf_args *args,
			  const char *item)
{
	static const char *const stores[] = { "", ":adaptive", ":t-copy", ":nt-copy", ":memmove" };
	/* with what --host-buffers takes behind it */
	size_t s = 0, length = strcspn(item, ":");

	while (s < TOOL_COUNT(stores) && strcmp(stores[s], item + length))
		s++;
	if (!perf_is_word(perf_algorithm_word, item, length) || s == TOOL_COUNT(stores))
		return tool_unknown(self, "algorithm", item,
				    perf_algorithm_word);
	if (args->nr_names == PERF_MAX_NAMES)
		return tool_usage(self, "more than %d algorithms",
				  PERF_MAX_NAMES);
	snprintf(args->names[args->nr_names++], sizeof(args->names[0]), "%s",
		 item);
	return TOOL_OK;
}

static int take_opponent(const struct command *self, struct perf_args *args,
			 const char *item)
{
	for (unsigned int at = 0; perf_opponent_word(at); at++) {
		if (!strcmp(item, perf_opponent_word(at))) {
			args->opponents |= 1u << at;
			return TOOL_OK;
		}
	}
	return tool_unknown(self, "opponent", item, perf_opponent_word);
}

static int take_axes(const struct command *self, struct perf_args *args,
		     const char *item)
{
	size_t length = strlen(item);

	if (!length || length > PIDCOMM_MAX_DIMS ||
	    strspn(item, "01") != length)
		return tool_usage(self, "axes \"%s\", expected 0 or 1 for each of 1 to %d axes",
				  item, PIDCOMM_MAX_DIMS);
	if (args->nr_axes == PERF_MAX_AXES)
		return tool_usage(self, "more than %d choices of axes",
				  PERF_MAX_AXES);
	strcpy(args->axes[args->nr_axes++], item);
	return TOOL_OK;
}

/* the next length of "32x32"; NULL if there is none */
static const char *take_length(const char *at, uint64_t *length)
{
	size_t digits = strcspn(at, "x");

	if (!pd_parse_number(at, digits, false, 1 << 16, length) || !*length)
		return NULL;
	return at[digits] ? at + digits + 1 : at + digits;
}

static int take_shape(const struct command *self, struct perf_args *args,
		      const char *item)
{
	struct perf_case shape = { 0 };
	const char *at = item;
	uint64_t pes = 1, length;

	do {
		at = take_length(at, &length);
		if (!at || shape.ndims == PIDCOMM_MAX_DIMS)
			return tool_usage(self, "shape \"%s\", expected lengths such as 32x32, at most %d",
					  item, PIDCOMM_MAX_DIMS);
		pes *= length;
		if (pes > 1 << 16)
			return tool_usage(self, "shape \"%s\" has more than 65536 PEs",
					  item);
		shape.dims[shape.ndims++] = (uint32_t)length;
	} while (*at);
	if (pes % 8)
		return tool_usage(self, "shape \"%s\" has %u PEs, expected a multiple of 8",
				  item, (unsigned int)pes);
	for (unsigned int i = 0; i + 1 < shape.ndims; i++) {
		if (shape.dims[i] & (shape.dims[i] - 1))
			return tool_usage(self, "shape \"%s\": every length but the last is a power of two",
					  item);
	}
	if (args->nr_shapes == PERF_MAX_SHAPES)
		return tool_usage(self, "more than %d shapes", PERF_MAX_SHAPES);
	args->shapes[args->nr_shapes++] = shape;
	return TOOL_OK;
}

static int take_place(const struct command *self, struct perf_args *args,
		      const char *item)
{
	args->out_of_place |= strcmp(item, "in") != 0;
	args->in_place |= strcmp(item, "out") != 0;
	if (!strcmp(item, "in") || !strcmp(item, "out") ||
	    !strcmp(item, "both"))
		return TOOL_OK;
	return tool_unknown(self, "place", item, perf_place_word);
}

static int take_layout(const struct command *self, struct perf_args *args,
		       const char *item)
{
	for (size_t at = 0; perf_layout_word(at); at++) {
		if (!strcmp(item, perf_layout_word(at))) {
			args->how.layout = perf_layout_word(at);
			return TOOL_OK;
		}
	}
	return tool_unknown(self, "layout", item, perf_layout_word);
}

static int args_number(const struct command *self, const char *what,
		       const char *text, bool size, uint64_t min, uint64_t max,
		       uint64_t *value)
{
	if (pd_parse_number(text, strlen(text), size, max, value) &&
	    *value >= min)
		return TOOL_OK;
	return tool_usage(self, "%s \"%s\", expected %llu to %llu%s", what,
			  text, (unsigned long long)min,
			  (unsigned long long)max,
			  size ? ", K, M and G multiply" : "");
}

/* options with a number; true when `c` is one of them */
static bool take_number(const struct command *self, struct perf_args *args,
			int c, int *ret)
{
	uint64_t n = 0;

	switch (c) {
	case 'b':
		*ret = args_number(self, "size", optarg, true, 8, MAX_SIZE,
				   &args->begin);
		args->given_sizes = true;
		return true;
	case 'e':
		*ret = args_number(self, "size", optarg, true, 8, MAX_SIZE,
				   &args->end);
		args->given_sizes = true;
		return true;
	case 'f':
		*ret = args_number(self, "factor", optarg, false, 2, 1 << 20,
				   &args->factor);
		return true;
	case 'n':
		*ret = args_number(self, "iterations", optarg, false, 1, MAX_TIMES,
				   &n);
		args->how.iters = (unsigned int)n;
		args->given_iters = true;
		return true;
	case 'w':
		*ret = args_number(self, "warm-ups", optarg, false, 0, MAX_TIMES,
				   &n);
		args->how.warmup = (unsigned int)n;
		return true;
	case 'c':
		*ret = args_number(self, "check", optarg, false, 0, 1, &n);
		args->how.check = n;
		return true;
	case 'H':
		*ret = args_number(self, "hosts", optarg, false, 1, 128, &n);
		args->hosts = (uint32_t)n;
		return true;
	case 'r':
		*ret = args_number(self, "seed", optarg, false, 0, UINT64_MAX,
				   &args->how.seed);
		return true;
	}
	return false;
}

static int take_list(const struct command *self, struct perf_args *args, int c)
{
	switch (c) {
	case 'd':
		return args_each(self, args, optarg, take_type);
	case 'o':
		return args_each(self, args, optarg, take_op);
	case 'x':
		return args_each(self, args, optarg, take_axes);
	case 's':
		args->given_shapes = true;
		return args_each(self, args, optarg, take_shape);
	case 'a':
		return args_each(self, args, optarg, take_algorithm);
	case 'N':
		return args_each(self, args, optarg, take_opponent);
	case 'p':
		return take_place(self, args, optarg);
	default:
		return take_layout(self, args, optarg);
	}
}

static int take_word(const struct command *self, struct perf_args *args, int c)
{
	if (c == 'j' || c == 'C') {
		if (args->format != PERF_TEXT)
			return tool_usage(self, "--json and --csv are one choice");
		args->format = c == 'j' ? PERF_JSON : PERF_CSV;
	} else if (c == 'B') {
		args->how.baseline = false;
	} else if (c == 'U') {
		args->host_buffers = true;
	} else if (c == 'K') {
		args->how.mapped = true;
	} else if (c == 'O') {
		args->output = optarg;
	} else if (c == 'S') {
		args->suite = optarg;
	} else if (c == 'P') {
		args->plot = optarg;
	} else if (c == 'F') {
		args->figures = optarg;
	} else if (c == 'M') {
		args->compare[0] = optarg;
	} else if (c == 'G') {
		args->programs = optarg;
	} else if (c == 'R') {
		args->reproduce = optarg;
	} else if (c == 'L') {
		args->latency = true;
	} else {
		args->how.uri = optarg;
	}
	return TOOL_OK;
}

/* Sizes of --osu are those of a message, and its calls short. */
static void set_latency(struct perf_args *args)
{
	args->how.baseline = false;
	if (!args->given_iters)
		args->how.iters = 100;
	if (!args->begin)
		args->begin = 8;
	if (!args->end)
		args->end = args->begin < 4096 ? 4096 : args->begin;
}

/* how --host-buffers asks for an algorithm is of no other measurement */
static int check_names(const struct command *self, const struct perf_args *args)
{
	for (unsigned int i = 0; i < args->nr_names && !args->host_buffers; i++) {
		const char *name = args->names[i];

		if (!perf_is_word(cubes_word, name, strlen(name)))
			return tool_usage(self, "algorithm %s goes with --host-buffers", name);
	}
	return TOOL_OK;
}

/* what was not chosen */
static int set_defaults(const struct command *self, struct perf_args *args)
{
	int ret = TOOL_OK;

	if (!args->nr_shapes)
		ret = take_shape(self, args, "32x32");
	if (!args->types)
		args->types = 1u << PIDCOMM_I32;
	if (!args->ops)
		args->ops = 1u << (uintptr_t)PIDCOMM_SUM;
	if (!args->nr_names)
		ret = take_algorithm(self, args, "auto");
	if (!args->collectives)
		args->collectives = (1u << PC_NR_COLLECTIVES) - 1;
	if (!args->in_place && !args->out_of_place)
		args->out_of_place = true;
	if (args->latency)
		set_latency(args);
	if (!args->begin)
		args->begin = args->end && args->end < 131072 ? args->end :
								131072;
	if (!args->end)
		args->end = args->begin;
	if (args->end < args->begin)
		return tool_usage(self, "sizes end at %llu, below %llu",
				  (unsigned long long)args->end,
				  (unsigned long long)args->begin);
	if (args->opponents && (!args->suite || (strcmp(args->suite, "datatypes") &&
							strcmp(args->suite, "messages"))))
		return tool_usage(self, "--opponents goes with --suite datatypes or messages");
	if (!args->how.uri)
		args->how.uri = getenv("PIMDIMM_URI");
	if (args->how.uri && !*args->how.uri)
		args->how.uri = NULL;
	return ret;
}

/* --hosts may go without its number where a launcher has started so many. */
static void number_hosts(int argc, char **argv)
{
	static char launched[32];

	for (int i = 1; i < argc && launched_hosts() > 1; i++) {
		if (strcmp(argv[i], "--hosts") || (i + 1 < argc && isdigit(argv[i + 1][0])))
			continue;
		snprintf(launched, sizeof(launched), "--hosts=%u", launched_hosts());
		argv[i] = launched;
	}
}

int perf_args_read(const struct command *self, int argc, char **argv,
		   struct perf_args *args)
{
	int c, ret = TOOL_OK;

	number_hosts(argc, argv);
	*args = (struct perf_args){
		.how = { .layout = "linear", .seed = 1, .iters = 10,
			 .warmup = 2, .check = true, .baseline = true },
		.factor = 2,
	};
	while ((c = tool_getopt(self, argc, argv)) != -1) {
		if (take_number(self, args, c, &ret))
			;
		else if (strchr("doxsaplN", c))
			ret = take_list(self, args, c);
		else
			ret = take_word(self, args, c);
		if (ret)
			return TOOL_USAGE;
	}
	if (args->compare[0]) {
		if (argc - optind != 1)
			return tool_usage(self, "--compare has one report, and the other follows: expected --compare BEFORE AFTER");
		args->compare[1] = argv[optind];
		return TOOL_OK;
	}
	for (; optind < argc && !ret; optind++)
		ret = take_collective(self, args, argv[optind]);
	if (!ret)
		ret = check_names(self, args);
	return ret ? ret : set_defaults(self, args);
}
