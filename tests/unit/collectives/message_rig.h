/* SPDX-License-Identifier: MIT */
/*
 * Resident kernels that exchange messages, of a system with a world over all its PEs: runs
 * of them, and what they expect, which fails the test after the run.
 */
#ifndef TESTS_MESSAGE_RIG_H
#define TESTS_MESSAGE_RIG_H

#include <stdatomic.h>

#include <pimdimm/messages.h>
#include <pimdimm/spmd.h>
#include <pimdimm/types.h>

#include "tests/unit/unit.h"

#define PES		16u

/* the first thing that went wrong in a kernel, which cannot fail the test itself */
static _Atomic int wrong;
static char wrong_text[400];

__attribute__((format(printf, 1, 2)))
static inline void say_wrong(const char *format, ...)
{
	va_list ap;

	if (atomic_fetch_add(&wrong, 1))
		return;
	va_start(ap, format);
	vsnprintf(wrong_text, sizeof(wrong_text), format, ap);
	va_end(ap);
}

#define EXPECT(cond)							\
	do {								\
		if (!(cond))						\
			say_wrong("line %d: %s: %s", __LINE__, #cond,	\
				  pimdimm_errmsg());			\
	} while (0)

#define EXPECT_REFUSED(call, err, word)					\
	do {								\
		int expect_ret = (call);				\
									\
		if (expect_ret != -(err) || !strstr(pimdimm_errmsg(), word)) \
			say_wrong("line %d: %s: %d: %s", __LINE__, #call, \
				  expect_ret, pimdimm_errmsg());	\
	} while (0)

static inline const struct pimtype *basic(enum pimtype_basic which)
{
	return pimtype_basic(which);
}

static inline struct pimmsg_buf memory(void *ptr, uint64_t bytes)
{
	return (struct pimmsg_buf){
		.ptr = ptr, .part = { 0, bytes, basic(PIMTYPE_BYTE) },
	};
}

static inline struct pimmsg_buf mram(uint32_t pe, int64_t at, uint64_t bytes)
{
	return (struct pimmsg_buf){
		.pe = pe, .part = { at, bytes, basic(PIMTYPE_BYTE) },
	};
}

struct rig {
	struct pimdimm *sys;
	struct pimmsg_end *host;
};

static inline void set_env(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

static inline struct rig rig_open(const char *uri)
{
	/* the module's ranks in the place of any others */
	const char *dev = getenv("MESSAGES_ON_DEV");
	struct rig rig;

	rig.sys = unit_open(dev ? dev : uri);
	assert_ok(pimmsg_world(rig.sys, 0, PES, &rig.host));
	return rig;
}

static inline void rig_close(struct rig *rig)
{
	pimmsg_close(rig->host);
	pimdimm_close(rig->sys);
}

static inline int rig_try(struct rig *rig, uint32_t tasklets, uint64_t seed,
		   pimdimm_kernel kernel, void *arg)
{
	struct pimdimm_spmd how = {
		.size = sizeof(how), .nr_tasklets = tasklets,
		.stack_bytes = 256 << 10, .seed = seed,
	};

	wrong = 0;
	return pimdimm_spmd(rig->sys, 0, PES, kernel, arg, &how);
}

static inline void rig_run(struct rig *rig, uint32_t tasklets, uint64_t seed,
		    pimdimm_kernel kernel, void *arg)
{
	assert_ok(rig_try(rig, tasklets, seed, kernel, arg));
	if (wrong)
		fail_msg("%s", wrong_text);
}

#define URI	"mem:ranks=1,mram=1M"

#endif /* TESTS_MESSAGE_RIG_H */
