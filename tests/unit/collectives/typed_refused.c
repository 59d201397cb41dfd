// SPDX-License-Identifier: MIT
/* What collectives on derived datatypes refuse, and what they name as they do. */
#include "tests/unit/collectives/typed_cube.h"

static void refused_parts(struct cube *c)
{
	const struct pimtype *byte = pimtype_basic(PIMTYPE_BYTE);
	struct pimtype_part send[8], recv[8];
	struct pimtype *twice;

	assert_ok(pimtype_hvector(2, 8, 4, byte, &twice));
	for (uint32_t m = 0; m < 8; m++) {
		send[m] = (struct pimtype_part){ 16 * m, 16, byte };
		recv[m] = (struct pimtype_part){ HALF + 16 * m, 16, byte };
	}
	assert_refused(pidcomm_alltoallw(NULL, "10", send, recv), EINVAL, "hc");
	assert_refused(pidcomm_alltoallw(c->hc, "1", send, recv), EINVAL, "axes");
	assert_refused(pidcomm_alltoallw(c->hc, "10", NULL, recv), EINVAL, "send");
	assert_refused(pidcomm_alltoallw(c->hc, "10", send, NULL), EINVAL, "recv");
	assert_refused(pidcomm_plan_alltoallw(c->hc, "10", send, recv, NULL),
		       EINVAL, "plan");
	assert_refused(pidcomm_ialltoallw(c->hc, "10", send, recv, NULL), EINVAL,
		       "request");
	send[3].count = 17;
	assert_refused(pidcomm_alltoallw(c->hc, "10", send, recv), EMSGSIZE,
		       "send[3]");
	send[3].count = 15;
	assert_refused(pidcomm_alltoallw(c->hc, "10", send, recv), EPROTO,
		       "send[3]");
	send[3] = (struct pimtype_part){ 0, 2, pimtype_basic(PIMTYPE_F64) };
	assert_refused(pidcomm_alltoallw(c->hc, "10", send, recv), EPROTO,
		       "send[3]");
	send[3].type = pimtype_basic(PIMTYPE_PACKED);
	send[3].count = 16;
	assert_ok(pidcomm_alltoallw(c->hc, "10", send, recv));
	recv[5].offset = recv[6].offset + 8;
	assert_refused(pidcomm_alltoallw(c->hc, "10", send, recv), EINVAL, "recv[");
	recv[5] = (struct pimtype_part){ MRAM - 128, 1, twice };
	assert_refused(pidcomm_alltoallw(c->hc, "10", send, recv), EINVAL,
		       "recv[5] has a byte more than once");
	pimtype_free(twice);
	assert_refused(pidcomm_alltoallw(c->hc, "10", send, recv), EINVAL,
		       "recv[5] has been freed");
	recv[5] = (struct pimtype_part){ send[2].offset + 15, 16, byte };
	assert_refused(pidcomm_alltoallw(c->hc, "10", send, recv), EINVAL,
		       "send[");
	recv[5].offset = MRAM - 15;
	assert_refused(pidcomm_alltoallw(c->hc, "10", send, recv), EINVAL,
		       "recv[5] has bytes");
}

static void refused_counts(struct cube *c)
{
	const struct pimtype *f64 = pimtype_basic(PIMTYPE_F64);
	uint64_t counts[NR_PES * 8] = { 0 };
	struct pidcomm_request *request, *other;

	assert_refused(pidcomm_alltoallv(c->hc, "10", NULL, counts, 0, 0, HALF),
		       EINVAL, "type");
	counts[8 * 5 + 2] = MRAM;
	assert_refused(pidcomm_alltoallv(c->hc, "10", f64, counts, 0, 0, HALF),
		       EINVAL, "PE 2 receives");
	counts[8 * 5 + 2] = 1;
	counts[8 * 5 + 3] = UINT64_MAX;
	assert_refused(pidcomm_alltoallv(c->hc, "10", f64, counts, 0, 0, HALF),
		       EINVAL, "PE 5 sends");
	counts[8 * 5 + 3] = 3;
	assert_refused(pidcomm_alltoallv(c->hc, "10", f64, counts, 0, 0, 8),
		       EINVAL, "overlap");
	assert_refused(pidcomm_alltoallv(c->hc, "10", f64, counts, 0, MRAM + 8, 0),
		       EINVAL, "src=");
	assert_refused(pidcomm_allgatherv(c->hc, "10", f64, NULL, 4, 0, HALF),
		       EINVAL, "counts_at=4");
	assert_refused(pidcomm_alltoallv(c->hc, "10", f64, NULL, MRAM - 56, 0,
					 HALF), EINVAL, "counts_at");
	/* where nobody knows the counts, nothing else may be touched */
	assert_ok(pidcomm_ialltoallv(c->hc, "10", f64, counts, 0, 0, HALF,
				     &request));
	assert_refused(pidcomm_iallgatherv(c->hc, "10", f64, NULL, 256, 512, 1024,
					   &other), EBUSY, "allgatherv");
	assert_refused(pidcomm_alltoall(c->hc, "10", 64, 4096, HALF), EBUSY,
		       "outstanding alltoallv");
	assert_ok(pidcomm_alltoall(c->hc, "10", 64, 4096, 8192));
	assert_ok(pidcomm_wait(&request));
}

static void refused_faces(struct cube *c)
{
	const struct pimtype *byte = pimtype_basic(PIMTYPE_BYTE);
	struct pidcomm_face faces[2] = {
		{ { 0, 8, byte }, { HALF, 8, byte } },
		{ { 8, 8, byte }, { HALF + 8, 8, byte } },
	};

	assert_refused(pidcomm_halo(c->hc, "10", 4, faces), EINVAL, "periodic=0x4");
	assert_refused(pidcomm_halo(c->hc, "10", 0, NULL), EINVAL, "faces");
	faces[0].send.count = 9;
	assert_refused(pidcomm_halo(c->hc, "10", 0, faces), EMSGSIZE,
		       "faces[0].send has 9");
	faces[0].send = (struct pimtype_part){ 0, 1, pimtype_basic(PIMTYPE_I64) };
	assert_refused(pidcomm_halo(c->hc, "10", 0, faces), EPROTO,
		       "faces[1].recv");
	faces[0].send = (struct pimtype_part){ 4, 8, byte };
	assert_ok(pidcomm_halo(c->hc, "10", 0, faces));
	faces[1].recv.offset = HALF + 7;
	assert_refused(pidcomm_halo(c->hc, "10", 0, faces), EINVAL,
		       "recv of faces[");
	assert_ok(pidcomm_halo(c->hc, "00", 0, NULL));
}

static const struct pimtype *every(int64_t stride)
{
	struct pimtype *type;

	assert_ok(pimtype_hvector(4, 8, stride, pimtype_basic(PIMTYPE_BYTE), &type));
	return type;
}

/* Faces that were found to keep apart are not looked at again: others are, however alike. */
static void found_apart(struct cube *c)
{
	const struct pimtype *even = every(16);
	const struct pidcomm_face apart[2] = {
		{ { 0, 1, even }, { HALF, 1, even } },
		{ { 0, 1, even }, { HALF + 8, 1, even } },
	};
	struct pidcomm_face faces[2];

	for (int again = 0; again < 3; again++) {
		assert_ok(pidcomm_halo(c->hc, "10", 0, apart));
		memcpy(faces, apart, sizeof(faces));
		faces[1].recv.offset = HALF + 12;
		assert_refused(pidcomm_halo(c->hc, "10", 0, faces), EINVAL, "recv of faces[");
		/* as sends they may meet, and as receives not */
		for (int i = 0; i < 2; i++) {
			faces[i].send = apart[i].recv;
			faces[i].recv = apart[i].send;
		}
		assert_refused(pidcomm_halo(c->hc, "10", 0, faces), EINVAL, "recv of faces[");
		/* more than are kept */
		for (uint64_t i = 1; i <= 20; i++) {
			memcpy(faces, apart, sizeof(faces));
			faces[0].recv.offset += 64 * i;
			faces[1].recv.offset += 64 * i;
			assert_ok(pidcomm_halo(c->hc, "10", 0, faces));
		}
	}
	assert_ok(pidcomm_halo(c->hc, "10", 0, apart));
	/* one of each type keeps apart, and two do not */
	memcpy(faces, apart, sizeof(faces));
	for (int i = 0; i < 2; i++)
		faces[i].send.count = faces[i].recv.count = 2;
	assert_refused(pidcomm_halo(c->hc, "10", 0, faces), EINVAL, "recv of faces[");
	/* what was found needs no look at how much may be kept, and nothing else is */
	setenv("PIMDIMM_LAYOUTS", "many", 1);
	assert_ok(pidcomm_halo(c->hc, "10", 0, apart));
	memcpy(faces, apart, sizeof(faces));
	faces[0].recv.offset += 2048;
	faces[1].recv.offset += 2048;
	assert_refused(pidcomm_halo(c->hc, "10", 0, faces), EINVAL, "PIMDIMM_LAYOUTS");
	setenv("PIMDIMM_LAYOUTS", "0", 1);
	assert_ok(pidcomm_halo(c->hc, "10", 0, faces));
	setenv("PIMDIMM_LAYOUTS", "many", 1);
	assert_refused(pidcomm_halo(c->hc, "10", 0, faces), EINVAL, "PIMDIMM_LAYOUTS");
	unsetenv("PIMDIMM_LAYOUTS");
	pimtype_free((struct pimtype *)(uintptr_t)even);
	/* perhaps where that one was: of as many bytes, some of which are the other one's */
	for (int i = 0; i < 2; i++) {
		faces[i] = apart[i];
		faces[i].send.type = faces[i].recv.type = every(12);
	}
	assert_refused(pidcomm_halo(c->hc, "10", 0, faces), EINVAL, "recv of faces[");
	for (int i = 0; i < 2; i++)
		pimtype_free((struct pimtype *)(uintptr_t)faces[i].recv.type);
}

/* What is said of a node names its PE, and injected faults befall the hypercube's ranks. */
static void on_a_part(void **state)
{
	const struct pimtype *f64 = pimtype_basic(PIMTYPE_F64);
	const uint32_t egs[] = { 11, 9 }, dims[] = { 16 };
	struct pimdimm *sys = unit_open("mem:ranks=2,mram=64K,inject=fail_nth:1@1");
	uint64_t counts[16] = { 0 };
	struct pidcomm *first, *second;

	(void)state;
	assert_ok(pidcomm_create_on(sys, NULL, 5, 2, 1, dims, &first));
	assert_ok(pidcomm_create_on(sys, egs, 0, 2, 1, dims, &second));
	counts[10] = 2;
	assert_ok(pidcomm_allgatherv(first, "1", f64, counts, 0, 0, HALF));
	assert_refused(pidcomm_allgatherv(second, "1", f64, counts, 0, 0, HALF), EIO, "rank 1");
	assert_ok(pidcomm_allgatherv(second, "1", f64, counts, 0, 0, HALF));
	counts[10] = MRAM;
	assert_refused(pidcomm_allgatherv(second, "1", f64, counts, 0, 0, HALF), EINVAL,
		       "PE 88 receives");
	assert_refused(pidcomm_alltoallv(second, "0", f64, counts, 0, 0, HALF), EINVAL,
		       "PE 74 receives");
	pidcomm_destroy(first);
	pidcomm_destroy(second);
	pimdimm_close(sys);
}

static void refused(void **state)
{
	static struct cube c;
	struct pimdimm *sys = unit_open(cube_uris[0]);

	(void)state;
	cube_make(&c, sys, 1);
	refused_parts(&c);
	refused_counts(&c);
	refused_faces(&c);
	found_apart(&c);
	pidcomm_destroy(c.hc);
	pimdimm_close(sys);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refused),
		cmocka_unit_test(on_a_part),
	};

	unit_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
