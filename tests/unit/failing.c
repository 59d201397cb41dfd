// SPDX-License-Identifier: MIT
/* Resources that can be made to fail, see failing.h. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/unit/failing.h"

static atomic_uint seen, target;
static atomic_long outstanding, memory;
static atomic_bool armed, fired;

void failing_start(unsigned nth)
{
	seen = 0;
	target = nth;
	fired = false;
	armed = true;
}

bool failing_stop(void)
{
	armed = false;
	return fired;
}

long failing_outstanding(void)
{
	return outstanding;
}

long failing_memory(void)
{
	return memory;
}

static bool fails(void)
{
	if (!armed || ++seen != target)
		return false;
	fired = true;
	errno = ENOMEM;
	return true;
}

/* Counts what was obtained. */
static void *got(void *p)
{
	if (p) {
		outstanding++;
		memory++;
	}
	return p;
}

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t n, size_t bytes);
void *__real_realloc(void *p, size_t bytes);
void *__real_reallocarray(void *p, size_t n, size_t bytes);
void *__real_aligned_alloc(size_t align, size_t bytes);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t most);
void __real_free(void *p);
void *__real_mmap(void *at, size_t bytes, int prot, int flags, int fd, off_t off);
int __real_munmap(void *at, size_t bytes);
int __real_memfd_create(const char *name, unsigned flags);
int __real_open(const char *path, int flags, mode_t mode);
int __real_fallocate(int fd, int mode, off_t at, off_t bytes);
int __real_close(int fd);
int __real_ftruncate(int fd, off_t bytes);
long __real_syscall(long nr, long a, long b, long c, long d, long e, long f);
int __real_pthread_create(pthread_t *id, const pthread_attr_t *attr,
			  void *(*start)(void *), void *arg);
int __real_pthread_join(pthread_t id, void **result);

void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes);
void *__wrap_realloc(void *p, size_t bytes);
void *__wrap_reallocarray(void *p, size_t n, size_t bytes);
void *__wrap_aligned_alloc(size_t align, size_t bytes);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t most);
void __wrap_free(void *p);
void *__wrap_mmap(void *at, size_t bytes, int prot, int flags, int fd, off_t off);
int __wrap_munmap(void *at, size_t bytes);
int __wrap_memfd_create(const char *name, unsigned flags);
int __wrap_open(const char *path, int flags, mode_t mode);
int __wrap_fallocate(int fd, int mode, off_t at, off_t bytes);
int __wrap_close(int fd);
int __wrap_ftruncate(int fd, off_t bytes);
long __wrap_syscall(long nr, long a, long b, long c, long d, long e, long f);
int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *attr,
			  void *(*start)(void *), void *arg);
int __wrap_pthread_join(pthread_t id, void **result);

void *__wrap_malloc(size_t bytes)
{
	return fails() ? NULL : got(__real_malloc(bytes));
}

void *__wrap_calloc(size_t n, size_t bytes)
{
	return fails() ? NULL : got(__real_calloc(n, bytes));
}

void *__wrap_realloc(void *p, size_t bytes)
{
	if (fails())
		return NULL;
	return p ? __real_realloc(p, bytes) : got(__real_realloc(p, bytes));
}

void *__wrap_reallocarray(void *p, size_t n, size_t bytes)
{
	if (fails())
		return NULL;
	return p ? __real_reallocarray(p, n, bytes) : got(__real_reallocarray(p, n, bytes));
}

void *__wrap_aligned_alloc(size_t align, size_t bytes)
{
	return fails() ? NULL : got(__real_aligned_alloc(align, bytes));
}

char *__wrap_strdup(const char *text)
{
	return fails() ? NULL : got(__real_strdup(text));
}

char *__wrap_strndup(const char *text, size_t most)
{
	return fails() ? NULL : got(__real_strndup(text, most));
}

void __wrap_free(void *p)
{
	if (p) {
		outstanding--;
		memory--;
	}
	__real_free(p);
}

void *__wrap_mmap(void *at, size_t bytes, int prot, int flags, int fd, off_t off)
{
	void *p = MAP_FAILED;

	if (!fails())
		p = __real_mmap(at, bytes, prot, flags, fd, off);
	if (p != MAP_FAILED)
		outstanding++;
	return p;
}

int __wrap_munmap(void *at, size_t bytes)
{
	outstanding--;
	return __real_munmap(at, bytes);
}

int __wrap_memfd_create(const char *name, unsigned flags)
{
	int fd = fails() ? -1 : __real_memfd_create(name, flags);

	outstanding += fd >= 0;
	return fd;
}

/* the mode is there whether the caller gives one or not */
int __wrap_open(const char *path, int flags, mode_t mode)
{
	int fd = fails() ? -1 : __real_open(path, flags, mode);

	outstanding += fd >= 0;
	return fd;
}

int __wrap_fallocate(int fd, int mode, off_t at, off_t bytes)
{
	return fails() ? -1 : __real_fallocate(fd, mode, at, bytes);
}

int __wrap_close(int fd)
{
	outstanding--;
	return __real_close(fd);
}

int __wrap_ftruncate(int fd, off_t bytes)
{
	return fails() ? -1 : __real_ftruncate(fd, bytes);
}

long __wrap_syscall(long nr, long a, long b, long c, long d, long e, long f)
{
	long fd;

	if (nr != SYS_pidfd_open)
		return __real_syscall(nr, a, b, c, d, e, f);
	fd = fails() ? -1 : __real_syscall(nr, a, b, c, d, e, f);
	outstanding += fd >= 0;
	return fd;
}

int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *attr,
			  void *(*start)(void *), void *arg)
{
	int err = fails() ? EAGAIN : __real_pthread_create(id, attr, start, arg);

	outstanding += !err;
	return err;
}

int __wrap_pthread_join(pthread_t id, void **result)
{
	outstanding--;
	return __real_pthread_join(id, result);
}
