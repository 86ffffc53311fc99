/* A wall clock that jumps: after JUMP_AFTER questions it goes by JUMP_SECONDS. The monotonic clock is left alone. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static long asked;

int clock_gettime(clockid_t which, struct timespec *told)
{
    static int (*real)(clockid_t, struct timespec *);
    const char *after = getenv("JUMP_AFTER"), *seconds = getenv("JUMP_SECONDS");
    if (!real)
        real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(which, told);
    if (which == CLOCK_REALTIME && after && seconds && __sync_add_and_fetch(&asked, 1) > atol(after))
        told->tv_sec += atol(seconds);
    return result;
}
