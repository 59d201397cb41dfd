/* SPDX-License-Identifier: MIT */
/*
 * The layers for one type: DLRM_ELEMENT, with DLRM_NEGATIVE for what the activation
 * makes 0. Included once a type, after what pe_dense.c has in front.
 */

static void DLRM_NAME(times_four)(const DLRM_ELEMENT *row, const DLRM_ELEMENT *x,
				  uint32_t stride, uint32_t n, DLRM_ELEMENT *sum)
{
	const DLRM_ELEMENT *x1 = x + stride, *x2 = x1 + stride, *x3 = x2 + stride;
	DLRM_ELEMENT s0 = sum[0], s1 = sum[1], s2 = sum[2], s3 = sum[3];

	for (uint32_t i = 0; i < n; i++) {
		DLRM_ELEMENT w = row[i];

		s0 += w * x[i];
		s1 += w * x1[i];
		s2 += w * x2[i];
		s3 += w * x3[i];
	}
	sum[0] = s0;
	sum[1] = s1;
	sum[2] = s2;
	sum[3] = s3;
}

static DLRM_ELEMENT DLRM_NAME(times_one)(const DLRM_ELEMENT *row,
					 const DLRM_ELEMENT *x, uint32_t n,
					 DLRM_ELEMENT sum)
{
	for (uint32_t i = 0; i < n; i++)
		sum += row[i] * x[i];
	return sum;
}

/* A piece of a row times the block's activations from column `column` on. */
static void DLRM_NAME(times_block)(const struct block *block,
				   const DLRM_ELEMENT *row, uint32_t column,
				   uint32_t n, DLRM_ELEMENT *sums)
{
	const DLRM_ELEMENT *x = (const DLRM_ELEMENT *)pools[block->pool] + column;
	uint32_t i = 0;

	for (; i + 4 <= block->samples; i += 4)
		DLRM_NAME(times_four)(row, x + i * block->width, block->width, n,
				      sums + i);
	for (; i < block->samples; i++)
		sums[i] = DLRM_NAME(times_one)(row, x + i * block->width, n,
					       sums[i]);
}

/* One output of all samples: the bias and a row of weights, in pieces. */
static void DLRM_NAME(output)(const struct block *block,
			      const struct dlrm_layer_args *layer, uint32_t output,
			      DLRM_ELEMENT *sums)
{
	uint32_t from = layer->weights + output * layer->row_bytes;
	uint32_t words = layer->inputs + 1;
	const DLRM_ELEMENT *piece = (const DLRM_ELEMENT *)pieces[me()];

	for (uint32_t word = 0; word < words; word += PIECE_WORDS) {
		uint32_t n = least(PIECE_WORDS, words - word);

		mram_read(at(from + word * 4), pieces[me()], whole_words(n));
		if (word) {
			DLRM_NAME(times_block)(block, piece, word - 1, n, sums);
			continue;
		}
		for (uint32_t i = 0; i < block->samples; i++)
			sums[i] = piece[0];
		DLRM_NAME(times_block)(block, piece + 1, 0, n - 1, sums);
	}
}

/* A layer from one pool to the other; all tasklets. */
static void DLRM_NAME(layer)(struct block *block,
			     const struct dlrm_layer_args *layer, int activate)
{
	DLRM_ELEMENT *to = (DLRM_ELEMENT *)pools[!block->pool];
	DLRM_ELEMENT sums[DLRM_MAX_BLOCK];

	for (uint32_t o = me(); o < layer->outputs; o += NR_TASKLETS) {
		DLRM_NAME(output)(block, layer, o, sums);
		for (uint32_t i = 0; i < block->samples; i++) {
			if (activate && DLRM_NEGATIVE(sums[i]))
				sums[i] = 0;
			to[i * layer->outputs + o] = sums[i];
		}
	}
	block->pool = !block->pool;
	block->width = layer->outputs;
	barrier_wait(&together);
}

/* Vector `number` of a sample: the bottom layers' output, then the tables'. */
static const DLRM_ELEMENT *DLRM_NAME(vector)(const struct block *block,
					     uint32_t first, uint32_t sample,
					     uint32_t number)
{
	if (!number)
		return (const DLRM_ELEMENT *)pools[block->pool] +
		       (first + sample) * block->width;
	return (const DLRM_ELEMENT *)vectors_of(block, sample) +
	       (number - 1) * args.dim;
}

/* Vector `number` of a sample times all before it, or the bottom one as it is. */
static void DLRM_NAME(pair)(const struct block *block, uint32_t first,
			    uint32_t sample, uint32_t number, uint32_t width)
{
	const DLRM_ELEMENT *v = DLRM_NAME(vector)(block, first, sample, number);
	DLRM_ELEMENT *to = (DLRM_ELEMENT *)pools[!block->pool] +
			   (first + sample) * width;

	if (!number) {
		for (uint32_t i = 0; i < args.dim; i++)
			to[i] = v[i];
		return;
	}
	to += args.dim + number * (number - 1) / 2;
	for (uint32_t i = 0; i < number; i++)
		to[i] = DLRM_NAME(times_one)(v, DLRM_NAME(vector)(block, first,
								  sample, i),
					     args.dim, 0);
}

/* As many samples' vectors at once as there is room for. */
static void DLRM_NAME(interact)(struct block *block)
{
	uint32_t numbers = args.tables + 1, vectors = args.tables * args.dim;
	uint32_t width = args.dim + numbers * args.tables / 2;
	uint32_t room = DLRM_POOL_BYTES / 4 - block->samples * block->width;

	for (uint32_t first = 0, n; first < block->samples; first += n) {
		n = least(room / vectors, block->samples - first);
		load_vectors(block, first, n);
		barrier_wait(&together);
		for (uint32_t i = me(); i < n * numbers; i += NR_TASKLETS)
			DLRM_NAME(pair)(block, first, i / numbers, i % numbers,
					width);
		barrier_wait(&together);
	}
	block->pool = !block->pool;
	block->width = width;
}

static void DLRM_NAME(all_layers)(struct block *block)
{
	uint32_t last = args.bottom + args.top - 1;

	for (uint32_t i = 0; i < args.bottom; i++)
		DLRM_NAME(layer)(block, &args.layers[i], 1);
	DLRM_NAME(interact)(block);
	for (uint32_t i = args.bottom; i <= last; i++)
		DLRM_NAME(layer)(block, &args.layers[i], i < last);
	if (me() == 0)
		mram_write(pools[block->pool], at(args.scores + block->first * 4),
			   whole_words(block->samples));
}

#undef DLRM_ELEMENT
#undef DLRM_NEGATIVE
#undef DLRM_NAME
