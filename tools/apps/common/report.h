/* SPDX-License-Identifier: MIT */
/*
 * What a run took, a row by collective and axes, by kind of transfer and by PE program,
 * loading and run apart, as the library collects them: <pimdimm/report.h>. Of the three
 * times `host` is measured, `PEs` the cost model's, and `emulation` is what running PEs
 * took here, which hardware has not: it is in no sum.
 */
#ifndef PIMDIMM_APPS_REPORT_H
#define PIMDIMM_APPS_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include <pimdimm/report.h>

#define APP_MAX_FACTS	24
/* of all phases, and those of the process before this run */
#define APP_MAX_ROWS	512

struct json_object;

enum app_phase {
	APP_LOADING,	/* what stays: graph, weights, tables */
	APP_RUN,	/* what comes anew, the kernels, the result */
	APP_NR_PHASES,
};

enum app_format {
	APP_TEXT,
	APP_JSON,
	APP_CSV,
};

/* What an application tells of itself, in the order in which it does. */
struct app_fact {
	const char *key;
	bool number;
	double value;
	char text[128];
};

struct app_report {
	enum app_phase phase;
	uint64_t wall_ns[APP_NR_PHASES], since;
	/* as the library had them when the run began; then what came of this run */
	struct pimdimm_report_row before[APP_MAX_ROWS];
	struct pimdimm_report_row rows[APP_NR_PHASES][APP_MAX_ROWS];
	unsigned int nr_rows[APP_NR_PHASES];
	struct app_fact facts[APP_MAX_FACTS];
	unsigned int nr_facts;
};

/* Begins a run, in phase loading. */
void app_report_begin(struct app_report *report);
/* From here on everything belongs to this phase. */
void app_report_phase(struct app_report *report, enum app_phase phase);
/* Nothing more comes: the rows are there. */
void app_report_end(struct app_report *report);

/* a number or a text, for people and as a field of JSON; keys are static */
void app_report_number(struct app_report *report, const char *key, double value);
__attribute__((format(printf, 3, 4)))
void app_report_text(struct app_report *report, const char *key,
		     const char *format, ...);

/* Sums of a phase. Modelled time is NAN where a program was not counted. */
uint64_t app_report_host_ns(const struct app_report *report, enum app_phase phase);
double app_report_pes_ns(const struct app_report *report, enum app_phase phase);
uint64_t app_report_emulation_ns(const struct app_report *report,
				 enum app_phase phase);
/* The first row of this name, NULL where there is none. */
const struct pimdimm_report_row *app_report_row(const struct app_report *report,
						enum app_phase phase,
						const char *name);
/* host time of one collective over all axes, 0 where there was none */
uint64_t app_report_of(const struct app_report *report, enum app_phase phase,
		       const char *name);

void app_report_print(const struct app_report *report);
void app_report_csv(const struct app_report *report);
void app_report_json(const struct app_report *report, struct json_object *object);

#endif /* PIMDIMM_APPS_REPORT_H */
