/* SPDX-License-Identifier: MIT */
/* What an application is, and what one run of it knows. */
#ifndef PIMDIMM_APPS_CONTEXT_H
#define PIMDIMM_APPS_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pimdimm/hosts.h>
#include <pimdimm/pidcomm.h>

#include "tools/apps/common/files/output.h"
#include "tools/apps/common/plan.h"
#include "tools/apps/common/program.h"
#include "tools/apps/common/report.h"
#include "tools/apps/common/sdk/sdk.h"
#include "tools/options.h"
#include "tools/tool.h"

#define APP_MAX_PROGRAMS	8
#define APP_MAX_PES		1024
/* the first number for options of an application; those below are everybody's */
#define APP_OPTION		1000
/* of --algorithm: collectives not by the library but by sdk/ */
#define APP_SDK			"sdk"

struct app_context;

/*
 * Functions return TOOL_OK, or TOOL_FAILED or TOOL_USAGE after a message. They are
 * called in the order in which they stand here; plan() more than once.
 */
struct app {
	const char *name;
	const char *summary;	/* a line of `pimdimm app` */
	const char *axes;	/* of its hypercube, for people: "P", "p,p", "X,Y,Z" */
	const char *about, *notes;	/* as struct command has them */
	const struct tool_option *options;	/* its own, numbered from APP_OPTION */
	struct tool_value operand;	/* the input */
	const char *input;	/* the one taken where none is given, or NULL */
	uint32_t pes;		/* as many PEs where nobody says, 0: 256 */
	const struct app_program *programs[APP_MAX_PROGRAMS];	/* then NULL */
	size_t state_bytes;	/* of ctx->state, zeroed */

	/* Takes one of its own options. */
	int (*option)(struct app_context *ctx, int option, const char *value);
	/* Reads or makes the input, ctx->input. */
	int (*load)(struct app_context *ctx);
	/*
	 * The most PEs, up to nr_pes, that its axes allow; 0: none. NULL: the next lower
	 * multiple of 8.
	 */
	uint32_t (*fit)(const struct app_context *ctx, uint32_t nr_pes);
	/* Lays the input out for ctx->nr_pes PEs: the axes and what takes memory. */
	int (*plan)(struct app_context *ctx, struct app_plan *plan);
	/*
	 * Runs on ctx->sys and ctx->cube, whose PEs are ctx->pes. It may be called again,
	 * with ctx->again set: what the PEs have of tables, tiles and weights may then
	 * stay, and so may the reference.
	 */
	int (*run)(struct app_context *ctx);
	/* Compares with a reference that shares only the input: app_verdict(). */
	int (*check)(struct app_context *ctx);
	/* Writes the result, which is right, for --output; NULL: there is no such option. */
	int (*write)(struct app_context *ctx, FILE *file);
	void (*free)(struct app_context *ctx);
};

struct app_context {
	const struct app *app;
	void *state;			/* the application's own */
	struct command command;		/* for messages about usage */

	/* what was asked for */
	const char *input;
	const char *uri;		/* NULL: PIMDIMM_URI, else one that fits */
	const char *algorithm;		/* of the collectives; NULL: the library's choice */
	const char *output;
	uint32_t pes_asked;		/* 0: as many as suit */
	uint64_t seed;
	unsigned int threads;
	enum app_format format;
	bool plan_only;
	/* algorithms that will run and go by way of the host; 0: algorithm alone */
	unsigned int stagers;
	bool again;			/* nothing but the collectives has changed */
	struct pimdimm_hosts *hosts;	/* processes that all do the run, or NULL */

	/* what came of it */
	struct pimdimm *sys;
	struct pidcomm *cube;
	bool by_sdk;			/* all collectives, instead of by the library */
	struct sdk sdk;
	/* called after each collective that succeeded, or NULL */
	void (*exchanged)(struct app_context *ctx, void *arg);
	void *exchanged_arg;
	uint32_t nr_pes, pes[APP_MAX_PES];
	/* of several hosts: this one, their number, and the PEs of all their systems; the
	 * first own_pes PEs of this one's are those from first_pe on of the run */
	uint32_t host, nr_hosts, hosts_pes;
	uint32_t first_pe, own_pes;	/* of one process 0 and nr_pes */
	struct app_plan plan;
	struct pimdimm_program *opened[APP_MAX_PROGRAMS];
	const struct app_program *loaded;	/* on the PEs now */
	struct app_report report;
	uint64_t wrong;			/* elements that differ from the reference */
	char verdict[160];		/* a sentence */
};

/*
 * What check() ends with: how many elements differ, and a sentence of what was compared
 * with what, such as "every level is that of a search on the host".
 */
__attribute__((format(printf, 3, 4)))
int app_verdict(struct app_context *ctx, uint64_t wrong, const char *format, ...);

/* "pimdimm: ..." with the library's reason; TOOL_FAILED */
int app_failed(const char *what);
/* the same for memory of this side; TOOL_FAILED */
int app_no_memory(const char *what);

/*
 * The value of an option: a number from min to max, of decimal digits; K, M and G
 * behind it multiply by 1,024. TOOL_USAGE after a message that names the option.
 */
int app_number(const struct app_context *ctx, const char *option,
	       const char *text, uint64_t min, uint64_t max, uint64_t *value);

/* The same of 32 bits, left as it is where the text is none. */
int app_take_number(const struct app_context *ctx, const char *option, const char *text,
		    uint32_t min, uint32_t max, uint32_t *value);

/*
 * The place of an option's value, in either case, among the words of a list; TOOL_USAGE
 * after a message, and *place left as it is, where it is none of them.
 */
int app_take_word(const struct app_context *ctx, const char *what, const char *text,
		  tool_word_fn *word, unsigned int *place);

#endif /* PIMDIMM_APPS_CONTEXT_H */
