// SPDX-License-Identifier: MIT
/* Core files of PEs: ELF files with notes of tasklets and with the PE's memory. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/signals.h"
#include "runtime/base/util.h"
#include "runtime/pe/debug/core.h"

#define MAX_SEGMENTS	(PE_MAX_TASKLETS + 5)
#define MAX_NAMES	1000u

/* as the kernel writes them */
#ifdef __aarch64__
#define NR_CORE_REGISTERS	34
#define CORE_PC			32
#else
#define NR_CORE_REGISTERS	27
#define CORE_PC			16
#endif

struct core_status {
	int32_t signal, code, number;
	int16_t current_signal;
	uint64_t pending, held;
	int32_t pid, parent, group, session;
	uint64_t times[8];
	uint64_t registers[NR_CORE_REGISTERS];
	int32_t fp_valid;
};

struct core_info {
	char state, name_of_state, zombie, nice;
	uint64_t flags;
	uint32_t uid, gid;
	int32_t pid, parent, group, session;
	char name[16], arguments[80];
};

_Static_assert(sizeof(struct core_status) == 120 + 8 * NR_CORE_REGISTERS, "NT_PRSTATUS");
_Static_assert(sizeof(struct core_info) == 136, "NT_PRPSINFO");

struct core {
	const struct pd_scene *scene;
	int fd;
	uint32_t fault;
	uint64_t at;		/* in the file */
	Elf64_Phdr segments[MAX_SEGMENTS];
	uint32_t nr_segments;
	uint8_t notes[(PE_MAX_TASKLETS + 2) * 512];
	uint64_t notes_bytes;
};

int pd_core_signal(uint32_t fault)
{
	switch (fault) {
	case PE_FAULT_DIVIDE:
		return SIGFPE;
	case PE_FAULT_ACCESS:
	case PE_FAULT_STACK:
		return SIGSEGV;
	case PE_FAULT_INSTRUCTION:
		return SIGILL;
	case PE_FAULT_SYSCALL:
		return SIGSYS;
	case PE_FAULT_TIMEOUT:
		return SIGXCPU;
	case PE_FAULT_DMA:
	case PE_FAULT_ALIGNMENT:
		return SIGBUS;
	default:
		return SIGABRT;
	}
}

static void add_note(struct core *c, const char *name, uint32_t type, const void *data,
		     uint32_t bytes)
{
	const Elf64_Nhdr header = { (uint32_t)strlen(name) + 1, bytes, type };
	uint8_t *at = c->notes + c->notes_bytes;

	memcpy(at, &header, sizeof(header));
	at += sizeof(header);
	memcpy(at, name, header.n_namesz);
	at += pd_round_up(header.n_namesz, 4);
	memcpy(at, data, bytes);
	at += pd_round_up(bytes, 4);
	c->notes_bytes = (uint64_t)(at - c->notes);
}

/* But for the PC; in the order in which the kernel has them. */
static void put_registers(const struct pd_registers *r, uint64_t *registers)
{
#ifdef __aarch64__
	for (uint32_t i = 0; i <= PD_SP; i++)
		registers[i] = r->value[i];
#else
	static const struct {
		uint8_t ours, place;
	} places[] = {
		{ PD_R15, 0 }, { PD_R14, 1 }, { PD_R13, 2 }, { PD_R12, 3 }, { PD_RBP, 4 },
		{ PD_RBX, 5 }, { PD_R11, 6 }, { PD_R10, 7 }, { PD_R9, 8 }, { PD_R8, 9 },
		{ PD_RAX, 10 }, { PD_RCX, 11 }, { PD_RDX, 12 }, { PD_RSI, 13 },
		{ PD_RDI, 14 }, { PD_RSP, 19 },
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		registers[places[i].place] = r->value[places[i].ours];
#endif
}

static void add_tasklet(struct core *c, uint32_t tasklet)
{
	struct core_status status = { .pid = (int32_t)tasklet + 1 };
	struct pd_registers r;

	pd_scene_registers(c->scene, tasklet, &r);
	put_registers(&r, status.registers);
	/* in the call, where it is one: what follows may be another function */
	status.registers[CORE_PC] = pd_pc_of(&r);
	/* gdb takes it from any of them */
	status.signal = pd_core_signal(c->fault);
	status.current_signal = (int16_t)status.signal;
	add_note(c, "CORE", NT_PRSTATUS, &status, sizeof(status));
}

static void add_notes(struct core *c)
{
	const struct pimdimm_program *program = c->scene->slot->program;
	uint32_t current = pd_scene_current(c->scene);
	struct core_info info = { .name_of_state = 'R', .pid = (int32_t)current + 1 };

	snprintf(info.name, sizeof(info.name), "%.15s", program->name);
	snprintf(info.arguments, sizeof(info.arguments), "%s, PE %u", program->name,
		 c->scene->pe);
	add_tasklet(c, current);
	add_note(c, "CORE", NT_PRPSINFO, &info, sizeof(info));
	for (uint32_t t = 0; t < pd_scene_tasklets(c->scene); t++)
		if (t != current)
			add_tasklet(c, t);
	/* by which it is known for what it is */
	add_note(c, PE_NOTE_NAME, PE_NOTE_TYPE, &program->note, sizeof(program->note));
}

static void add_segment(struct core *c, uint64_t address, uint64_t bytes, uint32_t flags)
{
	c->segments[c->nr_segments++] = (Elf64_Phdr){
		.p_type = PT_LOAD,
		.p_flags = flags,
		.p_offset = c->at,
		.p_vaddr = address,
		.p_filesz = bytes,
		.p_memsz = bytes,
		.p_align = PE_PAGE,
	};
	c->at += bytes;
}

/* Where everything is to lie: notes behind the header's page, then memory by pages. */
static void lay_out(struct core *c)
{
	const struct pd_slot *slot = c->scene->slot;

	c->segments[c->nr_segments++] = (Elf64_Phdr){
		.p_type = PT_NOTE,
		.p_offset = PE_PAGE,
		.p_filesz = c->notes_bytes,
		.p_align = 4,
	};
	c->at = PE_PAGE + pd_round_up(c->notes_bytes, PE_PAGE);
	add_segment(c, PE_WRAM_BASE, PE_WRAM_BYTES, PF_R | PF_W);
	add_segment(c, PE_MRAM_BASE, (uint64_t)slot->arena.window.nr_pages * PE_PAGE,
		    PF_R | PF_W);
	add_segment(c, PE_TEXT_BASE, slot->program->text_bytes, PF_R | PF_X);
	for (uint32_t t = 0; t < pd_scene_tasklets(c->scene); t++) {
		uint32_t bottom = PE_STACK_BOTTOM(t, slot->program->note.stack_bytes[t]);

		add_segment(c, bottom, PE_STACK_BASE + (t + 1) * PE_STACK_SLOT - bottom,
			    PF_R | PF_W);
	}
	/* what programs know of their PE */
	add_segment(c, PE_SHARED, PE_PAGE, PF_R | PF_W);
}

static int put_bytes(const struct core *c, const void *bytes, size_t nr, uint64_t at)
{
	const uint8_t *p = bytes;

	while (nr) {
		ssize_t n = pwrite(c->fd, p, nr, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? errno : ENOSPC;
		p += n;
		nr -= (size_t)n;
		at += (uint64_t)n;
	}
	return 0;
}

static bool is_zero(const uint8_t *page)
{
	static const uint8_t zeros[PE_PAGE];

	return !memcmp(page, zeros, PE_PAGE);
}

static int put_segment(const struct core *c, const Elf64_Phdr *s)
{
	uint8_t page[PE_PAGE];
	int err = 0;

	for (uint64_t off = 0; off < s->p_filesz && !err; off += PE_PAGE) {
		memset(page, 0, PE_PAGE);
		pd_scene_read(c->scene, s->p_vaddr + off, page, PE_PAGE);
		if (!is_zero(page))
			err = put_bytes(c, page, PE_PAGE, s->p_offset + off);
	}
	return err;
}

static int put_all(const struct core *c)
{
	const Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_CORE,
		.e_machine = PD_ELF_MACHINE,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(header),
		.e_ehsize = sizeof(header),
		.e_phentsize = sizeof(*c->segments),
		.e_phnum = (uint16_t)c->nr_segments,
	};
	int err;

	if (pd_set_file_size(c->fd, (off_t)c->at))
		return errno;
	err = put_bytes(c, &header, sizeof(header), 0);
	if (!err)
		err = put_bytes(c, c->segments, c->nr_segments * sizeof(*c->segments),
				sizeof(header));
	if (!err)
		err = put_bytes(c, c->notes, c->notes_bytes, PE_PAGE);
	for (uint32_t i = 1; i < c->nr_segments && !err; i++)
		err = put_segment(c, &c->segments[i]);
	return err;
}

/* The nth name for it; false: it is too long. */
static bool name_core(const struct core *c, const char *folder, uint32_t n, char *path,
		      size_t bytes)
{
	char more[16] = "";

	if (n)
		snprintf(more, sizeof(more), "-%u", n + 1);
	return snprintf(path, bytes, "%s/pe-%u.%d%s.core", folder, c->scene->pe,
			(int)getpid(), more) < (int)bytes;
}

/* Give a file without a name one that no other has. */
static int link_core(const struct core *c, const char *folder, char *path, size_t bytes)
{
	char self[32];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", c->fd);
	for (uint32_t n = 0; n < MAX_NAMES && name_core(c, folder, n, path, bytes); n++) {
		if (!linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW))
			return 0;
		if (errno != EEXIST)
			return errno;
	}
	return ENAMETOOLONG;
}

/* Where a file system knows of none without a name: it is removed if it is not whole. */
static int write_named(struct core *c, const char *folder, char *path, size_t bytes)
{
	int err = ENAMETOOLONG;

	c->fd = -1;
	for (uint32_t n = 0; c->fd < 0 && n < MAX_NAMES; n++) {
		if (!name_core(c, folder, n, path, bytes))
			return ENAMETOOLONG;
		c->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (c->fd < 0 && errno != EEXIST)
			return errno;
	}
	if (c->fd < 0)
		return err;
	err = put_all(c);
	if (close(c->fd) && !err)
		err = errno;
	if (err)
		unlink(path);
	return err;
}

static int write_core(struct core *c, const char *folder, char *path, size_t bytes)
{
	int err;

	c->fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (c->fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR))
		return write_named(c, folder, path, bytes);
	if (c->fd < 0)
		return errno;
	err = put_all(c);
	if (!err)
		err = link_core(c, folder, path, bytes);
	if (close(c->fd) && !err) {
		err = errno;
		unlink(path);
	}
	return err;
}

int pd_core_write(const struct pd_scene *scene, uint32_t fault, const char *folder,
		  char *path, size_t bytes)
{
	struct core *c = calloc(1, sizeof(*c));
	int err;

	if (!c)
		return ENOMEM;
	c->scene = scene;
	c->fault = fault;
	add_notes(c);
	lay_out(c);
	err = write_core(c, folder, path, bytes);
	free(c);
	return err;
}
