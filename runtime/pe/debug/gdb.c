// SPDX-License-Identifier: MIT
/*
 * gdb's remote protocol, as far as it takes to look at a PE and to go on with it. Threads
 * have the tasklet's number and one more: all that the program declares are there
 * from beginning to end, so that gdb's own numbers of them stay.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/pe/debug/gdb.h"

/* as gdb numbers registers: those that are ours, too, then others */
#ifdef __aarch64__
#define GDB_NR_CORE	32
#define GDB_FLAGS	33
#define GDB_VECTORS	34
#define GDB_FP_STATE	66
#define GDB_NR		68
#else
#define GDB_NR_CORE	16
#define GDB_FLAGS	17
#define GDB_SEGMENTS	18
#define GDB_X87		24
#define GDB_X87_CONTROL	32
#define GDB_XMM		40
#define GDB_MXCSR	56
#define GDB_NR		57

/* where FXSAVE puts them */
#define FX_MXCSR	24
#define FX_X87		32
#define FX_XMM		160
#endif

struct reply {
	char text[PD_PACKET_BYTES];
	size_t used;
};

static void add_text(struct reply *r, const char *text)
{
	size_t n = strlen(text);

	if (n >= sizeof(r->text) - r->used)
		return;
	memcpy(r->text + r->used, text, n + 1);
	r->used += n;
}

static void add_hex(struct reply *r, const void *bytes, size_t nr)
{
	const uint8_t *p = bytes;
	char hex[3];

	for (size_t i = 0; i < nr; i++) {
		snprintf(hex, sizeof(hex), "%02x", p[i]);
		add_text(r, hex);
	}
}

static void add_unknown(struct reply *r, size_t nr)
{
	while (nr--)
		add_text(r, "xx");
}

static uint8_t of_digit(char c)
{
	if (c >= '0' && c <= '9')
		return (uint8_t)(c - '0');
	return (uint8_t)((c | 0x20) - 'a' + 10);
}

/* How many bytes are there in hexadecimal, at most nr. */
static size_t take_hex(const char *text, uint8_t *bytes, size_t nr)
{
	size_t n = 0;

	for (; n < nr && text[0] && text[1]; n++, text += 2)
		bytes[n] = (uint8_t)(of_digit(text[0]) << 4 | of_digit(text[1]));
	return n;
}

/* our number of one of those */
static uint32_t our_register(uint32_t gdbs)
{
#ifdef __aarch64__
	return gdbs;
#else
	static const uint8_t ours[] = {
		PD_RAX, PD_RBX, PD_RCX, PD_RDX, PD_RSI, PD_RDI, PD_RBP, PD_RSP,
		PD_R8, PD_R9, PD_R10, PD_R11, PD_R12, PD_R13, PD_R14, PD_R15, PD_PC,
	};

	return ours[gdbs];
#endif
}

/* Whether a signal's frame holds what the tasklet goes on with, in the program. */
static bool has_context(const struct pd_gdb *g, const struct pd_scene *scene,
			struct pd_context *c)
{
	return scene->begun && g->tasklet == pd_scene_current(scene) &&
	       pd_stopped_context(&scene->slot->arena, c) &&
	       (uint64_t)*c->registers[PD_PC] - PE_TEXT_BASE <
		       scene->slot->program->text_bytes;
}

#ifdef __aarch64__
static size_t register_bytes(uint32_t gdbs)
{
	if (gdbs < GDB_FLAGS)
		return 8;
	return gdbs < GDB_VECTORS || gdbs >= GDB_FP_STATE ? 4 : 16;
}

/* they lie among the records of a signal's frame, which nobody asks for */
static const uint8_t *fp_register(const struct pd_context *c, uint32_t gdbs)
{
	(void)c;
	(void)gdbs;
	return NULL;
}
#else
static size_t register_bytes(uint32_t gdbs)
{
	if (gdbs < GDB_FLAGS)
		return 8;
	if (gdbs < GDB_X87)
		return 4;
	if (gdbs < GDB_X87_CONTROL)
		return 10;
	return gdbs < GDB_XMM || gdbs == GDB_MXCSR ? 4 : 16;
}

/* Of vectors and floating point: where it is saved; NULL: it is not. */
static const uint8_t *fp_register(const struct pd_context *c, uint32_t gdbs)
{
	if (!c->fp)
		return NULL;
	if (gdbs >= GDB_X87 && gdbs < GDB_X87_CONTROL)
		return c->fp + FX_X87 + 16ul * (gdbs - GDB_X87);
	if (gdbs >= GDB_XMM && gdbs < GDB_MXCSR)
		return c->fp + FX_XMM + 16ul * (gdbs - GDB_XMM);
	return gdbs == GDB_MXCSR ? c->fp + FX_MXCSR : NULL;
}
#endif

static void add_register(const struct pd_gdb *g, const struct pd_scene *scene,
			 const struct pd_registers *regs, uint32_t gdbs, struct reply *r)
{
	const uint8_t *at = NULL;
	struct pd_context c;
	uint32_t ours;

	if (gdbs <= GDB_NR_CORE) {
		ours = our_register(gdbs);
		if (regs->known & 1ull << ours)
			at = (const uint8_t *)&regs->value[ours];
	} else if (has_context(g, scene, &c)) {
		at = gdbs == GDB_FLAGS ? (const uint8_t *)c.flags : fp_register(&c, gdbs);
	}
	if (at)
		add_hex(r, at, register_bytes(gdbs));
	else
		add_unknown(r, register_bytes(gdbs));
}

static void read_registers(const struct pd_gdb *g, const struct pd_scene *scene,
			   struct reply *r)
{
	struct pd_registers regs;

	pd_scene_registers(scene, g->tasklet, &regs);
	for (uint32_t i = 0; i < GDB_NR; i++)
		add_register(g, scene, &regs, i, r);
}

static void read_register(const struct pd_gdb *g, const struct pd_scene *scene,
			  const char *args, struct reply *r)
{
	unsigned long which = strtoul(args, NULL, 16);
	struct pd_registers regs;

	if (which >= GDB_NR)
		return;
	pd_scene_registers(scene, g->tasklet, &regs);
	add_register(g, scene, &regs, (uint32_t)which, r);
}

/* P: of a tasklet that waits in a service they are not to be had */
static void write_register(const struct pd_gdb *g, const struct pd_scene *scene,
			   const char *args, struct reply *r)
{
	char *end;
	unsigned long which = strtoul(args, &end, 16);
	uint64_t value = 0;
	struct pd_context c;

	if (which > GDB_NR_CORE || *end != '=' || !has_context(g, scene, &c) ||
	    take_hex(end + 1, (uint8_t *)&value, sizeof(value)) != sizeof(value)) {
		add_text(r, "E01");
		return;
	}
	*c.registers[our_register((uint32_t)which)] = (int64_t)value;
	add_text(r, "OK");
}

/* G: the first of them, as far as there are any */
static void write_registers(const struct pd_gdb *g, const struct pd_scene *scene,
			    const char *args, struct reply *r)
{
	uint64_t value;
	struct pd_context c;

	if (!has_context(g, scene, &c)) {
		add_text(r, "E01");
		return;
	}
	for (uint32_t i = 0; i <= GDB_NR_CORE; i++, args += 2 * sizeof(value)) {
		if (strlen(args) < 2 * sizeof(value))
			break;
		if (*args == 'x')
			continue;
		take_hex(args, (uint8_t *)&value, sizeof(value));
		*c.registers[our_register(i)] = (int64_t)value;
	}
	add_text(r, "OK");
}

static void read_memory(const struct pd_scene *scene, const char *args, struct reply *r)
{
	uint8_t bytes[PD_PACKET_BYTES / 2 - 8];
	char *end;
	uint64_t at = strtoull(args, &end, 16), nr, got;

	nr = *end == ',' ? strtoull(end + 1, NULL, 16) : 0;
	got = pd_scene_read(scene, at, bytes, nr < sizeof(bytes) ? nr : sizeof(bytes));
	if (got)
		add_hex(r, bytes, got);
	else
		add_text(r, nr ? "E01" : "");
}

static void write_memory(const struct pd_scene *scene, const char *args, struct reply *r)
{
	uint8_t bytes[PD_PACKET_BYTES / 2];
	char *end;
	uint64_t at = strtoull(args, &end, 16), nr;

	nr = *end == ',' ? strtoull(end + 1, &end, 16) : 0;
	if (*end == ':' && nr <= sizeof(bytes) && take_hex(end + 1, bytes, nr) == nr &&
	    pd_scene_write(scene, at, bytes, nr))
		add_text(r, "OK");
	else
		add_text(r, "E01");
}

/* Z0,address,kind sets, z0,address,kind clears */
static void change_breakpoint(const struct pd_gdb *g, const char *packet, struct reply *r)
{
	uint64_t at = strtoull(packet + 3, NULL, 16);
	bool ok = true;

	if (strncmp(packet + 1, "0,", 2))
		return;
	if (!g->traps)
		ok = *packet == 'z';
	else if (*packet == 'Z')
		ok = pd_traps_set(g->traps, at);
	else
		pd_traps_clear(g->traps, at);
	add_text(r, ok ? "OK" : "E01");
}

/* of a thread's number; one that is none, or "any", is the one that runs */
static uint32_t tasklet_of(const struct pd_scene *scene, const char *number)
{
	unsigned long n = strtoul(number, NULL, 16);

	return n && n <= pd_scene_tasklets(scene) ? (uint32_t)n - 1 :
						    pd_scene_current(scene);
}

static void add_stop(const struct pd_gdb *g, const struct pd_scene *scene, struct reply *r)
{
	char text[48];

	snprintf(text, sizeof(text), "T%02xthread:%x;%s", (unsigned int)g->signal,
		 pd_scene_current(scene) + 1, g->breakpoint ? "swbreak:;" : "");
	add_text(r, text);
}

static void add_threads(const struct pd_scene *scene, struct reply *r)
{
	char text[16];

	add_text(r, "m");
	for (uint32_t t = 0; t < pd_scene_tasklets(scene); t++) {
		snprintf(text, sizeof(text), "%s%x", t ? "," : "", t + 1);
		add_text(r, text);
	}
}

/* qXfer:threads:read::offset,length */
static void add_thread_list(const struct pd_scene *scene, const char *args, struct reply *r)
{
	struct reply *all = calloc(1, sizeof(*all));
	char text[160], *end;
	size_t off = strtoul(args, &end, 16), nr;

	if (!all)
		return;
	nr = *end == ',' ? strtoul(end + 1, NULL, 16) : 0;
	add_text(all, "<threads>");
	for (uint32_t t = 0; t < pd_scene_tasklets(scene); t++) {
		snprintf(text, sizeof(text),
			 "<thread id=\"%x\" name=\"tasklet %u\">%s</thread>", t + 1, t,
			 pd_scene_state(scene, t));
		add_text(all, text);
	}
	add_text(all, "</threads>");
	off = off < all->used ? off : all->used;
	nr = nr < all->used - off ? nr : all->used - off;
	all->text[off + nr] = '\0';
	add_text(r, off + nr < all->used ? "m" : "l");
	add_text(r, all->text + off);
	free(all);
}

static void query(struct pd_gdb *g, const struct pd_scene *scene, const char *packet,
		  struct reply *r)
{
	static const char list[] = "qXfer:threads:read::";
	char text[32];

	if (!strncmp(packet, "qSupported", 10)) {
		add_text(r, "PacketSize=3fff;QStartNoAckMode+;swbreak+;vContSupported+;qXfer:threads:read+");
	} else if (!strcmp(packet, "qC")) {
		snprintf(text, sizeof(text), "QC%x", g->tasklet + 1);
		add_text(r, text);
	} else if (!strcmp(packet, "qfThreadInfo")) {
		add_threads(scene, r);
	} else if (!strcmp(packet, "qsThreadInfo")) {
		add_text(r, "l");
	} else if (!strncmp(packet, "qAttached", 9)) {
		add_text(r, "1");
	} else if (!strncmp(packet, list, sizeof(list) - 1)) {
		add_thread_list(scene, packet + sizeof(list) - 1, r);
	}
}

/* vCont;action[:thread]...: who is to take a step; all others go on. false: neither. */
static bool go_on(struct pd_gdb *g, const struct pd_scene *scene, const char *actions)
{
	uint32_t step = PD_NO_TASKLET;

	if (*actions != ';')
		return false;
	for (; actions; actions = strchr(actions + 1, ';')) {
		const char *thread = strchr(actions, ':');
		const char *next = strchr(actions + 1, ';');

		if (!strchr("cCsS", actions[1]))
			return false;
		if (strchr("sS", actions[1]) && step == PD_NO_TASKLET)
			step = thread && (!next || thread < next) ?
				       tasklet_of(scene, thread + 1) :
				       pd_scene_current(scene);
	}
	if (g->traps)
		g->traps->step = step;
	return true;
}

/* What needs no state but the PE's; false: it is something else. */
static bool look(struct pd_gdb *g, const struct pd_scene *scene, const char *packet,
		 struct reply *r)
{
	switch (*packet) {
	case '?':
		add_stop(g, scene, r);
		return true;
	case 'g':
		read_registers(g, scene, r);
		return true;
	case 'p':
		read_register(g, scene, packet + 1, r);
		return true;
	case 'G':
		write_registers(g, scene, packet + 1, r);
		return true;
	case 'P':
		write_register(g, scene, packet + 1, r);
		return true;
	case 'm':
		read_memory(scene, packet + 1, r);
		return true;
	case 'M':
		write_memory(scene, packet + 1, r);
		return true;
	case 'z':
	case 'Z':
		change_breakpoint(g, packet, r);
		return true;
	case 'q':
		query(g, scene, packet, r);
		return true;
	default:
		return false;
	}
}

/* Answer one packet; false: the PE goes on. */
static bool answer(struct pd_gdb *g, const struct pd_scene *scene, const char *packet,
		   struct reply *r)
{
	if (look(g, scene, packet, r))
		return true;
	switch (*packet) {
	case 'H':
		if (packet[1] == 'g')
			g->tasklet = tasklet_of(scene, packet + 2);
		add_text(r, "OK");
		return true;
	case 'T':
		add_text(r, "OK");
		return true;
	case 'D':
		add_text(r, "OK");
		return false;
	case 'k':
		return false;
	case 'Q':
		if (!strcmp(packet, "QStartNoAckMode"))
			add_text(r, "OK");
		return true;
	}
	if (!strcmp(packet, "vCont?"))
		add_text(r, "vCont;c;C;s;S");
	else if (!strncmp(packet, "vCont", 5) && go_on(g, scene, packet + 5))
		return false;
	return true;
}

static void close_gdb(struct pd_gdb *g)
{
	pd_packets_close(&g->packets);
	g->owed = false;
	if (!g->traps)
		return;
	g->traps->step = PD_NO_TASKLET;
	pd_traps_clear_all(g->traps);
}

static void answer_all(struct pd_gdb *g, const struct pd_scene *scene, char *packet,
		       struct reply *r)
{
	bool stays;

	while (pd_packets_read(&g->packets, packet)) {
		/* it has stopped already */
		if (*packet == '\003')
			continue;
		r->used = 0;
		r->text[0] = '\0';
		stays = answer(g, scene, packet, r);
		if (!stays && *packet == 'v') {
			g->owed = true;
			return;
		}
		if (stays || *packet == 'D')
			pd_packets_write(&g->packets, r->text);
		if (!stays)
			break;
		if (!strcmp(packet, "QStartNoAckMode"))
			g->packets.plain = true;
	}
	close_gdb(g);
}

void pd_gdb_serve(struct pd_gdb *g, const struct pd_scene *scene)
{
	char *packet = malloc(PD_PACKET_BYTES);
	struct reply *r = calloc(1, sizeof(*r));

	g->tasklet = pd_scene_current(scene);
	if (!packet || !r) {
		close_gdb(g);
	} else {
		if (g->owed) {
			add_stop(g, scene, r);
			pd_packets_write(&g->packets, r->text);
		}
		g->owed = false;
		answer_all(g, scene, packet, r);
	}
	free(packet);
	free(r);
}
