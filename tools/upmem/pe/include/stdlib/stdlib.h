/* SPDX-License-Identifier: MIT */
#ifndef STDLIB_H
#define STDLIB_H

#include <stddef.h>

#define EXIT_SUCCESS	0
#define EXIT_FAILURE	1

typedef struct {
	int quot, rem;
} div_t;

typedef struct {
	long quot, rem;
} ldiv_t;

typedef struct {
	long long quot, rem;
} lldiv_t;

/* stops the PE as halt() does */
void abort(void) __attribute__((noreturn));
/* ends the calling tasklet; nobody sees the status */
void exit(int status) __attribute__((noreturn));

int abs(int x);
long labs(long x);
long long llabs(long long x);
div_t div(int x, int by);
ldiv_t ldiv(long x, long by);
lldiv_t lldiv(long long x, long long by);

/* NULL: a PE has no environment */
char *getenv(const char *name);

int atoi(const char *s);
long atol(const char *s);
long long atoll(const char *s);
long strtol(const char *s, char **end, int base);
unsigned long strtoul(const char *s, char **end, int base);
long long strtoll(const char *s, char **end, int base);
unsigned long long strtoull(const char *s, char **end, int base);

#endif /* STDLIB_H */
