// SPDX-License-Identifier: MIT
/* qsort() by a heap: no recursion, no memory. */
#include <stdint.h>
#include <stdlib.h>

#include <pimdimm.h>

struct array {
	uint8_t *base;
	size_t bytes;
	int (*compare)(const void *, const void *);
};

static void swap(const struct array *a, size_t i, size_t j)
{
	uint8_t *x = a->base + i * a->bytes, *y = a->base + j * a->bytes;

	for (size_t k = 0; k < a->bytes; k++) {
		uint8_t kept = x[k];

		x[k] = y[k];
		y[k] = kept;
	}
}

static int less(const struct array *a, size_t i, size_t j)
{
	return a->compare(a->base + i * a->bytes, a->base + j * a->bytes) < 0;
}

static void sift(const struct array *a, size_t root, size_t nr)
{
	size_t child;

	while ((child = 2 * root + 1) < nr) {
		if (child + 1 < nr && less(a, child, child + 1))
			child++;
		if (!less(a, root, child))
			return;
		swap(a, root, child);
		root = child;
	}
}

void qsort(void *base, size_t nr, size_t bytes,
	   int (*compare)(const void *, const void *))
{
	struct array a = { base, bytes, compare };

	for (size_t root = nr / 2; root--;)
		sift(&a, root, nr);
	while (nr > 1) {
		nr--;
		swap(&a, 0, nr);
		sift(&a, 0, nr);
	}
}

void *bsearch(const void *key, const void *base, size_t nr, size_t bytes,
	      int (*compare)(const void *, const void *))
{
	const uint8_t *low = base;

	while (nr) {
		const uint8_t *middle = low + nr / 2 * bytes;
		int order = compare(key, middle);

		if (!order)
			return (void *)(uintptr_t)middle;
		if (order > 0) {
			low = middle + bytes;
			nr--;
		}
		nr /= 2;
	}
	return NULL;
}
