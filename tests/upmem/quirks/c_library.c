// SPDX-License-Identifier: MIT
/*
 * The part of the C library that PEs have.
 * quirk: tasklets=2
 */
#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <pimdimm.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "quirk.h"

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void check_numbers(void)
{
	int sorted[50], key = 7 * 31 % 50;
	char *end;

	for (int i = 0; i < 50; i++)
		sorted[i] = i * 31 % 50;
	qsort(sorted, 50, sizeof(int), compare);
	for (int i = 0; i < 50; i++)
		CHECK(sorted[i] == i);
	CHECK(bsearch(&key, sorted, 50, sizeof(int), compare) == &sorted[key]);
	CHECK(strtol(" -0x1fz", &end, 0) == -31 && *end == 'z');
	CHECK(atoi("42abc") == 42 && strtoul("777", NULL, 8) == 511);
	CHECK(strtoll("9223372036854775808", NULL, 10) == LLONG_MAX &&
	      errno == ERANGE);
	CHECK(abs(-5) == 5 && div(17, 5).rem == 2 && lldiv(-7, 2).quot == -3);
	CHECK(!getenv("PATH"));
	srand(3);
	CHECK(rand() >= 0);
	CHECK(sizeof(uint64_t) == 8 && sizeof(long) == 8 && INT64_MIN < 0);
}

static void check_strings(void)
{
	char buffer[32] = "", words[] = "a,b;;c";

	strcpy(buffer, "abc");
	strcat(buffer, "def");
	strncat(buffer, "ghi", 2);
	CHECK(!strcmp(buffer, "abcdefgh") && strlen(buffer) == 8);
	CHECK(strncmp(buffer, "abcxyz", 3) == 0 && strchr(buffer, 'd') == buffer + 3);
	CHECK(strstr(buffer, "fgh") == buffer + 5 && !strrchr(buffer, 'z'));
	memmove(buffer + 2, buffer, 6);
	CHECK(!memcmp(buffer, "ababcdef", 8) && memchr(buffer, 'e', 32));
	CHECK(!strcmp(strtok(words, ",;"), "a") && !strcmp(strtok(NULL, ",;"), "b"));
	CHECK(!strcmp(strtok(NULL, ",;"), "c") && !strtok(NULL, ",;"));
	CHECK(isdigit('4') && toupper('x') == 'X' && isspace('\n'));
}

int main(void)
{
	volatile double x = 0.5;
	volatile float f = 2.0f;

	CHECK(fabs(sin(x) * sin(x) + cos(x) * cos(x) - 1) < 4 * DBL_EPSILON);
	CHECK(exp(log(x)) == x && pow(f, 10) == 1024 && sqrtf(f * 8) == 4);
	CHECK(floor(-x) == -1 && round(x) == 1 && fmaxf(f, 1) == 2);
	if (me() == 0) {
		check_numbers();
		check_strings();
	}
	quirk_end();
	return 0;
}
