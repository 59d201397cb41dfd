/* SPDX-License-Identifier: MIT */
/* A host of a test that makes one call, with all that such a call may take. */
#ifndef TESTS_HOSTS_SCENE_H
#define TESTS_HOSTS_SCENE_H

#include "tests/unit/hosts.h"

#define SCENE_URI	"mem:ranks=1,mram=64K"
/* PEs of all hosts, in groups over all of them; where results go */
#define SCENE_AXES	"01"
#define SCENE_DST	(32u << 10)

struct scene {
	struct pimdimm_hosts *h;
	struct pimdimm *sys;
	struct pidcomm *hc;	/* NULL: none yet */
	uint32_t host, hosts;
	uint32_t *src, *dst;	/* its own */
	uint32_t *all[2];	/* of pimdimm_hosts_alloc() */
	/* what its call may make */
	struct pimdimm_hosts *part;
	void *segment;
};

/* a hypercube over all hosts, instead of the one that there may be */
static inline int scene_create(struct scene *s)
{
	pidcomm_destroy(s->hc);
	s->hc = NULL;
	return pidcomm_create_hosts(s->h, s->sys, 2, (const uint32_t[]){ 8, 8 * s->hosts }, &s->hc);
}

/* of a host that has joined as h, with vectors of so many elements */
static inline void scene_open(struct scene *s, const struct hosts_test *t, struct pimdimm_hosts *h,
			      uint32_t count)
{
	*s = (struct scene){ .h = h, .host = t->host, .hosts = t->hosts };
	s->sys = unit_open(SCENE_URI);
	s->src = need(calloc(count, sizeof(*s->src)));
	s->dst = need(calloc(count, sizeof(*s->dst)));
	for (int i = 0; i < 2; i++)
		host_ok(pimdimm_hosts_alloc(s->h, count * sizeof(*s->src), (void **)&s->all[i]));
}

/* whose calls of that name go by an algorithm, NULL: by any; on a hypercube, which is made then */
static inline void scene_choose(struct scene *s, const char *name, const char *algorithm,
				bool on_cube)
{
	if (on_cube) {
		host_ok(scene_create(s));
		host_ok(pidcomm_set_algorithm(s->hc, name, algorithm));
	} else if (algorithm) {
		host_ok(pimdimm_hosts_set_algorithm(s->h, name, algorithm));
	}
}

static inline void scene_close(struct scene *s)
{
	pidcomm_destroy(s->hc);
	pimdimm_hosts_leave(s->h);
	pimdimm_close(s->sys);
	free(s->src);
	free(s->dst);
}

#endif /* TESTS_HOSTS_SCENE_H */
