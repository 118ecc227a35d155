// The non-local means kernels: the papers' patch radii, and everything else.
//
//   nlm_2d_f1              3^2 patches, uniform or Gaussian
//   nlm_2d_f2_*, f3_*      5^2 and 7^2: uniform weights share more of the sums
//   nlm_3d_f1, f2_*, f3_*  the same in three dimensions
//   nlm_any                every patch radius, lk weighting: the definition itself
//
// The numbers after the dimensions and F: a thread's voxels along x, y and z, a
// block's warps, z steps on the chip at once; nlm.go has the same table.
#include "nlm.cuh"

extern "C" {

__global__ void __launch_bounds__(128, 3) nlm_2d_f1(const __grid_constant__ NlmParams p)
{
    nlmBlock<2, 1, 2, 4, 1, 4, 1, true>(p);
}

__global__ void __launch_bounds__(128, 3) nlm_2d_f2_uniform(const __grid_constant__ NlmParams p)
{
    nlmBlock<2, 2, 2, 4, 1, 4, 1, false>(p);
}

__global__ void __launch_bounds__(128, 3) nlm_2d_f2_gaussian(const __grid_constant__ NlmParams p)
{
    nlmBlock<2, 2, 2, 4, 1, 4, 1, true>(p);
}

__global__ void __launch_bounds__(128, 3) nlm_2d_f3_uniform(const __grid_constant__ NlmParams p)
{
    nlmBlock<2, 3, 2, 4, 1, 4, 1, false>(p);
}

__global__ void __launch_bounds__(128, 3) nlm_2d_f3_gaussian(const __grid_constant__ NlmParams p)
{
    nlmBlock<2, 3, 2, 4, 1, 4, 1, true>(p);
}

__global__ void __launch_bounds__(128, 2) nlm_3d_f1(const __grid_constant__ NlmParams p)
{
    nlmBlock<3, 1, 2, 4, 3, 4, 2, true>(p);
}

__global__ void __launch_bounds__(128, 2) nlm_3d_f2_uniform(const __grid_constant__ NlmParams p)
{
    nlmBlock<3, 2, 1, 4, 4, 4, 3, false>(p);
}

__global__ void __launch_bounds__(128, 2) nlm_3d_f2_gaussian(const __grid_constant__ NlmParams p)
{
    nlmBlock<3, 2, 1, 4, 4, 4, 3, true>(p);
}

__global__ void __launch_bounds__(128, 2) nlm_3d_f3_uniform(const __grid_constant__ NlmParams p)
{
    nlmBlock<3, 3, 1, 4, 3, 4, 1, false>(p);
}

__global__ void __launch_bounds__(128, 2) nlm_3d_f3_gaussian(const __grid_constant__ NlmParams p)
{
    nlmBlock<3, 3, 1, 4, 3, 4, 1, true>(p);
}

// nlm_any: a thread for each voxel.
__global__ void __launch_bounds__(128) nlm_any(const __grid_constant__ NlmParams p)
{
    const Field &f = p.field;
    const Tile t = tileOf(f, 32, 4, 1);
    const int x = t.x + threadIdx.x, y = t.y + threadIdx.y, z = t.z;
    const bool wanted = x < f.max[0] && y < f.max[1];
    bool faint = false;
    float result = 0;
    if (wanted) result = f.valid(x, y, z) ? plainVoxel(p, x, y, z, faint) : __ldg(f.in + f.index(x, y, z));
    for (unsigned left = __ballot_sync(kAll, faint); left != 0; left &= left - 1) {
        int lane = __ffs(left) - 1;
        float exact = exactVoxel(p, t.x + lane, y, z);
        if (int(threadIdx.x) == lane) result = exact;
    }
    if (wanted) *f.result(x, y, z) = result;
}

} // extern "C"
