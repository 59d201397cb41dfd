// SPDX-License-Identifier: MIT
/* What the library reads from the environment: each variable, and how it is checked. */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/env.h"
#include "runtime/base/error.h"
#include "runtime/base/quota.h"
#include "runtime/base/threads.h"

#define MAX_THREADS 1024
#define USUAL_LAYOUTS 1024
#define MAX_LAYOUTS (1 << 20)
#define USUAL_TIMEOUT_MS 600000
#define USUAL_EAGER (64 << 10)
#define USUAL_POOL (16 << 20)
#define MAX_MESSAGE_BYTES (UINT64_C(1) << 40)
/* more than a kernel can be built for */
#define MAX_CPUS (1 << 20)

static const struct pd_env_var vars[] = {
	{ "PIMDIMM_URI", "the system to open where a program names none" },
	{ "PIMDIMM_THREADS", "threads, 1 to 1024; else what affinity mask and cgroup allow" },
	{ "PIMDIMM_ISA", "portable, avx2, avx512bw, avx512vbmi, neon, sve, sve256, sve512; count: for tests, slow" },
	{ "PIMDIMM_NT", "non-temporal stores: auto, always or never" },
	{ "PIMDIMM_LAYOUTS", "merged layouts of pairs of datatypes that are kept; 1024" },
	{ "PIMDIMM_EAGER", "messages of fewer bytes take their data along; 64K" },
	{ "PIMDIMM_POOL", "bytes of messages that wait for their receive at a rank; 16M" },
	{ "PIMDIMM_LOITER", "wake, or poll: long messages look for their receive themselves" },
	{ "PIMDIMM_ZEROCOPY", "long messages between two processes: shm, naive, pipeline, exchange, memo or auto" },
	{ "PIMDIMM_INJECT", "faults to inject, where the URI has no inject=" },
	{ "PIMDIMM_WATCHDOG", "milliseconds that a PE's program may run; 60000" },
	{ "PIMDIMM_RESIDENT", "workers, 0 to 64, that may hold PEs that wait for parcels; 64" },
	{ "PIMDIMM_SCHEDULE", "random:SEED: tasklets of PEs in an order that a number makes" },
	{ "PIMDIMM_ON_FAULT", "wait keeps the first PE that faults for a debugger, core[:FOLDER] writes a core file" },
	{ "PIMDIMM_DEBUG", "the PE that a debugger comes to; pimdimm debug sets it" },
	{ "PIMDIMM_COST", "the cost model of PEs: a set, a file, or NAME=VALUE,..." },
	{ "PIMDIMM_COUNT", "0: programs compiled for PEs do not count instructions" },
	{ "PIMDIMM_PROFILE", "1: programs compiled for PEs count by line of the source" },
	{ "PIMDIMM_CHECK", "races[,stop]: accesses of tasklets that nothing orders are told, of programs compiled to be checked; memory[,stop]: uses of undefined memory; host: so is MRAM that the host touches while PEs run" },
	{ "PIMDIMM_PROFILE_FILE", "a file that counts by line are added to; pimdimm profile sets it" },
	{ "PIMDIMM_REPORT", "a file (.json, .csv or text), or -: what calls and PEs took, measured and modelled" },
	{ "PIMDIMM_TRACE", "a file: a timeline of calls, threads and PEs, for Perfetto" },
	{ "PIMDIMM_TRACE_TASKLETS", "PEs such as 0,64-67, or all: their tasklets are in it, by modelled time" },
	{ "PIMDIMM_TIMEOUT", "milliseconds that hosts wait for each other; 600000, 0: for ever" },
	{ "PIMDIMM_MACHINE", "a name: hosts of another one are on another machine, for tests" },
	{ "PIMDIMM_MPI", "0, 1 or calls such as allreduce,bcast: what hosts serve of MPI programs, of all where LD_PRELOAD has the library for MPI" },
	{ "PIMDIMM_LOG", "trace prints a line a call on standard error, hosts who waits long for whom, messages what is packed for want of permission; off" },
};

const struct pd_env_var *pd_env_vars(size_t *count)
{
	*count = sizeof(vars) / sizeof(*vars);
	return vars;
}

static bool env_known(const char *entry)
{
	size_t len = strcspn(entry, "=");

	for (size_t i = 0; i < sizeof(vars) / sizeof(*vars); i++) {
		if (strlen(vars[i].name) == len &&
		    !strncmp(entry, vars[i].name, len))
			return true;
	}
	return false;
}

void pd_env_warn_unknown(void)
{
	static atomic_flag warned = ATOMIC_FLAG_INIT;

	if (atomic_flag_test_and_set(&warned))
		return;
	for (char **e = environ; e && *e; e++) {
		if (!strncmp(*e, "PIMDIMM_", 8) && !env_known(*e))
			fprintf(stderr,
				"pimdimm: unknown environment variable %.*s\n",
				(int)strcspn(*e, "="), *e);
	}
}

static unsigned int suffix_shift(char c)
{
	switch (c) {
	case 'K':
		return 10;
	case 'M':
		return 20;
	case 'G':
		return 30;
	default:
		return 0;
	}
}

bool pd_parse_number(const char *text, size_t len, bool suffixes, uint64_t max,
		     uint64_t *value)
{
	unsigned int shift = 0;
	uint64_t n = 0;

	if (suffixes && len) {
		shift = suffix_shift(text[len - 1]);
		len -= shift != 0;
	}
	if (!len)
		return false;
	for (size_t i = 0; i < len; i++) {
		unsigned int digit = (unsigned char)text[i] - (unsigned int)'0';

		if (digit > 9 || n > (UINT64_MAX - digit) / 10)
			return false;
		n = 10 * n + digit;
	}
	if (n > max >> shift)
		return false;
	*value = n << shift;
	return true;
}

/* of all threads: those that open systems, and those that join and leave hosts; latest first */
static struct pd_affinity *shares;
static pthread_mutex_t shares_lock = PTHREAD_MUTEX_INITIALIZER;

PD_FORK_SAFE(&shares_lock);

void pd_affinity_share(struct pd_affinity *share, const cpu_set_t *cpus, size_t bytes)
{
	CPU_ZERO(&share->cpus);
	for (size_t i = 0; i < 8 * bytes && i < CPU_SETSIZE; i++) {
		if (CPU_ISSET_S(i, bytes, cpus))
			CPU_SET(i, &share->cpus);
	}
	pthread_mutex_lock(&shares_lock);
	share->earlier = shares;
	shares = share;
	pthread_mutex_unlock(&shares_lock);
}

void pd_affinity_unshare(struct pd_affinity *share)
{
	struct pd_affinity **at = &shares;

	pthread_mutex_lock(&shares_lock);
	while (*at && *at != share)
		at = &(*at)->earlier;
	if (*at)
		*at = share->earlier;
	pthread_mutex_unlock(&shares_lock);
}

bool pd_affinity_own(cpu_set_t *cpus)
{
	cpu_set_t mask;
	bool set;

	pthread_mutex_lock(&shares_lock);
	set = shares;
	if (set)
		*cpus = shares->cpus;
	pthread_mutex_unlock(&shares_lock);
	/* a share is of masks of this size alone */
	if (!set || sched_getaffinity(0, sizeof(mask), &mask))
		return false;
	CPU_AND(cpus, cpus, &mask);
	return CPU_COUNT(cpus);
}

/* CPUs of the calling thread's mask, if `cpus` hold all that the kernel has */
static int count_affinity(size_t cpus)
{
	size_t bytes = CPU_ALLOC_SIZE(cpus);
	cpu_set_t *set = CPU_ALLOC(cpus);
	int n = -1;

	if (set && !sched_getaffinity(0, bytes, set))
		n = CPU_COUNT_S(bytes, set);
	if (set)
		CPU_FREE(set);
	return n;
}

unsigned int pd_affinity_cpus(void)
{
	cpu_set_t own;
	long n = -1;

	if (pd_affinity_own(&own))
		return (unsigned int)CPU_COUNT(&own);
	/* a mask that is too short for the machine's CPUs is refused */
	for (size_t cpus = CPU_SETSIZE; n < 1 && cpus <= MAX_CPUS; cpus *= 2)
		n = count_affinity(cpus);
	if (n < 1)
		n = sysconf(_SC_NPROCESSORS_ONLN);
	return n < 1 ? 1 : (unsigned int)n;
}

/* Threads beyond the quota would only stop the others for what they use up. */
static unsigned int usual_threads(void)
{
	unsigned int n = pd_affinity_cpus(), quota = pd_quota_cpus("");

	if (quota && quota < n)
		n = quota;
	return n > MAX_THREADS ? MAX_THREADS : n;
}

int pd_env_threads(unsigned int *threads)
{
	const char *text = secure_getenv("PIMDIMM_THREADS");
	uint64_t n;

	if (!text || !*text) {
		*threads = usual_threads();
		return 0;
	}
	if (!pd_parse_number(text, strlen(text), false, MAX_THREADS, &n) || !n)
		return pd_error(EINVAL,
				"PIMDIMM_THREADS is \"%s\", expected 1 to %d",
				text, MAX_THREADS);
	*threads = (unsigned int)n;
	return 0;
}

int pd_env_nt(enum pd_nt *nt)
{
	static const char *const names[] = {
		[PD_NT_AUTO] = "auto",
		[PD_NT_ALWAYS] = "always",
		[PD_NT_NEVER] = "never",
	};
	const char *text = secure_getenv("PIMDIMM_NT");

	*nt = PD_NT_AUTO;
	if (!text || !*text)
		return 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!strcmp(text, names[i])) {
			*nt = (enum pd_nt)i;
			return 0;
		}
	}
	return pd_error(EINVAL,
			"PIMDIMM_NT is \"%s\", expected auto, always or never",
			text);
}

int pd_env_layouts(uint64_t *layouts)
{
	const char *text = secure_getenv("PIMDIMM_LAYOUTS");

	*layouts = USUAL_LAYOUTS;
	if (!text || !*text)
		return 0;
	if (!pd_parse_number(text, strlen(text), false, MAX_LAYOUTS, layouts))
		return pd_error(EINVAL, "PIMDIMM_LAYOUTS is \"%s\", expected 0 to %d",
				text, MAX_LAYOUTS);
	return 0;
}

int pd_env_timeout(uint32_t *ms)
{
	const char *text = secure_getenv("PIMDIMM_TIMEOUT");
	uint64_t n;

	*ms = USUAL_TIMEOUT_MS;
	if (!text || !*text)
		return 0;
	if (!pd_parse_number(text, strlen(text), false, INT_MAX, &n))
		return pd_error(EINVAL, "PIMDIMM_TIMEOUT is \"%s\", expected 0 to %d milliseconds",
				text, INT_MAX);
	*ms = (uint32_t)n;
	return 0;
}

const char *pd_env_machine(void)
{
	return secure_getenv("PIMDIMM_MACHINE");
}

static int env_bytes(const char *name, uint64_t usual, uint64_t *bytes)
{
	const char *text = secure_getenv(name);

	*bytes = usual;
	if (!text || !*text)
		return 0;
	if (!pd_parse_number(text, strlen(text), true, MAX_MESSAGE_BYTES, bytes))
		return pd_error(EINVAL, "%s is \"%s\", expected bytes, 0 to 1024G", name, text);
	return 0;
}

static const char *const zerocopy_names[] = {
	[PD_ZEROCOPY_AUTO] = "auto",
	[PD_ZEROCOPY_SHM] = "shm",
	[PD_ZEROCOPY_NAIVE] = "naive",
	[PD_ZEROCOPY_PIPELINE] = "pipeline",
	[PD_ZEROCOPY_EXCHANGE] = "exchange",
	[PD_ZEROCOPY_MEMO] = "memo",
};

const char *pd_zerocopy_name(enum pd_zerocopy zerocopy)
{
	return zerocopy_names[zerocopy];
}

static int env_zerocopy(enum pd_zerocopy *zerocopy)
{
	const char *text = secure_getenv("PIMDIMM_ZEROCOPY");

	*zerocopy = PD_ZEROCOPY_AUTO;
	if (!text || !*text)
		return 0;
	for (unsigned int i = 0; i < sizeof(zerocopy_names) / sizeof(*zerocopy_names); i++) {
		if (!strcmp(text, zerocopy_names[i])) {
			*zerocopy = (enum pd_zerocopy)i;
			return 0;
		}
	}
	return pd_error(EINVAL,
			"PIMDIMM_ZEROCOPY is \"%s\", expected shm, naive, pipeline, exchange, memo or auto",
			text);
}

int pd_env_messages(struct pd_env_messages *messages)
{
	const char *text = secure_getenv("PIMDIMM_LOITER");
	const char *eager = secure_getenv("PIMDIMM_EAGER");
	int ret = env_bytes("PIMDIMM_EAGER", USUAL_EAGER, &messages->eager);

	if (!ret)
		ret = env_bytes("PIMDIMM_POOL", USUAL_POOL, &messages->pool);
	if (!ret)
		ret = env_zerocopy(&messages->zerocopy);
	if (ret)
		return ret;
	messages->eager_given = eager && *eager;
	messages->poll = text && !strcmp(text, "poll");
	if (text && *text && !messages->poll && strcmp(text, "wake"))
		return pd_error(EINVAL, "PIMDIMM_LOITER is \"%s\", expected wake or poll",
				text);
	return 0;
}

int pd_env_log(struct pd_env_log *log)
{
	const char *text = secure_getenv("PIMDIMM_LOG");

	*log = (struct pd_env_log){ 0 };
	for (const char *at = text; at && *at; at += strcspn(at, ","), at += *at == ',') {
		size_t len = strcspn(at, ",");

		if (len == 5 && !strncmp(at, "trace", len))
			log->trace = true;
		else if (len == 5 && !strncmp(at, "hosts", len))
			log->hosts = true;
		else if (len == 8 && !strncmp(at, "messages", len))
			log->messages = true;
		else if (len != 3 || strncmp(at, "off", len))
			return pd_error(EINVAL,
					"PIMDIMM_LOG is \"%s\", expected trace, hosts, messages, some of them with commas, or off",
					text);
	}
	return 0;
}

static int check_count(void)
{
	const char *text = secure_getenv("PIMDIMM_COUNT");

	if (!text || !*text || !strcmp(text, "0") || !strcmp(text, "1"))
		return 0;
	return pd_error(EINVAL, "PIMDIMM_COUNT is \"%s\", expected 0 or 1",
			text);
}

/* 0 where the path names a file to write, or one could be made; else an errno */
static int cannot_write(const char *path)
{
	const char *slash = strrchr(path, '/');
	char folder[PATH_MAX] = ".";
	struct stat st;

	if (!stat(path, &st)) {
		if (S_ISDIR(st.st_mode))
			return EISDIR;
		return access(path, W_OK) ? errno : 0;
	}
	if (errno != ENOENT)
		return errno;
	if (slash)
		snprintf(folder, sizeof(folder), "%.*s",
			 (int)(slash - path + 1), path);
	return access(folder, W_OK) ? errno : 0;
}

/* `more`: what else than a file it may name */
static int check_path(const char *name, const char *more)
{
	/* not for who has more rights than the one who asks */
	const char *path = secure_getenv(name);
	int err;

	if (!path || !*path || (*more && !strcmp(path, "-")))
		return 0;
	err = cannot_write(path);
	return err ? pd_error(err, "%s is \"%s\", expected a file to write%s: %s", name,
			      path, more, strerror(err)) : 0;
}

int pd_env_check_others(void)
{
	struct pd_env_messages messages;
	uint64_t layouts;
	uint32_t ms;
	int ret = check_count();

	if (!ret)
		ret = check_path("PIMDIMM_REPORT", ", or -");
	if (!ret)
		ret = check_path("PIMDIMM_PROFILE_FILE", "");
	if (!ret)
		ret = pd_env_messages(&messages);
	if (!ret)
		ret = pd_env_layouts(&layouts);
	return ret ? ret : pd_env_timeout(&ms);
}

static int check_unknown(const char *text)
{
	return pd_error(EINVAL, "PIMDIMM_CHECK is \"%s\", expected races or memory, with stop or without, or host, alone or beside them",
			text);
}

int pd_env_check(struct pd_env_check *check)
{
	const char *text = secure_getenv("PIMDIMM_CHECK");
	const struct {
		const char *word;
		bool *wish;
	} words[] = { { "races", &check->races }, { "memory", &check->memory },
		      { "stop", &check->stop },
		      { "host", &check->host } };

	*check = (struct pd_env_check){ false };
	if (!text || !*text)
		return 0;
	for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
		size_t length = strcspn(at, ","), i = 0;

		while (i < sizeof(words) / sizeof(*words) &&
		       (strlen(words[i].word) != length || strncmp(at, words[i].word, length)))
			i++;
		if (i == sizeof(words) / sizeof(*words))
			return check_unknown(text);
		*words[i].wish = true;
	}
	if (check->races && check->memory)
		return check_unknown(text);
	return check->stop && !check->races && !check->memory ? check_unknown(text) : 0;
}
