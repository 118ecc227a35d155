// What the parts of the fake driver share.
#pragma once

#include <cuda.h>

// A kernel filters on the host what the real one filters on the device. args is
// its parameter struct, laid out as package kernels packs it.
typedef void (*HostKernel)(const void *args);

// findKernel returns the host function for a kernel's name, or NULL.
HostKernel findKernel(const char *name);

// trap is called before every filter kernel; it fails, hangs or ends the
// process where the test asked for it.
CUresult trap(void);

// setting returns the value of "name=value" in the comma list QUELL_FAKE_CUDA,
// or otherwise where it is not there; a bare "name" counts as 1.
long long setting(const char *name, long long otherwise);
