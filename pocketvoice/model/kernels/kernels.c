/* FlowLM's step and Mimi's decoder in C: one call a frame, without an interpreter between the operators.

   Called through `model.native`, which describes the models by these structures. Compiled once per instruction set by
   packaging/build_kernels.py. Knows no Python, allocates nothing and keeps no state but what the caller owns. */
#include <cpuid.h>
#include "flow_lm.h"
#include "mimi.h"
#include "pack_int8.h"

#define ABI 5 /* of structures and functions; `model.native` has the same number */

/* Whether this processor, and the system on it, can run what this library was compiled for. cpuid itself is asked:
   __builtin_cpu_supports knows nothing in Zig's run-time library. */
EXPORT int pv_supported(void) {
    unsigned a, b, c, d, extended_b, extended_c, saved_registers, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !__get_cpuid_count(7, 0, &a, &extended_b, &extended_c, &d)) return 0;
    const unsigned needed_c = bit_FMA | bit_F16C | bit_OSXSAVE;
    if ((c & needed_c) != needed_c) return 0;
    __asm__ volatile("xgetbv" : "=a"(saved_registers), "=d"(high) : "c"(0)); /* what the system saves when it switches threads */
#ifdef __AVX512F__
    const unsigned needed_registers = 0xe6; /* XMM, YMM, masks, both halves of ZMM */
    const unsigned avx512 = bit_AVX512F | bit_AVX512DQ | bit_AVX512CD | bit_AVX512BW | bit_AVX512VL;
    if (!(extended_c & bit_AVX512VNNI)) return 0;
#else
    const unsigned needed_registers = 0x06; /* XMM, YMM */
    const unsigned avx512 = 0;
#endif
    const unsigned needed_b = avx512 | bit_AVX2 | bit_BMI | bit_BMI2;
    return (saved_registers & needed_registers) == needed_registers && (extended_b & needed_b) == needed_b;
}

EXPORT int pv_abi(void) { return ABI; }
