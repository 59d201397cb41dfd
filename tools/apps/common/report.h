/* SPDX-License-Identifier: MIT */
/*
 * What a run took, a row by collective and axes and by PE program, loading and run
 * apart. Of its three times `host` is measured, `PEs` the cost model's, and `emulation`
 * is what running PEs took here, which hardware has not: it is in no sum.
 */
#ifndef PIMDIMM_APPS_REPORT_H
#define PIMDIMM_APPS_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <pimdimm/pidcomm.h>
#include <pimdimm/program.h>

#define APP_MAX_ROWS	32
#define APP_MAX_FACTS	24

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

struct app_row {
	const char *name;	/* of the collective or the program */
	char axes[4];		/* empty: a program */
	uint64_t calls;
	uint64_t mram_bytes;	/* between MRAM and host, or MRAM and WRAM */
	uint64_t host_bytes;
	uint64_t host_ns;	/* measured */
	double pes_ns;		/* modelled */
	uint64_t emulation_ns;	/* measured */
	bool uncounted;		/* no instructions were counted: there is no model */
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
	struct app_row rows[APP_NR_PHASES][APP_MAX_ROWS];
	unsigned int nr_rows[APP_NR_PHASES];
	uint64_t wall_ns[APP_NR_PHASES], since;
	struct app_fact facts[APP_MAX_FACTS];
	unsigned int nr_facts;
};

/* From here on everything belongs to this phase. */
void app_report_phase(struct app_report *report, enum app_phase phase);
/* Nothing more comes. */
void app_report_end(struct app_report *report);

void app_report_collective(struct app_report *report, const char *name,
			   const char *axes, const struct pidcomm_stats *stats,
			   uint64_t host_ns);
void app_report_launch(struct app_report *report, const char *program,
		       const struct pimdimm_run *run);

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
/* host time of one collective over all axes, 0 where there was none */
uint64_t app_report_of(const struct app_report *report, enum app_phase phase,
		       const char *name);

void app_report_print(const struct app_report *report);
void app_report_csv(const struct app_report *report);
void app_report_json(const struct app_report *report, struct json_object *object);

#endif /* PIMDIMM_APPS_REPORT_H */
