// SPDX-License-Identifier: MIT
/* `pimdimm top`: ranks, owners and bandwidth, live. */
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "tools/cmd/commands.h"
#include "tools/module/sysfs.h"
#include "tools/tool.h"

struct top {
	const char *folder;
	uint64_t delay_ns;
	uint64_t rounds;	/* 0: until it is stopped */
	bool terminal;		/* each round replaces the one before */
	struct sysfs_ranks before, now;
	uint64_t before_ns, now_ns;
};

static struct termios saved;
static volatile sig_atomic_t stopped;

static void top_on_signal(int signal)
{
	(void)signal;
	stopped = 1;
}

/* Keys come one by one and unseen; what the terminal was like is kept. */
static void terminal_begin(void)
{
	struct termios raw;

	if (tcgetattr(STDIN_FILENO, &saved))
		return;
	raw = saved;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	tcsetattr(STDIN_FILENO, TCSANOW, &raw);
}

static void terminal_end(void)
{
	tcsetattr(STDIN_FILENO, TCSANOW, &saved);
}

/* Returns false when the user has had enough. */
static bool wait_on_terminal(uint64_t ns)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	uint64_t end = tool_now() + ns, now;
	char key;

	while (!stopped && (now = tool_now()) < end) {
		int ready = poll(&input, 1, (int)((end - now) / 1000000) + 1);

		if (ready == 1 && (read(STDIN_FILENO, &key, 1) != 1 ||
				   key == 'q'))
			return false;
	}
	return !stopped;
}

static bool wait_plainly(uint64_t ns)
{
	const struct timespec time = {
		.tv_sec = (time_t)(ns / 1000000000),
		.tv_nsec = (long)(ns % 1000000000),
	};

	nanosleep(&time, NULL);
	return !stopped;
}

static int take_sample(struct top *top)
{
	sysfs_free(&top->before);
	top->before = top->now;
	top->before_ns = top->now_ns;
	top->now = (struct sysfs_ranks){ 0 };
	top->now_ns = tool_now();
	return sysfs_read(top->folder, &top->now);
}

static const struct sysfs_rank *rank_before(const struct top *top,
					    uint32_t number)
{
	for (size_t i = 0; i < top->before.count; i++)
		if (top->before.ranks[i].number == number)
			return &top->before.ranks[i];
	return NULL;
}

/* A second's growth; a rank that is new, or counts anew, has none yet. */
static double top_rate(const struct top *top, const uint64_t *before, uint64_t now)
{
	double seconds = (double)(top->now_ns - top->before_ns) / 1e9;

	if (!before || now < *before || seconds <= 0)
		return 0;
	return (double)(now - *before) / seconds;
}

struct rates {
	double to, from, transfers;
};

static struct rates rank_rates(const struct top *top, const struct sysfs_rank *r)
{
	const struct sysfs_rank *b = rank_before(top, r->number);
	struct rates rates = { 0 };

	if (!b)
		return rates;
	rates.to = top_rate(top, &b->bytes_to_mram, r->bytes_to_mram);
	rates.from = top_rate(top, &b->bytes_from_mram, r->bytes_from_mram);
	rates.transfers =
		top_rate(top, &b->transfers_to_mram, r->transfers_to_mram) +
		top_rate(top, &b->transfers_from_mram, r->transfers_from_mram);
	return rates;
}

static void print_summary(const struct top *top)
{
	uint64_t taken = 0, allocated = 0;
	struct rates sum = { 0 };
	bool hidden = false;

	for (size_t i = 0; i < top->now.count; i++) {
		const struct sysfs_rank *r = &top->now.ranks[i];
		struct rates rates = rank_rates(top, r);

		hidden |= r->hidden;
		taken += r->owner != 0;
		allocated += r->allocated;
		sum.to += rates.to;
		sum.from += rates.from;
	}
	if (hidden) {
		printf("%zu ranks, %s allocated; for root and group pimdimm: by whom they are taken, and transfers\n",
		       top->now.count, tool_size(allocated));
		return;
	}
	printf("%zu ranks, %" PRIu64 " taken, %s allocated; to MRAM %s, from MRAM %s\n",
	       top->now.count, taken, tool_size(allocated), tool_rate(sum.to),
	       tool_rate(sum.from));
}

static void print_rank(const struct top *top, const struct sysfs_rank *r)
{
	struct rates rates = rank_rates(top, r);
	char node[32], owner[64], transfers[32];

	snprintf(node, sizeof(node), "/dev/pimdimm%" PRIu32, r->number);
	sysfs_owner(r, owner, sizeof(owner));
	snprintf(transfers, sizeof(transfers), "%.0f", rates.transfers);
	printf("%-15s %11s %11s %11s %11s %8s %7" PRIu64 " %7" PRIu64
	       " %7" PRIu64 " %4s  %s\n",
	       node, tool_size(r->allocated), tool_size(r->pinned),
	       r->hidden ? "?" : tool_rate(rates.to),
	       r->hidden ? "?" : tool_rate(rates.from),
	       r->hidden ? "?" : transfers, r->opens, r->resets, r->errors,
	       *r->mux ? r->mux : "?", owner);
}

static void print_round(const struct top *top)
{
	if (top->terminal)
		fputs("\033[H\033[J", stdout);
	print_summary(top);
	if (!top->now.count)
		puts("no ranks any more");
	else
		printf("%-15s %11s %11s %11s %11s %8s %7s %7s %7s %4s  %s\n",
		       "NODE", "ALLOCATED", "PINNED", "TO MRAM", "FROM MRAM",
		       "XFER/s", "OPENS", "RESETS", "ERRORS", "MUX", "OWNER");
	for (size_t i = 0; i < top->now.count; i++)
		print_rank(top, &top->now.ranks[i]);
	puts("Not seen: mem: systems, which live inside their processes, and bytes moved\n"
	     "through mappings, as the library does.");
	if (!top->terminal)
		putchar('\n');
	fflush(stdout);
}

static int top_watch(struct top *top)
{
	bool more = true;
	int ret = take_sample(top);

	if (!ret && !top->now.count)
		ret = tool_error("no ranks: the module is not loaded (`pimdimm load` does that)");
	for (uint64_t round = 0; more && !ret; round++) {
		more = top->terminal ? wait_on_terminal(top->delay_ns) :
				       wait_plainly(top->delay_ns);
		if (!more)
			break;
		ret = take_sample(top);
		if (!ret)
			print_round(top);
		more = (!top->rounds || round + 1 < top->rounds) &&
		       !ferror(stdout);
	}
	sysfs_free(&top->before);
	sysfs_free(&top->now);
	return ret ? TOOL_FAILED : TOOL_OK;
}

static int run_watch(struct top *top)
{
	const struct sigaction action = { .sa_handler = top_on_signal };
	int status;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (!top->terminal)
		return top_watch(top);
	terminal_begin();
	status = top_watch(top);
	terminal_end();
	return status;
}

static bool parse_rounds(const char *text, uint64_t *rounds)
{
	char *end;

	*rounds = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && *rounds;
}

static int run_top(const struct command *self, int argc, char **argv)
{
	struct top top = { .folder = SYSFS_CLASS, .delay_ns = 1000000000 };
	int c;

	while ((c = tool_getopt(self, argc, argv)) != -1) {
		if (c == 's')
			top.folder = optarg;
		else if (c == 'd' &&
			 !tool_parse_seconds(optarg, 0.01, &top.delay_ns))
			return tool_usage(self, "-d %s: expected seconds from 0.01 on",
					  optarg);
		else if (c == 'n' && !parse_rounds(optarg, &top.rounds))
			return tool_usage(self, "-n %s: expected a number from 1 on",
					  optarg);
	}
	if (tool_no_operands(self, argc, argv))
		return TOOL_USAGE;
	/* who reads it from a pipe or a file wants an end to it */
	if (!top.rounds && !isatty(STDOUT_FILENO))
		top.rounds = 1;
	top.terminal = isatty(STDOUT_FILENO) && isatty(STDIN_FILENO);
	return run_watch(&top);
}

static const struct tool_option options[] = {
	{ 'd', "delay", { .name = "SECONDS" },
	  .help = "between rounds, fractions too (1)",
	  .letter = true },
	{ 'n', "number", { .name = "NUMBER" },
	  .help = "of rounds, then end; without a terminal 1",
	  .letter = true },
	{ 's', "sysfs", { "DIR", .kind = TOOL_FOLDER },
	  .help = "read DIR instead of " SYSFS_CLASS },
	{ 0 },
};

const struct command cmd_top = {
	.name = "top",
	.summary = "show ranks, owners and bandwidth, live",
	.run = run_top,
	.synopsis = "[OPTION]...",
	.about =
	"Shows the ranks of the loaded module once a second: memory allocated, and kept\n"
	"in place by dma-bufs, what the transfer ioctl moves, how often the node was\n"
	"opened and reset and how many calls failed, whether its MRAM is the host's or the\n"
	"PEs' to touch (MUX), and who has it open. On a terminal each round replaces the\n"
	"one before, and q ends it; elsewhere there is one round, or those that -n asks\n"
	"for, in plain text. Opens no node.\n"
	"\n"
	"Systems of mem: are inside their processes and not seen, nor are bytes that are\n"
	"moved through mappings, as the library does: `pimdimm trace` shows these.\n",
	.notes = "Exit status: 0, 1 failed or no ranks, 2 wrong usage.\n",
	.options = options,
};
