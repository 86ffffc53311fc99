/*
 * Lets a system call happen and reports a failure afterwards, or ends the process behind it.
 *
 * FAULT_CALL names the call (renameat, fsync, close), FAULT_PATH a part of the path that it must be on, FAULT_ERRNO the
 * error to report, or 0 for SIGKILL. FAULT_HIT is a file that is made when it happens; it happens once.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int done;

static int wanted(const char *call, const char *path)
{
    const char *fault = getenv("FAULT_CALL"), *part = getenv("FAULT_PATH");
    return !done && fault && part && strcmp(fault, call) == 0 && strstr(path, part);
}

static void path_of(int handle, char *path, size_t size)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
    ssize_t length = readlink(link, path, size - 1);
    path[length < 0 ? 0 : length] = 0;
}

static int fail(void)
{
    int number = atoi(getenv("FAULT_ERRNO"));
    done = 1;
    creat(getenv("FAULT_HIT"), 0600);
    if (number == 0)
        kill(getpid(), SIGKILL);
    errno = number;
    return -1;
}

int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
    int (*real)(int, const char *, int, const char *) = dlsym(RTLD_NEXT, "renameat");
    int result = real(from_folder, from, to_folder, to);
    return result == 0 && wanted("renameat", from) ? fail() : result;
}

int fsync(int handle)
{
    char path[4096];
    int (*real)(int) = dlsym(RTLD_NEXT, "fsync");
    path_of(handle, path, sizeof path);
    int result = real(handle);
    return result == 0 && wanted("fsync", path) ? fail() : result;
}

int close(int handle)
{
    char path[4096];
    int (*real)(int) = dlsym(RTLD_NEXT, "close");
    path_of(handle, path, sizeof path);
    int result = real(handle);
    return result == 0 && wanted("close", path) ? fail() : result;
}
