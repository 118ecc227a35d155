// The non-local means kernels: the papers' patch radii, and everything else.
//
//   nlm_2d_f1              3^2 patches, uniform or Gaussian
//   nlm_2d_f2_*, f3_*      5^2 and 7^2: uniform weights share more of the sums
//   nlm_3d_f1, f2_*, f3_*  the same in three dimensions
//   nlm_any                every patch radius, lk weighting: the definition itself
//   nlm_faint              after each of them: the voxels they could not do
//
// The numbers after the dimensions and F: a thread's voxels along x, y and z, a
// block's warps, z steps on the chip at once and worked on together; nlm.go has
// the same table.
#include "nlm.cuh"

extern "C" {

__global__ void __launch_bounds__(128, 3) nlm_2d_f1(const __grid_constant__ NlmParams p)
{
    nlmBlock<2, 1, 2, 4, 1, 4, 1, 1, true>(p);
}

__global__ void __launch_bounds__(128, 3) nlm_2d_f2_uniform(const __grid_constant__ NlmParams p)
{
    nlmBlock<2, 2, 2, 4, 1, 4, 1, 1, false>(p);
}

__global__ void __launch_bounds__(128, 3) nlm_2d_f2_gaussian(const __grid_constant__ NlmParams p)
{
    nlmBlock<2, 2, 2, 4, 1, 4, 1, 1, true>(p);
}

__global__ void __launch_bounds__(128, 3) nlm_2d_f3_uniform(const __grid_constant__ NlmParams p)
{
    nlmBlock<2, 3, 2, 4, 1, 4, 1, 1, false>(p);
}

__global__ void __launch_bounds__(128, 3) nlm_2d_f3_gaussian(const __grid_constant__ NlmParams p)
{
    nlmBlock<2, 3, 2, 4, 1, 4, 1, 1, true>(p);
}

__global__ void __launch_bounds__(128, 2) nlm_3d_f1(const __grid_constant__ NlmParams p)
{
    nlmBlock<3, 1, 2, 4, 2, 4, 3, 3, true>(p);
}

__global__ void __launch_bounds__(128, 2) nlm_3d_f2_uniform(const __grid_constant__ NlmParams p)
{
    nlmBlock<3, 2, 1, 4, 4, 4, 6, 3, false>(p);
}

__global__ void __launch_bounds__(128, 2) nlm_3d_f2_gaussian(const __grid_constant__ NlmParams p)
{
    nlmBlock<3, 2, 1, 4, 4, 4, 6, 3, true>(p);
}

__global__ void __launch_bounds__(128, 2) nlm_3d_f3_uniform(const __grid_constant__ NlmParams p)
{
    nlmBlock<3, 3, 1, 4, 3, 4, 1, 1, false>(p);
}

__global__ void __launch_bounds__(128, 2) nlm_3d_f3_gaussian(const __grid_constant__ NlmParams p)
{
    nlmBlock<3, 3, 1, 4, 3, 4, 1, 1, true>(p);
}

// nlm_any: a thread for each voxel.
__global__ void __launch_bounds__(128) nlm_any(const __grid_constant__ NlmParams p)
{
    const Field &f = p.field;
    const Tile t = tileOf(f, 32, 4, 1);
    const int x = t.x + threadIdx.x, y = t.y + threadIdx.y, z = t.z;
    if (x >= f.max[0] || y >= f.max[1]) return;
    *f.result<true>(x, y, z) = f.valid<true>(x, y, z) ? plainVoxel(p, x, y, z) : __ldg(f.in + f.index<true>(x, y, z));
}

// nlm_faint runs after the others: the voxels that they left, a block on each.
// They are few and lie together, at corners that look like nothing around them,
// so that the thread or warp that found them would keep all others waiting. A
// block looks at kEach voxels a thread.
__global__ void __launch_bounds__(256) nlm_faint(const __grid_constant__ NlmParams p)
{
    constexpr int kThreads = 256, kEach = 16;
    __shared__ unsigned left[kThreads / 32];
    const Field &f = p.field;
    const unsigned across = f.max[0] - f.min[0], down = f.max[1] - f.min[1];
    const std::size_t voxels = std::size_t(across) * down * (f.max[2] - f.min[2]);
    const std::size_t first = std::size_t(blockIdx.x) * kThreads * kEach;
    const int thread = threadIdx.x;
    unsigned mine = 0;
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
        std::size_t n = first + i * kThreads + thread;
        mine |= unsigned(n < voxels && __float_as_uint(f.out[n]) == kFaintVoxel) << i;
    }
    if (!__syncthreads_or(mine)) return;
    for (int i = 0; i < kEach; ++i) {
        unsigned those = __ballot_sync(kAll, mine >> i & 1);
        if (thread % 32 == 0) left[thread / 32] = those;
        __syncthreads();
        for (int warp = 0; warp < kThreads / 32; ++warp) {
            for (unsigned bits = left[warp]; bits != 0; bits &= bits - 1) {
                std::size_t n = first + i * kThreads + warp * 32 + __ffs(bits) - 1, line = n / across;
                float result = exactVoxel<kThreads>(p, f.min[0] + int(n % across), f.min[1] + int(line % down),
                                                    f.min[2] + int(line / down));
                if (thread == 0) f.out[n] = result;
            }
        }
        __syncthreads(); // all have read left
    }
}

} // extern "C"
