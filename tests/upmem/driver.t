#!/bin/sh
# SPDX-License-Identifier: MIT
# The compiler driver: what Makefiles give it, and how it says no.

here=$(cd "$(dirname "$0")" && pwd)
case $B in
/*) ;;
*) B=$PWD/$B ;;
esac
TOOL=${TOOL:-$B/pimdimm}
# shellcheck source=tests/tool/lib.sh
. "$here/../tool/lib.sh"
CC=$B/upmem/bin/dpu-upmem-dpurte-clang
RUNNER=$B/tests/upmem/runner
cd "$tmp" || exit 1

cat >count.c <<'EOF'
#include <barrier.h>
#include <defs.h>
#include <stdint.h>
BARRIER_INIT(all, NR_TASKLETS)
__host uint32_t tasklets, seen;
int main(void)
{
	__atomic_fetch_add(&seen, 1, __ATOMIC_RELAXED);
	barrier_wait(&all);
	tasklets = NR_TASKLETS;
	return 0;
}
EOF
cat >other.c <<'EOF'
int other(void);
int other(void)
{
	return 1;
}
EOF

# cc ARGUMENT...: the driver; leaves what tool() leaves
cc()
{
	"$CC" "$@" >out 2>err </dev/null
	status=$?
	[ "$status" = 0 ]
}

# makes NAME TASKLETS ARGUMENT...: silently, a program of so many tasklets
makes()
{
	name=$1 tasklets=$2
	shift 2
	rm -f program
	cc "$@" && [ ! -s err ] && "$RUNNER" program tasklets seen >out &&
		grep -q "tasklets: .* = $tasklets\$" out &&
		grep -q "seen: .* = $tasklets\$" out
	result "$name"
}

# refuses NAME PATTERN ARGUMENT...: in words that match
refuses()
{
	name=$1 pattern=$2
	shift 2
	! cc "$@" && grep -q -e "$pattern" err
	result "$name"
}

# warns NAME PATTERN ARGUMENT...: makes it all the same
warns()
{
	name=$1 pattern=$2
	shift 2
	rm -f program
	cc "$@" && [ -f program ] && grep -q -e "$pattern" err
	result "$name"
}

makes 'one tasklet, unless told' 1 -O2 -o program count.c
makes '24 tasklets' 24 -DNR_TASKLETS=24 -o program count.c
makes 'blanks around the number' 16 '-DNR_TASKLETS= 16 ' -o program count.c
makes 'macro as a word of its own' 5 -D NR_TASKLETS=5 -o program count.c
makes 'the last one wins' 7 -DNR_TASKLETS=3 -DNR_TASKLETS=7 -Wno-macro-redefined \
	-o program count.c
makes 'several sources' 2 -DNR_TASKLETS=2 count.c other.c -o program
for std in c99 c11 gnu99 gnu11 gnu17; do
	makes "-std=$std" 2 -std=$std -Wall -Wextra -Werror -DNR_TASKLETS=2 \
		-o program count.c
done
makes 'flags of Makefiles' 11 --target=dpu-upmem-dpurte -mcpu=v1A -O3 -g0 -flto=thin \
	-fshort-enums -fstack-size-section -fno-builtin -ffreestanding \
	-fno-strict-aliasing -DSTACK_SIZE_DEFAULT=256 -DSTACK_SIZE_TASKLET_3=512 \
	-I. -DPERF=1 -UPERF -x c -DNR_TASKLETS=11 count.c -o program
makes '-O0 -g -flto' 3 -O0 -g -flto -DNR_TASKLETS=3 -o program count.c
makes '-Os, target in two words' 3 -Os -target dpu-upmem-dpurte -DNR_TASKLETS=3 \
	-o program count.c
makes 'counting instructions' 3 -O2 -g -fpimdimm-count -DNR_TASKLETS=3 -o program \
	count.c
PIMDIMM_COUNT=0 "$CC" -O2 -c -o plain.o count.c &&
	"$CC" -O2 -c -o counted.o count.c && ! cmp -s counted.o plain.o &&
	"$CC" -O2 -fno-pimdimm-count -c -o asked.o count.c && cmp -s plain.o asked.o &&
	"$CC" -O2 -fpimdimm-count -c -o asked.o count.c && cmp -s counted.o asked.o
status=$?
[ "$status" = 0 ]
result 'counting, unless asked not to'

cat >own.c <<'EOF'
#include <math.h>
#include <stdlib.h>
#include <string.h>
double ldexp(double x, int exponent)
{
	return x + exponent;
}
int rand(void)
{
	return abs(4);
}
char *strcat(char *dst, const char *src)
{
	return strchr(dst, *src);
}
int main(void)
{
	char text[] = "a";

	return (int)ldexp(floor(rand()), 1) + (int)strlen(strcat(text, text));
}
EOF
cc -O2 -fno-builtin -Werror -Wall -o program own.c && [ ! -s err ]
result 'functions of the library that the program has itself'

# warnings that the vendor's clang 12 does not have
cat >later.c <<'EOF'
static unsigned int odd(const unsigned int *values, unsigned int nr)
{
	unsigned int seen = 0, sum = 0;

	for (unsigned int i = 0; i < nr; i++) {
		seen++;
		sum += values[i] & 1;
	}
	return sum;
}
int main(void)
{
	static const unsigned int values[2] = { 3, 4 };

	return (odd(values, 1) == 1) & (odd(values, 2) == 1);
}
EOF
cc -O2 -Wall -Wextra -Werror -o program later.c && [ -f program ]
result 'warnings of later compilers are no errors'
echo 'int main(void) { int unused; return 0; }' >unused.c
refuses 'warnings that the vendor has stay errors' 'unused-variable' \
	-Wall -Werror -o program unused.c

cc -c -DNR_TASKLETS=9 count.c && cc -DNR_TASKLETS=9 -c -o other.o other.c &&
	[ -f count.o ]
result 'compiles alone'
makes 'links alone' 9 -DNR_TASKLETS=9 count.o other.o -o program
makes 'a number for the linker' 9 -Wl,--defsym=NR_TASKLETS=9 count.o -o program
cat >heap.c <<'EOF'
#include <defs.h>
#include <mram.h>
uint32_t base = (uint32_t)DPU_MRAM_HEAP_POINTER;
__mram_ptr uint8_t *top = __sys_used_mram_end;
__mram_noinit uint64_t before[5];
__host uint32_t tasklets, seen;
int main(void)
{
	if (base == (uint32_t)__sys_used_mram_end &&
	    base == (uint32_t)&before[5] && base == (uint32_t)top)
		tasklets = NR_TASKLETS;
	__atomic_fetch_add(&seen, 1, __ATOMIC_RELAXED);
	return 0;
}
EOF
makes 'the heap as a constant of 32 bits' 3 -O2 -Wall -Wextra -Werror \
	-DNR_TASKLETS=3 heap.c -o program
cat >both.cpp <<'EOF'
extern "C" {
#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <handshake.h>
#include <mram_unaligned.h>
#include <mutex_pool.h>
#include <perfcounter.h>
#include <sem.h>
#include <seqread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vmutex.h>
}
template <typename T> static T twice(T x) { return x + x; }
typedef uint64_t Point;
BARRIER_INIT(all, NR_TASKLETS);
MUTEX_INIT(mutex);
MUTEX_POOL_INIT(pool, 8);
SEMAPHORE_INIT(semaphore, 1);
VMUTEX_INIT(many, 64, 8);
__host uint32_t tasklets, seen;
__mram_noinit Point points[64];
int main()
{
	Point *point = static_cast<Point *>(mem_alloc(sizeof(Point)));
	mram_read(&points[me()], point, sizeof(*point));
	memcpy(&points[me()], point, sizeof(*point));
	mutex_lock(mutex);
	seen += twice(uint32_t(1)) / 2;
	mutex_unlock(mutex);
	barrier_wait(&all);
	tasklets = (uint32_t)DPU_MRAM_HEAP_POINTER ? NR_TASKLETS : 0;
	return 0;
}
EOF
makes 'C++' 3 -O2 -g -Wall -Wextra -Werror -DNR_TASKLETS=3 -o program both.cpp
makes 'C++17' 4 -std=c++17 -DNR_TASKLETS=4 -o program both.cpp
cp both.cpp both.c
CC=$CC++
makes 'C++ by the name of the driver' 5 -O2 -DNR_TASKLETS=5 -x c++ -o program both.c
CC=${CC%++}
PATH=$B/upmem/bin:$PATH clang++ --target=dpu-upmem-dpurte -DNR_TASKLETS=2 \
	-o program both.cpp && "$RUNNER" program tasklets | grep -q '= 2$'
result 'clang++, by its target'
cat >where.c <<'EOF'
#if defined(__x86_64__) || defined(__linux__) || defined(linux) || \
	defined(__unix__) || defined(__SSE2__) || !defined(__DPU__)
#error not a PE
#endif
#include <float.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
int main(void) { return INT_MAX == 3; }
EOF
cc -std=gnu11 -Werror -o program where.c && [ ! -s err ]
result 'macros of the machine that compiles are not there'

rm -f deps.d
makes 'dependencies' 1 -MMD -MF deps.d -o program count.c
grep -q 'barrier.h' deps.d || status=1
cc -MM count.c && grep -q 'count.o: count.c' out
result 'dependencies alone'
cc -E count.c && grep -q barrier_t out
result 'preprocesses'
cc --version && grep -q clang out
result 'version'
echo 'int main(void) { return 0; }' | "$CC" -x c - -o program && [ -f program ]
result 'a source from standard input'
ln -s "$B/upmem/bin/dpu-upmem-dpurte-clang" my-clang
PATH=$B/upmem/bin:$PATH clang --target=dpu-upmem-dpurte -Os -DNR_TASKLETS=2 \
	-o program count.c && "$RUNNER" program tasklets | grep -q '= 2$'
result 'clang, by its target'
PATH=$B/upmem/bin:$PATH clang -o other.o -c other.c && [ -f other.o ]
result 'clang, by another'
# as ccache does: the first compiler on the PATH that does not lie beside it
mkdir cache && cat >cache/clang <<'EOF'
#!/bin/sh
[ "${CALLED:-0}" -lt 3 ] || exit 9
export CALLED=$((${CALLED:-0} + 1))
IFS=:
for folder in $PATH; do
	[ "$folder" = "${0%/*}" ] || [ ! -x "$folder/clang" ] ||
		exec "$folder/clang" "$@"
done
EOF
chmod +x cache/clang
# no other cache behind it, which would call it in turn
real=$(dirname "$(readlink -f "$(command -v clang)")")
PATH=$B/upmem/bin:$PWD/cache:$real:/usr/bin:/bin clang --target=dpu-upmem-dpurte -DNR_TASKLETS=2 \
	-o program count.c && "$RUNNER" program tasklets | grep -q '= 2$'
result 'a cache of compilers on the PATH behind it'
./my-clang -o program count.c && "$B/upmem/bin/dpu-clang" -o program count.c
result 'by other names'
mkdir -p 'a folder' && echo '#define WANTED 1' >'a folder/map.h'
printf '#include __file__\n#if WANTED\nint main(void) { return 0; }\n#endif\n' >file.c
cc '-D__file__="a folder/map.h"' -I. -o program file.c
result 'a header named by a macro'

# Stopped while it waits for its source, and then given one: whoever runs the shell's
# traps waits for the compiler first.
interrupted()
{
	mkdir "scratch-$1" && mkfifo "waits-$1.c" || return 1
	TMPDIR=$PWD/scratch-$1 "$CC" -O2 -c -o waits.o "waits-$1.c" 2>err &
	driver=$!
	exec 9>"waits-$1.c"
	[ -n "$(ls "scratch-$1")" ] || status=3
	kill "-$1" $driver
	exec 9>&-
	wait $driver
	status=$?
	[ "$status" = "$2" ] && [ -z "$(ls -A "scratch-$1")" ]
}
for signal in HUP:129 TERM:143; do
	interrupted "${signal%:*}" "${signal#*:}"
	result "stopped by ${signal%:*}, it leaves nothing"
done

refuses 'no tasklets' 'NR_TASKLETS=0: expected a number from 1 to 24' \
	-DNR_TASKLETS=0 -o program count.c
refuses 'too many tasklets' 'NR_TASKLETS=25: expected a number from 1 to 24' \
	-DNR_TASKLETS=25 -o program count.c
refuses 'tasklets that are no number' 'NR_TASKLETS=x: expected' -DNR_TASKLETS=x \
	-o program count.c
refuses 'an engine of MPI that there is not' '-fpimdimm-mpi=fast: expected conventional or' \
	-fpimdimm-mpi=fast -o program count.c
for variable in PIMDIMM_COUNT PIMDIMM_PROFILE; do
	export "$variable=yes"
	refuses "$variable that is none" "$variable is \"yes\", expected 0 or 1" \
		-DNR_TASKLETS=3 -o program count.c
	unset "$variable"
done
refuses 'an odd stack' 'STACK_SIZE_DEFAULT=100: expected a multiple of 8' \
	-DSTACK_SIZE_DEFAULT=100 -o program count.c
refuses 'stacks beyond the WRAM' 'stacks of all tasklets exceed' \
	-DNR_TASKLETS=24 -DSTACK_SIZE_DEFAULT=4096 -o program count.c
refuses 'a shared library' 'linked to fixed addresses' -shared -o program count.c
echo 'extern int nowhere; int main(void) { return nowhere; }' >undefined.c
refuses 'an undefined symbol' 'nowhere' -o program undefined.c
echo 'char large[70000]; int main(void) { return large[5]; }' >large.c
refuses 'data beyond the WRAM' 'exceed its 64 KiB' -O0 -o program large.c
printf '#include <attributes.h>\n__mram_noinit_keep char large[65 << 20];\n%s\n' \
	'int main(void) { return 0; }' >large.c
refuses 'objects beyond the MRAM' 'exceed its 64 MiB' -o program large.c
printf '#include <mutex.h>\nuint8_t __atomic_bit bits[70];\n%s\n' \
	'int main(void) { return bits[3]; }' >bits.c
refuses 'more atomic bits than there are' 'more atomic bits' -o program bits.c
echo 'int main(void) { return 0 }' >wrong.c
refuses 'a wrong program' 'wrong.c:1' -o program wrong.c
warns 'a linker script is ignored' 'ignored: PEs have one memory map' \
	-Wl,-Tsecret.lds -o program count.c

cat >shared.c <<'EOF'
#include <attributes.h>
#include <stddef.h>
#include <stdint.h>
struct arguments {
	uint32_t n;
	uint32_t *where;
};
__host struct arguments arguments;
__host uint64_t fine;
int main(void)
{
	return (int)arguments.n;
}
EOF
warns 'pointers in what the host shares' \
	"'arguments' takes 16 bytes here and 8 on hardware" -o program shared.c
cc -Wno-pimdimm-pointer-size -o program shared.c && [ ! -s err ]
result 'unless asked not to'
cc -O2 -c shared.c && grep -q "'arguments' takes" err && ! grep -q fine err
result 'compiled alone as well'
# whose header is the compiler's own, and includes another machine's if it may
{ echo '#include <limits.h>'; cat shared.c; } >limits.c
warns 'whatever else is included' \
	"'arguments' takes 16 bytes here and 8 on hardware" -o program limits.c

printf '%s\n' '.section .mram' '.size large, 1048576' '.size small, 16' '# built' \
	'  [ 7] .mram NOBITS 0 0 0' '3: 0 0x100000 OBJECT GLOBAL DEFAULT 7 large' \
	'4: 0 8 OBJECT GLOBAL DEFAULT 7 small' |
	awk -v me=cc -f "$B/upmem/share/upmem/lib/sizes.awk" >out &&
	grep -q "'small' takes 8 bytes here and 16" out && ! grep -q large out
result 'sizes that readelf writes in hexadecimal'

# a dereference of MRAM in the words of newer compilers, counted, is what they read
cat >opaque.ll <<'EOF'
@words = addrspace(255) global [4 x i32] zeroinitializer, section ".mram", align 8
define i32 @word(i64 %n) {
  %p = getelementptr inbounds [4 x i32], ptr addrspace(255) @words, i64 0, i64 %n
  %word = load i32, ptr addrspace(255) %p, align 4
  ret i32 %word
}
!llvm.ident = !{!0}
!0 = !{!"clang version 15.0.0"}
EOF
opaque=
[ "$(echo __clang_major__ | clang -E -P -x c - | tail -n 1)" -ge 15 ] ||
	opaque='-mllvm -opaque-pointers'
# shellcheck disable=SC2086 # words or none
"$B/upmem/share/upmem/lib/count/pe-count" <opaque.ll >counted.ll &&
	grep -q 'call void @pe_mram_access' counted.ll &&
	clang -w --target=x86_64-linux-gnu $opaque -x ir -c counted.ll -o opaque.o \
		>out 2>err
result 'opaque pointers'

# what the vendor's Makefiles and scripts call besides
environment()
(
	eval "$("$TOOL" compat --env)" &&
		[ "$UPMEM_HOME" = "$(readlink -f "$B/upmem")" ] &&
		[ "$(command -v dpu-clang)" = "$UPMEM_HOME/bin/dpu-clang" ] &&
		[ "$("$TOOL" compat)" = "$UPMEM_HOME" ] &&
		dpu-pkg-config --exists dpu &&
		[ -f "$(dpu-pkg-config --variable=libdir dpu)/libdpu.so" ] &&
		dpu-pkg-config --cflags --libs dpu | grep -q -e '-ldpu' &&
		llvm-objdump -h program | grep -q dpu_host &&
		dpu-profiling functions -o x -- true && dpu-diag | grep -q library &&
		! dpugrind program && dpu-lldb --help | grep -q "pimdimm debug"
) >out 2>err
environment
result 'pimdimm compat --env'

cat >host.c <<'EOF'
#include <dpu.h>
int main(void)
{
	char *text = dpu_error_to_string(DPU_ERR_TIMEOUT);

	puts(text);
	free(text);
	return 0;
}
EOF
# Makefiles name the libraries before the sources, and nobody needs them yet there
as_needed()
(
	eval "$("$TOOL" compat --env)" && unset CPATH LIBRARY_PATH &&
		gcc -Wl,--as-needed $(dpu-pkg-config --cflags --libs dpu) host.c \
			-o host && ./host | grep -q timeout
) >out 2>err
as_needed
result 'libraries before the sources, linked as needed'

# hardware's package has its headers and libraries where compilers look
by_name()
(
	eval "$("$TOOL" compat --env)" && gcc host.c -o host -ldpu &&
		./host | grep -q timeout && : >pimdimm_own.h &&
		CPATH=$PWD:$CPATH && export CPATH &&
		echo '#include <pimdimm_own.h>' >own.c &&
		dpu-upmem-dpurte-clang -fsyntax-only own.c &&
		dpu-upmem-dpurte-clang -E -v own.c 2>&1 | grep -qF "$PWD" &&
		! dpu-upmem-dpurte-clang -E -v own.c 2>&1 | grep -q include/dpu
) >out 2>err
by_name
result 'a bare -ldpu, and #include <dpu.h>'

# every header by itself, in every standard, without a warning
headers()
{
	for folder in stdlib syslib; do
		for header in "$B/upmem/share/upmem/include/$folder"/*.h; do
			printf '#include <%s>\nint main(void) { return 0; }\n' \
				"$(basename "$header")" >header.c
			cc "-std=$1" -Wall -Wextra -Werror -Wno-system-headers \
				-Wsystem-headers -fsyntax-only header.c ||
				return 1
		done
	done
}
for std in c99 c11 gnu11; do
	headers $std
	result "every header, -std=$std"
done
finish
