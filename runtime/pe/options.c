// SPDX-License-Identifier: MIT
/* Reading the environment variables that concern launches of PE programs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/env.h"
#include "runtime/base/error.h"
#include "runtime/pe/debug/debugger.h"
#include "runtime/pe/options.h"
#include "runtime/pe/shared/abi.h"

#define DEFAULT_TIMEOUT_MS	60000
#define MAX_RESIDENT		64u

static int read_timeout(uint32_t *ms)
{
	const char *text = secure_getenv("PIMDIMM_WATCHDOG");
	uint64_t n;

	*ms = DEFAULT_TIMEOUT_MS;
	if (!text || !*text)
		return 0;
	if (!pd_parse_number(text, strlen(text), false, UINT32_MAX, &n) || !n)
		return pd_error(EINVAL,
				"PIMDIMM_WATCHDOG is \"%s\", expected milliseconds",
				text);
	*ms = (uint32_t)n;
	return 0;
}

static int read_resident(uint32_t *most)
{
	const char *text = secure_getenv("PIMDIMM_RESIDENT");
	uint64_t n = MAX_RESIDENT;

	if (text && *text && !pd_parse_number(text, strlen(text), false, MAX_RESIDENT, &n))
		return pd_error(EINVAL, "PIMDIMM_RESIDENT is \"%s\", expected 0 to %u workers",
				text, MAX_RESIDENT);
	*most = (uint32_t)n;
	return 0;
}

static int read_schedule(bool *shuffle, uint64_t *seed)
{
	static const char random[] = "random:";
	const size_t len = sizeof(random) - 1;
	const char *text = secure_getenv("PIMDIMM_SCHEDULE");

	*shuffle = false;
	*seed = 0;
	if (!text || !*text || !strcmp(text, "turns"))
		return 0;
	if (strncmp(text, random, len) ||
	    !pd_parse_number(text + len, strlen(text + len), false, UINT64_MAX,
			     seed))
		return pd_error(EINVAL,
				"PIMDIMM_SCHEDULE is \"%s\", expected turns or random:SEED, where SEED is a number",
				text);
	*shuffle = true;
	return 0;
}

static int read_on_fault(enum pd_on_fault *on_fault, const char **folder)
{
	const char *text = secure_getenv("PIMDIMM_ON_FAULT");

	*on_fault = PD_ON_FAULT_END;
	*folder = ".";
	if (!text || !*text || !strcmp(text, "end"))
		return 0;
	if (!strcmp(text, "wait")) {
		*on_fault = PD_ON_FAULT_WAIT;
		return 0;
	}
	if (!strncmp(text, "core:", 5) && text[5])
		*folder = text + 5;
	else if (strcmp(text, "core"))
		return pd_error(EINVAL, "PIMDIMM_ON_FAULT is \"%s\", expected end, wait, core or core:FOLDER",
				text);
	*on_fault = PD_ON_FAULT_CORE;
	return 0;
}

/* data that goes along is aboard one parcel */
static int read_messages(uint32_t *eager, bool *poll)
{
	struct pd_env_messages env;
	int ret = pd_env_messages(&env);

	if (ret)
		return ret;
	*eager = env.eager < PE_PAYLOAD_MAX ? (uint32_t)env.eager : PE_PAYLOAD_MAX;
	*poll = env.poll;
	return 0;
}

int pd_options_read(struct pd_options *options)
{
	int ret = read_timeout(&options->timeout_ms);

	if (!ret)
		ret = read_resident(&options->resident);
	if (!ret)
		ret = read_schedule(&options->shuffle, &options->seed);
	if (!ret)
		ret = read_on_fault(&options->on_fault, &options->core_folder);
	if (!ret)
		ret = read_messages(&options->eager, &options->poll);
	if (!ret)
		ret = pd_debugger_check();
	return ret;
}

/* multiplied by odd numbers no two of which are near a multiple of another */
uint64_t pd_options_random(uint64_t seed, uint32_t pe, uint32_t launch)
{
	return seed * 0x9e3779b97f4a7c15ull + pe * 0xd1342543de82ef95ull +
	       launch * 0xaf251af3b0f025b5ull;
}
