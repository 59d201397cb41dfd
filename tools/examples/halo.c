// SPDX-License-Identifier: MIT
/*
 * halo: a grid of numbers is cut into boxes, one in the MRAM of each PE, with a border of
 * one cell around it; each PE gets its neighbours' outermost cells into its border.
 *
 *     make halo && ./halo
 *     PIMDIMM_URI=mem:ranks=8 ./halo	# on other ranks: pimdimm_open(3)
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <pimdimm/pidcomm.h>
#include <pimdimm/pimdimm.h>
#include <pimdimm/types.h>

#define ACROSS 8		/* PEs along axis 0 */
#define SIDE 14			/* cells of a PE along each axis */
#define WIDE (SIDE + 2)		/* with the border */

typedef uint32_t box[WIDE][WIDE];

static void check(int ret)
{
	if (!ret)
		return;
	fprintf(stderr, "halo: %s\n", pimdimm_errmsg());
	exit(1);
}

/* rows x columns cells of the box from there on */
static struct pimtype_part cells(uint64_t row, uint64_t column, uint64_t rows,
				 uint64_t columns)
{
	const uint64_t sizes[] = { WIDE, WIDE }, part[] = { rows, columns };
	struct pimtype *type;

	check(pimtype_subarray(2, sizes, part, (const uint64_t[]){ row, column },
			       PIMTYPE_ORDER_C, pimtype_basic(PIMTYPE_U32), &type));
	return (struct pimtype_part){ 0, 1, type };
}

/* axis 0 leads across columns, and is a ring; axis 1 leads down the rows */
static void exchange(struct pidcomm *hc)
{
	struct pidcomm_face faces[] = {
		{ cells(1, 1, SIDE, 1), cells(1, 0, SIDE, 1) },
		{ cells(1, SIDE, SIDE, 1), cells(1, SIDE + 1, SIDE, 1) },
		{ cells(1, 1, 1, SIDE), cells(0, 1, 1, SIDE) },
		{ cells(SIDE, 1, 1, SIDE), cells(SIDE + 1, 1, 1, SIDE) },
	};

	check(pidcomm_halo(hc, "11", 1, faces));
	for (int i = 0; i < 4; i++) {
		pimtype_free((struct pimtype *)faces[i].send.type);
		pimtype_free((struct pimtype *)faces[i].recv.type);
	}
}

/* what the cell of a PE's box is in the whole grid; 0 outside of it, and in corners */
static uint32_t expected(uint32_t pe, uint32_t nr_pes, uint32_t row,
			 uint32_t column)
{
	uint32_t columns = ACROSS * SIDE, rows = nr_pes / ACROSS * SIDE;
	uint32_t x = (pe % ACROSS * SIDE + column + columns - 1) % columns;
	uint32_t y = pe / ACROSS * SIDE + row - 1;

	if ((row % (WIDE - 1) == 0 && column % (WIDE - 1) == 0) || y >= rows)
		return 0;
	return y * columns + x + 1;
}

static unsigned count_wrong(box *boxes, uint32_t nr_pes)
{
	unsigned wrong = 0;

	for (uint32_t pe = 0; pe < nr_pes; pe++)
		for (uint32_t i = 0; i < WIDE * WIDE; i++)
			wrong += boxes[pe][i / WIDE][i % WIDE] !=
				 expected(pe, nr_pes, i / WIDE, i % WIDE);
	return wrong;
}

int main(void)
{
	struct pimdimm *sys;
	struct pidcomm *hc;
	uint32_t nr_pes;
	unsigned wrong;
	box *boxes;
	void **bufs;

	/* the ranks that PIMDIMM_URI names, else four in this process */
	check(pimdimm_open(NULL, &sys));
	nr_pes = pimdimm_geometry(sys)->nr_pes;
	check(pidcomm_create(sys, 2, (const uint32_t[]){ ACROSS, nr_pes / ACROSS },
			     &hc));
	boxes = calloc(nr_pes, sizeof(*boxes));
	bufs = calloc(nr_pes, sizeof(*bufs));
	if (!boxes || !bufs) {
		fprintf(stderr, "halo: no memory for %" PRIu32 " boxes\n", nr_pes);
		return 1;
	}
	for (uint32_t pe = 0; pe < nr_pes; pe++) {
		bufs[pe] = boxes[pe];
		for (uint32_t i = 0; i < SIDE * SIDE; i++)
			boxes[pe][1 + i / SIDE][1 + i % SIDE] =
				expected(pe, nr_pes, 1 + i / SIDE, 1 + i % SIDE);
	}
	check(pimdimm_push(sys, 0, nr_pes, 0, (const void *const *)bufs,
			   sizeof(*boxes)));
	exchange(hc);
	check(pimdimm_pull(sys, 0, nr_pes, 0, bufs, sizeof(*boxes)));

	wrong = count_wrong(boxes, nr_pes);
	if (wrong)
		fprintf(stderr, "halo: %u cells are wrong\n", wrong);
	else
		printf("halo: %" PRIu32 " PEs have their neighbours' cells\n", nr_pes);
	free(bufs);
	free(boxes);
	pidcomm_destroy(hc);
	pimdimm_close(sys);
	return wrong != 0;
}
