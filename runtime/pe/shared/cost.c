// SPDX-License-Identifier: MIT
/* The cost model's parameters: a set that is built in, and what PIMDIMM_COST changes. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/env.h"
#include "runtime/base/error.h"
#include "runtime/base/nearest.h"
#include "runtime/base/threads.h"
#include <pimdimm/program.h>
#include "runtime/pe/shared/cost.h"
#include "runtime/pe/shared/cost_text.h"
#include "runtime/watch/bus.h"

#define PRIM	"Gomez-Luna et al., arXiv 2105.03814, "

/*
 * The values of the set prim, which are those of the 2,556-PE system of that paper. Of
 * 14 stages of the pipeline a tasklet occupies 11. Those of transfers follow them.
 */
static struct pe_cost cost;

#define OF_TRANSFERS(name, value, unit, source)	\
	{ { #name, value, unit, source }, &pd_bus.name },
#define OF_INSTRUCTIONS(name, value, of, source)	\
	{ { "insn_" #name, value, "instructions compiled for " of, source }, \
	  &pd_instructions[PE_INSN_##name] },

uint32_t pd_instructions[PE_NR_INSTRUCTIONS];

static const struct parameter {
	struct pd_cost_parameter shown;
	uint32_t *used;
} parameters[] = {
	{ { "clock_hz", 350000000, "Hz", PRIM "section 2" },
	  &cost.clock_hz },
	{ { "dma_read_cycles", 55, "cycles each mram_read",
	    PRIM "section 3, measured: 77, of which its two instructions take 22" },
	  &cost.read_cycles },
	{ { "dma_read_byte_millicycles", 520, "1/1000 cycle each byte",
	    PRIM "section 3, measured: 628 MB/s by 2,048 bytes" },
	  &cost.read_byte_millicycles },
	{ { "dma_write_cycles", 39, "cycles each mram_write",
	    PRIM "section 3, measured: 61, of which its two instructions take 22" },
	  &cost.write_cycles },
	{ { "dma_write_byte_millicycles", 520, "1/1000 cycle each byte",
	    PRIM "section 3, measured: 628 MB/s by 2,048 bytes" },
	  &cost.write_byte_millicycles },
	{ { "dma_engine_cycles", 34, "cycles of the engine each transfer",
	    PRIM "section 3, calibrated to rates of 8 and 1,024 bytes" },
	  &cost.engine_cycles },
	{ { "dma_engine_byte_millicycles", 527, "1/1000 cycle of the engine each byte",
	    PRIM "section 3, calibrated to rates of 8 and 1,024 bytes" },
	  &cost.engine_byte_millicycles },
	{ { "dma_issue_byte_millicycles", 155,
	    "1/1000 issue slot that is lost each byte",
	    "calibrated to kernel times of PrIM's programs, uPIMulator's measurements" },
	  &cost.issue_byte_millicycles },
	{ { "issue_cycles", 11, "cycles from one instruction of a tasklet to its next",
	    PRIM "section 2" },
	  &cost.issue_cycles },
	{ { "launch_us", 130, "microseconds each launch",
	    "calibrated to kernel times of PrIM's programs, uPIMulator's measurements" },
	  &cost.launch_us },
	PD_BUS_PARAMETERS(OF_TRANSFERS)
	/* the last of all: pd_cost_instruction() takes that for granted */
	PE_INSTRUCTIONS(OF_INSTRUCTIONS)
};

#define NR_PARAMETERS (sizeof(parameters) / sizeof(*parameters))

/*
 * A DPU of 450 MHz. Its pipeline, its WRAM and its DMA engine, which moves two bytes a
 * cycle, run by its clock, so that their cycles stay as they are. The DRAM behind the
 * engine does not: to close a row, open another and read its first column are 13.3 ns
 * each of DDR4-2400, which are 14 cycles at 350 MHz and 18 at this clock.
 */
#define DDR4	"the built-in value, and 4 cycles more for 40 ns of DDR4-2400 (JESD79-4)"

static const struct change {
	const char *name;
	uint32_t value;
	const char *source;
} at_450mhz[] = {
	{ "clock_hz", 450000000, "what the set is named after" },
	{ "dma_read_cycles", 59, DDR4 },
	{ "dma_write_cycles", 43, DDR4 },
	{ "dma_engine_cycles", 38, DDR4 },
};

static const struct set {
	const char *name;
	const struct change *changes;
	size_t nr_changes;
} sets[] = {
	{ "prim", NULL, 0 },
	{ "450mhz", at_450mhz, sizeof(at_450mhz) / sizeof(*at_450mhz) },
};

#define NR_SETS (sizeof(sets) / sizeof(*sets))

/* What a value may be, where that is not 0 to MOST: products have to fit 64 bits. */
#define MOST	1000000

static const struct limit {
	const char *name;
	uint32_t least, most;
} limits[] = {
	{ "clock_hz", 1000000, 4000000000u },
	{ "issue_cycles", 1, 1000 },
	{ "xfer_threads", 1, 1024 },
	{ "xfer_cache_bytes", 0, 4000000000u },
	{ "bus_mb_per_s", 1, 4000000000u },
};

static const struct set *set_in_use;
static const char *sources[NR_PARAMETERS];
static int failed;
static struct pd_cost_reader reader;
/* which line or item set a parameter; 0: none */
static unsigned int set_at[NR_PARAMETERS];
static bool set_given;

static void set_parameter(size_t i, uint32_t value, const char *source)
{
	*parameters[i].used = value;
	sources[i] = source;
}

/* NR_PARAMETERS: there is none of this name */
static size_t find_parameter(const char *name)
{
	size_t i = 0;

	while (i < NR_PARAMETERS && strcmp(name, parameters[i].shown.name))
		i++;
	return i;
}

static const struct set *find_set(const char *name)
{
	for (size_t i = 0; i < NR_SETS; i++) {
		if (!strcmp(name, sets[i].name))
			return &sets[i];
	}
	return NULL;
}

static void use_set(const struct set *set)
{
	set_in_use = set;
	for (size_t i = 0; i < NR_PARAMETERS; i++)
		set_parameter(i, parameters[i].shown.value, parameters[i].shown.source);
	for (size_t i = 0; i < set->nr_changes; i++)
		set_parameter(find_parameter(set->changes[i].name), set->changes[i].value,
			      set->changes[i].source);
}

static bool is_set(const char *name)
{
	return find_set(name);
}

static int take_set(struct pd_cost_reader *r, const struct pd_cost_place *at,
		    const char *name)
{
	struct pd_nearest near = { .given = name };

	for (size_t i = 0; i < NR_PARAMETERS; i++) {
		if (set_at[i] || set_given)
			return pd_cost_complain(r, at,
						"there is one set, and it comes before all parameters");
	}
	set_given = true;
	if (is_set(name)) {
		use_set(find_set(name));
		return 0;
	}
	for (size_t i = 0; i < NR_SETS; i++)
		pd_nearest_offer(&near, sets[i].name);
	return pd_cost_complain(r, at,
				"there is no set %s\"%.64s\", expected prim or 450mhz%s%s%s",
				at->file ? "" : "and no file ", name,
				*near.word ? ": did you mean " : "", near.word,
				*near.word ? "?" : "");
}

static int no_parameter(struct pd_cost_reader *r, const struct pd_cost_place *at,
			const char *name)
{
	struct pd_nearest near = { .given = name };

	for (size_t i = 0; i < NR_PARAMETERS; i++)
		pd_nearest_offer(&near, parameters[i].shown.name);
	return pd_cost_complain(r, at, "there is no parameter \"%.64s\"%s%s%s", name,
				*near.word ? ": did you mean " : "", near.word,
				*near.word ? "?" : "; pimdimm info --cost lists them");
}

static int take_parameter(struct pd_cost_reader *r, const struct pd_cost_place *at,
			  const char *name, const char *value)
{
	struct limit limit = { NULL, 0, MOST };
	size_t i = find_parameter(name);
	uint64_t n;

	if (i == NR_PARAMETERS)
		return no_parameter(r, at, name);
	if (set_at[i])
		return pd_cost_complain(r, at, "%s was set by %s %u before", name,
					at->file ? "line" : "item", set_at[i]);
	for (size_t k = 0; k < sizeof(limits) / sizeof(*limits); k++) {
		if (!strcmp(name, limits[k].name))
			limit = limits[k];
	}
	if (!pd_parse_number(value, strlen(value), false, limit.most, &n) || n < limit.least)
		return pd_cost_complain(r, at,
					"%s is \"%.64s\", expected a whole number from %u to %u",
					name, value, limit.least, limit.most);
	set_at[i] = at->number;
	set_parameter(i, (uint32_t)n, "PIMDIMM_COST");
	return 0;
}

static void read_cost(void)
{
	const char *text = secure_getenv("PIMDIMM_COST");
	int cancel = pd_cancel_off();

	use_set(&sets[0]);
	reader = (struct pd_cost_reader){ .is_set = is_set, .set = take_set,
					  .parameter = take_parameter };
	if (text && *text)
		failed = pd_cost_read_text(&reader, text);
	pd_cancel_restore(cancel);
}

const struct pe_cost *pd_cost(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, read_cost);
	return &cost;
}

const char *pd_cost_set(void)
{
	pd_cost();
	return set_in_use->name;
}

size_t pd_cost_parameter(size_t i, struct pd_cost_parameter *p)
{
	pd_cost();
	if (i < NR_PARAMETERS) {
		*p = parameters[i].shown;
		p->value = *parameters[i].used;
		p->source = sources[i];
	}
	return NR_PARAMETERS;
}

void pd_cost_instruction(enum pe_instruction insn, struct pd_cost_instruction *c)
{
	size_t i = NR_PARAMETERS - PE_NR_INSTRUCTIONS + insn;

	pd_cost();
	*c = (struct pd_cost_instruction){
		.name = parameters[i].shown.name,
		.value = *parameters[i].used,
		.built_in = parameters[i].shown.value,
		.given = set_at[i],
	};
}

uint64_t pimdimm_clock_hz(void)
{
	return pd_cost()->clock_hz;
}

int pd_cost_check(void)
{
	pd_cost();
	return failed ? pd_error(failed, "%s", reader.why) : 0;
}
