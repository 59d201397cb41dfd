// SPDX-License-Identifier: MIT
/*
 * OpenBLAS: products of f32. Its interface is that of all BLAS since 1998, so that the
 * library alone is needed, without headers.
 */
#include <stdio.h>
#include <stdlib.h>

#include <pimdimm/pimdimm.h>

#include "tools/perf/cpu/own/multiplier.h"
#include "tools/perf/cpu/own/plugin.h"

/* as cblas.h numbers them */
enum cblas_order { CBLAS_ROWS = 101 };
enum cblas_transpose { CBLAS_PLAIN = 111, CBLAS_TURNED = 112 };

void cblas_sgemm(enum cblas_order order, enum cblas_transpose turn_a,
		 enum cblas_transpose turn_b, int m, int n, int k, float alpha,
		 const float *a, int a_stride, const float *b, int b_stride, float beta,
		 float *c, int c_stride);
void openblas_set_num_threads(int threads);
char *openblas_get_config(void);
char *openblas_get_corename(void);

struct openblas_layer {
	struct cpu_layer layer;
	unsigned int threads;
};

static void *openblas_make(enum cpu_type type, const struct cpu_layer *layer,
			   uint32_t rows, unsigned int threads)
{
	struct openblas_layer *made = malloc(sizeof(*made));

	(void)type;
	(void)rows;
	if (made)
		*made = (struct openblas_layer){ *layer, threads };
	return made;
}

static int openblas_run(void *arg, uint32_t rows, const void *in, void *out, bool add)
{
	const struct openblas_layer *made = arg;
	const struct cpu_layer *layer = &made->layer;
	int inputs = (int)layer->inputs, outputs = (int)layer->outputs;

	openblas_set_num_threads((int)made->threads);
	cblas_sgemm(CBLAS_ROWS, CBLAS_PLAIN, layer->by_inputs ? CBLAS_PLAIN : CBLAS_TURNED,
		    (int)rows, outputs, inputs, 1, in, inputs, layer->weights,
		    layer->by_inputs ? outputs : inputs, add, out, outputs);
	return 0;
}

static void openblas_version(char *text, size_t size)
{
	int major = 0, minor = 0, patch = 0;

	/* "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..." */
	sscanf(openblas_get_config(), "OpenBLAS %d.%d.%d", &major, &minor, &patch);
	snprintf(text, size, "OpenBLAS %d.%d.%d, %s", major, minor, patch,
		 openblas_get_corename());
}

static const char *openblas_refuses(enum cpu_type type)
{
	return type == CPU_F32 ? NULL : "OpenBLAS multiplies floating-point numbers alone";
}

static const struct multiplier openblas_multiplier = { openblas_make, openblas_run, free };

extern const struct cpu_plugin cpu_plugin;
const struct cpu_plugin cpu_plugin = {
	.built_for = PIMDIMM_VERSION,
	.version = openblas_version,
	.refuses = openblas_refuses,
	.multiplier = &openblas_multiplier,
};
