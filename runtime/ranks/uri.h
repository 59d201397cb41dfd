/* SPDX-License-Identifier: MIT */
/* What a URI such as "mem:ranks=4,mram=1M" or "dev:/dev/pimdimm0" says. */
#ifndef PD_URI_H
#define PD_URI_H

#include <stdbool.h>
#include <stdint.h>

/* the most ranks of a system: a descriptor and a mapping each */
#define PD_MAX_RANKS 1024

enum pd_scheme {
	PD_SCHEME_MEM,
	PD_SCHEME_DEV,
};

/* keys of the geometry that a URI has */
enum pd_uri_keys {
	PD_URI_CHANNELS = 1,
	PD_URI_RANKS = 2,
	PD_URI_MRAM = 4,
	PD_URI_LAYOUT = 8,
};

struct pd_uri {
	enum pd_scheme scheme;
	uint32_t channels;	/* mem: only */
	uint32_t ranks;		/* of a channel; dev: how many nodes, 0 all */
	uint64_t mram_size;	/* mem: only */
	uint32_t layout;	/* mem: only */
	unsigned int given;	/* of these, PD_URI_; the others have defaults */
	char *file;		/* mem: where MRAM is kept, NULL: in memory */
	bool reserve;		/* mem: have room for all of MRAM at once */
	char *inject;		/* injected faults, NULL: not told */
	char *system;		/* dev: of whose nodes, NULL: of any */
	bool strict;
	char **nodes;		/* dev: paths in the order given */
	uint32_t nr_nodes;
};

/* Returns 0, -EINVAL, -EOPNOTSUPP or -ENOMEM; after 0 pd_uri_free() is due. */
int pd_uri_parse(const char *text, struct pd_uri *uri);
void pd_uri_free(struct pd_uri *uri);

#endif /* PD_URI_H */
