/* What depends on the compiler and the operating system. */
#pragma once
#ifdef _WIN32
#include <windows.h>
#define EXPORT __declspec(dllexport)
#define give_core_away() SwitchToThread()
#else
#include <sched.h>
#define EXPORT __attribute__((visibility("default")))
#define give_core_away() sched_yield()
#endif

/* A tile's size is a constant at each of its calls: only inlined are its loops unrolled and its sums kept in registers. */
#define INLINE static inline __attribute__((always_inline))
