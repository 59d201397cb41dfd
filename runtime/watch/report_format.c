// SPDX-License-Identifier: MIT
/*
 * A report as text, JSON and CSV. What was measured and what is modelled are never
 * added to each other, but for one line: composed, host and PEs, with both beside it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pimdimm/pimdimm.h>

#include "runtime/base/error.h"
#include "runtime/watch/report_format.h"

typedef struct pimdimm_report_row row_t;

static const char *const kinds[] = {
	[PIMDIMM_REPORT_LOAD] = "load",
	[PIMDIMM_REPORT_TO_PES] = "to PEs",
	[PIMDIMM_REPORT_FROM_PES] = "from PEs",
	[PIMDIMM_REPORT_COLLECTIVE] = "collective",
	[PIMDIMM_REPORT_PROGRAM] = "program",
	[PIMDIMM_REPORT_KERNEL] = "PE kernel",
};

#define NR_KINDS	(sizeof(kinds) / sizeof(*kinds))

/* the numbers of a row, as JSON and CSV name them */
static const struct {
	const char *name;
	size_t offset;
} numbers[] = {
#define NUMBER(member)	{ #member, offsetof(row_t, member) },
	PD_REPORT_SUMS(NUMBER)
};

#define NR_NUMBERS	(sizeof(numbers) / sizeof(*numbers))

static uint64_t number_of(const row_t *row, size_t i)
{
	uint64_t n;

	memcpy(&n, (const char *)row + numbers[i].offset, sizeof(n));
	return n;
}

static double ms(uint64_t ns)
{
	return (double)ns * 1e-6;
}

/* of one phase, or of all where it is NULL; of one kind, or of all from NR_KINDS on */
static row_t sum_of(const struct pd_report_all *all, const char *phase,
		    unsigned int kind)
{
	row_t sum = { .size = sizeof(sum) };

	for (uint32_t i = 0; i < all->nr_rows; i++) {
		const row_t *row = &all->rows[i];

		if ((!phase || !strcmp(phase, row->phase)) &&
		    (kind >= NR_KINDS || kind == row->kind))
			pd_report_sum(&sum, row);
	}
	return sum;
}

/* whether no row before this one is of its phase */
static bool begins_phase(const struct pd_report_all *all, uint32_t i)
{
	for (uint32_t j = 0; j < i; j++)
		if (!strcmp(all->rows[j].phase, all->rows[i].phase))
			return false;
	return true;
}

static void put_rate(FILE *f, uint64_t bytes, uint64_t ns)
{
	if (bytes && ns)
		fprintf(f, " %9.3f GB/s\n", (double)bytes / (double)ns);
	else
		fputc('\n', f);
}

static void put_total(FILE *f, const char *what, uint64_t calls, uint64_t bytes,
		      uint64_t ns)
{
	fprintf(f, "%-28s %8" PRIu64 " calls %14" PRIu64 " bytes %12.3f ms",
		what, calls, bytes, ms(ns));
	put_rate(f, bytes, ns);
}

/* WRAM is of no MRAM, and a buffer that goes to many is read once. */
static uint64_t moved_bytes(const row_t *row)
{
	return row->mram_bytes > row->host_bytes ? row->mram_bytes :
						   row->host_bytes;
}

static void put_launches(FILE *f, const struct pd_report_all *all)
{
	row_t sum = sum_of(all, NULL, PIMDIMM_REPORT_PROGRAM);
	uint64_t ns = all->clock_hz ? (uint64_t)((double)sum.cycles * 1e9 /
						 (double)all->clock_hz) : 0;

	put_total(f, "launches, measured", sum.calls, sum.mram_bytes,
		  sum.emulation_ns);
	fprintf(f, "%-28s %43.3f ms\n", "  of it to emulate MRAM",
		ms(all->window_ns));
	/* tasklets that had a random order have no times */
	if (sum.cycles || !sum.calls) {
		fprintf(f, "%-28s %8.0f MHz   %14" PRIu64 " cycles %11.3f ms",
			"  modelled", (double)all->clock_hz * 1e-6, sum.cycles,
			ms(ns));
		put_rate(f, sum.mram_bytes, ns);
	}
	if (sum.launch_ns)
		fprintf(f, "%-28s %43.3f ms\n", "  modelled, of launches",
			ms(sum.launch_ns));
	if (sum.uncounted)
		fprintf(f, "%-28s %8" PRIu64 " launches%s\n", "  not counted",
			sum.uncounted, sum.cycles ? ": DMA alone" : "");
	if (sum.forced)
		fprintf(f, "%-28s %8" PRIu64 " launches\n",
			"  not the same in every run", sum.forced);
	if (sum.instructions)
		fprintf(f, "%-28s %8" PRIu64 "\n", "  instructions counted",
			sum.instructions);
	if (sum.stack_room)
		fprintf(f, "%-28s %8u of   %14u bytes\n", "  fullest stack",
			sum.stack_used, sum.stack_room);
	if (sum.faults)
		fprintf(f, "%-28s %8" PRIu64 "\n", "  faults", sum.faults);
}

static void put_totals(FILE *f, const struct pd_report_all *all)
{
	static const struct {
		const char *what;
		enum pimdimm_report_kind kind;
	} lines[] = {
		{ "loads", PIMDIMM_REPORT_LOAD },
		{ "transfers to DPUs", PIMDIMM_REPORT_TO_PES },
		{ "transfers from DPUs", PIMDIMM_REPORT_FROM_PES },
		{ "collectives", PIMDIMM_REPORT_COLLECTIVE },
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		row_t sum = sum_of(all, NULL, lines[i].kind);

		put_total(f, lines[i].what, sum.calls, moved_bytes(&sum),
			  sum.host_ns);
	}
	put_launches(f, all);
}

/* Control characters would be the terminal's to obey. */
static void put_plain(FILE *f, const char *text, int width)
{
	for (; *text; text++, width--)
		fputc((unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text,
		      f);
	for (; width > 0; width--)
		fputc(' ', f);
}

static void put_ms(FILE *f, bool has, uint64_t ns)
{
	if (has)
		fprintf(f, " %12.3f", ms(ns));
	else
		fprintf(f, " %12s", "-");
}

static void put_row(FILE *f, const row_t *row)
{
	bool on_pes = row->kind == PIMDIMM_REPORT_PROGRAM ||
		      row->kind == PIMDIMM_REPORT_KERNEL;
	char what[sizeof(row->name) + sizeof(row->axes) +
		  sizeof(row->algorithm) + 2];

	snprintf(what, sizeof(what), "%s%s%s%s%s", row->name,
		 *row->axes ? " " : "", row->axes, *row->algorithm ? " " : "",
		 row->algorithm);
	put_plain(f, *row->phase ? row->phase : "-", 12);
	fprintf(f, " %-10s ", kinds[row->kind]);
	put_plain(f, what, 30);
	fprintf(f, " %9" PRIu64 " %14" PRIu64 " %14" PRIu64, row->calls,
		row->mram_bytes, row->host_bytes);
	put_ms(f, !on_pes, row->host_ns);
	if (row->uncounted)
		fprintf(f, " %12s", "not counted");
	else
		put_ms(f, on_pes || row->pe_ns, row->pe_ns);
	put_ms(f, row->bus_bytes, row->bus_ns);
	put_ms(f, on_pes || row->emulation_ns, row->emulation_ns);
	fputc('\n', f);
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}

/* where the slowest PEs' cycles went, by which a program is tuned */
static void put_shares(FILE *f, const row_t *row)
{
	const uint64_t parts[] = { row->issued, row->dma_slots, row->idle_dma,
				   row->idle_stop, row->spun, row->idle_few };

	put_plain(f, row->name, 32);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		fprintf(f, " %11.1f%%", percent(parts[i], row->cycles));
	fprintf(f, " %12u %11.1f%%\n", row->slowest_pe,
		percent(row->all_cycles, row->room_cycles));
}

static void put_all_shares(FILE *f, const struct pd_report_all *all)
{
	bool any = false;

	for (uint32_t i = 0; i < all->nr_rows; i++) {
		const row_t *row = &all->rows[i];

		if (row->kind != PIMDIMM_REPORT_PROGRAM || row->uncounted)
			continue;
		if (!any)
			fprintf(f, "\n%-32s %12s %12s %12s %12s %12s %12s %12s %12s\n",
				"cycles of slowest PEs, modelled",
				"instructions", "DMA going on", "DMA waited",
				"barriers", "mutexes", "few tasklets",
				"slowest PE", "evenness");
		any = true;
		put_shares(f, row);
	}
	if (any)
		fputc('\n', f);
}

/* whether it ran: one that ends at once has its end, others instructions */
static bool tasklet_ran(const struct pd_tasklet *t)
{
	return t->cycles || t->instructions;
}

static struct pd_tasklet sum_of_tasklets(const struct pd_tasklet *tasklets)
{
	struct pd_tasklet sum = { 0 };

	for (uint32_t t = 0; t < PD_TASKLETS; t++)
		pd_tasklets_add(&sum, &tasklets[t], 1);
	return sum;
}

static void put_tasklet(FILE *f, uint32_t i, const struct pd_tasklet *t)
{
#define PUT_TASKLET(member)	fprintf(f, " %14" PRIu64, t->member);
	fprintf(f, "%-32u", i);
	PD_TASKLET_SUMS(PUT_TASKLET)
	fputc('\n', f);
}

static uint64_t in_classes(const struct pd_tasklet *t)
{
#define ADD_CLASS(member)	+ t->member
	return 0 PD_TASKLET_CLASSES(ADD_CLASS);
}

static void put_classes(FILE *f, const char *name, const struct pd_tasklet *t)
{
#define PUT_CLASS(member)	fprintf(f, " %14" PRIu64, t->member);
	fprintf(f, "%-32s", name);
	PD_TASKLET_CLASSES(PUT_CLASS)
	fputc('\n', f);
}

/* instructions by class of each tasklet of a row, and of them all */
static void put_all_classes(FILE *f, const row_t *row, const struct pd_tasklet *tasklets)
{
	struct pd_tasklet sum = sum_of_tasklets(tasklets);
	char number[12];

	if (!in_classes(&sum))
		return;
	fputs("instructions by class, ", f);
	put_plain(f, row->name, 0);
	fprintf(f, "\n%-32s %14s %14s %14s %14s %14s %14s %14s %14s %14s\n", "",
		"arithmetic", "loads", "stores", "control", "mul and div", "floats", "DMA",
		"other", "PE library");
	for (uint32_t t = 0; t < PD_TASKLETS; t++) {
		snprintf(number, sizeof(number), "%u", t);
		if (tasklet_ran(&tasklets[t]))
			put_classes(f, number, &tasklets[t]);
	}
	put_classes(f, "slowest PE", &sum);
	fputc('\n', f);
}

/* what each tasklet of the slowest PEs did, and waited for */
static void put_tasklets(FILE *f, const struct pd_report_all *all)
{
	for (uint32_t i = 0; i < all->nr_rows; i++) {
		const row_t *row = &all->rows[i];
		bool any = false;

		for (uint32_t t = 0; t < PD_TASKLETS; t++) {
			if (!tasklet_ran(&all->tasklets[i][t]))
				continue;
			if (!any) {
				fputs("tasklets of slowest PEs, ", f);
				put_plain(f, row->name, 0);
				fprintf(f, "\n%-32s %14s %14s %14s %14s %14s %14s %14s %14s\n",
					"", "cycles", "instructions", "transfers",
					"DMA bytes", "DMA waited", "barriers",
					"mutexes", "pipeline");
			}
			any = true;
			put_tasklet(f, t, &all->tasklets[i][t]);
		}
		if (any)
			fputc('\n', f);
		put_all_classes(f, row, all->tasklets[i]);
	}
}

/* the one line where measured and modelled time meet */
static void put_composed(FILE *f, const char *phase, const row_t *sum)
{
	fputs("composed", f);
	if (phase) {
		fputs(", ", f);
		put_plain(f, *phase ? phase : "-", 0);
	}
	if (sum->uncounted)
		fprintf(f, ": none: %" PRIu64 " of the launches were not counted\n",
			sum->uncounted);
	else
		fprintf(f, ": %.3f ms = host %.3f (measured) + PEs %.3f (modelled)\n",
			ms(sum->host_ns + sum->pe_ns), ms(sum->host_ns),
			ms(sum->pe_ns));
}

static void put_text(FILE *f, const struct pd_report_all *all)
{
	row_t sum = sum_of(all, NULL, NR_KINDS);
	uint32_t phases = 0;

	put_totals(f, all);
	fprintf(f, "\n%-12s %-10s %-30s %9s %14s %14s %12s %12s %12s %12s\n",
		"phase", "kind", "name", "calls", "MRAM bytes", "host bytes",
		"host ms", "PEs ms", "bus ms", "emulation ms");
	fprintf(f, "%93s %12s %12s %12s %12s\n", "", "measured", "modelled",
		"modelled", "measured");
	for (uint32_t i = 0; i < all->nr_rows; i++)
		put_row(f, &all->rows[i]);
	put_all_shares(f, all);
	put_tasklets(f, all);
	for (uint32_t i = 0; i < all->nr_rows; i++) {
		if (!begins_phase(all, i))
			continue;
		phases++;
		if (*all->rows[i].phase) {
			row_t part = sum_of(all, all->rows[i].phase, NR_KINDS);

			put_composed(f, all->rows[i].phase, &part);
		}
	}
	if (phases != 1 || !*all->rows[0].phase)
		put_composed(f, NULL, &sum);
	if (all->lost)
		fprintf(f, "not shown: %" PRIu64 " calls of more names than there is room for\n",
			all->lost);
}

/* bytes of the UTF-8 character that the text begins with, 0: it is none */
static unsigned int utf8_length(const unsigned char *s)
{
	unsigned int n = *s < 0x80 ? 1 : *s >= 0xc2 && *s < 0xe0 ? 2 :
			 *s >= 0xe0 && *s < 0xf0 ? 3 :
			 *s >= 0xf0 && *s < 0xf5 ? 4 : 0;

	for (unsigned int i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	/* longer than need be, surrogates, beyond Unicode */
	if ((*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] > 0x9f) ||
	    (*s == 0xf0 && s[1] < 0x90) || (*s == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

static void put_json_string(FILE *f, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	fputc('"', f);
	while (*s) {
		unsigned int n = utf8_length(s);

		if (!n)
			fputs("\\ufffd", f);
		else if (*s < ' ' || *s == 0x7f)
			fprintf(f, "\\u%04x", *s);
		else
			fprintf(f, "%s%.*s", *s == '"' || *s == '\\' ? "\\" : "",
				(int)n, (const char *)s);
		s += n ? n : 1;
	}
	fputc('"', f);
}

/* nothing where the program does not count them */
static void put_json_classes(FILE *f, const struct pd_tasklet *t)
{
	const char *comma = "";

	if (!in_classes(t))
		return;
	fputs(",\"classes\":{", f);
#define PUT_JSON_CLASS(member)						     \
	fprintf(f, "%s\"" #member "\":%" PRIu64, comma, t->member), comma = ",";
	PD_TASKLET_CLASSES(PUT_JSON_CLASS)
	fputc('}', f);
}

static void put_json_tasklets(FILE *f, const struct pd_tasklet *tasklets)
{
	struct pd_tasklet sum;
	const char *comma = "";

	fputs(",\"tasklets\":[", f);
	for (uint32_t i = 0; i < PD_TASKLETS; i++) {
		const struct pd_tasklet *t = &tasklets[i];

		if (!tasklet_ran(t))
			continue;
		fprintf(f, "%s\n {\"tasklet\":%u", comma, i);
#define PUT_JSON_TASKLET(member)	fprintf(f, ",\"" #member "\":%" PRIu64, t->member);
		PD_TASKLET_SUMS(PUT_JSON_TASKLET)
		put_json_classes(f, t);
		fputc('}', f);
		comma = ",";
	}
	sum = sum_of_tasklets(tasklets);
	fputc(']', f);
	put_json_classes(f, &sum);
}

static void put_json_row(FILE *f, const row_t *row, const struct pd_tasklet *tasklets)
{
	fprintf(f, "{\"kind\":\"%s\",\"phase\":", kinds[row->kind]);
	put_json_string(f, row->phase);
	fputs(",\"name\":", f);
	put_json_string(f, row->name);
	fputs(",\"axes\":", f);
	put_json_string(f, row->axes);
	fputs(",\"algorithm\":", f);
	put_json_string(f, row->algorithm);
	for (size_t i = 0; i < NR_NUMBERS; i++)
		fprintf(f, ",\"%s\":%" PRIu64, numbers[i].name,
			number_of(row, i));
	fprintf(f, ",\"longest_cycles\":%" PRIu64 ",\"slowest_pe\":%u,\"stack_used\":%u,\"stack_room\":%u",
		row->longest_cycles, row->slowest_pe, row->stack_used,
		row->stack_room);
	if (row->kind == PIMDIMM_REPORT_PROGRAM)
		put_json_tasklets(f, tasklets);
	fputc('}', f);
}

static void put_json_phase(FILE *f, const char *phase, const row_t *sum)
{
	fputs("{\"phase\":", f);
	put_json_string(f, phase);
	fprintf(f, ",\"host_ns\":%" PRIu64 ",\"pe_ns\":%" PRIu64
		   ",\"bus_ns\":%" PRIu64 ",\"emulation_ns\":%" PRIu64
		   ",\"uncounted\":%" PRIu64 ",\"composed_ns\":",
		sum->host_ns, sum->pe_ns, sum->bus_ns, sum->emulation_ns,
		sum->uncounted);
	if (sum->uncounted)
		fputs("null}", f);
	else
		fprintf(f, "%" PRIu64 "}", sum->host_ns + sum->pe_ns);
}

static void put_json(FILE *f, const struct pd_report_all *all)
{
	const char *comma = "";

	fprintf(f, "{\"version\":\"%s\",\"measured\":[\"host_ns\",\"emulation_ns\"],\"modelled\":[\"pe_ns\",\"bus_ns\",\"cycles\"],\n\"rows\":[",
		pimdimm_version());
	for (uint32_t i = 0; i < all->nr_rows; i++) {
		fputs(i ? ",\n" : "\n", f);
		put_json_row(f, &all->rows[i], all->tasklets[i]);
	}
	fputs("],\n\"phases\":[", f);
	for (uint32_t i = 0; i < all->nr_rows; i++) {
		row_t part;

		if (!begins_phase(all, i))
			continue;
		part = sum_of(all, all->rows[i].phase, NR_KINDS);
		fprintf(f, "%s\n", comma);
		put_json_phase(f, all->rows[i].phase, &part);
		comma = ",";
	}
	fprintf(f, "],\n\"lost_calls\":%" PRIu64 "}\n", all->lost);
}

/* as RFC 4180 has it */
static void put_csv_string(FILE *f, const char *text)
{
	fputc('"', f);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', f);
		fputc(*text, f);
	}
	fputs("\",", f);
}

static void put_csv(FILE *f, const struct pd_report_all *all)
{
	fputs("phase,kind,name,axes,algorithm", f);
	for (size_t i = 0; i < NR_NUMBERS; i++)
		fprintf(f, ",%s", numbers[i].name);
	fputs(",longest_cycles,slowest_pe,stack_used,stack_room\n", f);
	for (uint32_t i = 0; i < all->nr_rows; i++) {
		const row_t *row = &all->rows[i];

		put_csv_string(f, row->phase);
		fprintf(f, "%s,", kinds[row->kind]);
		put_csv_string(f, row->name);
		put_csv_string(f, row->axes);
		put_csv_string(f, row->algorithm);
		for (size_t j = 0; j < NR_NUMBERS; j++)
			fprintf(f, "%" PRIu64 ",", number_of(row, j));
		fprintf(f, "%" PRIu64 ",%u,%u,%u\n", row->longest_cycles,
			row->slowest_pe, row->stack_used, row->stack_room);
	}
}

int pd_report_format(const struct pd_report_all *all,
		     enum pimdimm_report_format format, char **text,
		     size_t *bytes)
{
	static void (*const put[])(FILE *f, const struct pd_report_all *all) = {
		[PIMDIMM_REPORT_TEXT] = put_text,
		[PIMDIMM_REPORT_JSON] = put_json,
		[PIMDIMM_REPORT_CSV] = put_csv,
	};
	FILE *f;
	int ret;

	if ((unsigned int)format >= sizeof(put) / sizeof(*put))
		return pd_error(EINVAL, "format=%d, expected one of enum pimdimm_report_format",
				(int)format);
	f = open_memstream(text, bytes);
	if (!f)
		return pd_error(ENOMEM, "no memory for a report");
	put[format](f, all);
	ret = ferror(f);
	if (fclose(f) || ret) {
		free(*text);
		return pd_error(ENOMEM, "no memory for a report of %u rows",
				all->nr_rows);
	}
	return 0;
}
