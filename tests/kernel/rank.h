/* SPDX-License-Identifier: MIT */
/*
 * A rank as the kernel selftests see it: its node, its geometry, and its MRAM
 * through the window by the formulas of the layout, one byte at a time, so that
 * what the module's transfers do is checked by code that shares nothing with
 * them.
 */
#ifndef RANK_H
#define RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/pimdimm.h>
#include <pimdimm/pimdimm_layout.h>

#define ALL_PES UINT64_MAX

struct rank {
	int fd;
	int number; /* N of /dev/pimdimmN */
	char path[32];
	struct pimdimm_query query;
	uint8_t *window; /* of rank_map() */
};

/* Opens the first free rank; skips the test where there is none. */
void rank_open(struct rank *rank);
/* Another free rank; skips the test where there is only the one. */
void rank_open_other(struct rank *rank, const struct rank *taken);
/* As rank_open(), and maps the whole window. */
void rank_open_map(struct rank *rank);
void rank_map(struct rank *rank);
void rank_close(struct rank *rank);
/* Opens the node again once others' last descriptors are gone. */
int rank_reopen(const struct rank *rank);
void rank_reset(const struct rank *rank);
uint64_t rank_words(const struct rank *rank);

/*
 * Words of one PE, @pe being a bit of pe_mask, through the window; @offset and
 * @count are multiples of 8.
 */
void rank_get(const struct rank *rank, unsigned int pe, uint64_t offset,
	      void *bytes, uint64_t count);
void rank_put(const struct rank *rank, unsigned int pe, uint64_t offset,
	      const void *bytes, uint64_t count);
uint8_t *rank_byte(const struct rank *rank, unsigned int pe, uint64_t offset);

/* How many bytes of the window, gaps included, are not zero. */
uint64_t rank_count_nonzero(const struct rank *rank);

/* XFER with an array of addresses, or strided from @base. */
int xfer_array(int fd, uint32_t flags, uint64_t mask, uint64_t offset,
	       uint64_t bytes, const uint64_t addrs[64], uint64_t *out_bytes);
int xfer_strided(int fd, uint32_t flags, uint64_t mask, uint64_t offset,
		 uint64_t bytes, const void *base, uint64_t stride,
		 uint64_t *out_bytes);
/* XFER of all of @rank's PEs, of @bytes from their first; @base is packed. */
int xfer_all(const struct rank *rank, uint32_t flags, void *base,
	     uint64_t bytes);

/* A stream of random numbers; the seed is PIMDIMM_TEST_SEED or fixed. */
struct random {
	uint64_t state;
};
void random_start(struct random *random);
uint64_t random_next(struct random *random);
uint64_t random_below(struct random *random, uint64_t limit);
void random_fill(struct random *random, void *bytes, size_t count);

/* Anonymous memory; the page after the last one is not mapped. */
void *pages_before_hole(size_t bytes);
size_t page_size(void);
double seconds_now(void);

/* A rank's attribute in sysfs, which is read without its node. */
long sysfs_number(const struct rank *rank, const char *attribute);
void sysfs_text(const struct rank *rank, const char *attribute, char text[64]);
/* Writes one: 0, or -1 and errno; skips the test where that is root's. */
int sysfs_write(const struct rank *rank, const char *attribute,
		const char *value);

/* Runs @body in a child; its exit status, or 128 + the signal that ended it. */
int in_child(int (*body)(void *), void *argument);

#endif /* RANK_H */
