// Faults on demand. QUELL_FAKE_CUDA_TRAP is KIND:N:FILE: at the N-th filter
// kernel of a process, while FILE is there, the fault strikes and FILE is
// removed, so that the next worker runs on. With N/ (as "crash:1/:FILE") FILE
// stays and every worker is struck.
//
//   crash  the kernel reads a bad address: every call fails from then on
//   hang   the kernel never ends
//   die    the process is killed, as by the system
#define _GNU_SOURCE
#include "fake.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

CUresult trap(void)
{
    static int launches;
    int slow = setting("slow", 0);
    if (slow) usleep(slow * 1000);
    const char *s = getenv("QUELL_FAKE_CUDA_TRAP");
    if (!s) return CUDA_SUCCESS;
    char *rest;
    const char *count = strchr(s, ':');
    if (!count || strtol(count + 1, &rest, 10) != ++launches) return CUDA_SUCCESS;
    int stays = *rest == '/';
    const char *file = rest + 1 + stays;
    if (access(file, F_OK) != 0 || (!stays && unlink(file) != 0)) return CUDA_SUCCESS;
    switch (s[0]) {
    case 'c': return CUDA_ERROR_ILLEGAL_ADDRESS;
    case 'h':
        for (;;) pause();
    case 'd': raise(SIGKILL);
    }
    return CUDA_SUCCESS;
}
