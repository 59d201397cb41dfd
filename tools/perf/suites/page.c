// SPDX-License-Identifier: MIT
/*
 * Writes the page of all figures: each suite's pictures, the values in them beside the
 * papers', and its targets. It is XML as well as HTML, so that any reader may check it.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <json-c/json.h>

#include "tools/perf/report.h"
#include "tools/perf/suites/page.h"
#include "tools/tool.h"

struct page {
	const char *folder;
	FILE *out;
	bool headed;	/* the machine has been told */
};

static void put_text(struct page *page, const char *text)
{
	for (; *text; text++) {
		if (*text == '&')
			fputs("&amp;", page->out);
		else if (*text == '<')
			fputs("&lt;", page->out);
		else if (*text == '>')
			fputs("&gt;", page->out);
		else if (*text == '"')
			fputs("&quot;", page->out);
		else
			fputc(*text, page->out);
	}
}

static void put_tagged(struct page *page, const char *tag, const char *text)
{
	fprintf(page->out, "<%s>", tag);
	put_text(page, text);
	fprintf(page->out, "</%s>", tag);
}

static struct json_object *page_member(struct json_object *object, const char *key)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(object, key, &value);
	return value;
}

static const char *page_string(struct json_object *object, const char *key)
{
	const char *text = json_object_get_string(page_member(object, key));

	return text ? text : "";
}

/* a cell with a number; empty where there is none */
static void put_number(struct page *page, struct json_object *number)
{
	if (json_object_is_type(number, json_type_boolean))
		fprintf(page->out, "<td>%s</td>", json_object_get_boolean(number) ? "yes" : "no");
	else if (number && isfinite(json_object_get_double(number)))
		fprintf(page->out, "<td>%.4g</td>", json_object_get_double(number));
	else
		fputs("<td></td>", page->out);
}

/* The whole of a file, which free() ends; NULL and errno. */
static char *page_read(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t bytes = 0;

	if (!file)
		return NULL;
	if (getdelim(&text, &bytes, '\0', file) < 0) {
		free(text);
		text = NULL;
		errno = EIO;
	}
	fclose(file);
	return text;
}

/*
 * Where `at` begins what names an element of the drawing, or refers to one, how many
 * characters stand before the name; else 0.
 */
static size_t page_names(const char *at)
{
	static const char *const starts[] = {
		" id=\"", " id='", "url(#", "href=\"#", "href='#",
	};

	for (size_t i = 0; i < TOOL_COUNT(starts); i++) {
		if (!strncmp(at, starts[i], strlen(starts[i])))
			return strlen(starts[i]);
	}
	return 0;
}

/*
 * A drawing without what stands before its element, names in it made the figure's own:
 * on one page, those of two drawings would be the same.
 */
static void put_drawing(struct page *page, const char *svg, const char *suite,
			const char *number)
{
	const char *at = strstr(svg, "<svg");

	while (at && *at) {
		size_t before = page_names(at);

		if (!before) {
			fputc(*at++, page->out);
			continue;
		}
		fprintf(page->out, "%.*s%s-%s-", (int)before, at, suite, number);
		at += before;
	}
}

/* what it shows, as a table: position, series, ours, the paper's */
static void put_points(struct page *page, struct json_object *figure)
{
	struct json_object *points = page_member(figure, "points");

	fputs("<table><thead><tr>", page->out);
	put_tagged(page, "th", page_string(figure, "x"));
	fputs("<th>series</th>", page->out);
	put_tagged(page, "th", page_string(figure, "y"));
	fputs("<th>the paper's</th><th>on the paper's machine at most, modelled</th></tr></thead>\n<tbody>",
	      page->out);
	for (size_t i = 0; i < json_object_array_length(points); i++) {
		struct json_object *point = json_object_array_get_idx(points, i);

		fputs("<tr>", page->out);
		put_tagged(page, "td", page_string(point, "x"));
		put_tagged(page, "td", page_string(point, "series"));
		put_number(page, page_member(point, "ours"));
		put_number(page, page_member(point, "paper"));
		put_number(page, page_member(point, "bound"));
		fputs("</tr>\n", page->out);
	}
	fputs("</tbody></table>\n", page->out);
}

static int put_figure(struct page *page, const char *suite, struct json_object *figure)
{
	const char *number = page_string(figure, "figure");
	struct json_object *points = page_member(figure, "points");
	char *path = NULL, *svg;

	fprintf(page->out, "<figure id=\"%s-%s\">\n", suite, number);
	if (json_object_array_length(points)) {
		if (asprintf(&path, "%s/%s/figure%s.svg", page->folder, suite, number) < 0)
			return tool_error("no memory for the page");
		svg = page_read(path);
		if (!svg)
			tool_error("%s: %s", path, strerror(errno));
		free(path);
		if (!svg)
			return TOOL_FAILED;
		put_drawing(page, svg, suite, number);
		free(svg);
	} else {
		fputs("<p>Nothing to show at this scale.</p>\n", page->out);
	}
	fprintf(page->out, "<figcaption>Figure %s: ", number);
	put_text(page, page_string(figure, "title"));
	fputs("</figcaption>\n", page->out);
	put_points(page, figure);
	fputs("</figure>\n", page->out);
	return TOOL_OK;
}

static void put_targets(struct page *page, struct json_object *targets)
{
	static const char *const columns[] = { "goal", "at_most", "figure", "met" };

	fputs("<table><caption>Targets</caption><thead><tr><th>target</th><th>goal</th><th>at most</th><th>figure</th><th>met</th></tr></thead>\n<tbody>",
	      page->out);
	for (size_t i = 0; i < json_object_array_length(targets); i++) {
		struct json_object *target = json_object_array_get_idx(targets, i);

		fputs("<tr>", page->out);
		put_tagged(page, "td", page_string(target, "name"));
		for (size_t c = 0; c < TOOL_COUNT(columns); c++)
			put_number(page, page_member(target, columns[c]));
		fputs("</tr>\n", page->out);
	}
	fputs("</tbody></table>\n", page->out);
}

/* the machine, versions, the day */
static void put_machine(struct page *page, struct json_object *header)
{
	time_t now = time(NULL);
	struct tm day;
	char date[16];

	strftime(date, sizeof(date), "%Y-%m-%d", gmtime_r(&now, &day));
	fputs("<table><caption>Measured on</caption><tbody>\n", page->out);
	json_object_object_foreach(header, key, value) {
		fputs("<tr>", page->out);
		put_tagged(page, "td", key);
		put_tagged(page, "td", json_object_get_string(value));
		fputs("</tr>\n", page->out);
	}
	fprintf(page->out, "<tr><td>day</td><td>%s</td></tr></tbody></table>\n", date);
	page->headed = true;
}

static int put_report(struct page *page, const char *suite, struct json_object *report)
{
	struct json_object *figures = page_member(report, "figures");
	struct json_object *targets = page_member(report, "targets");
	struct json_object *header = page_member(report, "header");
	int ret = TOOL_OK;

	if (header && !page->headed)
		put_machine(page, header);
	for (size_t i = 0; figures && i < json_object_array_length(figures) && !ret; i++)
		ret = put_figure(page, suite, json_object_array_get_idx(figures, i));
	if (targets)
		put_targets(page, targets);
	return ret;
}

static int put_part(struct page *page, const struct perf_page_part *part)
{
	struct json_object *report;
	char *path = NULL;
	int ret;

	fprintf(page->out, "<section id=\"%s\"><h2>%s</h2>\n", part->suite, part->suite);
	put_tagged(page, "p", part->meaning);
	if (part->status) {
		fprintf(page->out, "<p class=\"failed\">pimdimm perf --suite %s ended with status %d: its figures are not shown.</p>\n</section>\n",
			part->suite, part->status);
		return TOOL_OK;
	}
	if (asprintf(&path, "%s/%s.json", page->folder, part->suite) < 0)
		return tool_error("no memory for the page");
	report = json_object_from_file(path);
	ret = report ? put_report(page, part->suite, report) :
		       tool_error("%s: %s", path, json_util_get_last_err());
	json_object_put(report);
	free(path);
	fputs("</section>\n", page->out);
	return ret;
}

static void put_head(struct page *page, const struct perf_page_part *parts,
		     unsigned int count)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head><meta charset=\"utf-8\"/>\n"
	      "<title>pimdimm: figures and tables</title>\n"
	      "<style>body{font-family:sans-serif;max-width:60em;margin:auto;padding:1em}"
	      "svg{max-width:100%;height:auto}figure{margin:2em 0}"
	      "table{border-collapse:collapse;margin:.5em 0}"
	      "td,th{border:1px solid #bbb;padding:.1em .5em;text-align:left}"
	      ".failed{color:#a00}</style></head>\n<body>\n"
	      "<h1>Figures and tables</h1>\n"
	      "<p>Made by pimdimm perf --reproduce. Ours are of an emulator on this machine's memory, the papers' of "
	      "machines with DIMMs: ratios compare, rates do not.</p>\n<ul>\n", page->out);
	for (unsigned int i = 0; i < count; i++)
		fprintf(page->out, "<li><a href=\"#%s\">%s</a></li>\n", parts[i].suite,
			parts[i].suite);
	fputs("</ul>\n", page->out);
}

int perf_page_write(const char *folder, const struct perf_page_part *parts,
		    unsigned int count)
{
	struct page page = { .folder = folder };
	struct perf_report file;
	char *path = NULL;
	int ret;

	if (asprintf(&path, "%s/index.html", folder) < 0)
		return tool_error("no memory for the page");
	ret = perf_report_open(&file, PERF_TEXT, path);
	if (!ret) {
		page.out = file.out;
		put_head(&page, parts, count);
		for (unsigned int i = 0; i < count && !ret; i++)
			ret = put_part(&page, &parts[i]);
		fputs("</body></html>\n", page.out);
		if (ret)
			perf_report_drop(&file);
		else
			ret = perf_report_finish(&file);
	}
	free(path);
	return ret;
}
