// SPDX-License-Identifier: MIT
/* Threads for what the host computes itself: generators, loaders, references. */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

#include "tools/apps/common/parallel.h"

struct part {
	pthread_t thread;
	bool running;
	unsigned int part, parts;
	app_part_fn fn;
	void *arg;
};

static void *run_part(void *arg)
{
	struct part *part = arg;

	part->fn(part->part, part->parts, part->arg);
	return NULL;
}

void app_parallel(unsigned int parts, app_part_fn fn, void *arg)
{
	struct part *list = calloc(parts, sizeof(*list));

	if (!list) {
		for (unsigned int i = 0; i < parts; i++)
			fn(i, parts, arg);
		return;
	}
	for (unsigned int i = 0; i < parts; i++) {
		list[i] = (struct part){ .part = i, .parts = parts, .fn = fn,
					 .arg = arg };
		list[i].running = i && !pthread_create(&list[i].thread, NULL,
						       run_part, &list[i]);
	}
	for (unsigned int i = 0; i < parts; i++) {
		if (!list[i].running)
			run_part(&list[i]);
	}
	for (unsigned int i = 0; i < parts; i++) {
		if (list[i].running)
			pthread_join(list[i].thread, NULL);
	}
	free(list);
}

uint64_t app_part_first(uint64_t count, unsigned int part, unsigned int parts)
{
	return (uint64_t)((unsigned __int128)count * part / parts);
}

unsigned int app_threads(void)
{
	cpu_set_t cpus;

	if (sched_getaffinity(0, sizeof(cpus), &cpus))
		return 1;
	return CPU_COUNT(&cpus) ? (unsigned int)CPU_COUNT(&cpus) : 1;
}
