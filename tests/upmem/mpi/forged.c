// SPDX-License-Identifier: MIT
/*
 * A rank that knows where travellers begin, and what they have with them, sends others what
 * no MPI would. These drop it: nobody waits, faults or gets other data, and what it forges
 * keeps no place of a traveller's.
 * mpi: ranks=8
 */
#include <pimdimm.h>

#include "hostile.h"
#include "runtime/pe/shared/shared.h"

#ifndef SEED
#define SEED 1
#endif
#define FORGED	400

static uint64_t state = SEED;

static uint32_t draw(uint32_t below)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((state >> 33) % below);
}

static uint64_t number(void)
{
	static const uint64_t odd[] = { 0, 1, 2, 3, 8, 100, 9000, 1u << 31, UINT64_MAX };

	return draw(3) ? odd[draw(9)] : (uint64_t)draw(1u << 30) << 34 | draw(1u << 30);
}

/* of what is sent at last: where it begins, and the whole of it */
static void (*find(struct me_hop *hop))(void *)
{
	const struct pe_mail *mail = (const void *)(uintptr_t)PE_MAIL;
	int x = 0;

	MPI_Send(&x, 1, MPI_INT, 4, 0, MPI_COMM_WORLD);
	memcpy(hop, mail->out[0].frame, sizeof(*hop));
	return (void (*)(void *))(uintptr_t)mail->out[0].entry;
}

static void bend(struct me_hop *hop)
{
	static const uint8_t kinds[] = { 0, 1, 2, 3, 4, 64, 65, 66, 67, 255 };

	hop->frame.kind = draw(3) ? kinds[draw(10)] : ME_ENVELOPE;
	hop->frame.flags = (uint8_t)draw(16);
	hop->frame.reserved = (uint16_t)number();
	hop->frame.from = draw(4) ? 3 : (uint32_t)number();
	hop->frame.context = draw(6);
	hop->frame.tag = (int32_t)(draw(2) ? draw(20) : number());
	hop->frame.home = (uint32_t)draw(9);
	hop->frame.bytes = number();
	hop->frame.signature = number();
	hop->frame.send = draw(2) ? draw(8) : number();
	hop->frame.receive = draw(2) ? (uint64_t)draw(4) << 32 | draw(8) : number();
	hop->frame.there[0] = number();
	hop->bytes = draw(2) ? draw(9) : (uint32_t)number();
	hop->turn = (uint16_t)(draw(5) ? draw(70) : number());
}

static void forge(void)
{
	static unsigned char payload[200];
	struct me_hop hop;
	void (*entry)(void *) = find(&hop);

	for (int i = 0; i < FORGED; i++) {
		uint32_t to = draw(8), bytes = draw(4) ? 0 : draw(sizeof(payload));

		bend(&hop);
		if (bytes && draw(2))
			hop.frame.bytes = hop.bytes = bytes;
		if (to == 3)
			continue;
		if (draw(8))
			parcel_bulk(to, entry, &hop, draw(8) ? sizeof(hop) : draw(128), payload,
				    bytes, PE_ABOARD);
		else
			PE_SVC->parcel(to, (void (*)(uint64_t))(uintptr_t)entry, number());
	}
}

int main(void)
{
	static const int honest[] = { 0, 1, 2, 4, 5, 6, 7 };

	check_begin();
	if (rank == 3)
		forge();
	else
		go_round(honest, 7, 30);
	check_end();
	return 0;
}
