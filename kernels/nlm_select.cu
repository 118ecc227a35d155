// Non-local means over the neighbours that preselection leaves (docs/FILTERS.md,
// preselect).
//
//   nlm_select_2d_f1, ... 3d_f3  patch radii 1 to 3, as in nlm.cu
//   nlm_select_any               any patch radius: a thread filters one voxel; it compares mean and
//                                deviation of a neighbour, and only where they are alike the patches
//   nlm_select_underflow         after nlm_select_any: the voxels whose weights underflow
#include "nlm_select_params.cuh"
#define NLM_SELECT
#include "nlm.cuh"
#include "nlm_underflow.cuh"

extern "C" {

__global__ void __launch_bounds__(128, 3) nlm_select_2d_f1(const __grid_constant__ NlmSelectParams p)
{
    nlmBlock<2, 1, 2, 4, 1, 4, 1, 1, true>(p.nlm, p.select);
}

__global__ void __launch_bounds__(128, 3) nlm_select_2d_f2(const __grid_constant__ NlmSelectParams p)
{
    nlmBlock<2, 2, 2, 4, 1, 4, 1, 1, true>(p.nlm, p.select);
}

__global__ void __launch_bounds__(128, 3) nlm_select_2d_f3(const __grid_constant__ NlmSelectParams p)
{
    nlmBlock<2, 3, 2, 4, 1, 4, 1, 1, true>(p.nlm, p.select);
}

__global__ void __launch_bounds__(128, 2) nlm_select_3d_f1(const __grid_constant__ NlmSelectParams p)
{
    nlmBlock<3, 1, 2, 4, 2, 4, 3, 3, true>(p.nlm, p.select);
}

__global__ void __launch_bounds__(128, 2) nlm_select_3d_f2(const __grid_constant__ NlmSelectParams p)
{
    nlmBlock<3, 2, 1, 4, 4, 4, 6, 3, true>(p.nlm, p.select);
}

__global__ void __launch_bounds__(128, 2) nlm_select_3d_f3(const __grid_constant__ NlmSelectParams p)
{
    nlmBlock<3, 3, 1, 4, 3, 4, 1, 1, true>(p.nlm, p.select);
}

__global__ void __launch_bounds__(128) nlm_select_any(const __grid_constant__ NlmSelectParams p)
{
    const Field &f = p.nlm.field;
    const Tile t = tileOf(f, 32, 4, 1);
    const int x = t.x + threadIdx.x, y = t.y + threadIdx.y, z = t.z;
    if (x >= f.max[0] || y >= f.max[1]) return;
    *f.result<true>(x, y, z) = f.valid<true>(x, y, z) ? plainVoxel(p.nlm, x, y, z, Chosen{p.select}) : __ldg(f.in + f.index<true>(x, y, z));
}

__global__ void __launch_bounds__(256) nlm_select_underflow(const __grid_constant__ NlmSelectParams p)
{
    filterMarked(p.nlm, Chosen{p.select});
}

} // extern "C"
