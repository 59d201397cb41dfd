// SPDX-License-Identifier: MIT
/*
 * Heat in a square, which ranks have in tiles: halos of rows and of columns by derived
 * datatypes each step, the largest change by Allreduce, the result gathered in tiles of one
 * array and compared with what one rank computes alone.
 * mpi: ranks=16 stack=4096
 */
#include "check.h"

#define SIDE	24	/* of the square */
#define TILES	4	/* along a side */
#define OWN	(SIDE / TILES)
#define STEPS	12

static float now[OWN + 2][OWN + 2], next[OWN + 2][OWN + 2];
static float whole[2][SIDE + 2][SIDE + 2];
static float result[SIDE][SIDE];

static float first(int i, int j)
{
	return (float)((i * 7 + j * 13) % 10);
}

static float step_of(float up, float down, float left, float right)
{
	return 0.25f * (up + down + left + right);
}

/* the neighbour in that direction */
static int neighbour(int di, int dj)
{
	int i = rank / TILES + di, j = rank % TILES + dj;

	if (i < 0 || i >= TILES || j < 0 || j >= TILES)
		return MPI_PROC_NULL;
	return i * TILES + j;
}

static void exchange(MPI_Datatype column)
{
	MPI_Request requests[8];
	int up = neighbour(-1, 0), down = neighbour(1, 0);
	int left = neighbour(0, -1), right = neighbour(0, 1);

	MPI_Irecv(&now[0][1], OWN, MPI_FLOAT, up, 0, MPI_COMM_WORLD, &requests[0]);
	MPI_Irecv(&now[OWN + 1][1], OWN, MPI_FLOAT, down, 1, MPI_COMM_WORLD, &requests[1]);
	MPI_Irecv(&now[1][0], 1, column, left, 2, MPI_COMM_WORLD, &requests[2]);
	MPI_Irecv(&now[1][OWN + 1], 1, column, right, 3, MPI_COMM_WORLD, &requests[3]);
	MPI_Isend(&now[OWN][1], OWN, MPI_FLOAT, down, 0, MPI_COMM_WORLD, &requests[4]);
	MPI_Isend(&now[1][1], OWN, MPI_FLOAT, up, 1, MPI_COMM_WORLD, &requests[5]);
	MPI_Isend(&now[1][OWN], 1, column, right, 2, MPI_COMM_WORLD, &requests[6]);
	MPI_Isend(&now[1][1], 1, column, left, 3, MPI_COMM_WORLD, &requests[7]);
	MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
}

static float step(void)
{
	float most = 0;

	for (int i = 1; i <= OWN; i++) {
		for (int j = 1; j <= OWN; j++) {
			float change;

			next[i][j] = step_of(now[i - 1][j], now[i + 1][j], now[i][j - 1],
					     now[i][j + 1]);
			change = next[i][j] - now[i][j];
			change = change < 0 ? -change : change;
			most = change > most ? change : most;
		}
	}
	for (int i = 1; i <= OWN; i++)
		for (int j = 1; j <= OWN; j++)
			now[i][j] = next[i][j];
	return most;
}

/* a tile goes to its place in rank 0's array */
static void collect(void)
{
	static const int all[] = { SIDE, SIDE }, part[] = { OWN, OWN };
	static const int with_halo[] = { OWN + 2, OWN + 2 }, inside[] = { 1, 1 };
	MPI_Request requests[TILES * TILES];
	MPI_Datatype own, tile;

	MPI_Type_create_subarray(2, with_halo, part, inside, MPI_ORDER_C, MPI_FLOAT, &own);
	MPI_Type_commit(&own);
	for (int r = 0; r < size && !rank; r++) {
		int starts[] = { r / TILES * OWN, r % TILES * OWN };

		MPI_Type_create_subarray(2, all, part, starts, MPI_ORDER_C, MPI_FLOAT, &tile);
		MPI_Type_commit(&tile);
		MPI_Irecv(result, 1, tile, r, 9, MPI_COMM_WORLD, &requests[r]);
		MPI_Type_free(&tile);
	}
	MPI_Send(now, 1, own, 0, 9, MPI_COMM_WORLD);
	if (!rank)
		MPI_Waitall(size, requests, MPI_STATUSES_IGNORE);
	MPI_Type_free(&own);
}

static void check_alone(void)
{
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++)
			whole[0][i + 1][j + 1] = first(i, j);
	for (int s = 0; s < STEPS; s++)
		for (int i = 1; i <= SIDE; i++)
			for (int j = 1; j <= SIDE; j++)
				whole[1 - s % 2][i][j] = step_of(
					whole[s % 2][i - 1][j], whole[s % 2][i + 1][j],
					whole[s % 2][i][j - 1], whole[s % 2][i][j + 1]);
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++)
			CHECK(result[i][j] == whole[STEPS % 2][i + 1][j + 1]);
}

int main(void)
{
	float own, most, last = 100;
	MPI_Datatype column;

	check_begin();
	CHECK(size == TILES * TILES);
	MPI_Type_vector(OWN, 1, OWN + 2, MPI_FLOAT, &column);
	MPI_Type_commit(&column);
	for (int i = 1; i <= OWN; i++)
		for (int j = 1; j <= OWN; j++)
			now[i][j] = first(rank / TILES * OWN + i - 1, rank % TILES * OWN + j - 1);
	for (int s = 0; s < STEPS; s++) {
		exchange(column);
		own = step();
		MPI_Allreduce(&own, &most, 1, MPI_FLOAT, MPI_MAX, MPI_COMM_WORLD);
		CHECK(most > 0 && most >= own && most <= last);
		last = most;
	}
	collect();
	if (!rank)
		check_alone();
	MPI_Type_free(&column);
	check_end();
	return 0;
}
