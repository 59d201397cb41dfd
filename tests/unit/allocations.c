// SPDX-License-Identifier: MIT
/* Requests for memory, counted: this program's own allocator, see the header. */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/unit/allocations.h"

static atomic_ulong requests;
static atomic_bool armed;
/* whether this thread is the one that counts */
static _Thread_local bool counting;

static void count(void)
{
	if (armed)
		requests++;
}

/*
 * The sanitizers have an allocator of their own, which reports each request to a hook. They ask
 * for memory themselves when a thread begins: only those of the thread that counts are counted.
 */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
int __sanitizer_install_malloc_and_free_hooks(void (*allocated)(const volatile void *p, size_t),
					      void (*freed)(const volatile void *p));

static void allocated(const volatile void *p, size_t bytes)
{
	(void)p;
	(void)bytes;
	if (counting)
		count();
}

static void freed(const volatile void *p)
{
	(void)p;
}

static __attribute__((constructor)) void hook_in(void)
{
	if (!__sanitizer_install_malloc_and_free_hooks(allocated, freed))
		abort();
}
#else
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t bytes);
void *__libc_realloc(void *p, size_t bytes);
void *__libc_memalign(size_t align, size_t bytes);
void __libc_free(void *p);

void *malloc(size_t bytes)
{
	count();
	return __libc_malloc(bytes);
}

void *calloc(size_t n, size_t bytes)
{
	count();
	return __libc_calloc(n, bytes);
}

void *realloc(void *p, size_t bytes)
{
	count();
	return __libc_realloc(p, bytes);
}

void free(void *p)
{
	__libc_free(p);
}

void *memalign(size_t align, size_t bytes);
void *memalign(size_t align, size_t bytes)
{
	count();
	return __libc_memalign(align, bytes);
}

void *aligned_alloc(size_t align, size_t bytes)
{
	count();
	return __libc_memalign(align, bytes);
}

int posix_memalign(void **p, size_t align, size_t bytes)
{
	count();
	*p = __libc_memalign(align, bytes);
	return *p ? 0 : ENOMEM;
}

/* what whoever asks the kernel itself calls; malloc() does so unseen */
void *mmap(void *at, size_t bytes, int prot, int flags, int fd, off_t off)
{
	count();
	return (void *)syscall(SYS_mmap, at, bytes, prot, flags, fd, off);
}

void *mmap64(void *at, size_t bytes, int prot, int flags, int fd, off64_t off)
{
	return mmap(at, bytes, prot, flags, fd, off);
}

void *mremap(void *at, size_t bytes, size_t wanted, int flags, ...)
{
	count();
	return (void *)syscall(SYS_mremap, at, bytes, wanted, flags, 0);
}

int brk(void *end)
{
	count();
	return (void *)syscall(SYS_brk, end) < end ? -1 : 0;
}
#endif

void allocations_start(void)
{
	counting = true;
	requests = 0;
	armed = true;
}

unsigned long allocations_stop(void)
{
	armed = false;
	counting = false;
	return requests;
}
