// SPDX-License-Identifier: MIT
/* Prints results as they come, as text, JSON or CSV, to where they are wanted. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#include "tools/inside.h"
#include "tools/perf/machine.h"
#include "tools/perf/report.h"
#include "tools/tool.h"

int perf_report_open(struct perf_report *r, enum perf_format format,
		     const char *path)
{
	mode_t mask;
	int fd;

	*r = (struct perf_report){ .format = format, .path = path,
				   .out = stdout };
	if (!path)
		return TOOL_OK;
	r->out = NULL;
	if (asprintf(&r->temporary, "%s.XXXXXX", path) < 0) {
		r->temporary = NULL;
		tool_error("no memory");
		return TOOL_USAGE;
	}
	fd = mkostemp(r->temporary, 0600);
	if (fd >= 0) {
		/* as open() would have made it */
		mask = umask(0);
		umask(mask);
		fchmod(fd, 0666 & ~mask);
		r->out = fdopen(fd, "w");
	}
	if (r->out)
		return TOOL_OK;
	tool_error("%s: %s", path, strerror(errno));
	free(r->temporary);
	r->temporary = NULL;
	return TOOL_USAGE;
}

void perf_report_drop(struct perf_report *r)
{
	json_object_put(r->absent);
	r->absent = NULL;
	if (!r->temporary)
		return;
	if (r->out)
		fclose(r->out);
	unlink(r->temporary);
	free(r->temporary);
	*r = (struct perf_report){ 0 };
}

static const char json_joint[] = ",\n";

static void put_json(struct perf_report *r, struct json_object *object)
{
	fputs(json_object_to_json_string_ext(object,
					     JSON_C_TO_STRING_SPACED |
					     JSON_C_TO_STRING_NOSLASHESCAPE),
	      r->out);
	json_object_put(object);
}

static void put_columns(struct perf_report *r, const struct perf_how *how)
{
	if (r->format == PERF_CSV) {
		fputs("collective,size_bytes,count,type,op,shape,axes,in_place,algorithm,time_ns,min_ns,algbw_gbs,busbw_gbs,roofline_share,speedup,wrong,low_ns,high_ns",
		      r->out);
		fputs(r->hosts ? ",sent_bytes,most_sent_bytes,network_ns\n" : "\n", r->out);
		return;
	}
	if (r->latency)
		return;
	fprintf(r->out, "# medians of %u repetitions; sizes and counts of a PE, bandwidths of all groups\n",
		how->iters);
	fprintf(r->out, "#%-14s %10s %9s %-4s %-4s %-9s %-6s %-5s %-13s %11s %11s %7s %7s %6s %7s %6s\n",
		"collective", "size", "count", "type", "op", "shape", "axes",
		"place", "algorithm", "time(us)", "min(us)", "algbw", "busbw",
		"roof", "speedup", "#wrong");
}

static void put_json_header(struct perf_report *r,
			    const struct perf_machine *machine,
			    const struct perf_how *how)
{
	struct json_object *object = perf_machine_json(machine);

	tool_json_add(object, "seed", json_object_new_uint64(how->seed));
	tool_json_add(object, "iterations", json_object_new_uint64(how->iters));
	tool_json_add(object, "checked", json_object_new_boolean(how->check));
	fputs("{ \"header\": ", r->out);
	put_json(r, object);
	fputs(",\n\"rows\": [", r->out);
	r->open_array = true;
}

static void put_csv_header(struct perf_report *r,
			   const struct perf_machine *machine,
			   const struct perf_how *how)
{
	tool_head_csv(&machine->head, r->out);
	tool_csv_comment(r->out, "backend", machine->backend);
	tool_csv_comment(r->out, "layout", machine->layout);
	fprintf(r->out, "# seed: %" PRIu64 "\n# iterations: %u\n# checked: %s\n",
		how->seed, how->iters, how->check ? "yes" : "no");
}

void perf_report_header(struct perf_report *r, const struct perf_rig *rig,
			const struct perf_how *how)
{
	struct perf_machine machine;

	r->iters = how->iters;
	r->hosts = how->team;
	perf_machine_read(&machine, rig);
	if (r->format == PERF_JSON) {
		put_json_header(r, &machine, how);
		return;
	}
	if (r->format == PERF_TEXT)
		perf_machine_print(&machine, r->out);
	else
		put_csv_header(r, &machine, how);
	if (!r->own_columns)
		put_columns(r, how);
}

double perf_share(const struct perf_row *row)
{
	return row->median > 0 ? row->roofline / row->median : 0;
}

double perf_speedup(const struct perf_row *row)
{
	return row->median > 0 ? row->baseline / row->median : 0;
}

/* a row as it is printed */
struct cells {
	const char *collective, *type, *op;
	char shape[128];
	uint64_t count;
	double algbw, busbw;	/* bytes a nanosecond are GB/s */
};

static void make_cells(const struct perf_row *row, struct cells *cells)
{
	const struct perf_case *c = row->c;
	bool reduces = pc_traits[c->id].reduces;

	*cells = (struct cells){
		.collective = pc_collective_name(c->id),
		.type = reduces ? pc_type_name(c->type) : "-",
		.op = reduces ? pc_op_name(c->op) : "-",
		.count = c->bytes / (reduces ? pc_type_size(c->type) : 1),
		.algbw = (double)perf_total_bytes(c) / row->median,
	};
	cells->busbw = cells->algbw * perf_bus_factor(c);
	perf_shape(c, cells->shape);
}

static void put_text_row(struct perf_report *r, const struct perf_row *row,
			 const struct cells *cells)
{
	const struct perf_case *c = row->c;

	fprintf(r->out, " %-14s %10" PRIu64 " %9" PRIu64 " %-4s %-4s %-9s %-6s %-5s %-13s %11.2f %11.2f %7.2f %7.2f",
		cells->collective, c->bytes, cells->count, cells->type,
		cells->op, cells->shape, c->axes, c->in_place ? "in" : "out",
		row->algorithm, row->median / 1e3, row->min / 1e3,
		cells->algbw, cells->busbw);
	fprintf(r->out, row->roofline > 0 ? " %6.2f" : "      -",
		perf_share(row));
	fprintf(r->out, row->baseline > 0 ? " %7.2f" : "       -",
		perf_speedup(row));
	fprintf(r->out, " %6" PRIu64 "\n", row->wrong);
}

/* a line of the table as osu_allreduce prints it, under the heading of its own table */
static void put_latency_row(struct perf_report *r, const struct perf_row *row,
			    const struct cells *cells)
{
	const struct perf_case *c = row->c;
	bool reduces = pc_traits[c->id].reduces;
	char table[sizeof(r->table)];

	snprintf(table, sizeof(table), "%s%s%s%s%s, %s, axes %s, %s place, %s",
		 cells->collective, reduces ? ", " : "", reduces ? cells->type : "",
		 reduces ? " " : "", reduces ? cells->op : "", cells->shape, c->axes,
		 c->in_place ? "in" : "out of", row->algorithm);
	if (strcmp(table, r->table))
		fprintf(r->out, "\n# Latency of %s\n# %-12s %17s %17s %17s %11s %7s\n",
			table, "Size", "Avg Latency(us)", "Min Latency(us)",
			"Max Latency(us)", "Iterations", "#wrong");
	memcpy(r->table, table, sizeof(table));
	fprintf(r->out, "%-14" PRIu64 " %17.2f %17.2f %17.2f %11u %7" PRIu64 "\n",
		c->bytes / perf_messages(c), row->mean / 1e3, row->min / 1e3,
		row->max / 1e3, r->iters, row->wrong);
}

static void put_csv_row(struct perf_report *r, const struct perf_row *row,
			const struct cells *cells)
{
	const struct perf_case *c = row->c;

	fprintf(r->out, "%s,%" PRIu64 ",%" PRIu64 ",%s,%s,%s,%s,%d,%s,%.1f,%.1f,%.4f,%.4f,%.4f,%.4f,%" PRIu64 ",%.1f,%.1f",
		cells->collective, c->bytes, cells->count, cells->type,
		cells->op, cells->shape, c->axes, c->in_place, row->algorithm,
		row->median, row->min, cells->algbw, cells->busbw,
		perf_share(row), perf_speedup(row), row->wrong,
		row->interval.low, row->interval.high);
	if (r->hosts)
		fprintf(r->out, ",%" PRIu64 ",%" PRIu64 ",%.1f", row->sent, row->most_sent,
			row->network);
	fputc('\n', r->out);
}

void perf_report_json_row(struct perf_report *r, struct json_object *row)
{
	fputs(r->rows ? json_joint : "\n", r->out);
	put_json(r, row);
}

void perf_report_json_number(struct json_object *row, const char *key,
			     double value)
{
	if (isfinite(value))
		tool_json_add(row, key, json_object_new_double(value));
	else	/* json-c's null is NULL, which tool_json_add() takes for no memory */
		json_object_object_add(row, key, NULL);
}

static void put_json_row(struct perf_report *r, const struct perf_row *row,
			 const struct cells *cells)
{
	const struct perf_case *c = row->c;
	struct json_object *o = json_object_new_object();

	tool_json_add(o, "collective", tool_json_string(cells->collective));
	tool_json_add(o, "size", json_object_new_uint64(c->bytes));
	tool_json_add(o, "count", json_object_new_uint64(cells->count));
	tool_json_add(o, "type", tool_json_string(cells->type));
	tool_json_add(o, "op", tool_json_string(cells->op));
	tool_json_add(o, "shape", tool_json_string(cells->shape));
	tool_json_add(o, "axes", tool_json_string(c->axes));
	tool_json_add(o, "in_place", json_object_new_boolean(c->in_place));
	tool_json_add(o, "algorithm", tool_json_string(row->algorithm));
	perf_report_json_number(o, "time_ns", row->median);
	perf_report_json_number(o, "min_ns", row->min);
	perf_report_json_number(o, "low_ns", row->interval.low);
	perf_report_json_number(o, "high_ns", row->interval.high);
	perf_report_json_number(o, "algbw_gbs", cells->algbw);
	perf_report_json_number(o, "busbw_gbs", cells->busbw);
	perf_report_json_number(o, "roofline_share", perf_share(row));
	perf_report_json_number(o, "speedup", perf_speedup(row));
	tool_json_add(o, "wrong", json_object_new_uint64(row->wrong));
	if (r->hosts) {
		tool_json_add(o, "sent_bytes", json_object_new_uint64(row->sent));
		tool_json_add(o, "most_sent_bytes", json_object_new_uint64(row->most_sent));
		perf_report_json_number(o, "network_ns", row->network);
	}
	perf_report_json_row(r, o);
}

void perf_report_row_end(struct perf_report *r, uint64_t wrong)
{
	fflush(r->out);
	r->rows++;
	r->wrong += wrong;
}

void perf_report_row(struct perf_report *r, const struct perf_row *row)
{
	struct cells cells;

	perf_report_clear(r);
	make_cells(row, &cells);
	if (r->format == PERF_JSON)
		put_json_row(r, row, &cells);
	else if (r->format == PERF_CSV)
		put_csv_row(r, row, &cells);
	else if (r->latency)
		put_latency_row(r, row, &cells);
	else
		put_text_row(r, row, &cells);
	perf_report_row_end(r, row->wrong);
	r->tried += row->tried;
	r->busbw += cells.busbw;
	if (row->roofline > 0) {
		r->share += perf_share(row);
		r->shares++;
	}
}

void perf_report_progress(struct perf_report *r, const struct perf_case *c)
{
	char shape[128];

	r->done++;
	if (!isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "\r\033[K%u", r->done);
	if (r->planned)
		fprintf(stderr, " of %u", r->planned);
	fprintf(stderr, ": %s, %s a PE, %s axes %s", pc_collective_name(c->id),
		tool_size(c->bytes), perf_shape(c, shape), c->axes);
}

void perf_report_clear(struct perf_report *r)
{
	(void)r;
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

static void add_absent(struct perf_report *r, const char *what, const char *why)
{
	struct json_object *object = json_object_new_object();

	tool_json_add(object, "what", tool_json_string(what));
	tool_json_add(object, "why", tool_json_string(why));
	if (!r->absent)
		r->absent = json_object_new_array();
	json_object_array_add(r->absent, object);
}

void perf_report_absent(struct perf_report *r, const char *what, const char *why)
{
	perf_report_clear(r);
	if (r->format == PERF_JSON)
		add_absent(r, what, why);
	else if (r->format == PERF_TEXT)
		fprintf(r->out, "# %s: not measured: %s\n", what, why);
}

/* after the rows, another member of the object */
void perf_report_json(struct perf_report *r, const char *key,
		      struct json_object *value)
{
	if (r->open_array)
		fputs("\n]", r->out);
	r->open_array = false;
	fprintf(r->out, ",\n\"%s\": ", key);
	put_json(r, value);
}

static void put_json_total(struct perf_report *r, double busbw, double share)
{
	struct json_object *object = json_object_new_object();

	if (r->absent)
		perf_report_json(r, "not_measured", r->absent);
	r->absent = NULL;
	tool_json_add(object, "rows", json_object_new_uint64(r->rows));
	tool_json_add(object, "wrong", json_object_new_uint64(r->wrong));
	if (!r->own_columns) {
		tool_json_add(object, "trial_calls",
			      json_object_new_uint64(r->tried));
		tool_json_add(object, "average_busbw_gbs",
			      json_object_new_double(busbw));
		tool_json_add(object, "average_roofline_share",
			      json_object_new_double(share));
	}
	perf_report_json(r, "total", object);
	fputs(" }\n", r->out);
}

static void put_total(struct perf_report *r)
{
	double busbw = r->busbw / (r->rows ? r->rows : 1);
	double share = r->share / (r->shares ? r->shares : 1);

	if (r->format == PERF_JSON)
		put_json_total(r, busbw, share);
	if (r->format != PERF_TEXT)
		return;
	fprintf(r->out, "# %u rows, wrong elements: %" PRIu64 " %s\n", r->rows,
		r->wrong, r->wrong ? "FAILED" : "OK");
	if (!r->own_columns && !r->latency)
		fprintf(r->out, "# average bus bandwidth %.2f GB/s, share of the roofline %.2f\n"
			"# left out: %" PRIu64 " calls whose parts tried ways to store\n",
			busbw, share, r->tried);
}

int perf_report_finish(struct perf_report *r)
{
	int ret = TOOL_OK;

	if (!r->path)
		return TOOL_OK;
	if (ferror(r->out) | fclose(r->out) ||
	    rename(r->temporary, r->path)) {
		ret = tool_error("%s: %s", r->path, strerror(errno));
		unlink(r->temporary);
	}
	free(r->temporary);
	*r = (struct perf_report){ 0 };
	return ret;
}

int perf_report_close(struct perf_report *r)
{
	bool to_file = r->path;
	uint64_t wrong = r->wrong;
	int ret;

	perf_report_clear(r);
	put_total(r);
	ret = perf_report_finish(r);
	if (!ret && wrong)
		ret = to_file ? tool_error("%" PRIu64 " elements are wrong", wrong) :
				TOOL_FAILED;
	return ret;
}
