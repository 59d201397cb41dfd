// SPDX-License-Identifier: MIT
/* What a message has and what its receive expected, in words, as kernels are told it. */
#include <string.h>

#include "inside.h"

#define ROOM	176u

static char text[ROOM];
static uint32_t used MPI_BOOT;

static const struct {
	const struct mpi_type *type;
	const char *name;
} basics[] = {
	{ MPI_BYTE, "BYTE" },
	{ MPI_INT8_T, "I8" },
	{ MPI_INT16_T, "I16" },
	{ MPI_INT32_T, "I32" },
	{ MPI_INT64_T, "I64" },
	{ MPI_UINT8_T, "U8" },
	{ MPI_UINT16_T, "U16" },
	{ MPI_UINT32_T, "U32" },
	{ MPI_UINT64_T, "U64" },
	{ MPI_C_BOOL, "C_BOOL" },
	{ MPI_FLOAT, "F32" },
	{ MPI_DOUBLE, "F64" },
	{ MPI_LONG_DOUBLE, "LONG_DOUBLE" },
	{ MPI_C_FLOAT_COMPLEX, "COMPLEX_F32" },
	{ MPI_C_DOUBLE_COMPLEX, "COMPLEX_F64" },
	{ MPI_C_LONG_DOUBLE_COMPLEX, "COMPLEX_LONG_DOUBLE" },
};

static void say(const char *words)
{
	while (*words && used < ROOM - 1)
		text[used++] = *words++;
	text[used] = '\0';
}

static void say_number(uint64_t n, uint32_t base)
{
	char digits[24];
	uint32_t at = sizeof(digits) - 1;

	digits[at] = '\0';
	do {
		digits[--at] = "0123456789abcdef"[n % base];
		n /= base;
	} while (n);
	say(digits + at);
}

/* by name where all elements are the same, else by their hash */
static void say_elements(uint64_t bytes, uint64_t signature)
{
	for (uint32_t i = 0; i < sizeof(basics) / sizeof(*basics); i++) {
		const struct mpi_type *type = basics[i].type;
		uint64_t nr = bytes / type->size;

		if (bytes % type->size || !nr ||
		    mpi_sig_hash(mpi_sig_repeat(type->sig, nr)) != signature)
			continue;
		say_number(nr, 10);
		say(" of ");
		say(basics[i].name);
		return;
	}
	say_number(bytes, 10);
	say(" bytes of signature ");
	say_number(signature, 16);
}

const char *mpi_mismatch(void)
{
	return text;
}

void mpi_note_mismatch(const struct me_request *receive)
{
	const struct me_status *s = &receive->status;
	int rank = mpi_rank_of(receive->user, (uint32_t)s->source);

	used = 0;
	say("MPI_ERR_TYPE: a message of ");
	say_elements(s->bytes, s->signature);
	if (rank == MPIX_HOST) {
		say(" from the host");
	} else {
		say(" from rank ");
		say_number((uint32_t)rank, 10);
	}
	say(", tag ");
	say_number((uint32_t)s->tag, 10);
	say(", expected the buffer's ");
	say_elements(receive->buffer.bytes, receive->buffer.signature);
}
