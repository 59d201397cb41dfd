// SPDX-License-Identifier: MIT
/* Layer after layer: products of all samples by all threads, then the activation. */
#include <stdlib.h>

#include "tools/perf/cpu/own/gemm.h"
#include "tools/perf/cpu/own/mlp.h"

/* sums that a thread turns into elements at once */
#define PIECE 4096

struct own_mlp {
	const struct cpu_mlp *in;
	struct team *team;
	const struct own_loops *loops;
	const struct multiplier *multiplier;
	struct gemm gemms[CPU_MAX_LAYERS];	/* our products, or */
	void *made[CPU_MAX_LAYERS];		/* a library's */
	uint32_t *encoded;	/* inputs, as our products want them */
	uint32_t *sums;		/* [batch][outputs] */
	uint8_t *elements;	/* of them, for the next layer */
	void *result;

	/* the activation at work */
	struct own_finish finish;
	uint64_t count, next;
	uint8_t *to;
	uint32_t to_bytes;	/* of an element there */
};

static void mlp_finish_part(unsigned int thread, void *arg)
{
	struct own_mlp *mlp = arg;
	struct team_range range;

	(void)thread;
	while (team_take(&mlp->next, PIECE, mlp->count, &range))
		mlp->loops->finish(&mlp->finish, mlp->sums + range.first,
				   range.end - range.first,
				   mlp->to + range.first * mlp->to_bytes);
}

static void mlp_finish(struct own_mlp *mlp, unsigned int l)
{
	const struct cpu_mlp *in = mlp->in;
	bool last = l + 1 == in->nr_layers;

	mlp->finish = (struct own_finish){
		.type = in->type,
		.relu = last ? in->last_relu : in->relu,
		.scale = !last && in->type == CPU_I8_I32,
		.shift = in->layers[l].shift,
	};
	mlp->count = (uint64_t)in->batch * in->layers[l].outputs;
	mlp->next = 0;
	mlp->to = last ? mlp->result : mlp->elements;
	mlp->to_bytes = last ? own_sum_bytes(in->type) : own_element_bytes(in->type);
	team_run(mlp->team, mlp_finish_part, mlp);
}

static int mlp_multiply(struct own_mlp *mlp, unsigned int l, const void *from)
{
	const struct cpu_mlp *in = mlp->in;
	const struct gemm *gemm = &mlp->gemms[l];

	if (mlp->multiplier)
		return mlp->multiplier->run(mlp->made[l], in->batch, from, mlp->sums,
					    false);
	gemm_encode(gemm, from, (size_t)gemm->inputs * own_element_bytes(in->type),
		    in->batch, mlp->encoded);
	gemm_all(gemm, mlp->team, mlp->encoded, in->batch, mlp->sums);
	return 0;
}

int own_mlp_run(struct own_mlp *mlp)
{
	const void *from = mlp->in->features;

	for (unsigned int l = 0; l < mlp->in->nr_layers; l++) {
		int ret = mlp_multiply(mlp, l, from);

		if (ret)
			return ret;
		mlp_finish(mlp, l);
		from = mlp->elements;
	}
	return 0;
}

const void *own_mlp_result(const struct own_mlp *mlp)
{
	return mlp->result;
}

static bool mlp_make_layers(struct own_mlp *mlp)
{
	const struct cpu_mlp *in = mlp->in;

	for (unsigned int l = 0; l < in->nr_layers; l++) {
		if (!mlp->multiplier) {
			if (gemm_make(&mlp->gemms[l], mlp->loops, in->type,
				      &in->layers[l]))
				return false;
			continue;
		}
		mlp->made[l] = mlp->multiplier->make(in->type, &in->layers[l], in->batch,
						     team_threads(mlp->team));
		if (!mlp->made[l])
			return false;
	}
	return true;
}

static bool mlp_make_buffers(struct own_mlp *mlp)
{
	uint64_t widest = 0, words;

	for (unsigned int l = 0; l < mlp->in->nr_layers; l++) {
		const struct cpu_layer *layer = &mlp->in->layers[l];

		widest = layer->inputs > widest ? layer->inputs : widest;
		widest = layer->outputs > widest ? layer->outputs : widest;
	}
	words = (widest + 1) * mlp->in->batch;
	mlp->encoded = malloc(words * 4);
	mlp->sums = malloc(words * 4);
	mlp->elements = malloc(words * 4);
	mlp->result = malloc(words * 4);
	return mlp->encoded && mlp->sums && mlp->elements && mlp->result;
}

struct own_mlp *own_mlp_make(const struct cpu_mlp *in, struct team *team,
			     const struct own_loops *loops,
			     const struct multiplier *multiplier)
{
	struct own_mlp *mlp = calloc(1, sizeof(*mlp));

	if (!mlp)
		return NULL;
	mlp->in = in;
	mlp->team = team;
	mlp->loops = loops;
	mlp->multiplier = multiplier;
	if (mlp_make_layers(mlp) && mlp_make_buffers(mlp))
		return mlp;
	own_mlp_free(mlp);
	return NULL;
}

void own_mlp_free(struct own_mlp *mlp)
{
	if (!mlp)
		return;
	for (unsigned int l = 0; l < CPU_MAX_LAYERS; l++) {
		gemm_free(&mlp->gemms[l]);
		if (mlp->made[l])
			mlp->multiplier->free(mlp->made[l]);
	}
	free(mlp->encoded);
	free(mlp->sums);
	free(mlp->elements);
	free(mlp->result);
	free(mlp);
}
