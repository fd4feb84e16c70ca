/* Work in parallel, without threads of its own. */
#pragma once
#include <immintrin.h>
#include <x86intrin.h>
#include <stdatomic.h>
#include <stdint.h>
#ifdef _WIN32
#include <windows.h>
#define EXPORT __declspec(dllexport)
#define give_core_away() SwitchToThread()
#else
#include <sched.h>
#define EXPORT __attribute__((visibility("default")))
#define give_core_away() sched_yield()
#endif

/* Chunks of one piece of work are taken by whoever comes: the owner, and helpers that are there or not. The owner waits only
   for chunks that were taken; if the system has put a helper aside while it had one, the owner goes on alone from then on.
   `next` holds the number of the piece of work above the number of the next chunk: a helper that is late can't take from
   another piece. */
#define SPINS 2000        /* some tens of microseconds */
#define PATIENCE 1500000 /* ticks of the processor's clock, half a millisecond: several chunks take less */

typedef void (*pv_work)(void *, int64_t);

typedef struct {
    _Atomic uint64_t next; /* work << 32 | chunk */
    _Atomic int64_t chunks, done;
    _Atomic int closed;
    pv_work work;
    void *argument;
} pv_team;

static int take(pv_team *team, int64_t *chunk) {
    uint64_t next = atomic_load(&team->next);
    while ((int64_t)(next & 0xffffffffu) < atomic_load(&team->chunks)) {
        if (atomic_compare_exchange_weak(&team->next, &next, next + 1)) {
            *chunk = (int64_t)(next & 0xffffffffu);
            return 1;
        }
    }
    return 0;
}

static void run(pv_team *team, pv_work work, void *argument, int64_t chunks) {
    int64_t chunk;
    if (!team || chunks < 2) {
        for (chunk = 0; chunk < chunks; chunk++) work(argument, chunk);
        return;
    }
    uint64_t number = (atomic_load(&team->next) >> 32) + 1;
    atomic_store(&team->chunks, 0); /* nothing can be taken while the work changes */
    atomic_store(&team->next, number << 32);
    atomic_store(&team->done, 0);
    team->work = work;
    team->argument = argument;
    atomic_store(&team->chunks, chunks);
    while (take(team, &chunk)) {
        work(argument, chunk);
        atomic_fetch_add(&team->done, 1);
    }
    const uint64_t since = __rdtsc();
    for (int tries = 0; atomic_load(&team->done) < chunks; tries++)
        if (tries < SPINS) _mm_pause();
        else give_core_away();
    if (__rdtsc() - since > PATIENCE) atomic_store(&team->closed, 1); /* the cores are wanted elsewhere: go on alone */
}

/* A helper's life: until the team is closed. It spins for some tens of microseconds, then gives the core to whoever wants it. */
EXPORT void pv_help(pv_team *team) {
    int64_t chunk;
    for (int tries = 0; !atomic_load(&team->closed);) {
        if (take(team, &chunk)) {
            team->work(team->argument, chunk);
            atomic_fetch_add(&team->done, 1);
            tries = 0;
        } else if (++tries < SPINS) _mm_pause();
        else give_core_away();
    }
}

/* Before helpers come. */
EXPORT void pv_open(pv_team *team) {
    atomic_store(&team->chunks, 0);
    atomic_store(&team->closed, 0);
}

/* They go when they have finished what they took. */
EXPORT void pv_close(pv_team *team) { atomic_store(&team->closed, 1); }

EXPORT int64_t pv_team_bytes(void) { return sizeof(pv_team); }
