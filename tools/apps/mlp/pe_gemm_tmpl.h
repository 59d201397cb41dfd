/* SPDX-License-Identifier: MIT */
/*
 * The layer for one type: MLP_ELEMENT of weights and inputs, MLP_SUM of what the
 * reduction adds, MLP_WIDE of what a PE adds, with MLP_SCALED for sums that become
 * elements by a shift. Included once a type, after what pe_gemm.c has in front.
 */

/* An input as it came by the reduction: an element again, behind the activation. */
static MLP_ELEMENT MLP_NAME(activate)(MLP_SUM sum)
{
	if (args.relu && sum < 0)
		return 0;
#ifdef MLP_SCALED
	if (args.shift) {
		/* half a unit is rounded up, without leaving 32 bits */
		sum = (sum >> (args.shift - 1)) + 1;
		sum = sum >> 1;
	}
	if (sum > INT8_MAX)
		return INT8_MAX;
	if (sum < INT8_MIN)
		return INT8_MIN;
#endif
	return (MLP_ELEMENT)sum;
}

/* Elements of a piece, whose first one is number `first` of the stripe. */
static void MLP_NAME(spread)(const struct work *work, const void *piece,
			     uint32_t first, uint32_t count)
{
	MLP_ELEMENT *to = (MLP_ELEMENT *)inputs + first / work->samples;
	uint32_t sample = first % work->samples;
	const MLP_ELEMENT *elements = piece;
	const MLP_SUM *reduced = piece;

	to += sample * work->stride;
	for (uint32_t i = 0; i < count; i++) {
		*to = args.sums ? MLP_NAME(activate)(reduced[i]) : elements[i];
		to += work->stride;
		if (++sample == work->samples) {
			sample = 0;
			to -= work->samples * work->stride - 1;
		}
	}
}

/* Brings the tile's inputs of these columns to WRAM, sample by sample; all tasklets. */
static void MLP_NAME(load)(const struct work *work)
{
	uint32_t size = args.sums ? sizeof(MLP_SUM) : sizeof(MLP_ELEMENT);
	uint32_t from = args.input + work->sample * args.input_slots * size +
			work->column * work->samples * size;
	uint32_t bytes = work->columns * work->samples * size;

	for (uint32_t done = me() * SUM_BYTES; done < bytes;
	     done += NR_TASKLETS * SUM_BYTES) {
		uint32_t piece = least(SUM_BYTES, bytes - done);

		mram_read(at(from + done), sums[me()], whole_words(piece));
		MLP_NAME(spread)(work, sums[me()], done / size, piece / size);
	}
}

static MLP_WIDE MLP_NAME(product)(MLP_ELEMENT a, MLP_ELEMENT b)
{
	return (MLP_WIDE)a * (MLP_WIDE)b;
}

/* a row times four samples: one load of a weight, four products */
static void MLP_NAME(times_four)(const struct work *work, const MLP_ELEMENT *row,
				 const MLP_ELEMENT *x, MLP_SUM *sum)
{
	const MLP_ELEMENT *x1 = x + work->stride, *x2 = x1 + work->stride;
	const MLP_ELEMENT *x3 = x2 + work->stride;
	MLP_WIDE s0 = (MLP_WIDE)sum[0], s1 = (MLP_WIDE)sum[1];
	MLP_WIDE s2 = (MLP_WIDE)sum[2], s3 = (MLP_WIDE)sum[3];

	for (uint32_t i = 0; i < work->columns; i++) {
		MLP_ELEMENT w = row[i];

		s0 += MLP_NAME(product)(w, x[i]);
		s1 += MLP_NAME(product)(w, x1[i]);
		s2 += MLP_NAME(product)(w, x2[i]);
		s3 += MLP_NAME(product)(w, x3[i]);
	}
	sum[0] = (MLP_SUM)s0;
	sum[1] = (MLP_SUM)s1;
	sum[2] = (MLP_SUM)s2;
	sum[3] = (MLP_SUM)s3;
}

static void MLP_NAME(times_one)(const struct work *work, const MLP_ELEMENT *row,
				const MLP_ELEMENT *x, MLP_SUM *sum)
{
	MLP_WIDE s = (MLP_WIDE)*sum;

	for (uint32_t i = 0; i < work->columns; i++)
		s += MLP_NAME(product)(row[i], x[i]);
	*sum = (MLP_SUM)s;
}

static void MLP_NAME(times_all)(const struct work *work, const void *row,
				MLP_SUM *sum)
{
	const MLP_ELEMENT *x = (const MLP_ELEMENT *)inputs;
	uint32_t sample = 0;

	for (; sample + 4 <= work->samples; sample += 4)
		MLP_NAME(times_four)(work, row, x + sample * work->stride,
				     sum + sample);
	for (; sample < work->samples; sample++)
		MLP_NAME(times_one)(work, row, x + sample * work->stride,
				    sum + sample);
}

/* Rows of the weights from output `first` on; their sums are in WRAM. */
static void MLP_NAME(rows)(const struct work *work, uint32_t first, uint32_t count)
{
	uint32_t bytes = whole_words(work->columns * sizeof(MLP_ELEMENT));
	uint32_t from = args.weights + first * args.row_bytes +
			work->column * sizeof(MLP_ELEMENT);
	/* whole rows lie one behind the other */
	uint32_t at_once = bytes == args.row_bytes ? WEIGHT_BYTES / bytes : 1;
	MLP_SUM *sum = (MLP_SUM *)sums[me()];

	for (uint32_t done = 0; done < count; done += at_once) {
		uint32_t n = least(at_once, count - done);

		mram_read(at(from + done * args.row_bytes), weights[me()],
			  n * bytes);
		for (uint32_t i = 0; i < n; i++, sum += work->samples)
			MLP_NAME(times_all)(work, weights[me()] + i * bytes, sum);
	}
}

/* Slots of a chunk: those behind its outputs are 0. */
static void MLP_NAME(slots)(const struct work *work, uint32_t chunk, uint32_t slot,
			    uint32_t count)
{
	uint32_t samples = work->samples * sizeof(MLP_SUM);
	uint32_t to = args.output + slot * samples +
		      (chunk * args.batch + work->sample) * args.slots *
		      sizeof(MLP_SUM);
	uint32_t first = chunk * args.rows + slot;
	uint32_t last = least((chunk + 1) * args.rows, args.outputs);
	uint8_t *mine = sums[me()];

	if (work->column)
		mram_read(at(to), mine, count * samples);
	else
		for (uint32_t i = 0; i < count * samples; i += 8)
			*(uint64_t *)(mine + i) = 0;
	if (first < last)
		MLP_NAME(rows)(work, first, least(count, last - first));
	mram_write(mine, at(to), count * samples);
}

/* All outputs, in pieces that tasklets take in turns. */
static void MLP_NAME(multiply)(const struct work *work)
{
	uint32_t piece = SUM_BYTES / (work->samples * sizeof(MLP_SUM));
	uint32_t pieces, slot;

	/* no more than a transfer of weights is good for; slots of 8 are whole words */
	piece = least(piece, WEIGHT_BYTES / args.row_bytes) & ~7u;
	if (!piece)
		piece = 8;
	pieces = (args.slots + piece - 1) / piece;
	for (uint32_t i = me(); i < args.chunks * pieces; i += NR_TASKLETS) {
		slot = i % pieces * piece;
		MLP_NAME(slots)(work, i / pieces, slot,
				least(piece, args.slots - slot));
	}
}

static void MLP_NAME(tile)(struct work *work)
{
	uint32_t stripe = WEIGHT_BYTES / sizeof(MLP_ELEMENT);

	for (uint32_t column = 0; column < args.columns; column += stripe) {
		work->column = column;
		work->columns = least(stripe, args.columns - column);
		work->stride = work->columns;
		barrier_wait(&together);
		MLP_NAME(load)(work);
		barrier_wait(&together);
		MLP_NAME(multiply)(work);
	}
}

static void MLP_NAME(layer)(void)
{
	struct work work;

	for (work.sample = 0; work.sample < args.batch; work.sample += MLP_TILE) {
		work.samples = least(MLP_TILE, args.batch - work.sample);
		MLP_NAME(tile)(&work);
	}
}

#undef MLP_ELEMENT
#undef MLP_SUM
#undef MLP_WIDE
#undef MLP_SCALED
#undef MLP_NAME
