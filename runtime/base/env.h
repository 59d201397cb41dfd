/* SPDX-License-Identifier: MIT */
/* The environment variables that the library reads. */
#ifndef PD_ENV_H
#define PD_ENV_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pd_env_var {
	const char *name;
	const char *desc;
};

/* every variable there is, for `pimdimm info` */
const struct pd_env_var *pd_env_vars(size_t *count);

/* warn on stderr, once a process, of PIMDIMM_ variables that do not exist */
void pd_env_warn_unknown(void);

/*
 * Read an unsigned number from text that holds nothing else, at most max. With
 * suffixes, K, M and G multiply it by powers of 1024.
 */
bool pd_parse_number(const char *text, size_t len, bool suffixes, uint64_t max,
		     uint64_t *value);

/* PIMDIMM_THREADS, else as many as affinity mask and cgroup allow; negative errno */
int pd_env_threads(unsigned int *threads);

/* CPUs of the calling thread's affinity mask that are this process's; 1 at least */
unsigned int pd_affinity_cpus(void);
/* Of CPUs that other processes may use as well those that are this one's. */
struct pd_affinity {
	cpu_set_t cpus;
	struct pd_affinity *earlier;
};

/* The latest share that stands is in force. It is the caller's, and stays where it is meanwhile. */
void pd_affinity_share(struct pd_affinity *share, const cpu_set_t *cpus, size_t bytes);
/* One that does not stand is left alone. */
void pd_affinity_unshare(struct pd_affinity *share);
/* Those of the calling thread's mask; false where it has all that it may use. */
bool pd_affinity_own(cpu_set_t *cpus);

enum pd_nt {
	PD_NT_AUTO,
	PD_NT_ALWAYS,
	PD_NT_NEVER,
};

/* PIMDIMM_NT: when stores go around the caches; negative errno */
int pd_env_nt(enum pd_nt *nt);

/* PIMDIMM_LAYOUTS: merged layouts of datatypes that are kept; negative errno */
int pd_env_layouts(uint64_t *layouts);

/* PIMDIMM_TIMEOUT: milliseconds that hosts wait for each other, 0: for ever; negative errno */
int pd_env_timeout(uint32_t *ms);

/* PIMDIMM_MACHINE: what sets hosts of one machine apart, or NULL */
const char *pd_env_machine(void);

/* PIMDIMM_ZEROCOPY: how long messages get from process to process, FALCON-X's designs */
enum pd_zerocopy {
	PD_ZEROCOPY_AUTO,
	PD_ZEROCOPY_SHM,
	PD_ZEROCOPY_NAIVE,
	PD_ZEROCOPY_PIPELINE,
	PD_ZEROCOPY_EXCHANGE,
	PD_ZEROCOPY_MEMO,
};

const char *pd_zerocopy_name(enum pd_zerocopy zerocopy);

/*
 * PIMDIMM_EAGER, _POOL, _LOITER, _ZEROCOPY: bytes below which messages are eager, and of a
 * rank's pool
 */
struct pd_env_messages {
	uint64_t eager, pool;
	bool eager_given;	/* PIMDIMM_EAGER is set */
	bool poll;
	enum pd_zerocopy zerocopy;
};

int pd_env_messages(struct pd_env_messages *messages);

/*
 * PIMDIMM_LOG: whether stderr is told of each call, hosts that wait long, and messages that
 * go another way; negative errno
 */
struct pd_env_log {
	bool trace, hosts, messages;
};

int pd_env_log(struct pd_env_log *log);

/* PIMDIMM_CHECK: what is to be told of programs and of their hosts; negative errno */
struct pd_env_check {
	bool races, memory;	/* of tasklets; uses of undefined memory: one of them at most */
	bool stop;		/* whether a run fails by them */
	bool host;		/* MRAM that the host touches while PEs run */
};

int pd_env_check(struct pd_env_check *check);

/*
 * Variables that a system itself has no use for, but what may be done with it has, such as
 * PIMDIMM_COUNT, PIMDIMM_REPORT and those of messages and hosts: 0, or a negative errno
 * where that would make nothing of them.
 */
int pd_env_check_others(void);

#endif /* PD_ENV_H */
