/* SPDX-License-Identifier: MIT */
/* A set of numbers that ranks them. */
#ifndef PIMDIMM_GRAPH_IDS_H
#define PIMDIMM_GRAPH_IDS_H

#include <stdint.h>

struct ids;

struct ids *ids_create(void);
void ids_free(struct ids *ids);
/* Returns 0 or -ENOMEM. */
int ids_add(struct ids *ids, uint32_t id);
/* Adds all members of another set. Returns 0 or -ENOMEM. */
int ids_merge(struct ids *ids, const struct ids *other);
/* Count the members up; after it ids_rank() works and ids_add() does not. */
uint64_t ids_seal(struct ids *ids);
/* how many members are smaller than this one */
uint32_t ids_rank(const struct ids *ids, uint32_t id);
/* write all members, in ascending order */
void ids_list(const struct ids *ids, uint32_t *out);

#endif /* PIMDIMM_GRAPH_IDS_H */
