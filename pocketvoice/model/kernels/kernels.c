/* FlowLM's step and Mimi's decoder in C: one call a frame, without an interpreter between the operators.

   Called through `model.native`, which describes the models by these structures. Compiled once per instruction set by
   packaging/build_kernels.py. Knows no Python, allocates nothing and keeps no state but what the caller owns. */
#include <cpuid.h>
#include "flow_lm.h"
#include "mimi.h"

#define ABI 3 /* `model.native` has the same number */

/* Whether this processor, and the system on it, can run what this library was compiled for. cpuid itself is asked:
   __builtin_cpu_supports knows nothing in Zig's run-time library. */
EXPORT int pv_supported(void) {
    unsigned a, b, c, d, b7, c7, state, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !__get_cpuid_count(7, 0, &a, &b7, &c7, &d)) return 0;
    const unsigned needed = bit_FMA | bit_F16C | bit_OSXSAVE;
    if ((c & needed) != needed) return 0;
    __asm__ volatile("xgetbv" : "=a"(state), "=d"(high) : "c"(0)); /* the registers that the system saves */
#ifdef __AVX512F__
    const unsigned saved = 0xe6, more = bit_AVX512F | bit_AVX512DQ | bit_AVX512CD | bit_AVX512BW | bit_AVX512VL;
    if (!(c7 & bit_AVX512VNNI)) return 0;
#else
    const unsigned saved = 0x06, more = 0;
#endif
    const unsigned all = more | bit_AVX2 | bit_BMI | bit_BMI2;
    return (state & saved) == saved && (b7 & all) == all;
}

EXPORT int pv_abi(void) { return ABI; }
