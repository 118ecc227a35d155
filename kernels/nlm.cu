// The non-local means kernels: fast ones for the patch radii of the papers, and a
// general one.
//
//   nlm_2d_f1              3^2 patches, uniform or Gaussian
//   nlm_2d_f2_*, f3_*      5^2 and 7^2 patches; uniform weights share more of the sums
//   nlm_3d_f1, f2_*, f3_*  the same in three dimensions
//   nlm_any                any patch radius and lk weighting, by the definition
//   nlm_underflow          after each of them: the voxels whose weights underflow
//
// The template arguments after the dimensions and F are: a thread's voxels along x, y
// and z, a block's warps, and the z steps in shared memory at once and processed
// together. nlm.go has the same table.
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

// nlm_any: one thread per voxel.
__global__ void __launch_bounds__(128) nlm_any(const __grid_constant__ NlmParams p)
{
    const Field &f = p.field;
    const Tile t = tileOf(f, 32, 4, 1);
    const int x = t.x + threadIdx.x, y = t.y + threadIdx.y, z = t.z;
    if (x >= f.max[0] || y >= f.max[1]) return;
    *f.result<true>(x, y, z) = f.valid<true>(x, y, z) ? plainVoxel(p, x, y, z) : __ldg(f.in + f.index<true>(x, y, z));
}

// nlm_underflow runs after the others and filters the voxels that they marked, one
// whole block per voxel. Such voxels are rare and close together, at corners that
// resemble nothing around them; if the thread or warp that found them filtered them,
// all others would wait. A block examines kEach voxels per thread.
__global__ void __launch_bounds__(256) nlm_underflow(const __grid_constant__ NlmParams p)
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
                                                    f.min[2] + int(line / down));
                if (thread == 0) f.out[n] = result;
            }
        }
        __syncthreads(); // all threads have read found
    }
}

} // extern "C"
