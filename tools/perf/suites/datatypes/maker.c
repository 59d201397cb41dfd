// SPDX-License-Identifier: MIT
/* Types of the kernels, made by this library's constructors. */
#include <stdlib.h>

#include <pimdimm/types.h>

#include "tools/perf/suites/datatypes/maker.h"

static ddt_type basic(unsigned int element)
{
	struct pimtype *type;

	return pimtype_dup(pimtype_basic(element == 8 ? PIMTYPE_F64 : PIMTYPE_F32), &type) ?
		       NULL : type;
}

/* what a constructor returned, and an end to what it was given */
static ddt_type made(int ret, struct pimtype *type, ddt_type old)
{
	pimtype_free(old);
	return ret ? NULL : type;
}

static ddt_type contiguous(uint64_t count, ddt_type old)
{
	struct pimtype *type;
	int ret = pimtype_contiguous(count, old, &type);

	return made(ret, type, old);
}

static ddt_type vector(uint64_t count, uint64_t block, int64_t stride, ddt_type old)
{
	struct pimtype *type;
	int ret = pimtype_vector(count, block, stride, old, &type);

	return made(ret, type, old);
}

static ddt_type hvector(uint64_t count, uint64_t block, int64_t stride, ddt_type old)
{
	struct pimtype *type;
	int ret = pimtype_hvector(count, block, stride, old, &type);

	return made(ret, type, old);
}

static ddt_type indexed(uint64_t count, uint64_t block, const int *list, int scale, ddt_type old)
{
	int64_t *places = malloc(count * sizeof(*places));
	struct pimtype *type = NULL;
	int ret = -1;

	for (uint64_t i = 0; places && i < count; i++)
		places[i] = (int64_t)list[i] * scale;
	if (places)
		ret = pimtype_indexed_block(count, block, places, old, &type);
	free(places);
	return made(ret, type, old);
}

static ddt_type structure(unsigned int count, const int64_t places[], ddt_type olds[])
{
	const struct pimtype *parts[DDT_NESTS] = { NULL };
	uint64_t ones[DDT_NESTS] = { 0 };
	struct pimtype *type;
	int ret;

	for (unsigned int i = 0; i < count; i++) {
		parts[i] = olds[i];
		ones[i] = 1;
	}
	ret = pimtype_struct(count, ones, places, parts, &type);
	for (unsigned int i = 0; i < count; i++)
		pimtype_free(olds[i]);
	return ret ? NULL : type;
}

static ddt_type subarray(unsigned int dims, const uint64_t sizes[], const uint64_t subsizes[],
			 const uint64_t starts[], ddt_type old)
{
	struct pimtype *type;
	int ret = pimtype_subarray(dims, sizes, subsizes, starts, PIMTYPE_ORDER_C, old, &type);

	return made(ret, type, old);
}

static ddt_type resized(ddt_type old, int64_t extent)
{
	struct pimtype *type;
	int ret = pimtype_resized(old, 0, extent, &type);

	return made(ret, type, old);
}

const struct ddt_maker ddt_maker_own = {
	.basic = basic,
	.contiguous = contiguous,
	.vector = vector,
	.hvector = hvector,
	.indexed = indexed,
	.structure = structure,
	.subarray = subarray,
	.resized = resized,
};
