// SPDX-License-Identifier: MIT
/* Messages that do not fit, calls that are refused, transfers that fail, and what is left. */
#include "tests/unit/collectives/message_rig.h"

static void misfit_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe);
	int rank = pimmsg_rank(me);
	float floats[4] = { 1, 2, 3, 4 };
	int32_t ints[5] = { -1, -1, -1, -1, -1 };
	struct pimmsg_buf out = { .ptr = floats, .part = { 0, 4, basic(PIMTYPE_F32) } };
	struct pimmsg_buf in = { .ptr = ints, .part = { 0, 4, basic(PIMTYPE_I32) } };
	struct pimmsg_status status;

	(void)arg;
	if (rank == 1) {
		for (int i = 0; i < 3; i++)
			EXPECT(!pimmsg_send(me, &out, 0, i));
		out.part.count = 2;
		EXPECT(!pimmsg_send(me, &out, 0, 3));
	}
	if (rank)
		return;
	EXPECT_REFUSED(pimmsg_recv(me, &in, 1, 0, &status), EPROTO,
		       "message of 4 of F32 from rank 1, tag 0, expected the buffer's 4 of I32");
	EXPECT(status.error == -EPROTO && status.bytes == 16);
	in.part = (struct pimtype_part){ 0, 3, basic(PIMTYPE_F32) };
	EXPECT_REFUSED(pimmsg_recv(me, &in, 1, 1, &status), EMSGSIZE,
		       "message of 16 bytes from rank 1, tag 1, expected at most the buffer's 12");
	EXPECT(status.bytes == 16);
	for (int i = 0; i < 5; i++)
		EXPECT(ints[i] == -1);
	in.part = (struct pimtype_part){ 0, 16, basic(PIMTYPE_PACKED) };
	EXPECT(!pimmsg_recv(me, &in, 1, 2, &status));
	EXPECT(!memcmp(ints, floats, 16) && ints[4] == -1);
	/* shorter is fine, if what there is agrees */
	in.part = (struct pimtype_part){ 0, 4, basic(PIMTYPE_F32) };
	EXPECT(!pimmsg_recv(me, &in, 1, 3, &status) && status.bytes == 8);
}

static void misfits(void **state)
{
	static const char *const eagers[] = { NULL, "0" };

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct rig rig;

		set_env("PIMDIMM_EAGER", eagers[i % 2]);
		rig = rig_open(URI);
		rig_run(&rig, 1, (uint64_t)i, misfit_kernel, NULL);
		rig_close(&rig);
	}
	set_env("PIMDIMM_EAGER", NULL);
}

static void refused_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe);
	uint64_t value = 0;
	struct pimmsg_buf buf = memory(&value, 8), bad;
	struct pimmsg_request *request;
	struct pimtype *twice;
	uint8_t *wram = pimdimm_wram(pe);

	if (pimmsg_rank(me))
		return;
	EXPECT_REFUSED(pimmsg_send(NULL, &buf, 0, 0), EINVAL, "end is NULL");
	EXPECT_REFUSED(pimmsg_send(me, NULL, 0, 0), EINVAL, "buf is NULL");
	EXPECT_REFUSED(pimmsg_isend(me, &buf, 0, 0, NULL), EINVAL, "request is NULL");
	EXPECT_REFUSED(pimmsg_send(me, &buf, PES, 0), EINVAL, "to=16");
	EXPECT_REFUSED(pimmsg_send(me, &buf, -1, 0), EINVAL, "to=-1");
	EXPECT_REFUSED(pimmsg_recv(me, &buf, -4, 0, NULL), EINVAL, "from=-4");
	EXPECT_REFUSED(pimmsg_send(me, &buf, 0, -1), EINVAL, "tag=-1");
	EXPECT_REFUSED(pimmsg_recv(me, &buf, 0, -2, NULL), EINVAL,
		       "tag=-2, expected 0 to 2147483647, or PIMMSG_ANY_TAG");
	bad = buf;
	bad.reserved = 1;
	EXPECT_REFUSED(pimmsg_send(me, &bad, 0, 0), EINVAL, "reserved=1");
	bad = buf;
	bad.part.type = NULL;
	EXPECT_REFUSED(pimmsg_send(me, &bad, 0, 0), EINVAL, "buf: type is NULL, expected one for");
	bad = buf;
	bad.part.type = NULL;
	EXPECT_REFUSED(pimmsg_send(me, &bad, 0, 0), EINVAL, "NULL");
	bad.part.type = arg;
	EXPECT_REFUSED(pimmsg_send(me, &bad, 0, 0), EINVAL, "freed");
	bad = mram(1, 0, 8);
	EXPECT_REFUSED(pimmsg_send(me, &bad, 0, 0), EINVAL, "expected the kernel's own, 0");
	bad = mram(0, (1 << 20) - 4, 8);
	EXPECT_REFUSED(pimmsg_send(me, &bad, 0, 0), EINVAL, "buf");
	bad = mram(0, -1, 8);
	EXPECT_REFUSED(pimmsg_send(me, &bad, 0, 0), EINVAL, "buf");
	bad = memory(wram + 65536 - 4, 8);
	EXPECT_REFUSED(pimmsg_recv(me, &bad, 0, 0, NULL), EINVAL, "WRAM");
	bad = buf;
	bad.part.count = UINT64_MAX;
	EXPECT_REFUSED(pimmsg_send(me, &bad, 0, 0), EINVAL, "buf");
	EXPECT(!pimtype_vector(2, 2, 1, basic(PIMTYPE_U8), &twice));
	bad = buf;
	bad.part = (struct pimtype_part){ 0, 1, twice };
	EXPECT_REFUSED(pimmsg_recv(me, &bad, 0, 0, NULL), EINVAL, "buf");
	pimtype_free(twice);
	EXPECT(!pimmsg_isend(me, &buf, 0, 0, &request));
	EXPECT_REFUSED(pimmsg_cancel(me, request), EINVAL, "a send");
	EXPECT(!pimmsg_wait(me, &request, NULL) && !request);
	EXPECT_REFUSED(pimmsg_cancel(me, NULL), EINVAL, "NULL");
	EXPECT(!pimmsg_recv(me, &buf, 0, 0, NULL));
}

static void launched_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe);
	uint64_t value = 0;
	struct pimmsg_buf buf = memory(&value, 8);

	(void)arg;
	EXPECT_REFUSED(pimmsg_send(me, &buf, 0, 0), EOPNOTSUPP, "pimdimm_launch()");
}

static void outside_kernel(struct pimdimm_pe *pe, void *arg)
{
	(void)arg;
	EXPECT_REFUSED(pimmsg_rank(pimmsg_self(pe)), ENOTCONN, "pimmsg_world()");
}

static void refused(void **state)
{
	struct rig rig = rig_open(URI);
	struct pimdimm_spmd how = { .size = sizeof(how), .nr_tasklets = 1 };
	struct pimmsg_end *other;
	struct pimtype *freed;

	(void)state;
	assert_ok(pimtype_contiguous(2, basic(PIMTYPE_U8), &freed));
	pimtype_free(freed);
	rig_run(&rig, 1, 0, refused_kernel, freed);
	assert_refused(pimmsg_world(rig.sys, 0, 1, &other), EBUSY, "PEs 0 to 15");
	assert_refused(pimmsg_world(NULL, 0, 1, &other), EINVAL, "sys");
	assert_refused(pimmsg_world(rig.sys, 0, 0, &other), EINVAL, "nr_pes=0");
	assert_refused(pimmsg_world(rig.sys, 60, 5, &other), EINVAL, "first_pe=60");
	assert_refused(pimmsg_barrier(rig.host), EINVAL, "the host's");
	wrong = 0;
	assert_ok(pimdimm_launch(rig.sys, 0, 2, 1, launched_kernel, NULL));
	assert_int_equal(wrong, 0);
	assert_ok(pimdimm_spmd(rig.sys, PES, 2, outside_kernel, NULL, &how));
	if (wrong)
		fail_msg("%s", wrong_text);
	rig_close(&rig);
	rig.sys = unit_open(URI);
	set_env("PIMDIMM_EAGER", "1x");
	assert_refused(pimmsg_world(rig.sys, 0, 1, &other), EINVAL, "PIMDIMM_EAGER");
	set_env("PIMDIMM_EAGER", NULL);
	set_env("PIMDIMM_LOITER", "often");
	assert_refused(pimmsg_world(rig.sys, 0, 1, &other), EINVAL, "wake or poll");
	set_env("PIMDIMM_LOITER", NULL);
	pimdimm_close(rig.sys);
}

/* a transfer that fails ends the requests of both ends */
static void fault_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe);
	int rank = pimmsg_rank(me);
	struct pimmsg_buf buf = mram((uint32_t)rank, 8, 3000);
	int *errors = arg;

	errors[rank] = 0;
	if (rank == 0)
		errors[rank] = pimmsg_send(me, &buf, 1, 0);
	if (rank == 1)
		errors[rank] = pimmsg_recv(me, &buf, 0, 0, NULL);
	if (errors[rank])
		EXPECT(strstr(pimdimm_errmsg(), "moving it failed"));
}

static void injected_faults(void **state)
{
	static const char *const eagers[] = { "0", "64K" };
	int errors[PES];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct rig rig;

		set_env("PIMDIMM_EAGER", eagers[i]);
		rig = rig_open(URI ",inject=fail_nth:1");
		rig_run(&rig, 1, 0, fault_kernel, errors);
		assert_int_equal(errors[0], -EIO);
		assert_int_equal(errors[1], -EIO);
		rig_close(&rig);
	}
	set_env("PIMDIMM_EAGER", NULL);
}

/* what a kernel leaves behind cannot hurt, and is not waited for in vain */
static void leave_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe);
	int rank = pimmsg_rank(me);
	uint8_t gone[200];
	struct pimmsg_buf buf = memory(gone, sizeof(gone)), some = memory(gone, 50);
	struct pimmsg_request *request, **left = ((struct pimmsg_request *(*)[3])arg)[rank];

	EXPECT(!pimmsg_irecv(me, &buf, rank, 1, &request));
	EXPECT(!pimmsg_isend(me, &buf, rank, 2, &left[0]));
	EXPECT(!pimmsg_isend(me, &buf, rank, 3, &left[1]));
	EXPECT(!pimmsg_issend(me, &some, rank, 4, &left[2]));
}

static void left_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe);
	uint8_t got[200] = { 0 };
	struct pimmsg_buf buf = memory(got, sizeof(got)), little = memory(got, 100);
	int rank = pimmsg_rank(me);
	struct pimmsg_request *request, **left = ((struct pimmsg_request *(*)[3])arg)[rank];

	EXPECT_REFUSED(pimmsg_wait(me, &left[0], NULL), ECANCELED, "the run has ended");
	/* the receive of the run before would take it, if it were there */
	EXPECT(!pimmsg_isend(me, &buf, rank, 1, &request));
	EXPECT(!pimmsg_recv(me, &buf, rank, 1, NULL));
	EXPECT(!pimmsg_wait(me, &request, NULL));
	EXPECT_REFUSED(pimmsg_recv(me, &buf, rank, 2, NULL), ECANCELED,
		       "moving it failed");
	EXPECT_REFUSED(pimmsg_recv(me, &little, rank, 3, NULL), EMSGSIZE, "200 bytes");
	EXPECT_REFUSED(pimmsg_wait(me, &left[1], NULL), ECANCELED, "moving it failed");
	/* its data has left that memory */
	EXPECT(!pimmsg_recv(me, &little, rank, 4, NULL));
	EXPECT(!pimmsg_wait(me, &left[2], NULL));
}

static void left_behind(void **state)
{
	struct pimmsg_request *left[PES][3];
	struct rig rig;

	(void)state;
	set_env("PIMDIMM_EAGER", "100");
	rig = rig_open(URI);
	rig_run(&rig, 1, 0, leave_kernel, left);
	set_env("PIMDIMM_EAGER", NULL);
	rig_run(&rig, 1, 0, left_kernel, left);
	rig_close(&rig);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(misfits),
	cmocka_unit_test(refused),
	cmocka_unit_test(injected_faults),
	cmocka_unit_test(left_behind),
};

UNIT_MAIN(tests)
