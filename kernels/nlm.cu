// The non-local means kernels: fast ones for the patch radii of the papers, and a
// general one.
//
//   nlm_2d_f1              3^2 patches, uniform or Gaussian
//   nlm_2d_f2_*, f3_*      5^2 and 7^2 patches; uniform weights share more of the sums
//   nlm_3d_f1, f2_*, f3_*  the same in three dimensions
//   nlm_any                any patch radius and lk weighting, by the definition
//   nlm_underflow          after nlm_any: the voxels whose weights underflow
//
// The template arguments after the dimensions and F are: a thread's voxels along x, y
// and z, a block's warps, and the z steps in shared memory at once and processed
// together. nlm.go has the same table.
#include "nlm.cuh"
#include "nlm_underflow.cuh"

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
    *f.result<true>(x, y, z) = f.valid<true>(x, y, z) ? plainVoxel(p, x, y, z, AllNeighbours{}) : __ldg(f.in + f.index<true>(x, y, z));
}

__global__ void __launch_bounds__(256) nlm_underflow(const __grid_constant__ NlmParams p) { filterMarked(p, AllNeighbours{}); }

} // extern "C"
