// SPDX-License-Identifier: MIT
/*
 * gemv: the product of a matrix and a vector on 8 x 8 PEs, each with a tile of the
 * matrix. Broadcast hands every column of PEs its part of the vector, PEs multiply,
 * and ReduceScatter adds up what every row of PEs has.
 *
 *     make gemv && ./gemv
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pimdimm/pidcomm.h>
#include <pimdimm/pimdimm.h>

#define SIDE 8			/* PEs of a row, and of a column */
#define PES (SIDE * SIDE)
#define TILE 32			/* rows and columns of a PE's tile */
#define N (SIDE * TILE)		/* rows and columns of the matrix */
#define CHUNK (TILE / SIDE)	/* elements of the result that a PE ends up with */
#define TASKLETS 8

/* The PEs of a row differ in axis 0, those of a column in axis 1. */
#define ROW "10"
#define COLUMN "01"

/* where things lie in each PE's MRAM */
#define MATRIX 0
#define VECTOR (MATRIX + TILE * TILE * sizeof(int32_t))
#define PARTIAL (VECTOR + TILE * sizeof(int32_t))
#define RESULT (PARTIAL + TILE * sizeof(int32_t))

static int32_t matrix[N][N], vector[N], result[N];
static int32_t tiles[PES][TILE][TILE];

static void check(int ret)
{
	if (!ret)
		return;
	fprintf(stderr, "gemv: %s\n", pimdimm_errmsg());
	exit(1);
}

/* Runs on every tasklet of every PE: each multiplies its share of the tile's rows. */
static void multiply(struct pimdimm_pe *pe, void *arg)
{
	unsigned first = pimdimm_tasklet_id(pe) * (TILE / TASKLETS);
	int32_t *x = pimdimm_wram_alloc(pe, TILE * sizeof(*x));
	int32_t *row = pimdimm_wram_alloc(pe, TILE * sizeof(*row));
	int32_t *y = pimdimm_wram_alloc(pe, TILE / TASKLETS * sizeof(*y));

	(void)arg;
	pimdimm_mram_read(pe, VECTOR, x, TILE * sizeof(*x));
	for (unsigned r = 0; r < TILE / TASKLETS; r++) {
		pimdimm_mram_read(pe,
				  MATRIX + (first + r) * TILE * sizeof(*row),
				  row, TILE * sizeof(*row));
		y[r] = 0;
		for (unsigned c = 0; c < TILE; c++)
			y[r] += row[c] * x[c];
	}
	pimdimm_mram_write(pe, PARTIAL + first * sizeof(*y), y,
			   TILE / TASKLETS * sizeof(*y));
}

static void fill(void)
{
	for (int r = 0; r < N; r++) {
		vector[r] = r % 17 - 8;
		for (int c = 0; c < N; c++)
			matrix[r][c] = (r * 31 + c * 7) % 201 - 100;
	}
}

/* Cuts the matrix: PE 8 * j + i has tile i of row j. */
static void push_tiles(struct pimdimm *sys)
{
	const void *bufs[PES];

	for (int pe = 0; pe < PES; pe++) {
		for (int r = 0; r < TILE; r++)
			memcpy(tiles[pe][r],
			       &matrix[pe / SIDE * TILE + r][pe % SIDE * TILE],
			       sizeof(tiles[pe][r]));
		bufs[pe] = tiles[pe];
	}
	check(pimdimm_push(sys, 0, PES, MATRIX, bufs, sizeof(tiles[0])));
}

static int count_wrong(void)
{
	int wrong = 0;

	for (int r = 0; r < N; r++) {
		int32_t expected = 0;

		for (int c = 0; c < N; c++)
			expected += matrix[r][c] * vector[c];
		wrong += result[r] != expected;
	}
	return wrong;
}

int main(void)
{
	const void *parts[SIDE];
	struct pimdimm *sys;
	struct pidcomm *hc;
	void *rows[SIDE];
	int wrong;

	/* what each column of PEs is given, and what each row gives */
	for (int i = 0; i < SIDE; i++) {
		parts[i] = vector + i * TILE;
		rows[i] = result + i * TILE;
	}
	fill();
	check(pimdimm_open(NULL, &sys));
	check(pidcomm_create(sys, 2, (const uint32_t[]){ SIDE, SIDE }, &hc));
	push_tiles(sys);
	check(pidcomm_broadcast(hc, COLUMN, TILE * sizeof(int32_t), parts,
				VECTOR));
	check(pimdimm_launch(sys, 0, PES, TASKLETS, multiply, NULL));
	check(pidcomm_reduce_scatter(hc, ROW, TILE * sizeof(int32_t), PARTIAL,
				     RESULT, PIDCOMM_I32, PIDCOMM_SUM));
	check(pidcomm_gather(hc, ROW, CHUNK * sizeof(int32_t), RESULT, rows));

	wrong = count_wrong();
	if (wrong)
		fprintf(stderr, "gemv: %d elements of %d are wrong\n", wrong, N);
	else
		printf("gemv: %d x %d, begins with %d, %d\n", N, N, result[0],
		       result[1]);
	pidcomm_destroy(hc);
	pimdimm_close(sys);
	return wrong != 0;
}
