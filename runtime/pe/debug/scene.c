// SPDX-License-Identifier: MIT
/* Memory and tasklets of a stopped PE, from the arena, the window and the program. */
#include <string.h>

#include "runtime/pe/debug/scene.h"

uint32_t pd_scene_tasklets(const struct pd_scene *scene)
{
	return scene->slot->program->note.nr_tasklets;
}

uint32_t pd_scene_current(const struct pd_scene *scene)
{
	uint32_t t = scene->begun ? scene->slot->arena.shared->self.tasklet : 0;

	return t < pd_scene_tasklets(scene) ? t : 0;
}

static bool alive(const struct pd_scene *scene, uint32_t tasklet)
{
	return scene->begun && scene->slot->arena.shared->alive & 1u << tasklet;
}

void pd_scene_registers(const struct pd_scene *scene, uint32_t tasklet,
			struct pd_registers *r)
{
	if (alive(scene, tasklet) &&
	    pd_tasklet_registers(&scene->slot->arena, scene->slot->program, tasklet, r))
		return;
	*r = (struct pd_registers){ .known = 1ull << PD_PC | 1ull << PD_SP };
	r->value[PD_PC] = scene->slot->program->entry;
	r->value[PD_SP] = PE_STACK_TOP(tasklet) - 8;
}

const char *pd_scene_state(const struct pd_scene *scene, uint32_t tasklet)
{
	static const char *const states[] = {
		[PE_WAIT_NOTHING] = "can run",
		[PE_WAIT_BARRIER] = "waits at a barrier",
		[PE_WAIT_MUTEX] = "waits for a mutex",
		[PE_WAIT_SEMAPHORE] = "waits for a semaphore",
		[PE_WAIT_HANDSHAKE] = "waits for a handshake",
		[PE_WAIT_FULL] = "waits for a word to be full",
		[PE_WAIT_EMPTY] = "waits for a word to be empty",
		[PE_WAIT_DMA] = "waits for a transfer",
		[PE_ENDED] = "has ended",
	};
	uint32_t wait;

	if (!scene->begun)
		return "has not begun";
	if (!alive(scene, tasklet))
		return states[PE_ENDED];
	if (tasklet == pd_scene_current(scene))
		return "runs";
	wait = scene->slot->arena.shared->tasklets[tasklet].wait;
	return wait < sizeof(states) / sizeof(*states) ? states[wait] : "waits";
}

/* The offset in MRAM of an address of either view of it; false: it is in none. */
static bool in_mram(const struct pd_scene *scene, uint64_t address, uint64_t *off)
{
	uint64_t bytes = (uint64_t)scene->slot->arena.window.nr_pages * PE_PAGE;

	*off = address - PE_MRAM_BASE;
	if (*off >= bytes)
		*off = address - PE_MRAM_DMA;
	return *off < bytes;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Some bytes from an address on, as many as lie in one page; 0: none. */
static uint64_t read_piece(const struct pd_scene *scene, uint64_t address, uint8_t *bytes,
			   uint64_t nr_bytes)
{
	const struct pimdimm_program *program = scene->slot->program;
	uint64_t n = least(nr_bytes, PE_PAGE - address % PE_PAGE), off;
	uint8_t page[PE_PAGE];
	const uint8_t *at = NULL;

	if (in_mram(scene, address, &off)) {
		pd_window_look(&scene->slot->arena.window, (uint32_t)(off / PE_PAGE), page);
		at = page + off % PE_PAGE;
	} else if (address - PE_TEXT_BASE < program->text_bytes) {
		/* without breakpoints; whole pages */
		at = program->text + (address - PE_TEXT_BASE);
	} else {
		at = pd_arena_at(&scene->slot->arena, address, n);
	}
	if (!at)
		return 0;
	memcpy(bytes, at, n);
	return n;
}

uint64_t pd_scene_read(const struct pd_scene *scene, uint64_t address, uint8_t *bytes,
		       uint64_t nr_bytes)
{
	uint64_t done = 0, n;

	while (done < nr_bytes &&
	       (n = read_piece(scene, address + done, bytes + done, nr_bytes - done)))
		done += n;
	return done;
}

static bool can_write(const struct pd_scene *scene, uint64_t address, uint64_t nr_bytes)
{
	uint64_t off, last;

	if (!nr_bytes || address + nr_bytes < address)
		return !nr_bytes;
	if (in_mram(scene, address, &off))
		return in_mram(scene, address + nr_bytes - 1, &last) &&
		       last - off == nr_bytes - 1;
	return pd_arena_at(&scene->slot->arena, address, nr_bytes);
}

bool pd_scene_write(const struct pd_scene *scene, uint64_t address, const uint8_t *bytes,
		    uint64_t nr_bytes)
{
	struct pd_arena *arena = &scene->slot->arena;
	uint64_t off;

	if (!can_write(scene, address, nr_bytes))
		return false;
	if (!in_mram(scene, address, &off)) {
		if (nr_bytes)
			memcpy(pd_arena_at(arena, address, nr_bytes), bytes, nr_bytes);
		return true;
	}
	while (nr_bytes) {
		uint32_t n = (uint32_t)least(nr_bytes, PE_PAGE - off % PE_PAGE);

		if (pd_window_change(&arena->window, (uint32_t)(off / PE_PAGE),
				     off % PE_PAGE, bytes, n))
			arena->shared->close = 1;
		off += n;
		bytes += n;
		nr_bytes -= n;
	}
	return true;
}
