// SPDX-License-Identifier: MIT
/* oneDNN: products of bytes with sums of 32 bits, weights in the order that it likes. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include <oneapi/dnnl/dnnl.h>

#include <pimdimm/pimdimm.h>

#include "tools/perf/cpu/own/multiplier.h"
#include "tools/perf/cpu/own/plugin.h"

/* Descriptions of memory are structures until version 3, objects from there on. */
#if DNNL_VERSION_MAJOR >= 3
#define ONEDNN_AT(md) (md)
#else
#define ONEDNN_AT(md) (&(md))
#endif

struct onednn_layer {
	unsigned int threads;
	uint32_t rows;
	dnnl_engine_t engine;
	dnnl_stream_t stream;
	dnnl_memory_desc_t in_desc, out_desc, given_desc, any_desc;
	dnnl_primitive_desc_t product_desc;
	dnnl_primitive_t product;
	dnnl_memory_t in, out, weights;
};

static void onednn_free_desc(dnnl_memory_desc_t *desc)
{
#if DNNL_VERSION_MAJOR >= 3
	if (*desc)
		dnnl_memory_desc_destroy(*desc);
#else
	(void)desc;
#endif
}

/* Those that there are: after a failure some are not. */
static void onednn_free(void *arg)
{
	struct onednn_layer *layer = arg;

	if (layer->in)
		dnnl_memory_destroy(layer->in);
	if (layer->out)
		dnnl_memory_destroy(layer->out);
	if (layer->weights)
		dnnl_memory_destroy(layer->weights);
	if (layer->product)
		dnnl_primitive_destroy(layer->product);
	if (layer->product_desc)
		dnnl_primitive_desc_destroy(layer->product_desc);
	onednn_free_desc(&layer->in_desc);
	onednn_free_desc(&layer->out_desc);
	onednn_free_desc(&layer->given_desc);
	onednn_free_desc(&layer->any_desc);
	if (layer->stream)
		dnnl_stream_destroy(layer->stream);
	if (layer->engine)
		dnnl_engine_destroy(layer->engine);
	free(layer);
}

static dnnl_status_t onednn_describe(dnnl_memory_desc_t *desc, uint32_t rows,
				     uint32_t columns, dnnl_data_type_t type,
				     dnnl_format_tag_t tag)
{
	const dnnl_dims_t dims = { rows, columns };

#if DNNL_VERSION_MAJOR >= 3
	return dnnl_memory_desc_create_with_tag(desc, 2, dims, type, tag);
#else
	return dnnl_memory_desc_init_by_tag(desc, 2, dims, type, tag);
#endif
}

static dnnl_status_t onednn_make_product(struct onednn_layer *layer)
{
#if DNNL_VERSION_MAJOR >= 3
	return dnnl_matmul_primitive_desc_create(&layer->product_desc, layer->engine,
						 layer->in_desc, layer->any_desc, NULL,
						 layer->out_desc, NULL);
#else
	dnnl_matmul_desc_t desc;
	dnnl_status_t ret = dnnl_matmul_desc_init(&desc, &layer->in_desc,
						  &layer->any_desc, NULL,
						  &layer->out_desc);

	return ret ? ret : dnnl_primitive_desc_create(&layer->product_desc, &desc, NULL,
						      layer->engine, NULL);
#endif
}

/* The weights as the product wants them. */
static dnnl_status_t onednn_reorder(struct onednn_layer *layer, void *weights)
{
	dnnl_primitive_desc_t desc = NULL;
	dnnl_primitive_t reorder = NULL;
	dnnl_memory_t given = NULL;
	dnnl_status_t ret;

	ret = dnnl_memory_create(&given, ONEDNN_AT(layer->given_desc), layer->engine,
				 weights);
	if (!ret)
		ret = dnnl_memory_create(&layer->weights,
			dnnl_primitive_desc_query_md(layer->product_desc,
						     dnnl_query_weights_md, 0),
			layer->engine, DNNL_MEMORY_ALLOCATE);
	if (!ret)
		ret = dnnl_reorder_primitive_desc_create(&desc,
			ONEDNN_AT(layer->given_desc), layer->engine,
			dnnl_primitive_desc_query_md(layer->product_desc,
						     dnnl_query_weights_md, 0),
			layer->engine, NULL);
	if (!ret)
		ret = dnnl_primitive_create(&reorder, desc);
	if (!ret) {
		const dnnl_exec_arg_t args[] = { { DNNL_ARG_FROM, given },
						 { DNNL_ARG_TO, layer->weights } };

		ret = dnnl_primitive_execute(reorder, layer->stream, 2, args);
	}
	if (!ret)
		ret = dnnl_stream_wait(layer->stream);
	if (reorder)
		dnnl_primitive_destroy(reorder);
	if (desc)
		dnnl_primitive_desc_destroy(desc);
	if (given)
		dnnl_memory_destroy(given);
	return ret;
}

static dnnl_status_t onednn_set_up(struct onednn_layer *made,
				   const struct cpu_layer *layer)
{
	dnnl_status_t ret = dnnl_engine_create(&made->engine, dnnl_cpu, 0);

	if (!ret)
		ret = dnnl_stream_create(&made->stream, made->engine,
					 dnnl_stream_default_flags);
	if (!ret)
		ret = onednn_describe(&made->in_desc, made->rows, layer->inputs, dnnl_s8,
				      dnnl_ab);
	if (!ret)
		ret = onednn_describe(&made->out_desc, made->rows, layer->outputs,
				      dnnl_s32, dnnl_ab);
	if (!ret)
		ret = onednn_describe(&made->given_desc, layer->inputs, layer->outputs,
				      dnnl_s8, layer->by_inputs ? dnnl_ab : dnnl_ba);
	if (!ret)
		ret = onednn_describe(&made->any_desc, layer->inputs, layer->outputs,
				      dnnl_s8, dnnl_format_tag_any);
	if (!ret)
		ret = onednn_make_product(made);
	if (!ret)
		ret = dnnl_primitive_create(&made->product, made->product_desc);
	if (!ret)
		ret = onednn_reorder(made, (void *)layer->weights);
	if (!ret)
		ret = dnnl_memory_create(&made->in, ONEDNN_AT(made->in_desc),
					 made->engine, DNNL_MEMORY_NONE);
	if (!ret)
		ret = dnnl_memory_create(&made->out, ONEDNN_AT(made->out_desc),
					 made->engine, DNNL_MEMORY_NONE);
	return ret;
}

static void *onednn_make(enum cpu_type type, const struct cpu_layer *layer, uint32_t rows,
			 unsigned int threads)
{
	struct onednn_layer *made = calloc(1, sizeof(*made));

	(void)type;
	if (!made)
		return NULL;
	made->threads = threads;
	made->rows = rows;
	/* what it makes depends on the number of threads */
	omp_set_num_threads((int)threads);
	if (!onednn_set_up(made, layer))
		return made;
	onednn_free(made);
	return NULL;
}

static int onednn_run(void *arg, uint32_t rows, const void *in, void *out, bool add)
{
	struct onednn_layer *layer = arg;
	const dnnl_exec_arg_t args[] = { { DNNL_ARG_SRC, layer->in },
					 { DNNL_ARG_WEIGHTS, layer->weights },
					 { DNNL_ARG_DST, layer->out } };
	dnnl_status_t ret;

	/* it is made for so many rows, and for sums without a bias */
	if (rows != layer->rows || add)
		return dnnl_invalid_arguments;
	omp_set_num_threads((int)layer->threads);
	ret = dnnl_memory_set_data_handle(layer->in, (void *)in);
	if (!ret)
		ret = dnnl_memory_set_data_handle(layer->out, out);
	if (!ret)
		ret = dnnl_primitive_execute(layer->product, layer->stream, 3, args);
	return ret ? (int)ret : (int)dnnl_stream_wait(layer->stream);
}

static void onednn_version(char *text, size_t size)
{
	const dnnl_version_t *version = dnnl_version();

	snprintf(text, size, "oneDNN %d.%d.%d", version->major, version->minor,
		 version->patch);
}

/* Without VNNI it adds products of bytes in 16 bits, where they may be cut off. */
static const char *onednn_refuses(enum cpu_type type)
{
	if (type != CPU_I8 && type != CPU_I8_I32)
		return "oneDNN is asked for products of bytes alone";
#ifdef __x86_64__
	if (!__builtin_cpu_supports("avx512vnni"))
		return "oneDNN's sums of bytes are not exact on a CPU without AVX-512 VNNI";
#endif
	return NULL;
}

static const struct multiplier onednn_multiplier = { onednn_make, onednn_run, onednn_free };

extern const struct cpu_plugin cpu_plugin;
const struct cpu_plugin cpu_plugin = {
	.built_for = PIMDIMM_VERSION,
	.version = onednn_version,
	.refuses = onednn_refuses,
	.multiplier = &onednn_multiplier,
};
