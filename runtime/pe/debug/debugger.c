// SPDX-License-Identifier: MIT
/*
 * A folder with the PE's program and a socket, on which gdb is awaited. The debugger that
 * PIMDIMM_DEBUG asks for stays from the PE's first run to the end of the process.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "runtime/base/env.h"
#include "runtime/base/error.h"
#include "runtime/base/signals.h"
#include "runtime/base/threads.h"
#include "runtime/base/util.h"
#include "runtime/pe/debug/core.h"
#include "runtime/pe/debug/debugger.h"
#include "runtime/pe/debug/gdb.h"

struct pd_debugger {
	pthread_mutex_t lock;
	pid_t process;		/* not a child's after fork() */
	bool used;		/* a PE runs */
	bool over;		/* gdb has gone, or could not come */
	struct pimdimm_program *program;
	int text_fd;
	struct pd_traps traps;
	struct pd_gdb gdb;
};

/* where gdb comes to */
struct place {
	char program[128], socket[128];
	int fd;
};

static struct pd_debugger debugger = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.gdb.packets.fd = -1,
	.traps.step = PD_NO_TASKLET,
};

PD_FORK_SAFE(&debugger.lock);

/* NULL: no PE is to be debugged; text that is wrong: `wrong` */
static const char *read_variable(uint32_t *pe, bool *wrong)
{
	const char *text = secure_getenv("PIMDIMM_DEBUG"), *colon;
	uint64_t n;

	*wrong = false;
	if (!text || !*text)
		return NULL;
	colon = strchr(text, ':');
	*wrong = !colon || !colon[1] || strlen(colon) > 96 ||
		 !pd_parse_number(text, (size_t)(colon - text), false, UINT32_MAX, &n);
	if (*wrong)
		return NULL;
	*pe = (uint32_t)n;
	return colon + 1;
}

int pd_debugger_check(void)
{
	bool wrong;
	uint32_t pe;

	if (!PD_CAN_STEP && read_variable(&pe, &wrong))
		return pd_error(EOPNOTSUPP, "PIMDIMM_DEBUG is \"%s\": gdb steps through PEs where the processor can be told to stop after each instruction, on x86-64; PIMDIMM_ON_FAULT=core and wait are for this one, too",
				getenv("PIMDIMM_DEBUG"));
	read_variable(&pe, &wrong);
	return wrong ? pd_error(EINVAL, "PIMDIMM_DEBUG is \"%s\", expected PE:FOLDER",
				getenv("PIMDIMM_DEBUG")) : 0;
}

static int write_program(const char *path, const struct pimdimm_program *program)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), err;

	if (fd < 0)
		return errno;
	err = pd_write_all(fd, (const char *)program->image, program->image_bytes);
	if (close(fd) && !err)
		err = errno;
	return err;
}

/* Under a name of its own at first: whoever finds the socket may connect. */
static int listen_at(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char early[sizeof(address.sun_path)];
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	if (snprintf(early, sizeof(early), "%s.early", path) >= (int)sizeof(early)) {
		close(fd);
		return -ENAMETOOLONG;
	}
	memcpy(address.sun_path, early, sizeof(early));
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) || listen(fd, 1) ||
	    rename(early, path)) {
		int err = errno;

		close(fd);
		unlink(early);
		return -err;
	}
	return fd;
}

static void close_place(struct place *p)
{
	if (p->fd < 0)
		return;
	close(p->fd);
	unlink(p->socket);
	p->fd = -1;
}

static int make_place(struct place *p, const char *folder,
		      const struct pimdimm_program *program)
{
	int err;

	p->fd = -1;
	snprintf(p->program, sizeof(p->program), "%s/" PD_DEBUGGER_PROGRAM, folder);
	snprintf(p->socket, sizeof(p->socket), "%s/" PD_DEBUGGER_SOCKET, folder);
	err = write_program(p->program, program);
	if (!err) {
		p->fd = listen_at(p->socket);
		err = p->fd < 0 ? -p->fd : 0;
	}
	if (err)
		unlink(p->program);
	return err;
}

static int await_gdb(const struct place *p)
{
	int fd;

	do {
		fd = accept4(p->fd, NULL, NULL, SOCK_CLOEXEC);
	} while (fd < 0 && (errno == EINTR || errno == ECONNABORTED));
	return fd;
}

/* A text that breakpoints can be put into: the program's own is everybody's. */
static int copy_text(struct pd_debugger *d, struct pimdimm_program *program)
{
	const size_t bytes = program->text_bytes;
	void *map = MAP_FAILED;

	d->text_fd = memfd_create("pimdimm-debug", MFD_CLOEXEC);
	if (d->text_fd >= 0 && !pd_set_file_size(d->text_fd, (off_t)bytes))
		map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, d->text_fd, 0);
	if (map == MAP_FAILED) {
		if (d->text_fd >= 0)
			close(d->text_fd);
		return -1;
	}
	memcpy(map, program->text, bytes);
	d->traps.text = map;
	d->traps.original = program->text;
	d->traps.text_bytes = program->text_bytes;
	d->program = pd_program_get(program);
	d->process = getpid();
	return 0;
}

static bool is_same(const struct pimdimm_program *a, const struct pimdimm_program *b)
{
	return a->id == b->id || (a->image_bytes == b->image_bytes &&
				  !memcmp(a->image, b->image, a->image_bytes));
}

/* Called with the lock held. */
static bool take(struct pd_debugger *d, struct pimdimm_program *program)
{
	if (d->used || d->over)
		return false;
	if (!d->program && copy_text(d, program))
		d->over = true;
	return !d->over && d->process == getpid() && is_same(d->program, program);
}

struct pd_debugger *pd_debugger_take(uint32_t pe, struct pimdimm_program *program,
				     int *text_fd)
{
	struct pd_debugger *d = &debugger;
	bool wrong, taken;
	uint32_t wanted;

	if (!read_variable(&wanted, &wrong) || wanted != pe)
		return NULL;
	pthread_mutex_lock(&d->lock);
	taken = take(d, program);
	d->used |= taken;
	pthread_mutex_unlock(&d->lock);
	*text_fd = taken ? d->text_fd : 0;
	return taken ? d : NULL;
}

void pd_debugger_give(struct pd_debugger *d)
{
	pthread_mutex_lock(&d->lock);
	d->used = false;
	d->over |= d->gdb.packets.fd < 0;
	pthread_mutex_unlock(&d->lock);
}

static void stop_for(struct pd_debugger *d, const struct pd_scene *scene, int signal,
		     bool breakpoint)
{
	d->gdb.signal = signal;
	d->gdb.breakpoint = breakpoint;
	pd_gdb_serve(&d->gdb, scene);
}

uint32_t pd_debugger_begin(struct pd_debugger *d, struct pd_slot *slot, uint32_t pe)
{
	const struct pd_scene scene = { .slot = slot, .pe = pe };
	struct place place;
	bool wrong, stop = d->gdb.packets.fd >= 0 &&
			   pd_packets_interrupted(&d->gdb.packets);
	int signal = SIGINT;

	if (!d->gdb.traps) {
		d->gdb.traps = &d->traps;
		signal = SIGTRAP;
		if (!make_place(&place, read_variable(&(uint32_t){ 0 }, &wrong),
				d->program)) {
			d->gdb.packets.fd = await_gdb(&place);
			/* the program is for gdb, and whoever made the folder */
			close_place(&place);
		}
		stop = d->gdb.packets.fd >= 0;
	}
	if (stop) {
		stop_for(d, &scene, signal, false);
		pd_traps_go(&d->traps, &scene);
	}
	return d->gdb.packets.fd >= 0 ? PE_STOPS_FAULTS | PE_STOPS_TRAPS : 0;
}

/* Said by gdb as what the program prints. */
static void say(struct pd_gdb *g, const char *sentence)
{
	size_t bytes = 2 * strlen(sentence) + 8, used = 1;
	char *text = g->owed ? malloc(bytes) : NULL;

	if (!text)
		return;
	text[0] = 'O';
	for (; *sentence; sentence++)
		used += (size_t)snprintf(text + used, bytes - used, "%02x",
					 (unsigned char)*sentence);
	snprintf(text + used, bytes - used, "0a");
	pd_packets_write(&g->packets, text);
	free(text);
}

void pd_debugger_stopped(struct pd_debugger *d, const struct pd_scene *scene,
			 uint32_t fault, const char *sentence)
{
	struct pe_shared *s = scene->slot->arena.shared;
	enum pd_trap trap;

	if (s->stopped == PE_STOPPED_TRAP && !fault) {
		trap = pd_traps_hit(&d->traps, scene);
		s->ours = trap != PD_TRAP_FOREIGN;
		if (trap == PD_TRAP_FOREIGN || trap == PD_TRAP_GO_ON)
			return;
		stop_for(d, scene, SIGTRAP, trap == PD_TRAP_BREAKPOINT);
	} else {
		pd_traps_stop(&d->traps, scene);
		if (fault)
			say(&d->gdb, sentence);
		stop_for(d, scene, fault ? pd_core_signal(fault) : SIGINT, false);
	}
	if (!fault)
		pd_traps_go(&d->traps, scene);
	if (d->gdb.packets.fd < 0)
		s->stops = 0;
}

bool pd_debugger_asks(struct pd_debugger *d)
{
	return d->gdb.packets.fd >= 0 && pd_packets_interrupted(&d->gdb.packets);
}

void pd_debugger_end(struct pd_debugger *d, const struct pd_scene *scene)
{
	pd_traps_stop(&d->traps, scene);
}

/* gdb waits for the PE's next stop, and there is none. */
__attribute__((destructor))
static void tell_end(void)
{
	if (debugger.process == getpid() && debugger.gdb.owed)
		pd_packets_write(&debugger.gdb.packets, "W00");
}

static int wait_in(const struct pd_scene *scene, uint32_t fault, const char *folder,
		   void (*told)(void *ctx, const char *folder), void *ctx)
{
	struct pd_gdb g = { .signal = pd_core_signal(fault) };
	struct place place;
	int err = make_place(&place, folder, scene->slot->program);

	if (err)
		return err;
	told(ctx, folder);
	g.packets.fd = await_gdb(&place);
	err = g.packets.fd < 0 ? errno : 0;
	close_place(&place);
	if (!err)
		pd_gdb_serve(&g, scene);
	if (g.owed)
		pd_packets_write(&g.packets, "X06");
	pd_packets_close(&g.packets);
	unlink(place.program);
	return err;
}

int pd_debugger_wait(const struct pd_scene *scene, uint32_t fault,
		     void (*told)(void *ctx, const char *folder), void *ctx)
{
	char folder[] = "/tmp/pimdimm-XXXXXX";
	int err;

	if (!mkdtemp(folder))
		return errno;
	err = wait_in(scene, fault, folder, told, ctx);
	rmdir(folder);
	return err;
}
