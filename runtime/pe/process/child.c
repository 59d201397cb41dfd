// SPDX-License-Identifier: MIT
/* Starting worker processes, each below a keeper of its own, and ending them. */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/error.h"
#include "runtime/base/threads.h"
#include "runtime/pe/process/child.h"
#include "runtime/pe/shared/syscall.h"

#define KEEPER_STACK	16384
#define WORKER_STACK	16384

/* exit status of a worker that came to nothing before it was one */
#define STATUS_ORPHAN	120
#define STATUS_FDS	121
#define STATUS_EXEC	122

struct pd_child {
	struct pd_child *next;
	pid_t host;
	pid_t keeper;
	pid_t parent;		/* the keeper again, as it tells its worker */
	int fds[PE_NR_FDS];
	volatile uint32_t *call;
	uint8_t *stacks;
	_Atomic pid_t worker;	/* 0: not yet; -errno */
	int pidfd;		/* of it: its number may be another process's later */
	_Atomic uint32_t held;	/* the host has that; a futex */
	_Atomic uint32_t dead;	/* a futex */
	int status;		/* as wait() has it, once dead */
};

/*
 * The thread that starts children. A process is killed when the thread that
 * started it ends, not only when its process does, so it must be one that stays.
 */
struct pd_nursery {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t moved;
	struct pd_child *order;	/* to be started */
	bool stop;
};

/*
 * Keeper and worker-to-be run in the host's memory, on the thread-local storage
 * of the thread that started them: no libc, and nothing of a sanitizer.
 */
#if defined(__x86_64__) || defined(__aarch64__)

/*
 * A process that runs fn on a stack of its own, and ends with it. Not the C
 * library's clone(), which sanitizers take for fork().
 */
#if defined(__x86_64__)
static inline __attribute__((always_inline)) long
raw_clone(int (*fn)(void *), uint8_t *stack, long flags, void *arg)
{
	void **top = (void **)stack;
	register long r10 __asm__("r10") = 0;
	register long r8 __asm__("r8") = 0;
	long ret;

	*--top = arg;
	*--top = (void *)fn;
	__asm__ volatile("syscall\n\t"
			 "testq	%%rax, %%rax\n\t"
			 "jnz	1f\n\t"
			 "xorl	%%ebp, %%ebp\n\t"
			 "popq	%%rax\n\t"
			 "popq	%%rdi\n\t"
			 "call	*%%rax\n\t"
			 "ud2\n"
			 "1:"
			 : "=a"(ret)
			 : "a"(SYS_clone), "D"(flags), "S"(top), "d"(0L),
			   "r"(r10), "r"(r8)
			 : "rcx", "r11", "memory");
	return ret;
}
#else
static inline __attribute__((always_inline)) long
raw_clone(int (*fn)(void *), uint8_t *stack, long flags, void *arg)
{
	void **top = (void **)stack;
	register long x8 __asm__("x8") = SYS_clone;
	register long x0 __asm__("x0") = flags;
	register void **x1 __asm__("x1");
	register long x2 __asm__("x2") = 0;
	register long x3 __asm__("x3") = 0;
	register long x4 __asm__("x4") = 0;

	*--top = arg;
	*--top = (void *)fn;
	x1 = top;
	__asm__ volatile("svc	#0\n\t"
			 "cbnz	x0, 1f\n\t"
			 "mov	x29, xzr\n\t"
			 "ldp	x9, x0, [sp], #16\n\t"
			 "blr	x9\n\t"
			 "udf	#0\n"
			 "1:"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4)
			 : "memory", "cc");
	return x0;
}
#endif

#define BARE __attribute__((no_sanitize("address", "thread", "undefined"), \
			    noinline))

/* Its descriptors to 0, 1, ...: by way of numbers that none of them has. */
BARE static int move_fds(const struct pd_child *c)
{
	const long apart = 64;
	long at[PE_NR_FDS];

	for (int i = 0; i < PE_NR_FDS; i++) {
		at[i] = pe_syscall(SYS_fcntl, c->fds[i], F_DUPFD, apart, 0, 0, 0);
		if (at[i] < 0)
			return -1;
	}
	for (int i = 0; i < PE_NR_FDS; i++) {
		if (pe_syscall(SYS_dup3, at[i], i, 0, 0, 0, 0) < 0)
			return -1;
	}
	return (int)pe_syscall(SYS_close_range, PE_NR_FDS, ~0u, 0, 0, 0, 0);
}

BARE static int worker_main(void *arg)
{
	const struct pd_child *c = arg;
	char *none[] = { NULL };
	char name[] = "pimdimm-pe", parent[PE_PARENT_LETTERS + 1] = "";
	char *argv[] = { name, parent, NULL };

	pe_syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0, 0);
	/* the keeper may have died before */
	if (pe_syscall(SYS_getppid, 0, 0, 0, 0, 0, 0) != c->parent)
		pe_syscall(SYS_exit_group, STATUS_ORPHAN, 0, 0, 0, 0, 0);
	if (move_fds(c))
		pe_syscall(SYS_exit_group, STATUS_FDS, 0, 0, 0, 0, 0);
	for (int i = 0; i < PE_PARENT_LETTERS; i++)
		parent[i] = (char)('a' + (c->parent >> 4 * i & 15));
	pe_syscall(SYS_execveat, PE_FD_WORKER, (long)"", (long)argv, (long)none, AT_EMPTY_PATH, 0);
	pe_syscall(SYS_exit_group, STATUS_EXEC, 0, 0, 0, 0, 0);
	return 0;
}

/*
 * A child of who ignores SIGCHLD, as the host may, leaves nothing to wait for. The
 * system call's structure: a handler, flags, a restorer, a mask.
 */
BARE static void heed_children(void)
{
	static const unsigned long as_at_first[4];

	pe_syscall(SYS_rt_sigaction, SIGCHLD, (long)as_at_first, 0, 8, 0, 0);
}

/*
 * The worker's end. As long as nobody has waited for it its number stays its own,
 * and that is until the host has a descriptor of it. Interrupted by nothing:
 * signals are blocked.
 */
BARE static int await(struct pd_child *c, long pid)
{
	int status = 0;

	while (!__atomic_load_n((uint32_t *)&c->held, __ATOMIC_ACQUIRE))
		pe_syscall(SYS_futex, (long)&c->held, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0);
	pe_syscall(SYS_wait4, pid, (long)&status, __WALL, 0, 0, 0);
	return status;
}

BARE static int keeper_main(void *arg)
{
	struct pd_child *c = arg;
	long pid;

	pe_syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0, 0);
	if (pe_syscall(SYS_getppid, 0, 0, 0, 0, 0, 0) != c->host)
		pe_syscall(SYS_exit_group, 0, 0, 0, 0, 0, 0);
	pe_syscall(SYS_prctl, PR_SET_NAME, (long)"pimdimm-keeper", 0, 0, 0, 0);
	/* out of reach of the terminal's signals */
	pe_syscall(SYS_setsid, 0, 0, 0, 0, 0, 0);
	heed_children();
	c->parent = (pid_t)pe_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
	pid = raw_clone(worker_main, c->stacks + KEEPER_STACK + WORKER_STACK,
			CLONE_VM | CLONE_VFORK | SIGCHLD, c);
	__atomic_store_n((pid_t *)&c->worker, pid > 0 ? (pid_t)pid : -EAGAIN,
			 __ATOMIC_RELEASE);
	pe_syscall(SYS_futex, (long)&c->worker, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
	/* what the host closes shall be closed; its files are not ours */
	pe_syscall(SYS_close_range, 0, ~0u, 0, 0, 0, 0);
	if (pid > 0)
		c->status = await(c, pid);
	__atomic_store_n((uint32_t *)&c->dead, 1, __ATOMIC_RELEASE);
	pe_syscall(SYS_futex, (long)&c->dead, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
	pe_syscall(SYS_futex, (long)c->call, FUTEX_WAKE, 1, 0, 0, 0);
	pe_syscall(SYS_exit_group, 0, 0, 0, 0, 0, 0);
	return 0;
}

static void start(struct pd_child *c)
{
	/* exit signal 0: no SIGCHLD, and only __WALL finds it */
	long keeper = raw_clone(keeper_main, c->stacks + KEEPER_STACK, CLONE_VM,
				c);

	if (keeper < 0)
		atomic_store(&c->worker, (pid_t)keeper);
	else
		c->keeper = (pid_t)keeper;
}
#else
static void start(struct pd_child *c)
{
	/* PE programs are code of x86-64 or aarch64, and this CPU is neither */
	atomic_store(&c->worker, -EOPNOTSUPP);
}
#endif

/* for a while: a keeper that was killed wakes nobody */
static void futex_wait(_Atomic uint32_t *word, uint32_t seen)
{
	const struct timespec moment = { .tv_nsec = 100000000 };

	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, &moment, NULL, 0);
}

static bool keeper_gone(const struct pd_child *c)
{
	siginfo_t info = { 0 };

	return waitid(P_PID, (id_t)c->keeper, &info,
		      WEXITED | WNOHANG | WNOWAIT | __WALL) ||
	       info.si_pid == c->keeper;
}

static void *nursery_thread(void *arg)
{
	struct pd_nursery *n = arg;
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	pthread_mutex_lock(&n->lock);
	while (!n->stop) {
		struct pd_child *c = n->order;

		if (c) {
			n->order = c->next;
			start(c);
			pthread_cond_broadcast(&n->moved);
		} else {
			pthread_cond_wait(&n->moved, &n->lock);
		}
	}
	pthread_mutex_unlock(&n->lock);
	return NULL;
}

/* A PE's memory is mapped, and kept apart from others', in pages of this size. */
static int check_pages(void)
{
	long bytes = sysconf(_SC_PAGESIZE);

	if (bytes == PE_PAGE)
		return 0;
	return pd_error(EOPNOTSUPP,
			"this kernel's pages have %ld bytes, and programs for PEs run where they have %u",
			bytes, PE_PAGE);
}

int pd_nursery_create(struct pd_nursery **nursery)
{
	struct pd_nursery *n;
	int err = check_pages();

	if (err)
		return err;
	n = calloc(1, sizeof(*n));
	if (!n)
		return pd_error(ENOMEM, "no memory for worker processes");
	pthread_mutex_init(&n->lock, NULL);
	pthread_cond_init(&n->moved, NULL);
	err = pd_thread_start(&n->thread, nursery_thread, n);
	if (err) {
		free(n);
		return pd_error(err, "cannot start the thread that starts worker processes");
	}
	*nursery = n;
	return 0;
}

void pd_nursery_destroy(struct pd_nursery *n)
{
	pthread_mutex_lock(&n->lock);
	n->stop = true;
	pthread_cond_broadcast(&n->moved);
	pthread_mutex_unlock(&n->lock);
	pthread_join(n->thread, NULL);
	pthread_cond_destroy(&n->moved);
	pthread_mutex_destroy(&n->lock);
	free(n);
}

static void release_child(struct pd_child *c)
{
	if (c->pidfd >= 0)
		close(c->pidfd);
	if (c->stacks)
		munmap(c->stacks, KEEPER_STACK + WORKER_STACK);
	free(c);
}

static struct pd_child *prepare_child(const int fds[PE_NR_FDS],
				      volatile uint32_t *call)
{
	struct pd_child *c = calloc(1, sizeof(*c));
	void *stacks;

	if (!c)
		return NULL;
	stacks = mmap(NULL, KEEPER_STACK + WORKER_STACK, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	if (stacks == MAP_FAILED) {
		free(c);
		return NULL;
	}
	c->stacks = stacks;
	c->pidfd = -1;
	c->call = call;
	c->host = getpid();
	memcpy(c->fds, fds, sizeof(c->fds));
	return c;
}

/* Have the nursery start it; returns its pid, or -errno. */
static pid_t order_child(struct pd_nursery *n, struct pd_child *c)
{
	pid_t pid;

	pthread_mutex_lock(&n->lock);
	c->next = n->order;
	n->order = c;
	pthread_cond_broadcast(&n->moved);
	while (!c->keeper && !atomic_load(&c->worker))
		pthread_cond_wait(&n->moved, &n->lock);
	pthread_mutex_unlock(&n->lock);
	while (!(pid = atomic_load(&c->worker))) {
		if (keeper_gone(c))
			return -EAGAIN;
		futex_wait((_Atomic uint32_t *)&c->worker, 0);
	}
	return pid;
}

/*
 * The worker, which its keeper does not wait for before, becomes the host's to end.
 * 0 or -errno: it is gone then.
 */
static int hold_worker(struct pd_child *c, pid_t pid)
{
	int err = 0;

	c->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (c->pidfd < 0) {
		err = -errno;
		kill(pid, SIGKILL);
	} else if (keeper_gone(c)) {
		/* the number may have been another's by then */
		err = -EAGAIN;
	}
	atomic_store(&c->held, 1);
	syscall(SYS_futex, &c->held, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	return err;
}

int pd_child_start(struct pd_nursery *n, const int fds[PE_NR_FDS],
		   volatile uint32_t *call, struct pd_child **child)
{
	struct pd_child *c = prepare_child(fds, call);
	int pid;

	if (!c)
		return pd_error(ENOMEM, "no memory for a worker process");
	pid = order_child(n, c);
	if (pid > 0)
		pid = hold_worker(c, pid);
	if (!pid) {
		*child = c;
		return 0;
	}
	if (c->keeper)
		waitpid(c->keeper, NULL, __WALL);
	release_child(c);
	if (pid == -EOPNOTSUPP)
		return pd_error(EOPNOTSUPP,
				"programs for PEs run on x86-64 and aarch64 alone");
	return pd_error(EAGAIN, "cannot start a worker process: %s",
			strerror(-pid));
}

bool pd_child_dead(const struct pd_child *c)
{
	return atomic_load(&c->dead);
}

pid_t pd_child_number(const struct pd_child *c)
{
	if (pd_child_dead(c) || syscall(SYS_pidfd_send_signal, c->pidfd, 0, NULL, 0))
		return 0;
	return atomic_load(&c->worker);
}

/* As proc(5) has it: R, S, D, T and so on; 0: not known. */
static char state_of(pid_t pid)
{
	char path[32], text[128] = "", *end;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	/* "PID (NAME) STATE ...": a worker's name is short */
	if (read(fd, text, sizeof(text) - 1) < 0)
		*text = '\0';
	close(fd);
	end = strrchr(text, ')');
	return end && end[1] == ' ' ? end[2] : 0;
}

bool pd_child_kept(const struct pd_child *c, uint64_t *cpu_ns)
{
	pid_t pid = atomic_load(&c->worker);
	char state = state_of(pid);
	struct timespec t;
	clockid_t clock;

	if (!state || !strchr("RDTt", state) || clock_getcpuclockid(pid, &clock) ||
	    clock_gettime(clock, &t))
		return false;
	*cpu_ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
	return true;
}

void pd_child_death(const struct pd_child *c, char *buf, size_t bytes)
{
	int code = WEXITSTATUS(c->status);

	if (!pd_child_dead(c))
		snprintf(buf, bytes, "woken by somebody else");
	else if (WIFSIGNALED(c->status))
		snprintf(buf, bytes, "killed by signal %d (%s)",
			 WTERMSIG(c->status), strsignal(WTERMSIG(c->status)));
	else if (code == STATUS_EXEC)
		snprintf(buf, bytes, "could not be executed");
	else
		snprintf(buf, bytes, "ended with status %d", code);
}

int pd_child_signal(const struct pd_child *c)
{
	return WIFSIGNALED(c->status) ? WTERMSIG(c->status) : 0;
}

static void kill_worker(const struct pd_child *c)
{
	if (!syscall(SYS_pidfd_send_signal, c->pidfd, SIGKILL, NULL, 0) ||
	    errno == ESRCH)
		return;
	/* the program has closed what is not its own */
	if (!pd_child_dead(c) && !keeper_gone(c))
		kill(atomic_load(&c->worker), SIGKILL);
}

void pd_child_end(struct pd_child *c)
{
	struct pollfd gone = { .fd = c->pidfd, .events = POLLIN };

	kill_worker(c);
	/* the keeper says so when it has seen the end of it */
	while (!pd_child_dead(c) && !keeper_gone(c))
		futex_wait(&c->dead, 0);
	/* without a keeper the kernel does, which has killed it, too */
	if (!pd_child_dead(c))
		poll(&gone, 1, 1000);
	while (waitpid(c->keeper, NULL, __WALL) < 0 && errno == EINTR)
		;
	release_child(c);
}
