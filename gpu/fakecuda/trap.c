// Faults on demand, and a count of kernels.
//
// QUELL_FAKE_CUDA_TRAP is KIND:N:FILE. The fault occurs at the N-th filter kernel
// of a process if FILE exists, and removes FILE, so that the next worker is not
// affected. With N/ (as "crash:1/:FILE") FILE stays and every worker is affected. The
// setting trap=0 takes a device out, as in QUELL_FAKE_CUDA=trap@0=0.
//
//   crash  the kernel reads a bad address: every later call fails
//   hang   the kernel never ends
//   die    the process is killed, as by the system
//   wait   the kernel creates FILE.reached and waits until FILE is removed
//
// QUELL_FAKE_CUDA_COUNT is a file that gets one byte for every filter kernel.
#define _GNU_SOURCE
#include "fake.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void create(const char *file, const char *suffix, const char *content)
{
    char path[4096];
    snprintf(path, sizeof path, "%s%s", file, suffix);
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (fd < 0 || write(fd, content, strlen(content)) < 0) abort();
    close(fd);
}

CUresult trap(void)
{
    static int launches;
    launches++;
    usleep(1000 * setting("slow", 0));
    const char *count = getenv("QUELL_FAKE_CUDA_COUNT");
    if (count) create(count, "", "k");
    const char *s = getenv("QUELL_FAKE_CUDA_TRAP");
    if (!s || !setting("trap", 1)) return CUDA_SUCCESS;
    char *rest;
    const char *n = strchr(s, ':');
    if (!n || strtol(n + 1, &rest, 10) != launches) return CUDA_SUCCESS;
    int stays = *rest == '/';
    const char *file = rest + 1 + stays;
    if (access(file, F_OK) != 0) return CUDA_SUCCESS;
    if (s[0] == 'w') {
        create(file, ".reached", "");
        while (access(file, F_OK) == 0) usleep(1000);
        return CUDA_SUCCESS;
    }
    if (!stays && unlink(file) != 0) return CUDA_SUCCESS;
    switch (s[0]) {
    case 'c': return CUDA_ERROR_ILLEGAL_ADDRESS;
    case 'h':
        for (;;) pause();
    case 'd': raise(SIGKILL);
    }
    return CUDA_SUCCESS;
}
