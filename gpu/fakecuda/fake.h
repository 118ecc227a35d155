// Declarations shared by the parts of the fake driver.
#pragma once

#include <cuda.h>

// HostKernel computes on the host what the kernel of the same name computes on
// the device. args is its parameter struct as package kernels packs it.
typedef void (*HostKernel)(const void *args);

// findKernel returns the host function for a kernel name, or NULL.
HostKernel findKernel(const char *name);

// The kernels of twopass.c.
void twopassMean(const void *args);
void twopassGuided(const void *args);

// trap is called before every filter kernel. It causes the fault that the test
// has requested, if any.
CUresult trap(void);

// setting returns the value of "name=value" in the comma-separated list
// QUELL_FAKE_CUDA, 1 for a bare "name", or otherwise if name is not in the list.
long long setting(const char *name, long long otherwise);
