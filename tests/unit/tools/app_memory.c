// SPDX-License-Identifier: MIT
/*
 * Applications where memory is short: what their control group does not let them have is
 * refused before it is taken, in a sentence of what is needed and what there is; readers take
 * no more than files have. Requests for memory are counted, and the group is the test's.
 */
#include "tests/unit/unit.h"

#include <malloc.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <zlib.h>

#include "tools/apps/apps.h"
#include "tools/apps/common/app.h"
#include "tools/apps/common/files/output.h"
#include "tools/apps/common/graph/csr.h"
#include "tools/apps/common/graph/graph_load.h"
#include "tools/apps/common/pes.h"
#include "tools/apps/common/random.h"
#include "tools/apps/mlp/idx.h"

/* --- the control group --- */

static uint64_t group_lets = UINT64_MAX;

uint64_t __wrap_pd_quota_memory(const char *root);

uint64_t __wrap_pd_quota_memory(const char *root)
{
	(void)root;
	return group_lets;
}

/* --- bytes that are taken --- */

/* signed: what the C library takes on its own may be given back here */
static atomic_long taken, most;

static void *take(void *at)
{
	long bytes = at ? (long)malloc_usable_size(at) : 0, high = most;
	long now = taken += bytes;

	while (now > high && !atomic_compare_exchange_weak(&most, &high, now))
		;
	return at;
}

static void give(void *at)
{
	taken -= at ? (long)malloc_usable_size(at) : 0;
}

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t n, size_t bytes);
void *__real_realloc(void *at, size_t bytes);
void *__real_reallocarray(void *at, size_t n, size_t bytes);
void __real_free(void *at);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes);
void *__wrap_realloc(void *at, size_t bytes);
void *__wrap_reallocarray(void *at, size_t n, size_t bytes);
void __wrap_free(void *at);

void *__wrap_malloc(size_t bytes)
{
	return take(__real_malloc(bytes));
}

void *__wrap_calloc(size_t n, size_t bytes)
{
	return take(__real_calloc(n, bytes));
}

void *__wrap_reallocarray(void *at, size_t n, size_t bytes)
{
	long before = at ? (long)malloc_usable_size(at) : 0;
	void *moved = __real_reallocarray(at, n, bytes);

	if (moved)
		taken -= before;
	return take(moved);
}

void *__wrap_realloc(void *at, size_t bytes)
{
	return __wrap_reallocarray(at, 1, bytes);
}

void __wrap_free(void *at)
{
	give(at);
	__real_free(at);
}

/* --- what is said --- */

static char said[2048];
static int kept_stderr, said_fd;

static void listen(void)
{
	kept_stderr = dup(STDERR_FILENO);
	said_fd = memfd_create("said", MFD_CLOEXEC);
	assert_true(kept_stderr >= 0 && said_fd >= 0);
	dup2(said_fd, STDERR_FILENO);
}

static void heard(void)
{
	ssize_t length;

	dup2(kept_stderr, STDERR_FILENO);
	length = pread(said_fd, said, sizeof(said) - 1, 0);
	assert_true(length >= 0);
	said[length] = '\0';
	close(kept_stderr);
	close(said_fd);
}

/* One line, which has these words. */
static void assert_said(const char *words)
{
	const char *newline = strchr(said, '\n');

	if (!strstr(said, words) || !newline || newline[1])
		fail_msg("\"%s\" expected, found: %s", words, said);
}

static char file_name[64];

static FILE *make_file(void)
{
	int fd;

	strcpy(file_name, "/tmp/app_memory.XXXXXX");
	fd = mkstemp(file_name);
	assert_true(fd >= 0);
	return fdopen(fd, "w");
}

/* How an application ends that only plans. */
static int plan_by(const char *algorithm, const struct app *app, const char *input,
		   uint32_t pes)
{
	struct app_context *ctx = calloc(1, sizeof(*ctx));
	int ret;

	assert_int_equal(app_begin(ctx, app), 0);
	ctx->input = input;
	ctx->pes_asked = pes;
	ctx->algorithm = algorithm;
	ctx->plan_only = true;
	listen();
	ret = app_load(ctx);
	if (!ret)
		ret = app_open(ctx);
	heard();
	app_end(ctx);
	free(ctx);
	return ret;
}

static int plan(const struct app *app, const char *input, uint32_t pes)
{
	return plan_by(NULL, app, input, pes);
}

/* What algorithms stage on the host is memory, too: 64 MiB of labels, and the same again. */
static void staged(void **state)
{
	static const char *const by_host[] = { "sdk", "conventional" };

	(void)state;
	if (!app_runs_here(&app_cc))
		unit_skip("the command's own programs for PEs are built on x86-64 alone");
	group_lets = 128 << 20;
	assert_int_equal(plan_by("direct", &app_cc, "uniform:vertices=256K,edges=1", 64),
			 TOOL_OK);
	for (size_t i = 0; i < ARRAY_SIZE(by_host); i++) {
		assert_int_equal(plan_by(by_host[i], &app_cc,
					 "uniform:vertices=256K,edges=1", 64), TOOL_FAILED);
		assert_said("three quarters of the 134,217,728 that are available: --pes 32 would do");
	}
	group_lets = UINT64_MAX;
}

static void groups(void **state)
{
	(void)state;
	if (!app_runs_here(&app_cc))
		unit_skip("the command's own programs for PEs are built on x86-64 alone");
	assert_int_equal(plan(&app_cc, "kron:scale=12", 512), TOOL_OK);
	group_lets = 100 << 20;
	assert_int_equal(plan(&app_cc, "kron:scale=12", 64), TOOL_OK);
	assert_int_equal(plan(&app_cc, "kron:scale=15", 1024), TOOL_FAILED);
	assert_said("three quarters of the 104,857,600 that are available: --pes ");
	assert_int_equal(plan(&app_bfs, "uniform:vertices=16M,edges=0", 64), TOOL_FAILED);
	assert_said("16,777,216 vertices with 0 edges need 134,217,748 bytes of memory, more than three quarters of the 104,857,600");
	group_lets = UINT64_MAX;
}

/* A graph of nearly no edges, whose vertices alone are more than there is. */
static void vertices(void **state)
{
	FILE *file = make_file();

	(void)state;
	if (!app_runs_here(&app_bfs))
		unit_skip("the command's own programs for PEs are built on x86-64 alone");
	group_lets = UINT64_C(1) << 30;
	fprintf(file, "%%%%MatrixMarket matrix coordinate pattern symmetric\n4000000000 4000000000 1\n2 1\n");
	assert_int_equal(fclose(file), 0);
	assert_int_equal(plan(&app_bfs, file_name, 64), TOOL_FAILED);
	unlink(file_name);
	assert_said(": 4,000,000,000 vertices with 2 edges need 32,000,000,0");
	assert_said("more than three quarters of the 1,073,741,824 that are available");
	group_lets = UINT64_MAX;
}

static void images(void **state)
{
	static const uint8_t header[16] = { 0, 0, 8, 3, 0x0f, 0xff, 0xff, 0xff,
					    0, 0, 0, 3, 0, 0, 0, 5 };
	FILE *file = make_file();
	struct idx idx;
	long before;

	(void)state;
	assert_int_equal(fwrite(header, 1, sizeof(header), file), sizeof(header));
	/* as long as it says, without a byte on the disk */
	assert_int_equal(fflush(file), 0);
	assert_int_equal(ftruncate(fileno(file), 16 + UINT64_C(0x0fffffff) * 15), 0);
	assert_int_equal(fclose(file), 0);
	group_lets = 20 << 20;
	before = most = taken;
	listen();
	assert_int_equal(idx_load(file_name, 3, &idx), TOOL_FAILED);
	heard();
	assert_said("exceed three quarters of the 20,971,520 of memory available");
	assert_in_range(most - before, 1 << 20, 20 << 20);
	group_lets = UINT64_MAX;
	/* shorter: that shows before anything is taken for it */
	assert_int_equal(truncate(file_name, 100 << 20), 0);
	before = most = taken;
	listen();
	assert_int_equal(idx_load(file_name, 3, &idx), TOOL_FAILED);
	heard();
	assert_said("ends after 104,857,600 bytes, expected 4,026,531,841");
	assert_in_range(most - before, 1000, 1 << 20);
	unlink(file_name);
}

/* Numbers of vertices from all over 2^32: memory follows the edges. */
static void spread(void **state)
{
	const uint64_t edges = 300000;
	struct graph_wish wish = { .path = file_name, .threads = 3 };
	struct graph graph;
	FILE *file = make_file();
	long before;

	(void)state;
	for (uint64_t i = 0; i < edges; i++)
		fprintf(file, "%u %u\n", (uint32_t)app_random(1, 2, i) & ~1,
			(uint32_t)app_random(1, 3, i) & ~1);
	assert_int_equal(fclose(file), 0);
	before = most = taken;
	assert_int_equal(graph_load(&wish, &graph), 0);
	unlink(file_name);
	assert_true(graph.nr_vertices > 2 * edges - 1000);
	assert_int_equal(graph.nr_edges, edges);
	graph_free(&graph);
	/* 24 bytes an edge, and what sets and blocks of four readers take whatever they read */
	assert_in_range(most - before, 16 * edges, 24 * edges + (12 << 20));
}

static void assert_beyond_memory(const char *path)
{
	struct graph_wish wish = { .path = path, .threads = 2 };
	struct graph graph;
	long before = most = taken;

	group_lets = 20 << 20;
	listen();
	assert_int_equal(graph_load(&wish, &graph), -ENOMEM);
	heard();
	group_lets = UINT64_MAX;
	assert_said(path);
	assert_said(" edges exceed three quarters of the 20,971,520 of memory available");
	/* by what a reader takes: two of its threads may each have come as far */
	assert_in_range(most - before, 1 << 20, 45 << 20);
}

/* What unpacks to more than memory ends at the bound, as what is longer does. */
static void archives(void **state)
{
	FILE *file = make_file();
	char packed[80];
	gzFile gz;

	(void)state;
	snprintf(packed, sizeof(packed), "%s.gz", file_name);
	gz = gzopen(packed, "w1");
	assert_non_null(gz);
	for (uint64_t i = 0; i < 3000000; i++) {
		gzputs(gz, "1 2\n");
		fputs("1 2\n", file);
	}
	assert_int_equal(gzclose(gz), Z_OK);
	assert_int_equal(fclose(file), 0);
	assert_beyond_memory(packed);
	assert_beyond_memory(file_name);
	unlink(packed);
	unlink(file_name);
}

static bool no_temporary;

int __real_mkostemp(char *name, int flags);
int __wrap_mkostemp(char *name, int flags);

/* Fails with its argument as it was, which a C library may do. */
int __wrap_mkostemp(char *name, int flags)
{
	if (!no_temporary)
		return __real_mkostemp(name, flags);
	errno = EMFILE;
	return -1;
}

/* Where no temporary file can be had, one of its template's name is somebody else's. */
static void templates(void **state)
{
	struct app_output output;
	FILE *file = make_file();
	char name[80];

	(void)state;
	assert_int_equal(fclose(file), 0);
	snprintf(name, sizeof(name), "%s.XXXXXX", file_name);
	file = fopen(name, "w");
	assert_non_null(file);
	assert_int_equal(fclose(file), 0);
	no_temporary = true;
	listen();
	assert_int_equal(app_output_open(&output, file_name), TOOL_FAILED);
	heard();
	no_temporary = false;
	assert_said(": Too many open files");
	assert_int_equal(access(name, F_OK), 0);
	unlink(name);
	unlink(file_name);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(groups),
	cmocka_unit_test(staged),
	cmocka_unit_test(vertices),
	cmocka_unit_test(images),
	cmocka_unit_test(spread),
	cmocka_unit_test(archives),
	cmocka_unit_test(templates),
};

UNIT_MAIN(tests)
