/* SPDX-License-Identifier: MIT */
#include <pe_abi.h>

#undef assert
#ifdef NDEBUG
#define assert(expr)	((void)0)
#else
#define __PE_STR2(x)	#x
#define __PE_STR(x)	__PE_STR2(x)
/* stops the whole PE; the launch's error has the text */
#define assert(expr)							\
	((expr) ? (void)0 :						\
		  PE_SVC->fault(PE_FAULT_ASSERT, 0,			\
				__FILE__ ":" __PE_STR(__LINE__) ": " #expr))
#endif

#if !defined(static_assert) && !defined(__cplusplus)
#define static_assert	_Static_assert
#endif
