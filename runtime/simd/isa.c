// SPDX-License-Identifier: MIT
/* Which tiers this CPU and this build have, and which one a system uses. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#ifdef __x86_64__
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif

#include "runtime/base/error.h"
#include "runtime/simd/isa.h"

static const char *const names[PD_NR_ISAS] = {
	[PD_ISA_COUNT] = "count",
	[PD_ISA_PORTABLE] = "portable",
	[PD_ISA_AVX2] = "avx2",
	[PD_ISA_AVX512BW] = "avx512bw",
	[PD_ISA_AVX512VBMI] = "avx512vbmi",
	[PD_ISA_SVE] = "sve",
	[PD_ISA_NEON] = "neon",
	[PD_ISA_SVE256] = "sve256",
	[PD_ISA_SVE512] = "sve512",
};

#define ROW(id, tier) [PD_ISA_##id] = &pd_blocks_##tier,
static const struct pd_blocks *const loops[PD_NR_ISAS] = {
	PD_TIERS(ROW)
};

const char *pd_isa_name(enum pd_isa isa)
{
	return names[isa];
}

const struct pd_blocks *pd_isa_blocks(enum pd_isa isa)
{
	return loops[isa];
}

#ifdef __x86_64__
/* clang's __builtin_cpu_supports() does not know it */
static bool has_f16c(void)
{
	unsigned int eax, ebx, ecx, edx;

	return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && ecx & bit_F16C;
}
#endif

#ifdef __aarch64__
/* bits of a register as the kernel has set them for this thread, and for those that it
 * starts; 0: no SVE */
static unsigned int sve_bits(void)
{
	int vl;

	if (!(getauxval(AT_HWCAP) & HWCAP_SVE))
		return 0;
	vl = prctl(PR_SVE_GET_VL);
	return vl < 0 ? 0 : 8 * (unsigned int)(vl & PR_SVE_VL_LEN_MASK);
}
#endif

/* whether the CPU has a tier of this build above the portable one */
static bool cpu_has(enum pd_isa isa)
{
#ifdef __x86_64__
	switch (isa) {
	case PD_ISA_AVX512VBMI:
		return __builtin_cpu_supports("avx512vbmi") &&
		       cpu_has(PD_ISA_AVX512BW);
	case PD_ISA_AVX512BW:
		return __builtin_cpu_supports("avx512bw") &&
		       __builtin_cpu_supports("avx512dq") &&
		       __builtin_cpu_supports("avx512vl") &&
		       cpu_has(PD_ISA_AVX2);
	default:
		return __builtin_cpu_supports("avx2") && has_f16c();
	}
#elif defined(__aarch64__)
	switch (isa) {
	case PD_ISA_SVE512:
		return sve_bits() == 512;
	case PD_ISA_SVE256:
		return sve_bits() == 256;
	case PD_ISA_SVE:
		return sve_bits() > 0;
	default:
		return true;	/* every aarch64 has NEON */
	}
#else
	(void)isa;
	return false;
#endif
}

bool pd_isa_runs(enum pd_isa isa)
{
	if (isa == PD_ISA_COUNT || isa == PD_ISA_PORTABLE)
		return true;
	return loops[isa] && cpu_has(isa);
}

#ifdef __x86_64__
/* 0 unless it is AMD's */
static unsigned int amd_family(void)
{
	unsigned int eax, ebx, ecx, edx, family;

	if (!__get_cpuid(0, &eax, &ebx, &ecx, &edx) || ebx != signature_AMD_ebx ||
	    ecx != signature_AMD_ecx || edx != signature_AMD_edx)
		return 0;
	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx))
		return 0;
	family = eax >> 8 & 0xf;
	return family == 0xf ? family + (eax >> 20 & 0xff) : family;
}

#define ZEN5_FAMILY	0x1a
#endif

bool pd_isa_asks_first(enum pd_isa isa)
{
	if (isa == PD_ISA_COUNT)
		return true;
#ifdef __x86_64__
	return amd_family() == ZEN5_FAMILY;
#else
	return false;
#endif
}

static int isa_by_name(const char *name, enum pd_isa *isa)
{
	for (unsigned int i = 0; i < PD_NR_ISAS; i++) {
		if (strcmp(name, names[i]))
			continue;
		if (!pd_isa_runs(i))
			return pd_error(EOPNOTSUPP,
					"PIMDIMM_ISA is %s, which this CPU does not have",
					name);
		*isa = i;
		return 0;
	}
	return pd_error(EINVAL,
			"PIMDIMM_ISA is \"%s\", expected portable, avx2, avx512bw, avx512vbmi, neon, sve, sve256, sve512 or count",
			name);
}

int pd_isa_choose(enum pd_isa *isa)
{
	const char *name = secure_getenv("PIMDIMM_ISA");
	int best = PD_NR_ISAS - 1;

	if (name && *name)
		return isa_by_name(name, isa);
	while (!pd_isa_runs(best))
		best--;
	*isa = best;
	return 0;
}
