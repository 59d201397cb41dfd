// SPDX-License-Identifier: MIT
/* Takes an application from its options to its report. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "tools/apps/common/app.h"
#include "tools/apps/common/app_options.h"
#include "tools/apps/common/fit.h"
#include "tools/apps/common/parallel.h"
#include "tools/apps/common/pes.h"
#include "tools/apps/common/progress.h"
#include "tools/csv.h"

static const char *const collectives[] = {
	"alltoall", "reduce_scatter", "allreduce", "allgather",
	"scatter", "gather", "reduce", "broadcast",
};

int app_begin(struct app_context *ctx, const struct app *app)
{
	memset(ctx, 0, sizeof(*ctx));
	ctx->app = app;
	ctx->input = app->input;
	ctx->seed = 1;
	ctx->threads = app_threads();
	ctx->command.name = app->name;
	ctx->state = calloc(1, app->state_bytes ? app->state_bytes : 1);
	if (!ctx->state)
		return app_no_memory(app->name);
	for (uint32_t pe = 0; pe < APP_MAX_PES; pe++)
		ctx->pes[pe] = pe;
	return TOOL_OK;
}

const char *app_uri_given(const struct app_context *ctx)
{
	const char *uri = ctx->uri ? ctx->uri : getenv("PIMDIMM_URI");

	return uri && *uri ? uri : NULL;
}

void app_use_hosts(struct app_context *ctx, struct pimdimm_hosts *hosts)
{
	struct pimdimm_hosts_info info = { .size = sizeof(info) };

	pimdimm_hosts_info(hosts, &info);
	ctx->hosts = hosts;
	ctx->host = info.host;
	ctx->nr_hosts = info.hosts;
}

int app_load(struct app_context *ctx)
{
	int ret = ctx->app->load(ctx);

	app_progress_end();
	return ret ? ret : app_programs_open(ctx);
}

static int open_system(struct app_context *ctx, const char *uri)
{
	if (!pimdimm_open(uri, &ctx->sys))
		return TOOL_OK;
	ctx->sys = NULL;
	return app_failed("cannot open the system");
}

/* A system that holds the plan and no more; of several hosts each has its share. */
static int open_own(struct app_context *ctx)
{
	uint32_t ranks = (ctx->nr_pes + PIMDIMM_RANK_PES - 1) / PIMDIMM_RANK_PES;
	char uri[64];

	if (ctx->hosts)
		ranks = ranks * (ctx->host + 1) / ctx->nr_hosts -
			ranks * ctx->host / ctx->nr_hosts;
	snprintf(uri, sizeof(uri), "mem:ranks=%" PRIu32 ",mram=%" PRIu64,
		 ranks ? ranks : 1, app_fit_mram(&ctx->plan));
	return open_system(ctx, uri);
}

static int open_given(struct app_context *ctx, const char *uri)
{
	int ret = open_system(ctx, uri);

	if (ret || !ctx->hosts)
		return ret;
	ctx->hosts_pes = pimdimm_geometry(ctx->sys)->nr_pes;
	if (pimdimm_hosts_allreduce(ctx->hosts, &ctx->hosts_pes, &ctx->hosts_pes, 1,
				    PIDCOMM_U32, PIDCOMM_SUM))
		return app_failed("hosts");
	return TOOL_OK;
}

/* Which of the PEs are this host's. */
static void find_own(struct app_context *ctx)
{
	uint32_t host, pe;

	ctx->own_pes = 0;
	for (uint32_t node = 0; node < ctx->nr_pes; node++) {
		pidcomm_place(ctx->cube, node, &host, &pe);
		if (host == ctx->host && !ctx->own_pes++)
			ctx->first_pe = node;
	}
}

static int create_cube(struct app_context *ctx)
{
	const struct app_plan *plan = &ctx->plan;
	int ret;

	ctx->own_pes = ctx->nr_pes;
	if (ctx->hosts)
		ret = pidcomm_create_hosts(ctx->hosts, ctx->sys, plan->ndims, plan->dims,
					   &ctx->cube);
	else
		ret = pidcomm_create(ctx->sys, plan->ndims, plan->dims, &ctx->cube);
	if (ret) {
		ctx->cube = NULL;
		return app_failed("cannot make the hypercube");
	}
	if (ctx->hosts)
		find_own(ctx);
	return TOOL_OK;
}

/* The opponent, which asks the hypercube for groups alone. */
static void use_sdk(struct app_context *ctx)
{
	ctx->by_sdk = true;
	ctx->sdk.sys = ctx->sys;
	ctx->sdk.cube = ctx->cube;
	ctx->sdk.nr_pes = ctx->nr_pes;
	ctx->sdk.threads = ctx->threads;
	ctx->sdk.parallel = app_parallel;
}

int app_use_algorithm(struct app_context *ctx, const char *algorithm)
{
	unsigned int served = 0;

	ctx->algorithm = algorithm;
	ctx->by_sdk = false;
	/* those that it does not serve are the library's choice */
	if (pidcomm_set_algorithm(ctx->cube, NULL, "auto"))
		return app_failed("cannot choose an algorithm");
	if (algorithm && !strcmp(algorithm, APP_SDK))
		use_sdk(ctx);
	for (size_t i = 0; algorithm && !ctx->by_sdk && i < TOOL_COUNT(collectives);
	     i++) {
		int ret = pidcomm_set_algorithm(ctx->cube, collectives[i], algorithm);

		if (ret && ret != -EOPNOTSUPP)
			return tool_usage(&ctx->command, "%s", pimdimm_errmsg());
		served += !ret;
	}
	return !algorithm || ctx->by_sdk || served ? TOOL_OK :
	       tool_usage(&ctx->command, "algorithm \"%s\" serves no collective",
			  algorithm);
}

int app_open(struct app_context *ctx)
{
	const char *uri = app_uri_given(ctx);
	int ret = uri ? open_given(ctx, uri) : TOOL_OK;

	if (!ret)
		ret = app_fit(ctx);
	if (!ret && !uri && !ctx->plan_only)
		ret = open_own(ctx);
	if (ret || ctx->plan_only)
		return ret;
	if (create_cube(ctx))
		return TOOL_FAILED;
	return app_use_algorithm(ctx, ctx->algorithm);
}

int app_execute(struct app_context *ctx)
{
	int ret;

	app_report_begin(&ctx->report);
	ret = ctx->app->run(ctx);
	app_report_end(&ctx->report);
	/* the first host has the results */
	if (!ret && !ctx->host)
		ret = ctx->app->check(ctx);
	ctx->again = !ret;
	app_progress_end();
	return ret;
}

void app_end(struct app_context *ctx)
{
	app_progress_end();
	if (ctx->app->free && ctx->state)
		ctx->app->free(ctx);
	app_programs_close(ctx);
	sdk_free(&ctx->sdk);
	pidcomm_destroy(ctx->cube);
	ctx->cube = NULL;
	if (ctx->sys)
		pimdimm_close(ctx->sys);
	ctx->sys = NULL;
	free(ctx->state);
	ctx->state = NULL;
}

static void print_plan(const struct app_context *ctx)
{
	const struct app_plan *plan = &ctx->plan;
	uint64_t staging = app_fit_staging(ctx);

	printf("%s: %u PEs as %s, %s bytes of MRAM a PE, %s in all, %s of the host beside\n",
	       ctx->app->name, ctx->nr_pes, app_plan_shape(plan),
	       tool_count(plan->mram),
	       tool_count(app_times(plan->mram, ctx->nr_pes)),
	       tool_count(plan->host));
	if (!ctx->plan_only)
		return;
	for (unsigned int i = 0; i < plan->nr_parts; i++)
		printf("  %-20s %16s at %s\n", plan->parts[i].name,
		       tool_count(plan->parts[i].bytes),
		       tool_count(plan->parts[i].at));
	if (staging)
		printf("of the host, algorithm %s stages %s bytes a PE, %s in all\n",
		       ctx->algorithm,
		       tool_count((staging + ctx->nr_pes - 1) / ctx->nr_pes),
		       tool_count(staging));
}

static struct json_object *plan_json(const struct app_context *ctx)
{
	struct json_object *object = json_object_new_object();
	struct json_object *parts = json_object_new_object();
	const struct app_plan *plan = &ctx->plan;

	tool_json_add(object, "shape", tool_json_string(app_plan_shape(plan)));
	tool_json_add(object, "mram_bytes", json_object_new_uint64(plan->mram));
	tool_json_add(object, "host_bytes", json_object_new_uint64(plan->host));
	tool_json_add(object, "staging_bytes",
		      json_object_new_uint64(app_fit_staging(ctx)));
	for (unsigned int i = 0; i < plan->nr_parts; i++)
		tool_json_add(parts, plan->parts[i].name,
			      json_object_new_uint64(plan->parts[i].bytes));
	tool_json_add(object, "parts", parts);
	return object;
}

static void print_json(const struct app_context *ctx)
{
	struct json_object *object = json_object_new_object();

	tool_json_add(object, "app", tool_json_string(ctx->app->name));
	tool_json_add(object, "input", tool_json_string(ctx->input));
	tool_json_add(object, "pes", json_object_new_uint64(ctx->nr_pes));
	tool_json_add(object, "plan", plan_json(ctx));
	if (!ctx->plan_only) {
		tool_json_add(object, "threads",
			      json_object_new_uint64(ctx->threads));
		tool_json_add(object, "algorithm",
			      tool_json_string(ctx->algorithm ? ctx->algorithm :
								"auto"));
		app_report_json(&ctx->report, object);
		tool_json_add(object, "verdict", tool_json_string(ctx->verdict));
		tool_json_add(object, "wrong", json_object_new_uint64(ctx->wrong));
		tool_json_add(object, "verified",
			      json_object_new_boolean(!ctx->wrong));
	}
	tool_print_json(object);
}

static void print_csv(const struct app_context *ctx)
{
	struct tool_head head;

	tool_head_read(&head);
	snprintf(head.threads, sizeof(head.threads), "%u", ctx->threads);
	tool_head_csv(&head, stdout);
	tool_csv_comment(stdout, "application", ctx->app->name);
	tool_csv_comment(stdout, "input", ctx->input);
	printf("# PEs: %u\n", ctx->nr_pes);
	tool_csv_comment(stdout, "algorithm", ctx->algorithm ? ctx->algorithm : "auto");
	tool_csv_comment(stdout, "verified", ctx->wrong ? "no" : "yes");
	app_report_csv(&ctx->report);
}

static void print_report(const struct app_context *ctx)
{
	if (ctx->format == APP_JSON) {
		print_json(ctx);
	} else if (ctx->plan_only) {
		print_plan(ctx);
	} else if (ctx->format == APP_CSV) {
		print_csv(ctx);
	} else {
		print_plan(ctx);
		app_report_print(&ctx->report);
		if (!ctx->wrong)
			printf("%s: verified\n", ctx->verdict);
	}
}

/* With the file for the result open. */
static int run_to_output(struct app_context *ctx, struct app_output *output)
{
	int ret = app_execute(ctx);

	if (ret)
		return ret;
	/* a wrong result is of no use to anybody */
	if (output->file && !ctx->wrong) {
		ret = ctx->app->write(ctx, output->file);
		if (!ret)
			ret = app_output_keep(output);
	}
	if (ret)
		return ret;
	print_report(ctx);
	if (!ctx->wrong)
		return TOOL_OK;
	return tool_error("%s: not so for %s of them", ctx->verdict,
			  tool_count(ctx->wrong));
}

static int run_steps(struct app_context *ctx)
{
	struct app_output output = { 0 };
	int ret = app_load(ctx);

	if (!ret)
		ret = app_open(ctx);
	if (!ret && ctx->plan_only) {
		print_report(ctx);
		return TOOL_OK;
	}
	if (!ret && ctx->output)
		ret = app_output_open(&output, ctx->output);
	if (!ret)
		ret = run_to_output(ctx, &output);
	app_output_drop(&output);
	return ret;
}

int app_main(const struct app *app, int argc, char **argv)
{
	static struct app_context ctx;
	int ret = app_begin(&ctx, app);

	if (!ret)
		ret = app_read_options(&ctx, argc, argv);
	if (!ret) {
		app_output_interrupts();
		ret = run_steps(&ctx);
	}
	app_end(&ctx);
	return ret;
}
