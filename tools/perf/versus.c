// SPDX-License-Identifier: MIT
/*
 * Compares two reports, row by row. The medians' intervals hold with 97.5 % each, so
 * both with 95 %: then the ratio lies between those of their ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "tools/csv.h"
#include "tools/perf/versus.h"
#include "tools/tool.h"

/* what differs by less is the same, if that is sure */
#define SAME 0.02

enum verdict {
	SLOWER,
	FASTER,
	EQUAL,
	UNDECIDED,
	UNMEASURED,	/* too few repetitions for an interval */
	NR_VERDICTS,
};

static const char *const verdict_words[NR_VERDICTS] = {
	"slower", "faster", "same", "undecided", "too few repetitions",
};

/* members that are a row's name; all others are results */
static const char *const names[] = {
	"collective", "size", "count", "type", "op", "shape", "axes",
	"in_place", "algorithm",
};

/* a report that was read */
struct versus_report {
	const char *path;
	struct json_object *root, *header, *rows;
};

/* a row of both */
struct pair {
	struct json_object *before, *after;
	double old_ns, new_ns, ratio, low, high;
	enum verdict verdict;
};

static int cannot(const char *path, const char *why)
{
	tool_error("%s: %s", path, why);
	return TOOL_USAGE;
}

static double number(struct json_object *row, const char *key)
{
	struct json_object *value;

	if (!json_object_object_get_ex(row, key, &value) ||
	    (!json_object_is_type(value, json_type_double) &&
	     !json_object_is_type(value, json_type_int)))
		return NAN;
	return json_object_get_double(value);
}

/* A row has its whole name, and its time with the interval. */
static bool is_row(struct json_object *row)
{
	if (!json_object_is_type(row, json_type_object))
		return false;
	for (size_t i = 0; i < TOOL_COUNT(names); i++) {
		if (!json_object_object_get_ex(row, names[i], NULL))
			return false;
	}
	return number(row, "time_ns") > 0 && number(row, "low_ns") >= 0 &&
	       number(row, "high_ns") >= number(row, "low_ns");
}

/* NULL: no memory, or what the file holds is no JSON */
static struct json_object *read_json(const char *path, const char **why)
{
	struct json_object *root;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	*why = fd < 0 ? strerror(errno) : "expected JSON, as perf --json writes it";
	if (fd < 0)
		return NULL;
	root = json_object_from_fd(fd);
	close(fd);
	return root;
}

static int read_report(struct versus_report *r, const char *path)
{
	const char *why;

	r->path = path;
	r->root = read_json(path, &why);
	if (!r->root)
		return cannot(path, why);
	if (!json_object_is_type(r->root, json_type_object) ||
	    !json_object_object_get_ex(r->root, "header", &r->header) ||
	    !json_object_is_type(r->header, json_type_object) ||
	    !json_object_object_get_ex(r->root, "rows", &r->rows) ||
	    !json_object_is_type(r->rows, json_type_array))
		return cannot(path, "no report: expected an object with header and rows, as perf --json writes it");
	for (size_t i = 0; i < json_object_array_length(r->rows); i++) {
		if (!is_row(json_object_array_get_idx(r->rows, i)))
			return cannot(path, "its rows have no low_ns and high_ns: expected the collectives' rows, of this version");
	}
	return TOOL_OK;
}

static bool same_name(struct json_object *a, struct json_object *b)
{
	for (size_t i = 0; i < TOOL_COUNT(names); i++) {
		struct json_object *x = NULL, *y = NULL;

		json_object_object_get_ex(a, names[i], &x);
		json_object_object_get_ex(b, names[i], &y);
		if (!json_object_equal(x, y))
			return false;
	}
	return true;
}

static struct json_object *find_row(const struct versus_report *r,
				    struct json_object *name)
{
	for (size_t i = 0; i < json_object_array_length(r->rows); i++) {
		struct json_object *row = json_object_array_get_idx(r->rows, i);

		if (same_name(row, name))
			return row;
	}
	return NULL;
}

static enum verdict judge(const struct pair *p)
{
	if (!(p->low > 0))
		return UNMEASURED;
	if (p->low >= 1 - SAME && p->high <= 1 + SAME)
		return EQUAL;
	if (p->low > 1)
		return SLOWER;
	return p->high < 1 ? FASTER : UNDECIDED;
}

static struct pair make_pair(struct json_object *before, struct json_object *after)
{
	struct pair p = {
		.before = before,
		.after = after,
		.old_ns = number(before, "time_ns"),
		.new_ns = number(after, "time_ns"),
	};
	double low = number(before, "low_ns"), high = number(before, "high_ns");

	p.ratio = p.new_ns / p.old_ns;
	if (low > 0 && number(after, "low_ns") > 0) {
		p.low = number(after, "low_ns") / high;
		p.high = number(after, "high_ns") / low;
	}
	p.verdict = judge(&p);
	return p;
}

static const char *text(struct json_object *row, const char *key)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(row, key, &value);
	return json_object_get_string(value);
}

static void put_text(FILE *out, const struct pair *p)
{
	struct json_object *row = p->before;

	fprintf(out, " %-14s %10s %-4s %-4s %-9s %-6s %-5s %-13s %11.2f %11.2f %6.3f ",
		text(row, "collective"), text(row, "size"), text(row, "type"),
		text(row, "op"), text(row, "shape"), text(row, "axes"),
		strcmp(text(row, "in_place"), "true") ? "out" : "in",
		text(row, "algorithm"), p->old_ns / 1e3, p->new_ns / 1e3, p->ratio);
	if (p->verdict == UNMEASURED)
		fprintf(out, "%15s", "-");
	else
		fprintf(out, " %6.3f..%6.3f", p->low, p->high);
	fprintf(out, "  %s\n", verdict_words[p->verdict]);
}

static void put_csv(FILE *out, const struct pair *p)
{
	for (size_t i = 0; i < TOOL_COUNT(names); i++) {
		tool_csv_text(out, text(p->before, names[i]));
		fputc(',', out);
	}
	fprintf(out, "%.1f,%.1f,%.4f,%.4f,%.4f,%s\n", p->old_ns, p->new_ns,
		p->ratio, p->low, p->high, verdict_words[p->verdict]);
}

static void put_json(struct perf_report *report, const struct pair *p)
{
	struct json_object *o = json_object_new_object();

	for (size_t i = 0; i < TOOL_COUNT(names); i++) {
		struct json_object *value = NULL;

		json_object_object_get_ex(p->before, names[i], &value);
		tool_json_add(o, names[i], json_object_get(value));
	}
	perf_report_json_number(o, "before_ns", p->old_ns);
	perf_report_json_number(o, "after_ns", p->new_ns);
	perf_report_json_number(o, "ratio", p->ratio);
	perf_report_json_number(o, "low", p->low > 0 ? p->low : NAN);
	perf_report_json_number(o, "high", p->low > 0 ? p->high : NAN);
	tool_json_add(o, "verdict", tool_json_string(verdict_words[p->verdict]));
	perf_report_json_row(report, o);
}

/* what of their machines, versions and options differs */
static void put_differences(FILE *out, const struct versus_report *before,
			    const struct versus_report *after)
{
	json_object_object_foreach(before->header, key, old) {
		struct json_object *new = NULL;

		json_object_object_get_ex(after->header, key, &new);
		if (!json_object_equal(old, new))
			fprintf(out, "# %s: %s, then %s\n", key,
				json_object_get_string(old),
				new ? json_object_get_string(new) : "not told");
	}
}

static const char *told(const struct versus_report *r, const char *key)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(r->header, key, &value);
	return value ? json_object_get_string(value) : "unknown";
}

/* of one key of the headers, or what it was first and then */
static void tell_both(char *line, size_t bytes, const char *key,
		      const struct versus_report *before, const struct versus_report *after)
{
	const char *old = told(before, key), *new = told(after, key);

	if (strcmp(old, new))
		snprintf(line, bytes, "%s, then %s", old, new);
	else
		snprintf(line, bytes, "%s", *old ? old : "unknown");
}

static void tell_machines(struct tool_head *head, const struct versus_report *before,
			  const struct versus_report *after)
{
	char kernel[120], cpu[120];

	*head = (struct tool_head){ 0 };
	tell_both(kernel, sizeof(kernel), "machine", before, after);
	tell_both(cpu, sizeof(cpu), "cpu", before, after);
	snprintf(head->machine, sizeof(head->machine), "%s; %s", kernel, cpu);
	tell_both(head->version, sizeof(head->version), "library", before, after);
	tell_both(head->commit, sizeof(head->commit), "commit", before, after);
	tell_both(head->date, sizeof(head->date), "date", before, after);
	tell_both(head->threads, sizeof(head->threads), "threads", before, after);
	tell_both(head->tier, sizeof(head->tier), "tier", before, after);
}

static void put_csv_head(FILE *out, const struct versus_report *before,
			 const struct versus_report *after)
{
	struct tool_head head;

	tell_machines(&head, before, after);
	tool_head_csv(&head, out);
	tool_csv_comment(out, "before", before->path);
	tool_csv_comment(out, "after", after->path);
	for (size_t i = 0; i < TOOL_COUNT(names); i++)
		fprintf(out, "%s,", strcmp(names[i], "size") ? names[i] : "size_bytes");
	fputs("before_ns,after_ns,ratio,low,high,verdict\n", out);
}

static void put_head(struct perf_report *report, const struct versus_report *before,
		     const struct versus_report *after)
{
	if (report->format == PERF_JSON) {
		fprintf(report->out, "{ \"before\": %s,\n\"after\": %s,\n\"rows\": [",
			json_object_to_json_string(before->header),
			json_object_to_json_string(after->header));
		report->open_array = true;
		return;
	}
	if (report->format == PERF_CSV) {
		put_csv_head(report->out, before, after);
		return;
	}
	put_differences(report->out, before, after);
	fprintf(report->out, "# medians; the ratio lies between low and high with 95 %%, row by row\n"
		"#%-14s %10s %-4s %-4s %-9s %-6s %-5s %-13s %11s %11s %6s %15s  verdict\n",
		"collective", "size", "type", "op", "shape", "axes", "place",
		"algorithm", "before(us)", "after(us)", "ratio", "low..high");
}

/* how many rows got each verdict, and how many the other report does not have */
static void put_foot(struct perf_report *report, const unsigned int counts[],
		     unsigned int nr_alone)
{
	struct json_object *total;

	if (report->format == PERF_TEXT) {
		for (unsigned int v = 0; v < NR_VERDICTS; v++)
			fprintf(report->out, "%s %u %s", v ? "," : "#", counts[v],
				verdict_words[v]);
		fprintf(report->out, "; in one report alone: %u\n", nr_alone);
	}
	if (report->format != PERF_JSON)
		return;
	total = json_object_new_object();
	for (unsigned int v = 0; v < NR_VERDICTS; v++)
		tool_json_add(total, verdict_words[v],
			      json_object_new_uint64(counts[v]));
	tool_json_add(total, "in one report alone", json_object_new_uint64(nr_alone));
	perf_report_json(report, "total", total);
	fputs(" }\n", report->out);
}

static void put_pair(struct perf_report *report, const struct pair *p)
{
	if (report->format == PERF_JSON)
		put_json(report, p);
	else if (report->format == PERF_CSV)
		put_csv(report->out, p);
	else
		put_text(report->out, p);
	report->rows++;
}

/* rows of a report that the other one has not */
static unsigned int alone(const struct versus_report *r, const struct versus_report *other)
{
	unsigned int n = 0;

	for (size_t i = 0; i < json_object_array_length(r->rows); i++)
		n += !find_row(other, json_object_array_get_idx(r->rows, i));
	return n;
}

/* All rows of the first that the second has; TOOL_FAILED when one is slower. */
static int put_pairs(struct perf_report *report, const struct versus_report *before,
		     const struct versus_report *after)
{
	unsigned int counts[NR_VERDICTS] = { 0 };

	put_head(report, before, after);
	for (size_t i = 0; i < json_object_array_length(before->rows); i++) {
		struct json_object *old = json_object_array_get_idx(before->rows, i);
		struct json_object *new = find_row(after, old);
		struct pair pair;

		if (!new)
			continue;
		pair = make_pair(old, new);
		counts[pair.verdict]++;
		put_pair(report, &pair);
	}
	put_foot(report, counts, alone(before, after) + alone(after, before));
	return counts[SLOWER] ? TOOL_FAILED : TOOL_OK;
}

static int compare(const struct versus_report *before,
		   const struct versus_report *after, enum perf_format format,
		   const char *output)
{
	struct perf_report report;
	int ret, slower;

	if (alone(before, after) == json_object_array_length(before->rows))
		return cannot(after->path, "no row in common with the first report");
	if (perf_report_open(&report, format, output))
		return TOOL_USAGE;
	slower = put_pairs(&report, before, after);
	ret = perf_report_finish(&report);
	return ret ? ret : slower;
}

int perf_versus(const char *before, const char *after, enum perf_format format,
		const char *output)
{
	struct versus_report old = { 0 }, new = { 0 };
	int ret = read_report(&old, before);

	if (!ret)
		ret = read_report(&new, after);
	if (!ret)
		ret = compare(&old, &new, format, output);
	json_object_put(old.root);
	json_object_put(new.root);
	return ret;
}
