// SPDX-License-Identifier: MIT
/* Figures as SVG, drawn by gnuplot: its script comes on standard input, so that
 * no path needs to be quoted. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perf_figure.h"
#include "tool.h"

static bool in_path(const char *program)
{
	const char *path = getenv("PATH");

	while (path && *path) {
		size_t length = strcspn(path, ":");
		char file[4096];

		snprintf(file, sizeof(file), "%.*s/%s", (int)length, path,
			 program);
		if (length && !access(file, X_OK))
			return true;
		path += length + (path[length] == ':');
	}
	return false;
}

int perf_plot_check(const char *folder)
{
	if (!in_path("gnuplot")) {
		tool_error("--plot needs gnuplot, which is not installed (Debian: gnuplot-nox)");
		return TOOL_USAGE;
	}
	if ((!mkdir(folder, 0777) || errno == EEXIST) &&
	    !access(folder, W_OK | X_OK))
		return TOOL_OK;
	tool_error("%s: %s", folder, strerror(errno));
	return TOOL_USAGE;
}

/* names are this program's own and hold no quote */
static void put_series(const struct perf_figure *figure, FILE *out,
		       const char *series, bool paper)
{
	for (unsigned int i = 0; i < figure->count; i++) {
		const struct perf_point *point = &figure->points[i];
		double value = paper ? point->paper : point->ours;

		if (strcmp(point->series, series))
			continue;
		if (isfinite(value))
			fprintf(out, "\"%s\" %.6g\n", point->x, value);
		else
			fprintf(out, "\"%s\" NaN\n", point->x);
	}
	fputs("e\n", out);
}

static bool has_paper(const struct perf_figure *figure, const char *series)
{
	for (unsigned int i = 0; i < figure->count; i++) {
		if (!strcmp(figure->points[i].series, series) &&
		    isfinite(figure->points[i].paper))
			return true;
	}
	return false;
}

/* calls for each series, ours and then the paper's, those that there are */
static void each_series(const struct perf_figure *figure, FILE *out,
			void (*fn)(const struct perf_figure *figure, FILE *out,
				   const char *series, bool paper))
{
	for (unsigned int i = 0; i < figure->count; i++) {
		const char *series = figure->points[i].series;

		/* the first position has them all */
		if (strcmp(figure->points[i].x, figure->points[0].x))
			break;
		fn(figure, out, series, false);
		if (has_paper(figure, series))
			fn(figure, out, series, true);
	}
}

static void name_series(const struct perf_figure *figure, FILE *out,
			const char *series, bool paper)
{
	(void)figure;
	fprintf(out, " '-' using 2:xtic(1) title \"%s%s\",", series,
		paper ? " (paper)" : "");
}

static void put_script(const struct perf_figure *figure, FILE *out)
{
	fprintf(out,
		"set terminal svg size 900,480 noenhanced background '#ffffff'\n"
		"set title \"Figure %s: %s\"\nset xlabel \"%s\"\nset ylabel \"%s\"\n"
		"set style data histogram\nset style histogram clustered gap 1\n"
		"set style fill solid 0.8 border -1\nset yrange [0:*]\n"
		"set grid ytics\nset key outside\nset datafile missing 'NaN'\nplot",
		figure->number, figure->title, figure->xlabel, figure->ylabel);
	each_series(figure, out, name_series);
	/* nothing comes after the last comma, but that is an error to gnuplot */
	fseek(out, -1, SEEK_CUR);
	fputs("\n", out);
	each_series(figure, out, put_series);
	rewind(out);
}

/* 0 when gnuplot drew the script into the file */
static int draw(FILE *script, int fd)
{
	int status;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (!child) {
		dup2(fileno(script), STDIN_FILENO);
		lseek(STDIN_FILENO, 0, SEEK_SET);
		dup2(fd, STDOUT_FILENO);
		execlp("gnuplot", "gnuplot", (char *)NULL);
		_exit(127);
	}
	if (child < 0)
		return -1;
	while (waitpid(child, &status, 0) < 0) {
		if (errno != EINTR)
			return -1;
	}
	return status;
}

static int draw_file(const struct perf_figure *figure, int fd)
{
	FILE *script = tmpfile();
	struct stat written;
	int ret = -1;

	if (script) {
		put_script(figure, script);
		ret = draw(script, fd);
		fclose(script);
	}
	if (!ret && (fstat(fd, &written) || !written.st_size))
		ret = -1;
	fchmod(fd, 0644);
	return ret;
}

int perf_plot(const struct perf_figure *figure, const char *folder)
{
	char path[4096], temporary[4096 + 8];
	int fd, ret;

	if (!figure->count)
		return TOOL_OK;
	snprintf(path, sizeof(path), "%s/figure%s.svg", folder, figure->number);
	snprintf(temporary, sizeof(temporary), "%s.XXXXXX", path);
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0)
		return tool_error("%s: %s", path, strerror(errno));
	ret = draw_file(figure, fd);
	close(fd);
	if (!ret && !rename(temporary, path))
		return TOOL_OK;
	unlink(temporary);
	return tool_error("%s: gnuplot could not draw it", path);
}
