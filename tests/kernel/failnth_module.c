// SPDX-License-Identifier: MIT
/*
 * Loading the module with each allocation and copy that it makes itself
 * failing: it is loaded and works, or nothing of it is there. Meanwhile somebody
 * opens the first rank as soon as it can be: not before nothing can fail.
 */
#include <unistd.h>

#include "tests/kernel/harness.h"
#include "tests/kernel/loading.h"
#include "tests/kernel/nth.h"
#include "tests/kernel/opener.h"

struct load {
	int fd; /* the module's file */
	const char *parameters;
	int ranks;
	struct opener *opener;
	unsigned int found; /* failed loads of which there was a node */
};

static int run_load(void *scene)
{
	struct load *load = scene;
	bool opened, seen;
	int result;

	opener_go(load->opener);
	result = as_result(load_from(load->fd, load->parameters));
	opened = opener_rest(load->opener, &seen);
	if (result && opened)
		test_fail(__FILE__, __LINE__,
			  "opened a rank of a module that was not loaded");
	load->found += result && seen;
	return result;
}

/* Some failures cost it a file in debugfs, but no rank. */
static void undo_load(void *scene)
{
	const struct load *load = scene;
	struct rank rank;

	EXPECT_EQ(load->ranks, count_nodes());
	rank_open_map(&rank);
	rank.window[0] = 1;
	EXPECT_EQ(1, rank.window[0]);
	rank_close(&rank);
	ASSERT_EQ(0, unload());
}

static void check_unloaded(void *unused)
{
	(void)unused;
	expect_nothing_left();
}

static int run_refused_load(void *fd)
{
	return as_result(load_from(*(int *)fd, "channels=0"));
}

/*
 * What the kernel's loader does before it calls the module is not ours,
 * hundreds of allocations, and it complains itself where they fail. It is about
 * as much when the module refuses its parameters at once; a little more or less
 * from load to load, as caches are filled, so the most of several counts.
 */
static unsigned int failures_of_loader(int fd)
{
	const unsigned int margin = 20;
	unsigned int most = 0;

	for (int i = 0; i < 5; i++) {
		unsigned int count = count_failures(run_refused_load, &fd);

		if (count > most)
			most = count;
	}
	ASSERT_EQ(-EINVAL, run_refused_load(&fd));
	ASSERT_LT(margin, most);
	test_note("%u allocations and copies of the loader's", most);
	return most - margin;
}

static void fail_each_load(const char *parameters, int ranks)
{
	static const int errors[] = { ENOMEM, 0 };
	static const struct operation op = { run_load, undo_load,
					     check_unloaded, errors };
	struct load scene = { .parameters = parameters, .ranks = ranks };

	need_failures();
	need_unloaded();
	scene.fd = open_module();
	scene.opener = opener_start();
	fail_from(failures_of_loader(scene.fd), &op, &scene);
	test_note("%u failed loads of which there was a node", scene.found);
	EXPECT_LT(0, scene.found);
	opener_end(scene.opener);
	close(scene.fd);
}

/* Two ranks: the second one may fail where the first one is there already. */
TEST_LIMIT(loading, 600)
{
	fail_each_load("ranks=2 mram_size=65536 layout=xeon_sp", 2);
}

/* Files of ranks lie on a mount of the module's own then. Two of them: a kernel on
 * which not every allocation fails may have no failure behind the only node. */
TEST_LIMIT(loading_with_huge_pages, 600)
{
	need_failures();
	need_unloaded();
	if (load("ranks=2 huge=always"))
		SKIP("no huge pages for shmem in this kernel");
	fail_each_load("ranks=2 huge=always", 2);
}
