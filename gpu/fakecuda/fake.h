// Declarations shared by the parts of the fake driver.
#pragma once

#include <cuda.h>
#include <stddef.h>
#include <stdint.h>

// HostKernel computes on the host what the kernel of the same name computes on
// the device. args is its parameter struct as package kernels packs it.
typedef void (*HostKernel)(const void *args);

// findKernel returns the host function for a kernel name, or NULL.
HostKernel findKernel(const char *name);

// FakeArray is what a texture reads.
typedef struct {
    size_t width, height;
    float texels[];
} FakeArray;

// Box is a box of voxels, as in kernels/box.cuh.
typedef struct {
    const void *data;
    int32_t min[3], max[3];
} Box;

static inline size_t boxIndex(const Box *b, int x, int y, int z)
{
    return ((size_t)(z - b->min[2]) * (b->max[1] - b->min[1]) + (y - b->min[1])) * (b->max[0] - b->min[0]) + (x - b->min[0]);
}

static inline float boxAt(const Box *b, int x, int y, int z) { return ((const float *)b->data)[boxIndex(b, x, y, z)]; }

// The kernels of fields.c.
void gaussian(const void *args);
void bilateral(const void *args);
void bilateralTexture(const void *args);
void median(const void *args);
void nlm(const void *args);
void nlmSelect(const void *args);
void nlmTexture(const void *args);
void lpa(const void *args);

// The kernels of stabilise.c.
void stabiliseNoise(const void *args);
void restoreSignal(const void *args);

// The kernels of noisemap.c.
void divideBySigma(const void *args);
void multiplyBySigma(const void *args);

// The kernel of equalise.c.
void equalise(const void *args);

// The kernels of sadct.c.
void sadctScales(const void *args);
void sadctThreshold(const void *args);
void sadctWiener(const void *args);
void sadctGather(const void *args);
void sadctDeviations(const void *args);

// The kernels of bnlm.c.
void preselectMean(const void *args);
void preselectDeviation(const void *args);
void bnlm(const void *args);

// The kernels of twopass.c.
void twopassMean(const void *args);
void twopassGuided(const void *args);

// The kernels of dct.c.
void odct(const void *args);
void wiener(const void *args);

// The kernels of prinlm.c.
void prinlmMean(const void *args);
void prinlmAverage(const void *args);

// The kernel of slab.c.
void slabAverage(const void *args);

// The kernels of lowrank.c.
void lowrankClear(const void *args);
void lowrankPatches(const void *args);
void lowrankAverage(const void *args);
void lowrankMark(const void *args);
void lowrankRestore(const void *args);

// trap is called before every filter kernel. It causes the fault that the test
// has requested, if any.
CUresult trap(void);

// setting returns the value of "name=value" in the comma-separated list
// QUELL_FAKE_CUDA, 1 for a bare "name", or otherwise if name is not in the list.
long long setting(const char *name, long long otherwise);
