#include "source/kernel.cu" // of VapourSynth-BilateralGPU

#include "peer.h"

#include <cmath>

Start bilateralGpu(const float *in, float *out, int width, int height, int radius, float sigmaSpace, float sigmaRange)
{
    const float unit = -0.5f * 1.44269504f, space = unit / (sigmaSpace * sigmaSpace), range = unit / (sigmaRange * sigmaRange);
    const dim3 block(BLOCK_X, BLOCK_Y), grid((width - 1) / BLOCK_X + 1, (height - 1) / BLOCK_Y + 1);
    const int shared = (2 * radius + BLOCK_Y) * (2 * radius + BLOCK_X) * int(sizeof(float));
    return [=] { bilateral<true, false><<<grid, block, shared>>>(out, in, width, height, width, space, range, radius); };
}
