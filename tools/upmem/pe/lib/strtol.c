// SPDX-License-Identifier: MIT
/* Numbers from text. */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct number {
	uint64_t value;
	bool negative, overflow;
};

static int digit(char c)
{
	if (isdigit(c))
		return c - '0';
	return isalpha(c) ? tolower(c) - 'a' + 10 : 64;
}

static const char *skip_prefix(const char *s, int *base)
{
	bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X') && isxdigit(s[2]);

	if (!*base)
		*base = hex ? 16 : *s == '0' ? 8 : 10;
	return *base == 16 && hex ? s + 2 : s;
}

static struct number parse(const char *s, char **end, int base)
{
	struct number n = { 0 };
	const char *digits, *p = s;

	while (isspace(*p))
		p++;
	n.negative = *p == '-';
	p += *p == '-' || *p == '+';
	p = digits = skip_prefix(p, &base);
	for (; digit(*p) < base; p++) {
		n.overflow |= __builtin_mul_overflow(n.value, (uint64_t)base,
						     &n.value);
		n.overflow |= __builtin_add_overflow(n.value,
						     (uint64_t)digit(*p),
						     &n.value);
	}
	if (end)
		*end = (char *)(uintptr_t)(p == digits ? s : p);
	return n;
}

long long strtoll(const char *s, char **end, int base)
{
	struct number n = parse(s, end, base);

	if (n.overflow || n.value > INT64_MAX + (uint64_t)n.negative) {
		errno = ERANGE;
		return n.negative ? INT64_MIN : INT64_MAX;
	}
	return (long long)(n.negative ? -n.value : n.value);
}

unsigned long long strtoull(const char *s, char **end, int base)
{
	struct number n = parse(s, end, base);

	if (n.overflow) {
		errno = ERANGE;
		return UINT64_MAX;
	}
	return n.negative ? -n.value : n.value;
}

long strtol(const char *s, char **end, int base)
{
	return strtoll(s, end, base);
}

unsigned long strtoul(const char *s, char **end, int base)
{
	return strtoull(s, end, base);
}

int atoi(const char *s)
{
	return (int)strtoll(s, NULL, 10);
}

long atol(const char *s)
{
	return strtoll(s, NULL, 10);
}

long long atoll(const char *s)
{
	return strtoll(s, NULL, 10);
}
