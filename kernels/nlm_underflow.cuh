// The voxels whose weights underflow in float32, in float64 (nlm_any.cuh).
#pragma once

#include "nlm_any.cuh"

// filterMarked runs after nlm_any and filters the voxels that it marked,
// one whole block per voxel. Such voxels are rare and close together, at corners that
// resemble nothing around them; if the thread or warp that found them filtered them,
// all others would wait. A block examines kEach voxels per thread.
template <class USED>
__device__ inline void filterMarked(const NlmParams &p, USED used)
{
    constexpr int kThreads = 256, kEach = 16;
    __shared__ unsigned found[kThreads / 32];
    const Field &f = p.field;
    const unsigned across = f.max[0] - f.min[0], down = f.max[1] - f.min[1];
    const std::size_t voxels = std::size_t(across) * down * (f.max[2] - f.min[2]);
    const std::size_t first = std::size_t(blockIdx.x) * kThreads * kEach;
    const int thread = threadIdx.x;
    unsigned marked = 0; // a bit for each of the thread's voxels
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
        std::size_t n = first + i * kThreads + thread;
        marked |= unsigned(n < voxels && __float_as_uint(f.out[n]) == kUnderflowMark) << i;
    }
    if (!__syncthreads_or(marked)) return;
    for (int i = 0; i < kEach; ++i) {
        unsigned lanes = __ballot_sync(kAll, marked >> i & 1);
        if (thread % 32 == 0) found[thread / 32] = lanes;
        __syncthreads();
        for (int warp = 0; warp < kThreads / 32; ++warp) {
            for (unsigned bits = found[warp]; bits != 0; bits &= bits - 1) {
                std::size_t n = first + i * kThreads + warp * 32 + __ffs(bits) - 1, line = n / across;
                float result = exactVoxel<kThreads>(p, f.min[0] + int(n % across), f.min[1] + int(line % down),
                                                    f.min[2] + int(line / down), used);
                if (thread == 0) f.out[n] = result;
            }
        }
        __syncthreads(); // all threads have read found
    }
}
