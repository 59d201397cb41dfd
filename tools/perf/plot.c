// SPDX-License-Identifier: MIT
/*
 * Figures as files: SVG and PDF, drawn by gnuplot, and their data as CSV. Each file
 * is there whole or not at all.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/perf/plot.h"
#include "tools/tool.h"

/*
 * What gnuplot makes of a figure: as wide as a page of a screen, and as a column of a
 * paper. How many characters of the labels, and of the note, fit below a picture.
 */
static const struct plot_format {
	const char *suffix, *terminal, *key, *note_font;
	size_t label_characters, note_characters;
} formats[] = {
	{ "svg", "svg size 900,520 font 'Helvetica,12' background '#ffffff'", "outside",
	  ",8", 80, 512 },
	{ "pdf", "pdfcairo size 8.6cm,7cm font 'Helvetica,6' linewidth 0.5", "above",
	  ",4", 56, 84 },
};

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
		tool_error("drawing figures needs gnuplot, which is not installed (Debian: gnuplot-nox)");
		return TOOL_USAGE;
	}
	if ((!mkdir(folder, 0777) || errno == EEXIST) &&
	    !access(folder, W_OK | X_OK))
		return TOOL_OK;
	tool_error("%s: %s", folder, strerror(errno));
	return TOOL_USAGE;
}

/*
 * A row a position and a column a series, whether or not there is such a point:
 * gnuplot finds a bar's place by the number of its row. Names are this program's
 * own and hold no quote.
 */
static void put_data(const struct perf_grid *grid, FILE *out)
{
	fputs("$data << EOD\n", out);
	for (unsigned int x = 0; x < grid->nr_x; x++) {
		fprintf(out, "\"%s\"", grid->x[x]);
		for (unsigned int s = 0; s < grid->nr_columns; s++) {
			double value = perf_grid_value(grid, x, s);

			if (isfinite(value))
				fprintf(out, " %.6g", value);
			else
				fputs(" NaN", out);
		}
		fputc('\n', out);
	}
	fputs("EOD\n", out);
}

/* labels that would run into each other are turned */
static void put_tics(const struct perf_grid *grid, size_t characters, FILE *out)
{
	size_t longest = 0, widest = 0;

	for (unsigned int x = 0; x < grid->nr_x; x++) {
		size_t length = strlen(grid->x[x]);
		size_t next = x + 1 < grid->nr_x ? strlen(grid->x[x + 1]) : 0;

		longest = length > longest ? length : longest;
		/* of two neighbours, half of each, and a space of two */
		widest = length + next > widest ? length + next : widest;
	}
	if ((widest / 2 + 2) * grid->nr_x <= characters)
		fputs("set bmargin 6\n", out);
	else
		fprintf(out, "set xtics rotate by -35\nset bmargin %zu\n",
			5 + longest / 4);
}

static void put_bars(const struct perf_column *column, unsigned int number,
		     unsigned int colour, FILE *out)
{
	fprintf(out, "$data using %u:xtic(1) lc %u fs %s title \"%s%s\"",
		number, colour, column->paper ? "pattern 4" : "solid 0.8",
		column->series, column->paper ? " (paper)" : "");
}

static void put_marks(const struct perf_column *column, unsigned int number,
		      FILE *out)
{
	fprintf(out, "$data using 0:%u:xtic(1) with points pt 13 ps 1.2 lc rgb 'black' title \"%s\"",
		number, column->series);
}

/* bars, the paper's hatched in the colour of ours; then marks on top of them */
static void put_plot(const struct perf_grid *grid, FILE *out)
{
	const char *separator = "plot ";
	unsigned int colour = 0;

	for (int marks = 0; marks < 2; marks++) {
		for (unsigned int s = 0; s < grid->nr_columns; s++) {
			const struct perf_column *column = &grid->columns[s];

			if (column->mark != marks)
				continue;
			fputs(separator, out);
			separator = ", ";
			colour += !s || strcmp(column->series, grid->columns[s - 1].series);
			if (marks)
				put_marks(column, s + 2, out);
			else
				put_bars(column, s + 2, colour, out);
		}
	}
	fputc('\n', out);
}

/* What it was measured on, in as many lines as that takes. */
static void put_note(const char *note, const struct plot_format *format, FILE *out)
{
	size_t column = 0;

	fprintf(out, "set label \"");
	for (const char *at = note; *at; at++) {
		size_t word = strcspn(at + 1, " ");

		if (*at == ' ' && column + word >= format->note_characters) {
			fputs("\\n", out);
			column = 0;
			continue;
		}
		fputc(*at, out);
		column++;
	}
	fprintf(out, "\" at screen 0.01, screen %s font '%s'\n",
		strlen(note) > format->note_characters ? "0.05" : "0.025",
		format->note_font);
}

static void put_script(const struct perf_figure *figure,
		       const struct perf_grid *grid, const struct plot_format *format,
		       FILE *out)
{
	fprintf(out,
		"set terminal %s noenhanced\n"
		"set title \"Figure %s: %s\"\nset xlabel \"%s\"\nset ylabel \"%s\"\n"
		"set style data histogram\nset style histogram %s\n"
		"set boxwidth 0.9 relative\nset style fill solid 0.8 border -1\n"
		"set yrange [0:*]\nset grid ytics\nset key %s\n"
		"set datafile missing 'NaN'\n",
		format->terminal, figure->number, figure->title, figure->xlabel,
		figure->ylabel,
		figure->look == PERF_STACKED ? "rowstacked" : "clustered gap 1",
		format->key);
	if (figure->look == PERF_RATIO)
		fputs("set arrow from graph 0, first 1 to graph 1, first 1 nohead dashtype 2 front\n",
		      out);
	put_note(figure->note, format, out);
	put_tics(grid, format->label_characters, out);
	put_data(grid, out);
	put_plot(grid, out);
}

/* 0 when gnuplot ran the script, its standard output to a descriptor */
static int run_gnuplot(int script, int out)
{
	int status;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (!child) {
		dup2(script, STDIN_FILENO);
		lseek(STDIN_FILENO, 0, SEEK_SET);
		dup2(out, STDOUT_FILENO);
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

static FILE *open_memory(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w+");

	if (!file) {
		tool_error("no memory for a figure: %s", strerror(errno));
		if (fd >= 0)
			close(fd);
	}
	return file;
}

/* Drawn in memory, so that a full disk is told by whoever writes the file. */
static int plot_draw(const struct perf_figure *figure, const struct perf_grid *grid,
		     const struct plot_format *format, FILE *out)
{
	FILE *script = open_memory("script");
	struct stat written;
	int ret = -1;

	if (!script)
		return -1;
	put_script(figure, grid, format, script);
	if (!fflush(script) && !ferror(script))
		ret = run_gnuplot(fileno(script), fileno(out));
	fclose(script);
	if (!ret && (fstat(fileno(out), &written) || !written.st_size))
		ret = -1;
	return ret;
}

static int plot_copy(int from, int to)
{
	char bytes[65536];
	ssize_t n;

	lseek(from, 0, SEEK_SET);
	while ((n = read(from, bytes, sizeof(bytes))) > 0) {
		for (ssize_t done = 0, more; done < n; done += more) {
			more = write(to, bytes + done, (size_t)(n - done));
			if (more < 0)
				return -1;
		}
	}
	return (int)n;
}

/* FOLDER/figureNUMBER.SUFFIX with what is in `contents` */
static int plot_save(const struct perf_figure *figure, const char *folder,
		     const char *suffix, FILE *contents)
{
	char path[4096], temporary[4096 + 8];
	int fd, ret;

	snprintf(path, sizeof(path), "%s/figure%s.%s", folder, figure->number,
		 suffix);
	snprintf(temporary, sizeof(temporary), "%s.XXXXXX", path);
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0)
		return tool_error("%s: %s", path, strerror(errno));
	ret = plot_copy(fileno(contents), fd) || fchmod(fd, 0644);
	if (!(ret | close(fd)) && !rename(temporary, path))
		return TOOL_OK;
	ret = tool_error("%s: %s", path, strerror(errno));
	unlink(temporary);
	return ret;
}

static int save_data(const struct perf_figure *figure,
		     const struct perf_grid *grid, const char *folder)
{
	FILE *csv = open_memory("csv");
	int ret;

	if (!csv)
		return TOOL_FAILED;
	perf_figure_csv(figure, grid, csv);
	if (fflush(csv) || ferror(csv))
		ret = tool_error("no memory for a figure");
	else
		ret = plot_save(figure, folder, "csv", csv);
	fclose(csv);
	return ret;
}

int perf_plot(const struct perf_figure *figure, const char *folder)
{
	static struct perf_grid grid;
	int ret;

	if (!figure->count)
		return TOOL_OK;
	perf_grid_make(&grid, figure);
	ret = save_data(figure, &grid, folder);
	for (size_t i = 0; i < TOOL_COUNT(formats) && !ret; i++) {
		FILE *picture = open_memory("picture");

		if (!picture)
			return TOOL_FAILED;
		if (plot_draw(figure, &grid, &formats[i], picture))
			ret = tool_error("%s/figure%s.%s: gnuplot could not draw it",
					 folder, figure->number,
					 formats[i].suffix);
		else
			ret = plot_save(figure, folder, formats[i].suffix, picture);
		fclose(picture);
	}
	return ret;
}
