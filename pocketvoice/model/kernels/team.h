/* Work in parallel, on threads that the caller lends: `pv_team_help` runs on each of them until the team is closed.

   The parts of one piece of work are taken by whoever comes first: its owner, or a helper, if there are any. The owner waits
   only for parts that were taken. If the system has put a helper aside while it had one, the owner works alone from then on. */
#pragma once
#include <immintrin.h>
#include <x86intrin.h>
#include <stdatomic.h>
#include <stdint.h>
#include "platform.h"

#define SPINS 2000             /* some tens of microseconds, then the core is offered to others */
#define PATIENCE_TICKS 1500000 /* of the processor's clock, about half a millisecond: several parts take less */

typedef void (*team_work)(void *argument, int64_t part);

typedef struct {
    /* number of the piece of work << 32 | its next part: in one word, so that a late helper can't take a part of other work */
    _Atomic uint64_t next;
    _Atomic int64_t parts, done;
    _Atomic int closed;
    team_work work; /* this and its argument change only while `parts` is 0 */
    void *argument;
} pv_team;

static int take_part(pv_team *team, int64_t *part) {
    uint64_t next = atomic_load(&team->next);
    while ((int64_t)(next & 0xffffffffu) < atomic_load(&team->parts)) {
        if (atomic_compare_exchange_weak(&team->next, &next, next + 1)) {
            *part = (int64_t)(next & 0xffffffffu);
            return 1;
        }
    }
    return 0;
}

/* Does all parts of `work` and returns when they are done; without a team, on this thread alone. */
static void run_parts(pv_team *team, team_work work, void *argument, int64_t parts) {
    int64_t part;
    if (!team || parts < 2) {
        for (part = 0; part < parts; part++) work(argument, part);
        return;
    }
    const uint64_t work_number = (atomic_load(&team->next) >> 32) + 1;
    atomic_store(&team->parts, 0); /* nothing can be taken while the work changes */
    atomic_store(&team->next, work_number << 32);
    atomic_store(&team->done, 0);
    team->work = work;
    team->argument = argument;
    atomic_store(&team->parts, parts);
    while (take_part(team, &part)) {
        work(argument, part);
        atomic_fetch_add(&team->done, 1);
    }
    const uint64_t since = __rdtsc();
    for (int tries = 0; atomic_load(&team->done) < parts; tries++)
        if (tries < SPINS) _mm_pause();
        else give_core_away();
    if (__rdtsc() - since > PATIENCE_TICKS) atomic_store(&team->closed, 1); /* the cores are wanted elsewhere */
}

/* A helper's life: returns when the team is closed. */
EXPORT void pv_team_help(pv_team *team) {
    int64_t part;
    for (int tries = 0; !atomic_load(&team->closed);) {
        if (take_part(team, &part)) {
            team->work(team->argument, part);
            atomic_fetch_add(&team->done, 1);
            tries = 0;
        } else if (++tries < SPINS) _mm_pause();
        else give_core_away();
    }
}

/* To be called before helpers come. */
EXPORT void pv_team_open(pv_team *team) {
    atomic_store(&team->parts, 0);
    atomic_store(&team->closed, 0);
}

/* Helpers leave when they have finished the part they took. */
EXPORT void pv_team_close(pv_team *team) { atomic_store(&team->closed, 1); }

EXPORT int64_t pv_team_bytes(void) { return sizeof(pv_team); }
